"""What somebody sees of where it is: the room, who and what is in it, the exits, the time of day.

In a crowd, only a few of many people are visible. The sentences themselves stand in the vault's `text/narration.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from world.entities import Character, Exit, Room
from world.narration import place, with_article
from world.preferences import is_brief, reads_aloud
from world.world import World


def scene(world: World, viewer: Character) -> str:
    """Return what a viewer sees around it: title, description, things, people, exits, a line each."""
    room = world.room_of(viewer)
    lines = [room.name, described(room, world), *_around(world, viewer)]
    return "\n".join(line for line in lines if line)


def arrival(world: World, viewer: Character) -> str:
    """Return what somebody who walks sees of the room that it comes into: all of it, or all but the description."""
    if not is_brief(viewer):
        return scene(world, viewer)
    lines = [world.room_of(viewer).name, *_around(world, viewer)]
    return "\n".join(line for line in lines if line)


def described(room: Room, world: World) -> str:
    """Return what a room looks like at this time of day."""
    return "\n".join(text for text in (room.description, room.moods.get(world.moment.part, "")) if text)


def company(world: World, viewer: Character) -> str:
    """Return who else is here as a sentence, or an empty string."""
    found = made_out(world, viewer.room_id, viewer)
    names = [one.name for one in found]
    if others := uncounted(world, viewer, found):
        return world.wording("narration.crowd_is_here", who=", ".join(names), count=others)
    key = "narration.one_is_here" if len(names) == 1 else "narration.some_are_here"
    return world.wording(key, who=world.wording.all_of(names)) if names else ""


def ways_out(world: World, viewer: Character) -> str:
    """Return the exits as a line: each one's name and where it leads; as a sentence for who listens."""
    say, exits = world.wording, world.room_of(viewer).exits.values()
    if not exits:
        return say("narration.no_exits")
    if reads_aloud(viewer):
        ways = [say("narration.way", exit=exit.name, room=place(exit.room_id, world)) for exit in exits]
        return say("narration.ways", ways=say.any_of(ways))
    return say("narration.exits", exits=", ".join(f"{exit.name} ({place(exit.room_id, world)})" for exit in exits))


def exit_names(world: World, exits: dict[str, Exit]) -> str:
    """Return the names of some exits, or the word for none."""
    return ", ".join(exits) or world.wording("lists.none")


def lying_here(world: World, viewer: Character) -> str:
    """Return which things lie here as a sentence, or an empty string."""
    names = [with_article(thing) for thing in world.things_at(viewer.room_id)]
    return world.wording("narration.lying_here", things=world.wording.all_of(names)) if names else ""


def carrying(world: World, viewer: Character) -> str:
    """Return what a viewer carries as a sentence, or an empty string."""
    names = [with_article(thing) for thing in world.things_at(viewer.character_id)]
    return world.wording("narration.you_carry", things=world.wording.all_of(names)) if names else ""


def time_of_day(world: World) -> str:
    """Return the time that it is in the world, as a sentence."""
    moment, say = world.moment, world.wording
    weekday, part = say(f"life.{moment.weekday}"), say(f"life.at_{moment.part}")
    return say("life.it_is", weekday=weekday, clock=moment.clock, part=part)


def _around(world: World, viewer: Character) -> tuple[str, ...]:
    return lying_here(world, viewer), company(world, viewer), ways_out(world, viewer)


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
