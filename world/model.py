"""What the world consists of: rooms, exits, things and characters.

A character knows its room and a thing knows its place; who or what is in a room is always computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, ClassVar

from world.board import Board
from world.building.workbench import Workbench
from world.doings import Doings
from world.errors import WorldError
from world.life.clock import Moment
from world.life.reaction import Reaction
from world.placing import Placed, Placements, Table
from world.presence import Presence, unknown
from world.wording import Wording

DOMAIN = "domain/"
DEEPEST = 16
"""How many containers may stand in one another."""


class Role(IntEnum):
    """What a character may do; a higher role may do all that a lower one may."""

    GUEST = 0
    PLAYER = 1
    BUILDER = 2
    ADMIN = 3


@dataclass(frozen=True)
class Exit:
    """A way out of a room. `name` and `aliases` are lower case; `room_id` is where it leads."""

    name: str
    room_id: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Detail:
    """Something to look at that is part of a room and cannot be taken."""

    name: str
    description: str
    aliases: tuple[str, ...] = ()


@dataclass
class Room:
    """A place. Its id is the name of its note in the vault and never changes; `title` is what it is called instead.

    `number` is its lasting number for client mappers. `tags` are the note's own, `properties` what builders set.
    `moods` are what is added to the description in a part of the day, `ambient` what may be noticed now and then.
    """

    room_id: str
    description: str = ""
    exits: dict[str, Exit] = field(default_factory=dict)
    details: dict[str, Detail] = field(default_factory=dict)
    number: int = 0
    tags: tuple[str, ...] = ()
    title: str = ""
    aliases: tuple[str, ...] = ()
    properties: dict[str, str] = field(default_factory=dict)
    moods: dict[str, str] = field(default_factory=dict)
    ambient: tuple[str, ...] = ()
    reactions: tuple[Reaction, ...] = ()

    @property
    def name(self) -> str:
        return self.title or self.room_id

    @property
    def domain(self) -> str:
        """What the place is a place of: `market` for the tag `domain/market`; empty if it has no such tag."""
        return next((tag.removeprefix(DOMAIN) for tag in self.tags if tag.startswith(DOMAIN)), "")

    @property
    def ways(self) -> dict[str, Exit]:
        """The exits by every name that they go by."""
        return {name: exit for exit in self.exits.values() for name in (exit.name, *exit.aliases)}


@dataclass
class Thing(Placed):
    """Something in the world. `place_id` is the id of the room, character or container that has it.

    Its id is the name of its note and never changes; `title` is what it is called instead, `article` what stands
    before it (empty: as in English). `writing` is what can be read on it. What is `fixed` cannot be taken.
    """

    PLACE: ClassVar[str] = "place_id"
    TRAITS: ClassVar[tuple[str, ...]] = ("reactions",)

    thing_id: str
    place_id: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    title: str = ""
    article: str = ""
    writing: str = ""
    is_container: bool = False
    fixed: bool = False
    properties: dict[str, str] = field(default_factory=dict)
    reactions: tuple[Reaction, ...] = ()

    @property
    def name(self) -> str:
        return self.title or self.thing_id


@dataclass
class Character(Placed):
    """A person or an agent. Its id is its name. Who is not `awake` is nowhere to be seen.

    `grants` are verbs that it may use though its role may not. `properties` are what builders set, `preferences` what
    it has set for itself. `doings` are what it is about just now, and are never saved.
    """

    PLACE: ClassVar[str] = "room_id"
    TRAITS: ClassVar[tuple[str, ...]] = ("awake", "is_agent", "reactions")

    character_id: str
    room_id: str
    description: str = ""
    role: Role = Role.PLAYER
    is_agent: bool = False
    awake: bool = False
    aliases: tuple[str, ...] = ()
    grants: frozenset[str] = frozenset()
    properties: dict[str, str] = field(default_factory=dict)
    preferences: dict[str, str] = field(default_factory=dict)
    doings: Doings = field(default_factory=Doings, compare=False, repr=False)
    reactions: tuple[Reaction, ...] = ()

    @property
    def name(self) -> str:
        return self.character_id


class World:
    """All rooms, things and characters, by id: no two of them share one, in whatever case. Their tables hold to that.

    `start_room_id` is where newcomers arrive, `presence` tells how long somebody has been still or gone, as far as
    anybody outside knows, `moment` is the time that it is there; `wording` is what the world says. `last_number` is the
    highest number that a room ever had: no room is given that of one that is gone. More than `crowd` people in a
    room are a crowd, in which nobody minds who comes and goes; 0 if no number is.
    """

    def __init__(
        self,
        rooms: Iterable[Room],
        things: Iterable[Thing] = (),
        characters: Iterable[Character] = (),
        start_room_id: str = "",
        wording: Wording | None = None,
    ) -> None:
        self.rooms = Table[Room]()
        self.things = Placements[Thing]()
        self.characters = Placements[Character]()
        self._share_names()
        self.rooms.add((room.room_id, room) for room in rooms)
        self.things.add((thing.thing_id, thing) for thing in things)
        self.characters.add((character.character_id, character) for character in characters)
        self.board = Board()
        self.presence: Callable[[str], Presence] = unknown
        self.crowd = 0
        self.workbench = Workbench()
        self.last_number = max((room.number for room in self.rooms.values()), default=0)
        self.wording = wording or Wording()
        self.moment = Moment()
        if not self.rooms:
            raise WorldError("A world needs at least one room.")
        self.start_room_id = start_room_id or next(iter(self.rooms))
        if self.start_room_id not in self.rooms:
            raise WorldError(f"The start room {self.start_room_id!r} does not exist; rooms: {', '.join(self.rooms)}.")

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._share_names()

    def _share_names(self) -> None:
        tables = (self.rooms, self.things, self.characters)
        for table in tables:
            table.stand_beside(*(other for other in tables if other is not table))

    def id_like(self, name: str) -> str | None:
        """Return the id of the room, thing or character that a name is, whatever its case; None if it is free."""
        found = (table.id_like(name) for table in (self.rooms, self.things, self.characters))
        return next(filter(None, found), None)

    def room_of(self, character: Character) -> Room:
        """Return the room that a character is in."""
        return self.rooms[character.room_id]

    def room_around(self, one: Room | Thing | Character) -> Room | None:
        """Return the room that something is in, in whosever hands or in whatever container; None if in none now."""
        for _ in range(DEEPEST):
            match one:
                case Room():
                    return one
                case Character():
                    return self.rooms.get(one.room_id) if one.awake else None
            place_id = one.place_id
            found = self.rooms.get(place_id) or self.characters.get(place_id) or self.things.get(place_id)
            if found is None:
                return None
            one = found
        return None

    def things_around(self, place_id: str) -> list[str]:
        """Return the ids of the things that a place is or is in, from the innermost on, each once."""
        around: dict[str, None] = {}
        while place_id in self.things and place_id not in around:
            around[place_id] = None
            place_id = self.things[place_id].place_id
        return list(around)

    def occupants(self, room_id: str) -> list[Character]:
        """Return everyone awake in a room, in the order in which they came into the world."""
        return self.characters.at(room_id, "awake")

    def count_occupants(self, room_id: str) -> int:
        """Return how many are awake in a room."""
        return self.characters.count_at(room_id, "awake")

    def is_crowded(self, room_id: str) -> bool:
        """Return whether a room is full of a crowd."""
        return 0 < self.crowd < self.count_occupants(room_id)

    def things_at(self, place_id: str) -> list[Thing]:
        """Return the things in a room or carried by a character."""
        return self.things.at(place_id)

    def awake(self) -> list[Character]:
        """Return everyone who is in the world now."""
        return [character for character in self.characters.values() if character.awake]

    def next_number(self) -> int:
        """Return the number of a new room."""
        self.last_number += 1
        return self.last_number

    def add_character(self, character: Character) -> None:
        """Put a new character into the world.

        Raises: WorldError if the name is taken or the room does not exist.
        """
        if character.character_id in self.characters:
            raise WorldError(f"There is already somebody called {character.character_id!r}.")
        if character.room_id not in self.rooms:
            raise WorldError(f"{character.character_id} cannot be in {character.room_id!r}: there is no such room.")
        self.characters[character.character_id] = character
