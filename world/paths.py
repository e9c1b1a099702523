"""The way from one room to another."""

from __future__ import annotations

from collections import deque

from world.model import Exit, World


def shortest_path(world: World, from_room_id: str, to_room_id: str) -> list[Exit] | None:
    """Return the exits to take, in order; an empty list if already there, None if there is no way."""
    came_by: dict[str, tuple[str, Exit] | None] = {from_room_id: None}
    waiting = deque([from_room_id])
    while waiting and to_room_id not in came_by:
        here = waiting.popleft()
        for exit in world.rooms[here].exits.values():
            if exit.room_id not in came_by:
                came_by[exit.room_id] = (here, exit)
                waiting.append(exit.room_id)
    return _retraced(came_by, to_room_id) if to_room_id in came_by else None


def _retraced(came_by: dict[str, tuple[str, Exit] | None], room_id: str) -> list[Exit]:
    way: list[Exit] = []
    while step := came_by[room_id]:
        room_id, exit = step
        way.append(exit)
    return way[::-1]
