"""`Room`: the room that somebody is in, told once for all who are there, and a number for every room."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from server.connection.connection import Message
from server.gmcp.packages import IN_ROOM, Item, changed, items_of, listed
from world.entities import Exit, Room
from world.room_view import visible_characters
from world.world import World

LARGEST = 2**31 - 1
"""More than that some mappers cannot count, nor less than one."""


def derived(room_id: str) -> int:
    """Return a number that follows from a room's id alone, 1 to `LARGEST`."""
    digest = blake2b(room_id.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % LARGEST + 1


class RoomNumbers:
    """The numbers of a world's rooms, each of them only one room's.

    A room has the number of its note. Where that is none, or too large, or that of a room whose id comes first in the
    alphabet, one is derived from its id; if another room has that, the next one that is free, in the order of ids. So
    the same rooms have the same numbers at every start.
    """

    def __init__(self, world: World, derive: Callable[[str], int] = derived) -> None:
        self._world = world
        self._derive = derive
        self._numbers: dict[str, int] = {}

    def forget(self) -> None:
        """Count again when asked next: rooms have come, gone or changed."""
        self._numbers = {}

    def of(self, room_id: str) -> int:
        """Return the number of a room that is in the world."""
        if room_id not in self._numbers:
            self._numbers = self._counted()
        return self._numbers[room_id]

    def _counted(self) -> dict[str, int]:
        rooms = sorted(self._world.rooms.values(), key=lambda room: room.room_id)
        owners: dict[int, Room] = {}
        for room in rooms:
            if 0 < room.number <= LARGEST:
                owners.setdefault(room.number, room)
        numbers = {room.room_id: number for number, room in owners.items()}
        taken = set(owners)
        for room in rooms:
            if room.room_id not in numbers:
                number = self._derive(room.room_id)
                while number in taken:
                    number = number % LARGEST + 1
                taken.add(number)
                numbers[room.room_id] = number
        return numbers


# As the mappers of clients know them.
_SHORT = dict(
    zip(
        "north northeast east southeast south southwest west northwest up down".split(),
        "n ne e se s sw w nw u d".split(),
        strict=True,
    )
)


@dataclass(frozen=True, eq=False)
class RoomSnapshot:
    """A room at one moment: its Room.Info, who is in it by name, and what lies there."""

    room_id: str
    about: Message
    people: tuple[str, ...]
    items: tuple[Item, ...]

    def is_like(self, other: RoomSnapshot) -> bool:
        """Return whether nobody could tell the two apart."""
        return (self.about, self.people, self.items) == (other.about, other.people, other.items)

    @property
    def messages(self) -> Iterator[Message]:
        """All of it, for somebody who comes in."""
        yield self.about
        yield Message("Room.Players", [_person(name) for name in self.people])
        yield listed(IN_ROOM, self.items)


class RoomSnapshots:
    """The rooms as they were when somebody looked last, until something is said to have happened there.

    `area` is where a room is that does not say it.
    """

    def __init__(self, world: World) -> None:
        self.area = ""
        self._world = world
        self._numbers = RoomNumbers(world)
        self._seen: dict[str, RoomSnapshot] = {}
        self._stale: set[str] = set()

    def now(self, room_id: str) -> RoomSnapshot:
        """Return a room as it is; the same object as before if nothing about it has changed."""
        seen = self._seen.get(room_id)
        if seen and room_id not in self._stale:
            return seen
        self._stale.discard(room_id)
        place = self._look(self._world.rooms[room_id])
        if seen and seen.is_like(place):
            return seen
        self._seen[room_id] = place
        return place

    def number(self, room_id: str) -> int:
        """Return the number of a room."""
        return self._numbers.of(room_id)

    def touch(self, room_id: str) -> None:
        """Make a new snapshot of a room when it is asked for next."""
        self._stale.add(room_id)

    def touch_all(self, numbers: bool = True) -> None:
        """Make new snapshots of all rooms when asked for, and count their numbers again if `numbers`."""
        if numbers:
            self._numbers.forget()
        for room_id in [one for one in self._seen if one not in self._world.rooms]:
            del self._seen[room_id]
        self._stale = set(self._seen)

    def forget(self) -> None:
        """Keep nothing: there is nobody to be told."""
        self._numbers.forget()
        self._seen.clear()
        self._stale.clear()

    def _look(self, room: Room) -> RoomSnapshot:
        world = self._world
        people = tuple(one.name for one in visible_characters(world, room.room_id))
        return RoomSnapshot(room.room_id, self._about(room), people, items_of(world.things_at(room.room_id)))

    def _about(self, room: Room) -> Message:
        exits = {
            _way(one): self._numbers.of(one.room_id) for one in room.exits.values() if one.room_id in self._world.rooms
        }
        payload = {
            "num": self._numbers.of(room.room_id),
            "name": room.name,
            "area": room.properties.get("area", self.area),
            "environment": room.properties.get("environment", room.domain),
            "exits": exits,
            "details": [room.domain] if room.domain else [],
        }
        return Message("Room.Info", payload)


@lru_cache(maxsize=1024)
def differences(before: RoomSnapshot, now: RoomSnapshot) -> tuple[Message, ...]:
    """Return the messages for those who stay in a room, made once for all of them."""
    messages = [now.about] if before.about != now.about else []
    was, is_now = set(before.people), set(now.people)
    messages += [Message("Room.RemovePlayer", name) for name in before.people if name not in is_now]
    messages += [Message("Room.AddPlayer", _person(name)) for name in now.people if name not in was]
    return (*messages, *changed(IN_ROOM, before.items, now.items))


def _way(exit: Exit) -> str:
    """Return what a mapper knows an exit by: its direction for short, if one can walk there by that."""
    short = _SHORT.get(exit.name.lower(), "")
    return short if short in exit.aliases else exit.name


def _person(name: str) -> dict[str, str]:
    return {"name": name, "fullname": name}
