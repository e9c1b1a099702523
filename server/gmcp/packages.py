"""The messages of GMCP: Room and its numbers, Comm.Channel, Char, and Fallwater's Map and Commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import blake2b

from server.connection.connection import Message
from world.command import CommandTable
from world.commands.senses import directions_of, map_sentences
from world.entities import Character, Exit, Room, Thing
from world.events import Emoted, Event, Paged, Said, Shouted, Whispered
from world.message_catalog import Wording
from world.narration import is_speech_for, room_name
from world.navigation import automap_of, ways_of
from world.room_view import visible_characters
from world.world import World

_CHANNEL_OF: dict[type[Event], str] = {
    Said: "say",
    Emoted: "emote",
    Whispered: "whisper",
    Paged: "tell",
    Shouted: "shout",
}
"""The channels, each named like the command by which one speaks there."""

CHAR_ITEMS = "Char.Items"
IN_HAND, IN_ROOM = "inv", "room"
_VARIABLES = ("role", "room", "state", "following")
MAX_ROOM_NUMBER = 2**31 - 1
"""More than that some mappers cannot count, nor less than one."""

# As the mappers of clients know them.
_SHORT = dict(
    zip(
        "north northeast east southeast south southwest west northwest up down".split(),
        "n ne e se s sw w nw u d".split(),
        strict=True,
    )
)
MAP_DEPTH = 3
"""Number of steps that the map reaches."""


def channel_message(event: Event, sentence: str, viewer: Character) -> Message | None:
    """Return the message that goes with a sentence; None if it is no speech, or none that the viewer hears."""
    channel = _CHANNEL_OF.get(type(event))
    if channel is None or not sentence:
        return None
    if channel != "emote" and not is_speech_for(event, viewer.character_id):
        return None
    return _text(channel, event.actor_id, sentence)


def channel_list(commands: CommandTable, character: Character, say: Wording) -> Message:
    """Return the channels on which somebody may speak."""
    found = [(name, commands.get(name)) for name in _CHANNEL_OF.values()]
    open_to = [name for name, command in found if command and command.allows(character)]
    return Message(
        "Comm.Channel.List",
        [{"name": name, "caption": say(f"gmcp.channel_{name}"), "command": name} for name in open_to],
    )


# The same words for everybody in a room are put into bytes once.
@lru_cache(maxsize=64)
def _text(channel: str, talker: str, text: str) -> Message:
    return Message("Comm.Channel.Text", {"channel": channel, "talker": talker, "text": text})


@dataclass(frozen=True)
class Item:
    """A thing as clients see it. `attrib` has `c` for a container and `t` for what can be taken."""

    id: str
    name: str
    attrib: str


def items_of(things: Iterable[Thing]) -> tuple[Item, ...]:
    """Return some things in their order."""
    return tuple(Item(_id_of(one.thing_id), one.name, "c" * one.is_container + "t" * (not one.fixed)) for one in things)


def item_list_message(location: str, items: tuple[Item, ...]) -> Message:
    """Return all that is in a place."""
    return Message(f"{CHAR_ITEMS}.List", {"location": location, "items": [asdict(one) for one in items]})


def item_change_messages(location: str, before: tuple[Item, ...], now: tuple[Item, ...]) -> Iterator[Message]:
    """Yield the messages for items that came, went or changed."""
    was, is_now = {one.id: one for one in before}, {one.id: one for one in now}
    for id, one in was.items():
        if id not in is_now:
            yield Message(f"{CHAR_ITEMS}.Remove", {"location": location, "item": asdict(one)})
    for id, one in is_now.items():
        if id not in was:
            yield Message(f"{CHAR_ITEMS}.Add", {"location": location, "item": asdict(one)})
        elif was[id] != one:
            yield Message(f"{CHAR_ITEMS}.Update", {"location": location, "item": asdict(one)})


@lru_cache(maxsize=4096)
def _id_of(thing_id: str) -> str:
    # Not the id itself: it is the name of a note, which may tell what the thing's title hides.
    return blake2b(thing_id.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def name_of(character: Character) -> Message:
    """Return who somebody is."""
    return Message("Char.Name", {"name": character.name, "fullname": character.name})


def variables(say: Wording) -> Message:
    """Return the captions of the fields of `Char.Status`."""
    return Message("Char.StatusVars", {name: say(f"gmcp.status_{name}") for name in _VARIABLES})


def status(character: Character, world: World) -> dict[str, str]:
    """Return a character's status: the role, the room, whether it is away, and whom it follows."""
    say, transient = world.wording, character.transient
    state = "asleep" if not character.awake else "awake" if transient.afk_message is None else "away"
    leader = world.characters.get(transient.following_id)
    return {
        "role": say(f"roles.{character.role.name.lower()}"),
        "room": room_name(character.room_id, world),
        "state": say(f"gmcp.{state}"),
        "following": leader.name if leader else "",
    }


def hash_room_id(room_id: str) -> int:
    """Return a number that follows from a room's id alone, 1 to `MAX_ROOM_NUMBER`."""
    digest = blake2b(room_id.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % MAX_ROOM_NUMBER + 1


class RoomNumbers:
    """The numbers of a world's rooms; no two rooms share one.

    A room has the number of its note. Without one, or if it is too large or belongs to a room whose id comes first in
    the alphabet, one is derived from its id. If another room has that, the next free one is taken, in the order of ids.
    So
    the same rooms have the same numbers at every start.
    """

    def __init__(self, world: World, derive: Callable[[str], int] = hash_room_id) -> None:
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
            if 0 < room.number <= MAX_ROOM_NUMBER:
                owners.setdefault(room.number, room)
        numbers = {room.room_id: number for number, room in owners.items()}
        taken = set(owners)
        for room in rooms:
            if room.room_id not in numbers:
                number = self._derive(room.room_id)
                while number in taken:
                    number = number % MAX_ROOM_NUMBER + 1
                taken.add(number)
                numbers[room.room_id] = number
        return numbers


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
        yield item_list_message(IN_ROOM, self.items)


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

    def snapshot_of(self, room_id: str) -> RoomSnapshot:
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
    """Return the messages for the people who stay in a room, made once for all of them."""
    messages = [now.about] if before.about != now.about else []
    was, is_now = set(before.people), set(now.people)
    messages += [Message("Room.RemovePlayer", name) for name in before.people if name not in is_now]
    messages += [Message("Room.AddPlayer", _person(name)) for name in now.people if name not in was]
    return (*messages, *item_change_messages(IN_ROOM, before.items, now.items))


def _way(exit: Exit) -> str:
    """Return a mapper's name for an exit: its short direction, if it has one."""
    short = _SHORT.get(exit.name.lower(), "")
    return short if short in exit.aliases else exit.name


def _person(name: str) -> dict[str, str]:
    return {"name": name, "fullname": name}


def map_of(world: World, room_id: str) -> Message:
    """Return the rooms near a room: `rooms` with their places, the first is this one; `ways` between them by number;
    `exits` of this room; and `words`, the same in sentences.
    """
    directions = directions_of(world)
    plan = automap_of(world, room_id, MAP_DEPTH, directions)
    numbers = {one: number for number, one in enumerate(plan.places)}
    rooms = [{"name": room_name(one, world), "x": east, "y": south} for one, (east, south) in plan.places.items()]
    ways = [[numbers[here], numbers[there]] for here, there in ways_of(world, plan, directions)]
    exits = [
        {"name": exit.name, "room": room_name(exit.room_id, world), "way": _way_of(exit.name, directions)}
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


def _way_of(exit: str, directions: Mapping[str, str]) -> str:
    return directions.get(exit.lower(), exit.lower() if exit.lower() in ("up", "down") else "")
