"""A number for every room, by which a client's mapper knows it for good."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

from world.model import Room, World

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
        """Count anew when asked next: rooms have come, gone or changed."""
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
