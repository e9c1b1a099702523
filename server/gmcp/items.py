"""`Char.Items`: what lies in a room and what somebody carries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import blake2b

from server.connection.connection import Message
from world.model import Thing

PACKAGE = "Char.Items"
IN_HAND, IN_ROOM = "inv", "room"


@dataclass(frozen=True)
class Item:
    """A thing as clients are told of it. `attrib` has `c` for a container and `t` for what can be taken."""

    id: str
    name: str
    attrib: str


def items_of(things: Iterable[Thing]) -> tuple[Item, ...]:
    """Return some things in their order."""
    return tuple(Item(_id_of(one.thing_id), one.name, "c" * one.is_container + "t" * (not one.fixed)) for one in things)


def listed(location: str, items: tuple[Item, ...]) -> Message:
    """Return all that is in a place."""
    return Message(f"{PACKAGE}.List", {"location": location, "items": [asdict(one) for one in items]})


def changed(location: str, before: tuple[Item, ...], now: tuple[Item, ...]) -> Iterator[Message]:
    """Yield what came, went or changed."""
    was, is_now = {one.id: one for one in before}, {one.id: one for one in now}
    for id, one in was.items():
        if id not in is_now:
            yield Message(f"{PACKAGE}.Remove", {"location": location, "item": asdict(one)})
    for id, one in is_now.items():
        if id not in was:
            yield Message(f"{PACKAGE}.Add", {"location": location, "item": asdict(one)})
        elif was[id] != one:
            yield Message(f"{PACKAGE}.Update", {"location": location, "item": asdict(one)})


@lru_cache(maxsize=4096)
def _id_of(thing_id: str) -> str:
    # Not the id itself: it is the name of a note, which may tell what the thing's title hides.
    return blake2b(thing_id.encode(errors="surrogatepass"), digest_size=8).hexdigest()
