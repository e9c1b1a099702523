"""Where one is, among the rooms near by and among all places."""

from __future__ import annotations

from collections.abc import Mapping

from world.atlas import STEPS, drawn, plan_of
from world.command import command
from world.errors import CommandError
from world.events import Event, Saw
from world.model import Character, World
from world.narration import place
from world.preferences import reads_aloud

DEPTH = 3
"""How many steps from here a map reaches; when it is read aloud it is two."""

MOST_ROOMS = 100
"""How many places are listed at once."""


@command("map", category="senses", for_agents=False)
def map_(world: World, actor: Character) -> list[Event]:
    """Draw the rooms up to three steps from here; `@` is where you are.

    For a screen reader (`screenreader on`) the ways are told in sentences.
    """
    directions = _directions(world)
    lines = _told(world, actor.room_id) if reads_aloud(actor) else _drawn(world, actor.room_id, directions)
    return [Saw(actor.character_id, "\n".join(lines))]


@command("rooms [<room>]", "places", category="senses", for_agents=False)
def rooms(world: World, actor: Character, room: str = "") -> list[Event]:
    """List the places of this world, or those with such a name: `rooms mill`. `go` finds the way to each."""
    names = sorted((one.name for one in world.rooms.values()), key=str.casefold)
    found = [name for name in names if room.casefold() in name.casefold()]
    if not found:
        raise CommandError(world.wording("mapping.no_such_place", wanted=room))
    if len(found) > MOST_ROOMS:
        raise CommandError(world.wording("mapping.too_many_places", count=len(found)))
    key = "mapping.one_place" if len(found) == 1 else "mapping.places"
    return [Saw(actor.character_id, world.wording(key, count=len(found), names=", ".join(found)))]


def _directions(world: World) -> dict[str, str]:
    """Return the directions by every name that they have in this world."""
    names = {direction: world.wording(f"mapping.{direction}").split(",") for direction in STEPS}
    return {name.strip().lower(): direction for direction, called in names.items() for name in called}


def _drawn(world: World, room_id: str, directions: Mapping[str, str]) -> list[str]:
    plan = plan_of(world, room_id, DEPTH, directions)
    signs = plan.signs()
    lines = drawn(world, plan, directions)
    lines += ["", *(world.wording("mapping.sign", sign=signs[one], room=place(one, world)) for one in plan.places)]
    for here, exit in plan.undrawn:
        there = place(exit.room_id, world)
        lines.append(world.wording("mapping.undrawn", exit=exit.name, sign=signs[here], room=there))
    return lines


def _told(world: World, room_id: str) -> list[str]:
    """Return the rooms near by in sentences, one an exit; each room is told of once, where it is nearest."""
    say, ways = world.wording, list(world.rooms[room_id].exits.values())
    told = {room_id} | {exit.room_id for exit in ways}
    lines = [say("mapping.here", room=place(room_id, world))]
    for exit in ways:
        further = [one for one in world.rooms[exit.room_id].exits.values() if one.room_id not in told]
        told |= {one.room_id for one in further}
        way = say("mapping.way", exit=exit.name, room=place(exit.room_id, world))
        rest = ", ".join(say("mapping.way", exit=one.name, room=place(one.room_id, world)) for one in further)
        line = say("mapping.from_there", way=way, rest=rest) if rest else say("mapping.only", way=way)
        lines.append(f"{line[:1].upper()}{line[1:]}")
    return lines


COMMANDS = (map_, rooms)
