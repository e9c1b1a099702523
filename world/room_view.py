"""The view of a room, and what others may know of a character: place, idle time, away.

In a crowd, only a few of many people are visible. The sentences are in the vault's `text/narration.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from world.entities import Character, Exit, Room
from world.message_catalog import Wording
from world.narration import list_things, room_name
from world.preferences import is_brief, uses_screen_reader
from world.world import World

MAX_VISIBLE = 20
"""Maximum number of people who are named in a crowd. The cost does not depend on its size."""

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def render_room(world: World, viewer: Character) -> str:
    """Return a viewer's surroundings: title, description, things, people, exits, a line each."""
    room = world.room_of(viewer)
    lines = [room.name, describe_room(room, world), *_around(world, viewer)]
    return "\n".join(line for line in lines if line)


def render_arrival(world: World, viewer: Character) -> str:
    """Return the view of a room for somebody who walks into it: all of it, or all but the description."""
    if not is_brief(viewer):
        return render_room(world, viewer)
    lines = [world.room_of(viewer).name, *_around(world, viewer)]
    return "\n".join(line for line in lines if line)


def describe_room(room: Room, world: World) -> str:
    """Return the description of a room at this time of day."""
    return "\n".join(
        text for text in (room.description, room.descriptions_by_day_part.get(world.time.part, "")) if text
    )


def people_line(world: World, viewer: Character) -> str:
    """Return who else is here as a sentence, or an empty string."""
    found = visible_characters(world, viewer.room_id, viewer)
    names = [one.name for one in found]
    if others := hidden_count(world, viewer, found):
        return world.wording("narration.crowd_is_here", who=", ".join(names), count=others)
    key = "narration.one_is_here" if len(names) == 1 else "narration.some_are_here"
    return world.wording(key, who=world.wording.join_and(names)) if names else ""


def exits_line(world: World, viewer: Character) -> str:
    """Return the exits as a line: each one's name and where it leads; as a sentence for who listens."""
    say, exits = world.wording, world.room_of(viewer).exits.values()
    if not exits:
        return say("narration.no_exits")
    if uses_screen_reader(viewer):
        ways = [say("narration.way", exit=exit.name, room=room_name(exit.room_id, world)) for exit in exits]
        return say("narration.ways", ways=say.join_or(ways))
    return say("narration.exits", exits=", ".join(f"{exit.name} ({room_name(exit.room_id, world)})" for exit in exits))


def exit_names(world: World, exits: dict[str, Exit]) -> str:
    """Return the names of some exits, or the word for none."""
    return ", ".join(exits) or world.wording("lists.none")


def items_line(world: World, viewer: Character) -> str:
    """Return which things lie here as a sentence, or an empty string."""
    things = list_things(world.things_at(viewer.room_id), world)
    return world.wording("narration.lying_here", things=things) if things else ""


def inventory_line(world: World, viewer: Character) -> str:
    """Return the things that a viewer carries as a sentence, or an empty string."""
    things = list_things(world.things_at(viewer.character_id), world)
    return world.wording("narration.you_carry", things=things) if things else ""


def time_line(world: World) -> str:
    """Return the time that it is in the world, as a sentence."""
    moment, say = world.time, world.wording
    weekday, part = say(f"life.{moment.weekday}"), say(f"life.at_{moment.part}")
    return say("life.it_is", weekday=weekday, clock=moment.clock, part=part)


def _around(world: World, viewer: Character) -> tuple[str, ...]:
    return items_line(world, viewer), people_line(world, viewer), exits_line(world, viewer)


def visible_characters(world: World, room_id: str, viewer: Character | None = None) -> list[Character]:
    """Return the characters that a viewer can see: everyone else awake or, in a crowd, at most `MAX_VISIBLE`.

    Outside a crowd they are in the order in which they came into the world. In a crowd, the last one who spoke to the
    viewer alone comes first and then the one the viewer follows, then agents, then those who have been there longest.
    """
    if not world.is_crowded(room_id):
        return [one for one in world.occupants(room_id) if one is not viewer]
    people = world.characters
    near = [people.get(viewer.transient.reply_to_id), people.get(viewer.transient.following_id)] if viewer else []
    known = [one for one in near if one and one.awake and one.room_id == room_id]
    agents = islice((one for one in people.first_at(room_id, "is_agent") if one.awake), MAX_VISIBLE + 1)
    longest = islice(people.first_at(room_id, "awake"), MAX_VISIBLE + 1)
    found = dict.fromkeys(one.character_id for one in (*known, *agents, *longest) if one is not viewer)
    return [people[one_id] for one_id in islice(found, MAX_VISIBLE)]


def hidden_count(world: World, viewer: Character, found: Sequence[Character]) -> int:
    """Return how many others are in the room of a viewer besides those found by `visible_characters`."""
    return world.count_occupants(viewer.room_id) - viewer.awake - len(found)


def visible_names(world: World, viewer: Character) -> str:
    """Return who else is in the room of a viewer as a list of names, of a crowd those whom it makes out."""
    found = visible_characters(world, viewer.room_id, viewer)
    names = [one.name for one in found]
    return ", ".join([*names, "…"]) if hidden_count(world, viewer, found) else world.wording.join_and(names)


def location_text(world: World, one: Character) -> str:
    """Return where somebody is; of who sleeps, since when."""
    away_seconds = world.presence(one.character_id).away_seconds
    if one.awake:
        return world.wording("presence.awake", who=one.name, room=room_name(one.room_id, world))
    if away_seconds is None:
        return world.wording("presence.asleep", who=one.name)
    return world.wording("presence.asleep_since", who=one.name, span=format_duration(away_seconds, world.wording))


def afk_text(world: World, one: Character) -> str:
    """Return why somebody awake may not answer, as a sentence: what it has said of being away; empty if nothing."""
    away = one.transient.afk_message
    if one.awake and one.transient.is_linkdead:
        return world.wording("presence.is_absent", who=one.name)
    if away is None or not one.awake:
        return ""
    key = "presence.is_away" if away else "presence.is_away_plainly"
    return world.wording(key, who=one.name, why=away)


def idle_text(world: World, one: Character) -> str:
    """Return for how long somebody awake has typed nothing, such as `5 minutes`; empty if not for long."""
    seconds = world.presence(one.character_id).idle_seconds
    return format_duration(seconds, world.wording) if one.awake and seconds is not None and seconds >= MINUTE else ""


def format_duration(seconds: int, wording: Wording) -> str:
    """Return a span of time as it is said: `5 minutes`, `an hour`; by its largest unit."""
    for unit, name in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        count = seconds // unit
        if count == 1:
            return wording(f"presence.one_{name}")
        if count:
            return wording(f"presence.some_{name}s", count=count)
    return wording("presence.a_moment")
