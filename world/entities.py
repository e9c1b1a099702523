"""What the world consists of: rooms, exits, things and characters.

A character knows its room and a thing knows its place; who or what is in a room is always computed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum
from typing import ClassVar

from world.location_index import Located
from world.triggers import Trigger

DOMAIN = "domain/"


MAX_SPEECH_HISTORY = 100
"""How many lines of speech somebody can read again."""


@dataclass
class TransientState:
    """Everything about a character that may be forgotten when the world closes. Ids are empty where there is none.

    `destination_id` is the room that it walks to, `previous_room_id` the one that it left last, `following_id` whom it
    follows, `reply_to_id` who spoke to it alone last. `afk_message` is what it said about being away, None if it is
    not. `last_line` is what it typed last, `speech_history` the speech that reached it, oldest first.
    `client_uses_screen_reader` says that its client is read out to it. `is_linkdead` says that it stands here, but its
    player's connection is lost. `followed_by` are those who began to follow it; whether they still do, their own state
    says. `awaiting_reply_from` are those whose answer it awaits, so that it hears them although it ignores them.
    """

    destination_id: str = ""
    previous_room_id: str = ""
    following_id: str = ""
    reply_to_id: str = ""
    afk_message: str | None = None
    last_line: str = ""
    speech_history: deque[str] = field(default_factory=lambda: deque(maxlen=MAX_SPEECH_HISTORY))
    client_uses_screen_reader: bool = False
    is_linkdead: bool = False
    awaiting_reply_from: set[str] = field(default_factory=set)
    followed_by: dict[str, None] = field(default_factory=dict)


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
    `descriptions_by_day_part` are added to the description in a part of the day, `ambient` is what may be noticed now
    and then.
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
    descriptions_by_day_part: dict[str, str] = field(default_factory=dict)
    ambient: tuple[str, ...] = ()
    triggers: tuple[Trigger, ...] = ()

    @property
    def name(self) -> str:
        return self.title or self.room_id

    @property
    def domain(self) -> str:
        """What the place is a place of: `market` for the tag `domain/market`; empty if it has no such tag."""
        return next((tag.removeprefix(DOMAIN) for tag in self.tags if tag.startswith(DOMAIN)), "")

    @property
    def exits_by_name(self) -> dict[str, Exit]:
        """The exits by every name that they go by."""
        return {name: exit for exit in self.exits.values() for name in (exit.name, *exit.aliases)}


@dataclass
class Thing(Located):
    """Something in the world. `place_id` is the id of the room, character or container that has it.

    Its id is the name of its note and never changes; `title` is what it is called instead, `article` what stands
    before it (empty: as in English). `writing` is what can be read on it. What is `fixed` cannot be taken.
    """

    PLACE: ClassVar[str] = "place_id"
    INDEXED_FLAGS: ClassVar[tuple[str, ...]] = ("triggers",)

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
    triggers: tuple[Trigger, ...] = ()

    @property
    def name(self) -> str:
        return self.title or self.thing_id


@dataclass
class Character(Located):
    """A person or an agent. Its id is its name. Who is not `awake` is nowhere to be seen.

    `grants` are verbs that it may use though its role may not. `properties` are what builders set, `preferences` what
    it has set for itself. `transient` is what it is about just now, and are never saved.
    """

    PLACE: ClassVar[str] = "room_id"
    INDEXED_FLAGS: ClassVar[tuple[str, ...]] = ("awake", "is_agent", "triggers")

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
    transient: TransientState = field(default_factory=TransientState, compare=False, repr=False)
    triggers: tuple[Trigger, ...] = ()

    @property
    def name(self) -> str:
        return self.character_id
