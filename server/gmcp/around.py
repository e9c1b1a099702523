"""`Fallwater.Map` and `Fallwater.Commands`: what a window beside the text shows, drawn and in words."""

from __future__ import annotations

from collections.abc import Mapping

from server.connection.connection import Message
from world.command import CommandTable
from world.commands.senses import directions_of, map_sentences
from world.entities import Character
from world.narration import room_name
from world.navigation import automap_of, ways_of
from world.world import World

DEPTH = 3
"""How many steps the map reaches."""


def map_of(world: World, room_id: str) -> Message:
    """Return the rooms near a room: `rooms` with their places, the first is this one; `ways` between them by number;
    `exits` of this room; and `words`, the same in sentences.
    """
    directions = directions_of(world)
    plan = automap_of(world, room_id, DEPTH, directions)
    numbers = {one: number for number, one in enumerate(plan.places)}
    rooms = [{"name": room_name(one, world), "x": east, "y": south} for one, (east, south) in plan.places.items()]
    ways = [[numbers[here], numbers[there]] for here, there in ways_of(world, plan, directions)]
    exits = [
        {"name": exit.name, "room": room_name(exit.room_id, world), "way": _way(exit.name, directions)}
        for exit in world.rooms[room_id].exits.values()
    ]
    payload = {"rooms": rooms, "ways": ways, "exits": exits, "words": map_sentences(world, room_id)}
    return Message("Fallwater.Map", payload)


def commands_of(table: CommandTable, character: Character) -> Message:
    """Return the commands that somebody may use: their usage, what they are for, and in which group help has them."""
    found = [
        {"usage": one.usage, "about": table.summary_of(one), "group": one.category} for one in table.allowed(character)
    ]
    return Message("Fallwater.Commands", {"commands": found})


def _way(exit: str, directions: Mapping[str, str]) -> str:
    return directions.get(exit.lower(), exit.lower() if exit.lower() in ("up", "down") else "")
