"""Visitors: who has come is met, and who asks for it is led, by the shortest way and never against their will."""

from __future__ import annotations

import pytest

from agents.component import Turn
from agents.components.errands import Step
from agents.components.visitors import MAX_STEPS, SETS_OFF_MS, SOUGHT_MS, WAITS_MS, Visitors
from tests.world.inn import inn

ROOM, KITCHEN, YARD = "The Common Room", "The Kitchen", "The Yard"


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


class Leading(Welcoming):
    """Rook has promised Ana, who is with him in the kitchen, to lead her to the common room."""

    def __init__(self) -> None:
        super().__init__()
        self.ana.room_id = KITCHEN
        self.step()  # they have met
        self.visitors.lead(self.rook, "Ana", ROOM)

    def line(self) -> str:
        step = self.step()
        assert step is not None and step.led == "Ana"
        return step.line


def test_it_goes_at_once_with_one_who_follows_and_says_where_they_are():
    life = Leading()
    life.ana.transient.following_id = "Rook"
    assert life.line() == f"go {life.way()}"
    life.rook.room_id = life.ana.room_id = ROOM
    assert life.line() == "say Here we are. This is The Common Room."
    life.visitors.acted(Turn("acted", life.line(), cause="errand"))
    assert life.step() is None


def test_another_agent_who_is_there_is_told_of_the_visitor():
    life = Leading()
    ben = life.world.characters["Ben"]
    ben.is_agent = ben.awake = True
    ben.room_id = life.rook.room_id = life.ana.room_id = ROOM
    assert life.line() == "say Here we are. This is The Common Room. Ben, you have a visitor."


def test_it_goes_ahead_after_a_while_and_waits_for_one_who_walks():
    life = Leading()
    assert life.line() == ""
    life.ms = SETS_OFF_MS
    assert life.line() == f"go {life.way()}"
    life.visitors.acted(Turn("acted", f"go {life.way()}", cause="errand"))
    life.rook.room_id = ROOM
    assert life.line() == ""
    life.ana.room_id = ROOM
    assert life.line().startswith("say ")


def test_it_goes_after_one_who_has_walked_there_already():
    life = Leading()
    life.ana.room_id = ROOM
    assert life.line() == f"go {life.way()}"


def test_whom_it_has_lost_on_the_way_it_does_not_wait_for_longer_than_a_minute():
    life = Leading()
    life.ana.room_id = YARD
    life.ms = WAITS_MS
    assert life.line() == ""
    life.ms += 1
    assert life.step() is None
    assert not life.visitors.is_leading


def test_it_says_so_where_the_way_is_shut():
    life = Leading()
    life.ana.transient.following_id = "Rook"
    life.visitors.acted(Turn("refused", life.line(), cause="errand"))
    assert life.line() == "say I cannot go on. The way is shut."
    life.visitors.acted(Turn("acted", life.line(), cause="errand"))
    assert life.step() is None


@pytest.mark.parametrize("end", ["no more wish to go", "sleep", "the end of a guest"])
def test_it_leads_no_further_after(end: str):
    life = Leading()
    life.visitors.stop_leading("Ben")  # whom it does not lead
    assert life.line() == ""
    if end == "sleep":
        life.ana.awake = False
    elif end == "the end of a guest":
        del life.world.characters["Ana"]
    else:
        life.visitors.stop_leading("Ana")
    assert life.step() is None
    assert not life.visitors.is_leading


def test_a_place_to_which_no_way_leads_ends_it():
    life = Leading()
    life.visitors.lead(life.rook, "Ana", "nowhere")
    assert life.step() is None
    assert not life.visitors.is_leading


def test_it_goes_on_leading_after_a_restart_unless_it_had_ended():
    life = Leading()
    life.ana.transient.following_id = "Rook"
    life.visitors = Visitors("Rook", lambda: life.ms)
    assert life.line() == f"go {life.way()}"
    life.visitors.stop_leading("Ana")
    life.visitors = Visitors("Rook", lambda: life.ms)
    assert life.step() is None
