"""Navigation: the shortest path, followers, and the automap of the rooms near by.

On the map every room has one place and every place at most one room. What leads up, down or through a door, or to a
place that is taken, is not drawn. Looking up who follows somebody costs one step per follower.
"""

from __future__ import annotations

import string
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from world.entities import Character, Exit
from world.world import World

_CameBy = dict[str, tuple[str, Exit] | None]
"""The previous room on the way, and the exit from there, by room."""

Place = tuple[int, int]
"""Steps to the east and to the south of where the plan begins."""

STEPS: Mapping[str, Place] = {
    "north": (0, -1),
    "northeast": (1, -1),
    "east": (1, 0),
    "southeast": (1, 1),
    "south": (0, 1),
    "southwest": (-1, 1),
    "west": (-1, 0),
    "northwest": (-1, -1),
}
_LINES = {(1, 0): "-", (0, 1): "|", (1, 1): "\\", (1, -1): "/"}
_SIGNS = "123456789" + string.ascii_letters
_CELL, _PITCH = 3, 4
"""The width of a room and the distance to the next, in columns; from row to row it is two lines."""


def shortest_path(world: World, from_room_id: str, to_room_id: str) -> list[Exit] | None:
    """Return the exits to take, in order; an empty list if already there, None if there is no way."""
    came_by: _CameBy = {}
    found = any(room_id == to_room_id for room_id in _breadth_first(world, from_room_id, came_by))
    return _retrace(came_by, to_room_id) if found else None


def paths_from(world: World, room_id: str) -> Iterator[tuple[str, list[Exit]]]:
    """Yield every room that can be reached, the nearest first, with the exits to take; the first is the room itself."""
    came_by: _CameBy = {}
    return ((reached, _retrace(came_by, reached)) for reached in _breadth_first(world, room_id, came_by))


def reachable(ways: Mapping[str, Collection[str]], start: str) -> set[str]:
    """Return the places that can be reached from one, itself among them; `ways` are where one leads to, by place."""
    reached, ahead = {start}, [start]
    while ahead:
        new = set(ways.get(ahead.pop(), ())) - reached
        reached |= new
        ahead.extend(new)
    return reached


def _breadth_first(world: World, room_id: str, came_by: _CameBy) -> Iterator[str]:
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


def _retrace(came_by: _CameBy, room_id: str) -> list[Exit]:
    way: list[Exit] = []
    while step := came_by[room_id]:
        room_id, exit = step
        way.append(exit)
    return way[::-1]


@dataclass
class Automap:
    """The places of rooms, by id in the order in which they were found, and the exits that are not drawn, by room."""

    places: dict[str, Place] = field(default_factory=dict)
    not_drawn: list[tuple[str, Exit]] = field(default_factory=list)

    def signs(self) -> dict[str, str]:
        """Return the sign of each room on the plan: `@` for the first, then 1 to 9 and letters."""
        return dict(zip(self.places, "@" + _SIGNS, strict=False))


def automap_of(
    world: World,
    room_id: str,
    depth: int,
    directions: Mapping[str, str],
    most: int = len(_SIGNS) + 1,
    elsewhere: Collection[str] = (),
) -> Automap:
    """Return the plan of at most so many rooms up to so many steps from one.

    `directions` are the names of STEPS by every name that an exit of that direction may have. Rooms that are
    `elsewhere` are on another plan, and not on this one.
    """
    plan, steps, waiting = Automap({room_id: (0, 0)}), {room_id: 0}, deque([room_id])
    taken = {(0, 0)}
    while waiting:
        here = waiting.popleft()
        for exit in world.rooms[here].exits.values() if steps[here] < depth else ():
            if exit.room_id in plan.places or exit.room_id in elsewhere:
                continue
            place = _beyond(plan.places[here], exit, directions)
            if place is None or place in taken or len(plan.places) >= most:
                plan.not_drawn.append((here, exit))
                continue
            taken.add(place)
            plan.places[exit.room_id], steps[exit.room_id] = place, steps[here] + 1
            waiting.append(exit.room_id)
    plan.not_drawn = [(here, exit) for here, exit in plan.not_drawn if exit.room_id not in plan.places]
    return plan


def ways_of(world: World, plan: Automap, directions: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the pairs of rooms between which a way leads straight to the place next to it, each pair once."""
    found: dict[tuple[str, str], None] = {}
    for room_id, place in plan.places.items():
        for exit in world.rooms[room_id].exits.values():
            there = plan.places.get(exit.room_id)
            if there is not None and there == _beyond(place, exit, directions) and (exit.room_id, room_id) not in found:
                found[room_id, exit.room_id] = None
    return list(found)


def draw_automap(world: World, plan: Automap, directions: Mapping[str, str]) -> list[str]:
    """Return the lines of a plan. A way is drawn where it leads to the place next to it."""
    signs, marks = plan.signs(), dict[Place, str]()
    left, top = (min(place[axis] for place in plan.places.values()) for axis in (0, 1))
    for room_id, (east, south) in plan.places.items():
        column, row = (east - left) * _PITCH, (south - top) * 2
        marks |= {(column + i, row): char for i, char in enumerate(f"[{signs[room_id]}]")}
        for exit in world.rooms[room_id].exits.values():
            place = _beyond((east, south), exit, directions)
            if place is not None and place == plan.places.get(exit.room_id):
                _draw_way(marks, (column, row), (place[0] - east, place[1] - south))
    return _lines(marks)


def _beyond(place: Place, exit: Exit, directions: Mapping[str, str]) -> Place | None:
    direction = next((directions[name] for name in (exit.name, *exit.aliases) if name in directions), None)
    if direction is None:
        return None
    east, south = STEPS[direction]
    return place[0] + east, place[1] + south


def _draw_way(marks: dict[Place, str], corner: Place, step: Place) -> None:
    line = _LINES.get(step) or _LINES[-step[0], -step[1]]
    column = corner[0] + (1 if step[0] == 0 else _CELL if step[0] > 0 else _CELL - _PITCH)
    at = column, corner[1] + step[1]
    marks[at] = "X" if {marks.get(at), line} == {"/", "\\"} else line


def _lines(marks: Mapping[Place, str]) -> list[str]:
    rows = range(max(row for _, row in marks) + 1)
    widths = {row: max((column for column, at in marks if at == row), default=-1) + 1 for row in rows}
    return ["".join(marks.get((column, row), " ") for column in range(widths[row])) for row in rows]


def start_following(follower: Character, leader: Character) -> None:
    """Let somebody follow another from now on."""
    follower.transient.following_id = leader.character_id
    leader.transient.followed_by[follower.character_id] = None


def followers(world: World, leader: Character) -> list[Character]:
    """Return who follows somebody and is in the same room, in the order in which they began to."""
    return [one for one in _current_followers(world, leader) if one.awake and one.room_id == leader.room_id]


def party(world: World, leader: Character) -> list[Character]:
    """Return everyone who goes when somebody goes: the leader, the followers, and their followers in turn."""
    found = {leader.character_id: leader}
    waiting = [leader]
    for one in waiting:
        new = [follower for follower in followers(world, one) if follower.character_id not in found]
        found |= {follower.character_id: follower for follower in new}
        waiting += new
    return waiting


def break_follows(world: World, character_id: str) -> None:
    """End every following that involves this character, if the two are apart or one of them sleeps."""
    known = world.characters.get(character_id)
    for one in [known, *_current_followers(world, known)] if known else []:
        leader = world.characters.get(one.transient.following_id)
        if one.transient.following_id and not (leader and _are_together(one, leader)):
            one.transient.following_id = ""


def is_in_party_of(world: World, follower: Character, leader_id: str) -> bool:
    """Return whether somebody follows another, or follows one who does."""
    leader = world.characters.get(leader_id)
    if leader is None or leader is follower or not follower.transient.following_id:
        return False
    return follower in party(world, leader)


def companions(world: World, character: Character) -> list[Character]:
    """Return whom somebody follows and who follows it, wherever they are."""
    leader = world.characters.get(character.transient.following_id)
    return [*([leader] if leader else []), *_current_followers(world, character)]


def _current_followers(world: World, leader: Character) -> list[Character]:
    """Return who follows somebody, and forget who does no more."""
    ids = leader.transient.followed_by
    known = [one for one_id in ids if (one := world.characters.get(one_id))]
    found = [one for one in known if one.transient.following_id == leader.character_id and one is not leader]
    if len(found) < len(ids):
        leader.transient.followed_by = {one.character_id: None for one in found}
    return found


def _are_together(one: Character, other: Character) -> bool:
    return one.awake and other.awake and one.room_id == other.room_id
