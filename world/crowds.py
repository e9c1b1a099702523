"""Whom one makes out in a room: everybody, or in a crowd a few of many."""

from __future__ import annotations

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


def uncounted(world: World, viewer: Character) -> int:
    """Return how many others are in the room of a viewer besides those whom it makes out."""
    if not world.is_crowded(viewer.room_id):
        return 0
    others = world.count_occupants(viewer.room_id) - viewer.awake
    return max(0, others - len(made_out(world, viewer.room_id, viewer)))


def named_here(world: World, viewer: Character) -> str:
    """Return who else is in the room of a viewer as a list of names, of a crowd those whom it makes out."""
    names = [one.name for one in made_out(world, viewer.room_id, viewer)]
    return ", ".join([*names, "…"]) if uncounted(world, viewer) else world.wording.all_of(names)
