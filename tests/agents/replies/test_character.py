"""Words that are not the agent's own: those of an assistant, of somebody else, of the narrator."""

from __future__ import annotations

import pytest

from agents.replies.character import Around, claims_as_own, is_out_of_character, narrates, swaps_persons
from tests.world.inn import inn


@pytest.mark.parametrize(
    ("words", "is_swapped"),
    [
        ("I am Wilma.", True),
        ("My name is Wilma, and yours?", True),
        ("You are Moss.", True),
        ("Good morning, Moss! Thank you for asking.", True),
        ("You're Moss, are you not?", True),
        ("Moss.", False),
        ("I am Moss, and you are Wilma.", False),
        ("Thank you, Wilma.", False),
        ("You are mossy.", False),
    ],
)
def test_who_speaks_as_the_other_or_to_itself_has_swapped_the_persons(words, is_swapped):
    assert swaps_persons(words, "Moss", ["Wilma"], inn().wording) == is_swapped


@pytest.mark.parametrize(
    ("words", "does"),
    [
        ("You are at The Landing. Guest1 looks at the water for a while. Guest1 comes up to you.", True),
        ("You looked at the water for a while.", False),
        ("Moss nods.", False),
    ],
)
def test_who_says_what_the_narrator_told_speaks_for_the_narrator(words, does):
    assert narrates(words, ["Guest1 looks at the water for a while.", "Moss nods."]) == does


def test_an_assistant_is_nobody_here():
    assert is_out_of_character("I am a language model.", "Eliza", Around(), inn().wording)
    assert not is_out_of_character("I write the page of the day.", "Eliza", Around(), inn().wording)


@pytest.mark.parametrize(
    ("words", "claims"),
    [
        ("I lost my red kite over the mill this morning.", True),
        ("I lost a red kite over the mill this morning. The bell rang.", True),
        ("You lost your red kite over the mill this morning.", False),
        ("I am sorry that you lost your kite.", False),
    ],
)
def test_what_the_other_told_of_themselves_is_theirs(words, claims):
    assert claims_as_own(words, ["I lost my red kite over the mill this morning."]) == claims
