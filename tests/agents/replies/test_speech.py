"""Words that are spoken: free of what a model puts round them, and the agent's own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.replies.speech import (
    MAX_SPOKEN,
    Around,
    Speech,
    claims_as_own,
    is_out_of_character,
    narrates,
    speech_in,
    swaps_persons,
)
from tests.world.inn import inn

WORDS = "Good morning, Robin."


@pytest.mark.parametrize(
    "answer",
    [
        WORDS,
        f" {WORDS}\n",
        f'"{WORDS}"',
        f"“{WORDS}”",
        f"Eliza: {WORDS}",
        f'Eliza says, "{WORDS}"',
        f"say {WORDS}",
        f"~Eliza> say {WORDS}",
        f"{WORDS}\nRobin says, hello.",
        f"<think>She is new.</think>{WORDS}",
        f'{{"words": "{WORDS}"}}',
        f'{{"words": "{WORDS}", "you_give": "nothing"}}',
        f'{{"words": "{WORDS}',
        f"**{WORDS}**",
    ],
)
def test_the_words_are_found(answer):
    assert speech_in(answer, "Eliza", "say") == Speech(WORDS)


@pytest.mark.parametrize("answer", ["", "  \n ", "{}", '{"words": ""}', "<think>hm", "```\n```", '{"words": 7', "[1]"])
def test_where_nothing_is_said_there_are_no_words_or_harmless_ones(answer):
    assert speech_in(answer, "Eliza", "say").words in ("", "[1]", "7")


def test_a_reason_behind_a_bar_is_no_part_of_the_words():
    assert speech_in(f"{WORDS} | she spoke to me", "Eliza", "say") == Speech(WORDS, reason="she spoke to me")


def test_only_what_is_offered_is_handed_over():
    answer = '{"words": "Here it is.", "you_give": "ink bottle"}'
    assert speech_in(answer, "Eliza", "say", ("ink bottle",)) == Speech("Here it is.", "ink bottle")
    assert speech_in(answer, "Eliza", "say", ("lamp",)) == Speech("Here it is.")


def test_words_that_go_on_and_on_are_cut_at_a_sentence():
    assert speech_in("I see. " * 200, "Eliza", "say").words == ("I see. " * 200)[: MAX_SPOKEN - 1].strip()


@given(st.text(max_size=2000))
def test_whatever_is_answered_the_words_are_one_line_of_bounded_length(answer):
    words = speech_in(answer, "Eliza", "whisper Ana").words
    assert len(words) <= MAX_SPOKEN
    assert "\n" not in words


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
