"""The way from one room to another."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from world.model import Exit, World

_CameBy = dict[str, tuple[str, Exit] | None]
"""By room: the room before it on the way, and the exit that leads from there."""


def shortest_path(world: World, from_room_id: str, to_room_id: str) -> list[Exit] | None:
    """Return the exits to take, in order; an empty list if already there, None if there is no way."""
    came_by: _CameBy = {}
    found = any(room_id == to_room_id for room_id in _reached(world, from_room_id, came_by))
    return _retraced(came_by, to_room_id) if found else None


def ways_from(world: World, room_id: str) -> Iterator[tuple[str, list[Exit]]]:
    """Yield every room that can be reached, the nearest first, with the exits to take; the first is the room itself."""
    came_by: _CameBy = {}
    return ((reached, _retraced(came_by, reached)) for reached in _reached(world, room_id, came_by))


def _reached(world: World, room_id: str, came_by: _CameBy) -> Iterator[str]:
    """Yield rooms, the nearest first; how each is come by is noted before it is yielded."""
    came_by[room_id] = None
    waiting = deque([room_id])
    while waiting:
        here = waiting.popleft()
        yield here
        for exit in world.rooms[here].exits.values():
            if exit.room_id not in came_by:
                came_by[exit.room_id] = (here, exit)
                waiting.append(exit.room_id)


def _retraced(came_by: _CameBy, room_id: str) -> list[Exit]:
    way: list[Exit] = []
    while step := came_by[room_id]:
        room_id, exit = step
        way.append(exit)
    return way[::-1]
