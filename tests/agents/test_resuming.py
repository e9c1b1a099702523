"""What an agent owes an answer to outlives a restart."""

from __future__ import annotations

import asyncio

import pytest

from agents.attending.awareness import Awareness, Owed
from agents.attending.floor import Floor
from agents.attending.perceiving import Address
from agents.resuming import owe_again, owed_by
from tests.agents.test_agent import AT, ROOM, Life, running, settled
from tests.world.inn import inn

SPOKEN = Address(spoken=True, by_person=True)


def test_whoever_was_spoken_to_owes_an_answer_until_it_has_given_one(tmp_path):
    life = Life(tmp_path, "say Good morning.")

    async def act(queue):
        life.ana.types("say Rook, are you there?")
        before = owed_by({"Rook": life.agent})
        await life.agent.tick()
        return before, owed_by({"Rook": life.agent})

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
        return owed_by({"Rook": life.agent})

    assert running(life, act)["Rook"]["spoken"] == 1


def test_another_agent_of_the_same_name_goes_on_from_there(tmp_path):
    life = Life(tmp_path)
    rows = {"Rook": {"spoken": 1, "by_person": 1, "unseen": 3, "has_floor": 1}}
    owe_again({"Rook": life.agent}, rows, life.game.world)
    assert life.agent.awareness.owed == Owed(SPOKEN, 3, has_floor=True)


@pytest.mark.parametrize("row", [{}, {"spoken": "yes", "unseen": -4, "stirred": None, "hope": 1}, {"unseen": [7]}])
def test_what_cannot_be_understood_is_not_owed(tmp_path, row):
    life = Life(tmp_path)
    owe_again({"Rook": life.agent}, {"Rook": row, "Nobody": {"spoken": 1}}, life.game.world)
    assert owed_by({"Rook": life.agent}) == {}


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
