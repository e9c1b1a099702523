"""Whom one makes out in a room: everybody, or in a crowd a few of many."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from world.model import Character, World

MADE_OUT = 20
"""How many people are made out in a crowd. It costs the same however large that is."""


def made_out(world: World, room_id: str, viewer: Character | None = None) -> list[Character]:
    """Return whom a viewer, or anybody, makes out in a room: everyone else awake, or of a crowd a few.

    All are in the order in which they came into the world. The few are whoever spoke to the viewer alone last, whom
    the viewer follows, then agents, then those who have been there longest.
    """
    if not world.is_crowded(room_id):
        return [one for one in world.occupants(room_id) if one is not viewer]
    people = world.characters
    near = [people.get(viewer.doings.answer_to_id), people.get(viewer.doings.following_id)] if viewer else []
    known = [one for one in near if one and one.awake and one.room_id == room_id]
    agents = islice((one for one in people.first_at(room_id, "is_agent") if one.awake), MADE_OUT + 1)
    longest = islice(people.first_at(room_id, "awake"), MADE_OUT + 1)
    found = dict.fromkeys(one.character_id for one in (*known, *agents, *longest) if one is not viewer)
    return [people[one_id] for one_id in islice(found, MADE_OUT)]


def uncounted(world: World, viewer: Character, found: Sequence[Character]) -> int:
    """Return how many others are in the room of a viewer besides those found by `made_out`."""
    return world.count_occupants(viewer.room_id) - viewer.awake - len(found)


def named_here(world: World, viewer: Character) -> str:
    """Return who else is in the room of a viewer as a list of names, of a crowd those whom it makes out."""
    found = made_out(world, viewer.room_id, viewer)
    names = [one.name for one in found]
    return ", ".join([*names, "…"]) if uncounted(world, viewer, found) else world.wording.all_of(names)
