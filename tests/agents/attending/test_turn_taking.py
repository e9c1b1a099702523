"""Of several who hear the same one answers, nobody near keeps nobody awake, and what is owed outlives a restart."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.attending.perception import LATELY_MS, Address, Attention, impression, is_worth_a_thought
from agents.attending.turn_taking import PATIENCE_MS, Awareness, Floor, Owed, owed_rows, restore_owed
from agents.models.scheduler import Priority
from tests.agents.test_agent import AT, Life, running, settled
from tests.world.inn import inn
from world.entities import Character
from world.events import Arrived, Emoted, Event, Gave, Left, RoomMessage, Said, SystemMessage
from world.world import World

ROOM, KITCHEN, STABLE = "The Common Room", "The Kitchen", "The Stable"
NAMES = ("Rook", "Jay", "Wren")


def aviary(room_id: str = ROOM, *, people: tuple[str, ...] = ("Ana",)) -> World:
    """Return the inn with three agents in one room, and of the people only these, awake in the common room."""
    world = inn()
    world.characters["Rook"].room_id = room_id
    for name in NAMES[1:]:
        world.add_character(Character(name, room_id, is_agent=True, awake=True))
    for name in ("Ana", "Ben", "Cat"):
        world.characters[name].awake = name in people
    return world


def takers(floor: Floor, event: Event, world: World) -> list[str]:
    """Return who takes an event up, after all of them have perceived it."""
    found = [name for name in NAMES if floor.is_for(event, name, world)]
    for name in NAMES:
        floor.perceive(name)
    return found


@pytest.mark.parametrize(
    ("event", "people", "count"),
    [
        (Said("Ana", ROOM, "How is the river?"), ("Ana",), 1),
        (Said("Ana", ROOM, "How is the river?"), ("Ana", "Ben"), 1),
        (Said("Ana", ROOM, "It rains."), ("Ana",), 1),
        (Said("Ana", ROOM, "It rains."), ("Ana", "Ben"), 1),  # as her first words since she came
        (Said("Ana", ROOM, "Ben, how is the river?"), ("Ana", "Ben"), 0),
        (Said("Ana", ROOM, "How is the river?", meant_for_id="Ben"), ("Ana", "Ben"), 0),
        (Said("Ana", ROOM, "How is the river?", to_id="Guest1"), ("Ana",), 0),  # who has gone
        (Said("Rook", ROOM, "How is the river?"), (), 1),
        (Said("Rook", ROOM, "It rains."), (), 0),
        (Arrived("Ana", ROOM, KITCHEN), ("Ana",), 1),
        (Left("Ana", ROOM, "north", KITCHEN), ("Ana",), 1),
        (Arrived("Rook", ROOM, KITCHEN), (), 0),
        (Emoted("Ana", ROOM, "waves"), ("Ana",), 0),
        (RoomMessage("", ROOM, "A drop falls."), ("Ana",), 0),
    ],
)
def test_one_takes_up_what_is_for_somebody_and_none_what_is_for_nobody(event, people, count):
    assert len(takers(Floor(), event, aviary(people=people))) == count


def test_of_words_for_nobody_in_company_questions_and_the_first_since_coming_are_taken_up():
    comes = (Left("Ana", ROOM, "north", KITCHEN), Arrived("Ana", ROOM, KITCHEN))
    for between, words, people, count in (
        ((), "It rains.", ("Ana", "Ben"), 0),
        ((), "Does it rain?", ("Ana", "Ben"), 1),
        (comes, "It rains.", ("Ana", "Ben"), 1),
        ((), "It rains.", ("Ana",), 1),  # no other person could be meant
    ):
        floor, world = Floor(), aviary(people=people)
        for event in (Said("Ana", ROOM, "Good-bye.", to_id="Guest1"), *between):  # who has gone
            takers(floor, event, world)
        assert len(takers(floor, Said("Ana", ROOM, words), world)) == count


@pytest.mark.parametrize(
    ("fields", "words"),
    [({"to_id": "Wren"}, "Jay, is it late?"), ({}, "Wren, is it late?"), ({}, "I mean Wren here, as you know.")],
)
def test_an_agent_that_words_are_for_takes_them_up_alone(fields, words):
    floor, world = Floor(), aviary(people=("Ana", "Ben"))
    event = Said("Ana", ROOM, words, **fields)
    assert (takers(floor, event, world), floor.addressee(event, world)) == (["Wren"], "Wren")
    world.characters["Wren"].transient.afk_message = "paused"
    event = Said("Ana", ROOM, words, **fields)
    assert (takers(floor, event, world), floor.addressee(event, world)) == ([], "Wren")


def test_who_has_heard_most_since_its_last_turn_is_next():
    floor, world = Floor(), aviary(people=("Ana", "Ben", "Cat"))
    first = takers(floor, Said("Ana", ROOM, "Who has the key?"), world)
    floor.begin_turn(first[0])
    second = takers(floor, Said("Ben", ROOM, "Are you sure?"), world)
    floor.begin_turn(second[0])
    third = takers(floor, Said("Cat", ROOM, "And the lamp?"), world)
    assert sorted([*first, *second, *third]) == sorted(NAMES)


def test_whom_a_person_talks_with_answers_until_it_has_gone_or_another_is_named():
    floor, world = Floor(), aviary()
    assert takers(floor, Said("Ana", ROOM, "Wren, how is the river?"), world) == ["Wren"]
    for words in ("It rains.", "Who has the key?"):
        assert takers(floor, Said("Ana", ROOM, words), world) == ["Wren"]
        floor.begin_turn("Wren")
    takers(floor, Said("Ana", ROOM, "And you, Jay?"), world)
    assert takers(floor, Said("Ana", ROOM, "Are you sure?"), world) == ["Jay"]
    world.characters["Jay"].room_id = KITCHEN
    assert takers(floor, Said("Ana", ROOM, "Where has he gone?"), world) != ["Jay"]


def test_who_was_spoken_to_answers_the_speaker_and_nobody_else_takes_it_up():
    floor, world = Floor(), aviary(people=("Ana", "Ben"))
    for who, words in (("Ana", "Ben, did you book?"), ("Ben", "Is the early one right?"), ("Ana", "It is. And you?")):
        assert takers(floor, Said(who, ROOM, words), world) == []
    assert takers(floor, Said("Wren", ROOM, "Where is home, Ben?"), world) == []
    assert takers(floor, Said("Ben", ROOM, "A long way from here."), world) == ["Wren"]
    assert takers(floor, Said("Jay", ROOM, "Rook, do you hear the rain?"), world) == ["Rook"]
    assert takers(floor, Said("Rook", ROOM, "All day long."), world) == ["Jay"]


def test_words_right_after_an_agent_s_own_to_somebody_are_for_it_while_it_is_there():
    for gone, taker in ((False, ["Wren"]), (True, [])):
        floor, world = Floor(), aviary(people=("Ana", "Ben"))
        takers(floor, Said("Ana", ROOM, "Good-bye.", to_id="Guest1"), world)
        takers(floor, Said("Wren", ROOM, "Mind the tar.", meant_for_id="Ana"), world)
        world.characters["Wren"].room_id = KITCHEN if gone else ROOM
        assert takers(floor, Said("Ana", ROOM, "It is everywhere."), world) == taker


def test_who_asks_does_not_answer_and_who_is_paused_is_not_waited_for():
    floor, world = Floor(), aviary(people=())
    world.characters["Jay"].transient.afk_message = "paused"
    assert takers(floor, Said("Rook", ROOM, "Is anybody there?"), world) == ["Wren"]


@given(st.lists(st.sampled_from(["ask", *NAMES]), max_size=40))
def test_whatever_happened_before_a_question_has_one_to_answer_it(steps):
    floor, world = Floor(), aviary()
    for step in steps:
        if step == "ask":
            assert len(takers(floor, Said("Ana", ROOM, "And now?"), world)) == 1
        else:
            floor.begin_turn(step)


def test_what_is_answered_to_a_person_is_for_that_person_though_a_third_has_spoken_between():
    floor, world = Floor(), aviary()
    (one,) = takers(floor, Said("Ana", ROOM, "Who has the key?"), world)
    other = next(name for name in NAMES if name != one)
    takers(floor, Said(other, ROOM, "Good day. What are you called?"), world)
    assert takers(floor, Said("Ana", ROOM, "What would you do?"), world) == [one]
    assert takers(floor, Said(one, ROOM, "I would wait. Would you?"), world) == []


def test_what_an_agent_is_known_to_ask_a_person_is_for_no_other_agent():
    floor, world = Floor(), aviary()
    greeting = Said("Rook", ROOM, "There you are. What are you called?")
    assert takers(floor, greeting, world) != []
    assert takers(floor, replace(greeting, meant_for_id="Ana"), world) == []


class Room:
    """Three agents that are aware of the same room at the same time."""

    def __init__(self, world: World) -> None:
        self.ms = 0
        self.world = world
        floor = Floor()
        self.minds = {name: Awareness(name, floor, lambda: self.ms) for name in NAMES}

    def happens(self, event: Event) -> list[str]:
        """Let all perceive something; return who is to think of it soon."""
        soon = []
        for name, mind in self.minds.items():
            left = impression(event, name, self.world, has_floor=mind.has_floor(event, self.world))
            if left and mind.take_in(event, left, self.world):
                soon.append(name)
        return soon

    def still(self, when: str = "always") -> dict[str, str]:
        """Return who would not take a turn now, and in what way."""
        turns = {
            name: mind.stillness(when, self.world, self.world.characters[name]) for name, mind in self.minds.items()
        }
        return {name: turn.outcome for name, turn in turns.items() if turn}


def test_a_question_to_all_is_answered_by_one_while_the_others_listen():
    room = Room(aviary())
    (one,) = room.happens(Said("Ana", ROOM, "Who has the key?"))
    assert room.still() == {name: "listening" for name in NAMES if name != one}
    room.minds[one].begin_turn()
    assert room.still() == {}


def test_who_is_spoken_to_need_not_wait_for_who_has_the_floor():
    room = Room(aviary(people=("Ana", "Ben")))
    (one,) = room.happens(Said("Ana", ROOM, "Who has the key?"))
    other, third = (name for name in NAMES if name != one)
    assert room.happens(Said("Ben", ROOM, f"{other}, is it late?")) == [other]
    assert room.still() == {third: "listening"}


def test_nobody_waits_for_ever_for_one_who_does_not_answer():
    room = Room(aviary())
    room.happens(Said("Ana", ROOM, "Rook, who has the key?"))
    room.ms += PATIENCE_MS + 1
    assert room.still() == {}


def test_nobody_waits_for_one_who_has_gone():
    room = Room(aviary())
    room.happens(Said("Ana", ROOM, "Rook, who has the key?"))
    room.world.characters["Rook"].room_id = KITCHEN
    assert room.still() == {}


def test_nobody_waits_for_one_who_is_paused():
    room = Room(aviary())
    room.world.characters["Rook"].transient.afk_message = "paused"
    room.happens(Said("Ana", ROOM, "Rook, who has the key?"))
    assert room.still() == {}


@pytest.mark.parametrize(
    ("event", "is_so"),
    [
        (Arrived("Ana", ROOM, KITCHEN), True),
        (Left("Ana", ROOM, "north", KITCHEN), True),
        (Arrived("Jay", ROOM, KITCHEN), False),
        (Arrived("Rook", ROOM, KITCHEN), False),
        (Gave("Jay", ROOM, "apples", "Rook"), True),
        (Gave("Jay", ROOM, "apples", "Wren"), False),
        (SystemMessage("Rook", "It is night."), True),
        (Said("Ana", ROOM, "It rains."), False),
        (RoomMessage("", ROOM, "A drop falls."), False),
    ],
)
def test_what_is_worth_a_thought(event, is_so):
    assert is_worth_a_thought(event, "Rook", aviary()) == is_so


@pytest.mark.parametrize(
    ("room_id", "people", "when", "drawn"),
    [
        (ROOM, ("Ana",), "near", True),
        (KITCHEN, ("Ana",), "near", True),  # next door
        (STABLE, ("Ana",), "near", False),
        (ROOM, (), "near", False),
        (STABLE, ("Ana",), "always", True),
        (ROOM, ("Ana",), "addressed", False),
    ],
)
def test_an_agent_thinks_when_its_setting_says_so(room_id, people, when, drawn):
    world = aviary(room_id, people=people)
    assert Attention(lambda: 0).is_drawn(when, False, world, world.characters["Rook"]) == drawn


def test_who_thinks_only_when_addressed_thinks_then():
    world = aviary(people=())
    assert Attention(lambda: 0).is_drawn("addressed", True, world, world.characters["Rook"])


def test_what_a_person_did_is_thought_of_for_a_while_after_she_has_gone():
    room = Room(aviary(STABLE, people=("Cat",)))
    room.world.characters["Cat"].room_id = STABLE
    room.happens(Emoted("Cat", STABLE, "waves"))
    room.world.characters["Cat"].awake = False
    room.ms = LATELY_MS - 1
    assert room.still("near") == {}
    room.ms = LATELY_MS
    assert room.still("near") == dict.fromkeys(NAMES, "resting")


def test_a_gift_and_a_reminder_are_thought_of_once():
    room = Room(aviary(people=()))
    room.happens(Gave("Jay", ROOM, "apples", "Rook"))
    room.happens(SystemMessage("Wren", "It is night."))
    assert room.still("near")["Jay"] == "resting"
    assert room.minds["Rook"].addressed.is_gift
    for name in NAMES:
        room.minds[name].begin_turn()
    assert room.still("near") == dict.fromkeys(NAMES, "resting")


def test_agents_do_not_keep_each_other_awake_where_nobody_is():
    room = Room(aviary(people=()))
    for one, other in combinations(NAMES, 2):
        room.happens(Said(one, ROOM, f"{other}, are you there?"))
        room.happens(Arrived(one, ROOM, KITCHEN))
    assert room.still("near") == dict.fromkeys(NAMES, "resting")


SPOKEN = Address(spoken=True, by_person=True)


def test_whoever_was_spoken_to_owes_an_answer_until_it_has_given_one(tmp_path):
    life = Life(tmp_path, "say Good morning.")

    async def act(queue):
        life.ana.types("say Rook, are you there?")
        before = owed_rows({"Rook": life.agent.awareness})
        await life.agent.tick()
        return before, owed_rows({"Rook": life.agent.awareness})

    before, after = running(life, act)
    owed: dict[str, object] = {"spoken": 1, "by_person": 1, "from_afar": 0, "unseen": 1, "has_floor": 1, "stirred": 0}
    owed |= {"by_id": "Ana", "channel": "say", "is_gift": 0, "text": "Rook, are you there?"}
    assert (before, after) == ({"Rook": owed}, {})


def test_what_it_was_thinking_of_when_it_was_cut_short_is_owed_still(tmp_path):
    life = Life(tmp_path, "say Good morning.")

    async def act(queue):
        life.ana.types("say Rook, are you there?")
        life.model.hold()
        turn = asyncio.ensure_future(life.agent.tick())
        await settled()
        assert life.model.running == 1
        await queue.stop()
        await turn
        return owed_rows({"Rook": life.agent.awareness})

    assert running(life, act)["Rook"]["spoken"] == 1


def test_another_agent_of_the_same_name_goes_on_from_there(tmp_path):
    life = Life(tmp_path)
    rows = {"Rook": {"spoken": 1, "by_person": 1, "unseen": 3, "has_floor": 1}}
    restore_owed({"Rook": life.agent.awareness}, rows, life.game.world)
    assert life.agent.awareness.owed == Owed(SPOKEN, 3, has_floor=True)


def test_everybody_who_waits_behind_a_question_is_answered_after_a_restart_too():
    asked = Address(True, True, by_id="Ana", text="Are you there?", later=("It rains.",))
    ben, cid = (
        Address(True, True, True, "Ben", "tell", text="Where is it?"),
        Address(True, True, by_id="Cid", text="Hm."),
    )
    asked = asked | ben | cid
    world, before, after = inn(), Awareness("Rook", Floor(), lambda: AT), Awareness("Rook", Floor(), lambda: AT)
    before.owe(Owed(asked), world)
    restore_owed({"Rook": after}, json.loads(json.dumps(owed_rows({"Rook": before}))), world)
    assert after.owed == before.owed == Owed(asked)
    assert [one.by_id for one in after.owed.address.each()] == ["Ana", "Ben", "Cid"]


@pytest.mark.parametrize(
    ("waits", "priority"),
    [
        (Address(), Priority.THOUGHT),
        (Address(True, by_id="Jay", text="How are you?"), Priority.THOUGHT),
        (Address(True, by_person=True, by_id="Ana", text="How are you?"), Priority.ANSWER),
    ],
)
def test_who_keeps_a_person_waiting_comes_before_who_keeps_an_agent_waiting(waits, priority):
    awareness = Awareness("Rook", Floor(), lambda: AT)
    awareness.addressed = waits
    assert awareness.priority is priority


@pytest.mark.parametrize(
    "row", [{}, {"spoken": "yes", "unseen": -4, "stirred": None, "hope": 1}, {"unseen": [7]}, {"then": 3}]
)
def test_what_cannot_be_understood_is_not_owed(tmp_path, row):
    life = Life(tmp_path)
    restore_owed({"Rook": life.agent.awareness}, {"Rook": row, "Nobody": {"spoken": 1}}, life.game.world)
    assert owed_rows({"Rook": life.agent.awareness}) == {}


def test_others_wait_for_whoever_had_the_floor_and_who_heard_most_is_next():
    world, floor = inn(), Floor()
    rook = Awareness("Rook", floor, lambda: AT)
    world.characters["Rook"].room_id, world.characters["Rook"].awake = ROOM, True
    rook.owe(Owed(SPOKEN, 4, has_floor=True), world)
    assert (floor.unseen("Rook"), floor.is_taken(world.characters["Ana"], world, AT)) == (4, True)
    rook.begin_turn()
    assert (floor.unseen("Rook"), rook.owed) == (0, Owed(SPOKEN, 4, has_floor=True))
    rook.end_turn()
    assert rook.owed == Owed()
