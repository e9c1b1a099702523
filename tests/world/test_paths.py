"""The way from room to room is the shortest there is."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.world.inn import inn
from world.model import Exit, Room, World
from world.paths import shortest_path


def test_the_way_is_told_exit_by_exit():
    way = shortest_path(inn(), "The Kitchen", "The Stable")
    assert [exit.name for exit in way or []] == ["south", "out", "stable door"]


def test_who_is_there_already_has_no_step_to_take():
    assert shortest_path(inn(), "The Yard", "The Yard") == []


def test_where_nothing_leads_there_is_no_way():
    assert shortest_path(inn(), "The Yard", "The Stable Loft") is None


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=20))
def test_a_way_leads_there_and_none_is_shorter(pairs):
    world = World(
        Room(str(n), exits={str(to): Exit(str(to), str(to)) for start, to in pairs if start == n}) for n in range(7)
    )
    way = shortest_path(world, "0", "6")
    steps = {"0": 0}
    for _ in range(7):
        for start, to in pairs:
            if str(start) in steps:
                steps[str(to)] = min(steps.get(str(to), 99), steps[str(start)] + 1)
    assert (len(way) if way is not None else None) == steps.get("6")
    stops = ["0", *(exit.room_id for exit in way or [])]
    assert all((int(start), int(to)) in pairs for start, to in pairwise(stops))
