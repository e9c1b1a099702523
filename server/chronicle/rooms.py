"""The layout of rooms on the map of a replay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from world.commands.senses import directions_of
from world.navigation import automap_of, ways_of
from world.world import World

DEPTH = 60
COLUMNS = 5
"""How many rooms stand in a row that the map cannot place: those behind doors, and up and down."""


@dataclass(frozen=True)
class RoomMap:
    """Rooms with their names and places, in steps to the east and south from the corner, and the ways between them."""

    names: dict[str, str]
    places: dict[str, tuple[int, int]]
    ways: tuple[tuple[str, str], ...]


def room_map(world: World | None, rooms: Iterable[str]) -> RoomMap:
    """Return a map of a world's rooms and of others that are told of; without a world, of those alone."""
    places: dict[str, tuple[int, int]] = {}
    ways: list[tuple[str, str]] = []
    names: dict[str, str] = {}
    if world:
        directions = directions_of(world)
        plan = automap_of(world, world.start_room_id, DEPTH, directions)
        left, top = (min(place[axis] for place in plan.places.values()) for axis in (0, 1))
        places = {room: (east - left, south - top) for room, (east, south) in plan.places.items()}
        ways = ways_of(world, plan, directions)
        names = {room_id: room.name for room_id, room in world.rooms.items()}
    below = max((south for _, south in places.values()), default=-1) + 1
    for number, room in enumerate(sorted(set(rooms) - places.keys())):
        places[room] = (number % COLUMNS, below + number // COLUMNS)
    return RoomMap({room: names.get(room, room) for room in places}, places, tuple(ways))
