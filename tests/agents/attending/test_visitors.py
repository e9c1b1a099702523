"""Whom an agent goes to meet: people who have just come into the world, and nobody twice."""

from __future__ import annotations

from agents.attending.visitors import MAX_STEPS, SOUGHT_MS, Visitors
from agents.components.errands import Step
from tests.world.inn import inn

ROOM, KITCHEN = "The Common Room", "The Kitchen"


class Welcoming:
    """Rook in the kitchen, where he is alone; Ana, a person, is in the common room and has just come."""

    def __init__(self) -> None:
        self.world, self.ms = inn(), 0
        for one in self.world.characters.values():
            one.awake = False
        self.rook, self.ana = self.world.characters["Rook"], self.world.characters["Ana"]
        self.rook.is_agent = self.rook.awake = self.ana.awake = True
        self.rook.room_id, self.ana.room_id = KITCHEN, ROOM
        self.visitors = Visitors("Rook", lambda: self.ms)

    def step(self) -> Step | None:
        return self.visitors.next_step(self.world, self.rook)

    def way(self) -> str:
        """Return the exit of the kitchen that leads to the common room."""
        exits = self.world.rooms[KITCHEN].exits.values()
        return next(one.name for one in exits if one.room_id == ROOM)


def test_it_goes_at_once_to_a_person_who_is_in_the_world():
    life = Welcoming()
    step = life.step()
    assert step and (step.line, step.is_going, step.is_at_once) == (f"go {life.way()}", True, True)


def test_agents_are_not_sought():
    life = Welcoming()
    life.ana.is_agent = True
    assert life.step() is None


def test_whom_it_has_met_it_seeks_no_more_until_they_come_again():
    life = Welcoming()
    life.rook.room_id = ROOM
    assert life.step() is None
    life.rook.room_id = KITCHEN
    assert life.step() is None
    life.ana.awake = False
    life.step()
    life.ana.awake = True
    assert life.step()


def test_it_seeks_nobody_for_longer_than_five_minutes_or_twelve_steps():
    life = Welcoming()
    assert life.step()
    life.ms = SOUGHT_MS
    assert life.step() is None
    life = Welcoming()
    assert all(life.step() for _ in range(MAX_STEPS))
    assert life.step() is None
