"""What an event leaves in an agent's memory, and whether it was spoken to."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import or_

import pytest

from agents.attending.perception import MOST_LINES, MOST_WAITING, Address, Impression, address, impression
from agents.attending.typed_events import NO_EVENT
from agents.memory.importance import SPOKEN_TO, TOLD_PRIVATELY
from tests.world.inn import inn
from world.events import (
    Arrived,
    Dropped,
    Emoted,
    Gave,
    Left,
    LookedAt,
    Output,
    Paged,
    Refused,
    Said,
    Shouted,
    SystemMessage,
    Thought,
    Took,
    Whispered,
)

ROOM, KITCHEN = "The Common Room", "The Kitchen"


@pytest.fixture
def world():
    """The inn with the agent Rook in the common room, among Ana and Ben."""
    world = inn()
    world.characters["Rook"].room_id = ROOM
    return world


@pytest.mark.parametrize(
    ("event", "left"),
    [
        # Its own words and thoughts stand in its memory as what it typed.
        (Said("Rook", ROOM, "hello"), None),
        (Emoted("Rook", ROOM, "hums"), None),
        (Whispered("Rook", ROOM, "Ana", "psst"), None),
        (Paged("Rook", "Cat", "hello"), None),
        (Shouted("Rook", ROOM, "hello"), None),
        (Thought("Rook", "They are kind."), None),
        # What it is told alone, from wherever that is; and what is said to somebody else.
        (Paged("Cat", "Rook", "Come."), Impression("told", ("Cat",), TOLD_PRIVATELY, addressed=True)),
        (Said("Ana", ROOM, "Rook is kind.", to_id="Ben"), Impression("observed", ("Ana",))),
        (Shouted("Cat", "The Yard", "Rain!"), Impression("observed", ("Cat",))),
        # What came of its own commands.
        (Output("Rook", "A long table."), Impression("result", importance=2)),
        (Refused("Rook", "There is no 'moon' here."), Impression("result", importance=4)),
        (Left("Rook", ROOM, "north", KITCHEN), Impression("result", importance=2)),
        (Arrived("Rook", KITCHEN, ROOM), Impression("result", importance=2)),
        (Took("Rook", ROOM, "brass lamp"), Impression("result", importance=5)),
        (Dropped("Rook", ROOM, "brass lamp"), Impression("result", importance=5)),
        (Gave("Rook", ROOM, "brass lamp", "Ana"), Impression("result", importance=6)),
        (SystemMessage("Rook", "The world is closing."), Impression("told")),
        # What others do.
        (Arrived("Ana", ROOM, KITCHEN), Impression("observed", ("Ana",), importance=2)),
        (Left("Ana", ROOM, "north", KITCHEN), Impression("observed", ("Ana",), importance=2)),
        (Emoted("Ana", ROOM, "waves at Rook"), Impression("observed", ("Ana",))),
        (Gave("Ana", ROOM, "copper coin", "Rook"), Impression("observed", ("Ana",), importance=6, addressed=True)),
        (LookedAt("Ana", ROOM, "Rook"), Impression("observed", ("Ana",))),
        (Said("Ana", ROOM, "hello all"), Impression("observed", ("Ana",))),
        (Whispered("Ana", ROOM, "Rook", "psst"), Impression("told", ("Ana",), TOLD_PRIVATELY, addressed=True)),
        (Whispered("Ana", ROOM, "Ben", "psst"), Impression("observed", ("Ana",))),
    ],
)
def test_what_an_event_leaves(world, event, left):
    found = impression(event, "Rook", world)
    assert (replace(found, typed=NO_EVENT) if found else None) == left


def test_words_are_spoken_to_it_where_it_has_the_floor_and_private_ones_always(world):
    for words in ("Rook, where is the lamp?", "hello all"):
        for has_floor in (True, False):
            left = impression(Said("Ana", ROOM, words), "Rook", world, has_floor=has_floor)
            assert left and (left.addressed, left.importance == SPOKEN_TO) == (has_floor, has_floor)
    own = impression(Said("Rook", ROOM, "hello", is_scripted=True), "Rook", world, has_floor=True)
    assert own and not own.addressed


def test_of_several_who_spoke_the_last_is_answered_and_a_person_before_an_agent(world):
    by_agent, by_person = address(Said("Rook", ROOM, "x"), world), address(Paged("Ana", "Rook", "y"), world)
    assert by_agent == Address(True, by_id="Rook", text="x")
    assert by_person == Address(True, by_person=True, from_afar=True, by_id="Ana", channel="tell", text="y")
    assert by_agent | Address() | by_person == by_person | by_agent == by_person
    later = address(Said("Ben", ROOM, "z"), world)
    assert by_person | later == later


def test_speeches_of_one_person_wait_together_each_once_and_not_without_end(world):
    x, y, z = (address(Said("Ana", ROOM, words), world) for words in "xyz")
    assert x | y | x == (x | y) | (x | y) == replace(x, text="x\ny")
    many = [address(Said("Ana", ROOM, f"{number}"), world) for number in range(MOST_LINES + 2)]
    assert reduce(or_, many).text == "\n".join(str(number) for number in range(2, MOST_LINES + 2))
    assert x | address(Whispered("Ana", ROOM, "Rook", "z"), world) == replace(z, channel="whisper")
    by_agent = address(Said("Rook", ROOM, "x"), world)
    assert by_agent | replace(by_agent, text="y") == replace(by_agent, text="y")


def test_who_speaks_and_gives_something_is_answered_what_was_said(world):
    words, gift = address(Said("Ana", ROOM, "x"), world), address(Gave("Ana", ROOM, "copper coin", "Rook"), world)
    assert (gift.spoken, gift.is_gift, words | gift) == (True, True, replace(words, with_gift=True))
    assert gift | words == replace(words, with_gift=True)
    asked = address(Said("Ana", ROOM, "Where is the mill?"), world)
    assert gift | asked == asked


def test_each_question_waits_for_an_answer_of_its_own(world):
    lines = "I am Ana.", "Who are you?", "I am new here.", "灯在哪里？"
    waiting = reduce(or_, (address(Said("Ana", ROOM, words), world) for words in lines))
    assert (waiting.text, waiting.later) == ("I am Ana.\nWho are you?", lines[2:])
    assert (waiting.rest().text, waiting.rest().later) == ("\n".join(lines[2:]), ())
    assert waiting.rest().rest() == Address()


def test_whose_question_waits_is_answered_before_another_who_speaks_later(world):
    asked = address(Said("Ana", ROOM, "Where is the lamp?"), world)
    whispered = address(Whispered("Ana", ROOM, "Rook", "Who are you?"), world)
    told = address(Said("Ben", ROOM, "It is warm here."), world)
    waiting = asked | whispered | told
    assert [waiting.text, waiting.rest(), waiting.rest().rest()] == [asked.text, whispered | told, told]
    assert waiting.rest().rest().rest() == Address()
    assert told | asked == asked
    many = reduce(or_, (replace(asked, by_id=f"Ana{number}") for number in range(3 * MOST_WAITING)))
    assert many.count == MOST_WAITING
