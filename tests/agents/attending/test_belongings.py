"""What somebody wants of the things that an agent holds, and who has them now."""

from __future__ import annotations

import pytest

from agents.attending.belongings import Gift, asked_back, asked_for, hands_over, holder, names_thing
from agents.memory.facts.store import ME
from tests.agents.choices.test_policy import a_landing
from tests.english import ENGLISH
from world.world import World


def landing() -> World:
    """Return Ana's world: she carries a letter."""
    world = a_landing()
    world.wording = ENGLISH
    return world


@pytest.mark.parametrize(
    ("words", "talk", "asked"),
    [
        ("May I have the letter, please?", [], ("letter",)),
        ("Give me the letter!", [], ("letter",)),
        ("Drop the letter.", [], ()),
        ("That is a fine letter.", [], ()),
        ("Could I have some tea?", [], ()),
        ("can i have it for a sec??", ["whoa, is that a letter", "Good day."], ("letter",)),
        ("can i have it for a sec??", ["Good day."], ()),
        ("can i have it back now", ["Good day."], ("letter",)),
        ("can I borrow yours? I will read it and bring it", ["Have you a letter?"], ("letter",)),
        ("Might I trouble you for that letter?", [], ("letter",)),
        ("I left my lantern with Ben. Could I have it back?", [], ()),
        ("May I come in? It rains.", ["a letter"], ()),
        ("im scared. have you got something i can hold?", [], ("letter",)),
        ("can you tell me something i can look at", [], ()),
    ],
)
def test_what_is_asked_for_is_what_it_carries_and_the_words_name_or_mean_and_want(words, talk, asked):
    world = landing()
    assert asked_for(world, world.characters["Ana"], words, talk) == asked


@pytest.mark.parametrize(
    ("name", "words", "named"),
    [
        ("ink bottle", "could i borrow ur ink for 2 mins", True),
        ("ink bottle", "May I have the ink?", True),
        ("ink bottle", "Ink Yard is far.", False),
        ("white pebble", "where's that white pebble u carry", True),
        ("white pebble", "May I have a white wine?", True),  # by the word alone it may be meant
        ("white pebble", "Snow is white.", False),
    ],
)
def test_a_thing_is_named_by_its_last_word_or_by_another_that_belongs_to_somebody(name, words, named):
    assert names_thing(name, words) is named


GIFTS = [Gift("Anselm", ME, "white pebble"), Gift("Ulla", ME, "seed bun"), Gift(ME, "Enno", "seed bun")]


def test_who_gave_a_thing_may_have_it_back_and_nobody_else_by_asking_so():
    asked = ("white pebble",)
    assert asked_back("May I have it back?", asked, "Anselm", GIFTS) == "white pebble"
    assert asked_back("May I have it back?", asked, "Ulla", GIFTS) == ""
    assert asked_back("May I have it?", asked, "Anselm", GIFTS) == ""


def test_what_was_given_away_is_with_who_got_it_last_unless_it_came_back():
    world = landing()
    ana = world.characters["Ana"]
    assert holder("can i have that bun back?", ana, world, GIFTS) == Gift(ME, "Enno", "seed bun")
    assert holder("can i have that bun back?", ana, world, [*GIFTS, Gift("Enno", ME, "seed bun")]) is None
    assert holder("where is the pebble", ana, world, GIFTS) is None


def test_a_line_that_gives_what_the_words_name_to_who_speaks_hands_it_over():
    dot = landing().characters["Dot"]
    assert hands_over("give brass lantern to Dot", dot, "Is that my lantern, Ana?") == "brass lantern"
    assert hands_over("give brass lantern to Old Ben", dot, "Is that my lantern, Ana?") == ""
    assert hands_over("give brass lantern to Dot", dot, "Eels are late.") == ""
    assert hands_over("go north", dot, "Is that my lantern, Ana?") == ""
