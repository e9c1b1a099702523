"""The entities of the world: rooms, exits, things and characters, and their fields.

A character knows its room and a thing knows its place; who or what is in a room is always computed.

Each field of a room, thing or character is declared once, with how a note has it. Reading and writing notes,
undo, the merge of edited notes and `@set` are loops over these declarations: see `FIELDS`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import IntEnum
from types import EllipsisType
from typing import Any, ClassVar

from world.location_index import Located
from world.triggers import Trigger

DOMAIN = "domain/"

Ref = tuple[str, str]
"""A kind, `room`, `thing` or `character`, and an id."""


@dataclass(frozen=True)
class Property:
    """A property of a note, in one of the forms of `vault.entities.schema`; `*` is each one that is no field."""

    key: str
    form: str = "text"


@dataclass(frozen=True)
class Section:
    """The text under a heading, or before the first one; its form is `text`, `list` or `by day part`."""

    title: str = ""
    form: str = "text"


@dataclass(frozen=True)
class Entries:
    """List lines `- **name**, alias: value` under a heading, as a dict by name."""

    title: str


@dataclass(frozen=True)
class Table:
    """The rows of a table under a heading."""

    title: str


Codec = Property | Section | Entries | Table


@dataclass(frozen=True)
class Stored:
    """The storage of a field in a note, and in that of an agent; None where it is not stored.

    `is_saved` fields are written when they change; the others are written into a new note only, or by people only.
    `is_merged` fields follow an edit of the note while the world runs. `is_undone` ones are put back by `@undo`.
    """

    codec: Codec | None = None
    agent_codec: Codec | None = None
    is_saved: bool = False
    is_merged: bool = False
    is_undone: bool = False

    def codec_of(self, is_agent: bool) -> Codec | None:
        """Return how the note of an agent, or of anything else, has the field."""
        return self.agent_codec if is_agent else self.codec


def stored(
    codec: Codec | None,
    agent: Codec | EllipsisType | None = ...,
    *,
    saved: bool = True,
    merged: bool = True,
    undone: bool = True,
) -> dict[str, Stored]:
    """Return the metadata of a field: see `Stored`. Agents have it in the same way, unless `agent` says how."""
    return {"stored": Stored(codec, codec if agent is ... else agent, saved, merged, undone)}


MAX_SPEECH_HISTORY = 100
"""Maximum number of lines of speech that somebody can read again."""


@dataclass
class TransientState:
    """The state of a character that need not outlive the process. Ids are empty where there is none.

    `destination_id` is the room that it walks to, `previous_room_id` the room that it left last. `following_id` is the
    character that it follows, `leading_id` the person whom it leads, if it is an agent, and `leading_to_id` the room
    that it leads them to. `reply_to_id` is the last one that spoke to it alone. `afk_message` is its text about being
    away, None if it is not away. `last_line` is its last typed line, `speech_history` the speech that reached it,
    oldest first. `client_uses_screen_reader` is true if its client is read out to it. `is_linkdead` is true while it
    stands here without a connection of its player. `followed_by` are those who began to follow it; their own state says
    whether they still do. `speaks_to_id` is whom its next words are meant for, where they do not say so.
    `awaiting_reply_from` are those whose answer it awaits, so that it hears them although it ignores them.
    """

    destination_id: str = ""
    previous_room_id: str = ""
    following_id: str = ""
    leading_id: str = ""
    leading_to_id: str = ""
    reply_to_id: str = ""
    afk_message: str | None = None
    last_line: str = ""
    speech_history: deque[str] = field(default_factory=lambda: deque(maxlen=MAX_SPEECH_HISTORY))
    client_uses_screen_reader: bool = False
    is_linkdead: bool = False
    awaiting_reply_from: set[str] = field(default_factory=set)
    followed_by: dict[str, None] = field(default_factory=dict)
    speaks_to_id: str = ""


class Role(IntEnum):
    """The role of a character; see `includes`. An observer sees into minds and changes nothing in them."""

    GUEST = 0
    PLAYER = 1
    OBSERVER = 2
    BUILDER = 3
    ADMIN = 4

    def includes(self, other: Role) -> bool:
        """Return whether this role has the rights of another: a higher one has, but a builder sees into no mind."""
        return self >= other and (self, other) != (Role.BUILDER, Role.OBSERVER)


@dataclass(frozen=True)
class Exit:
    """A way out of a room. `name` and `aliases` are lower case; `room_id` is where it leads."""

    name: str
    room_id: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClosedExit:
    """An exit to a room that is not there now, and its position among all exits of its room, from 0."""

    exit: Exit
    position: int


@dataclass(frozen=True)
class Detail:
    """Something to look at that is part of a room and cannot be taken."""

    name: str
    description: str
    aliases: tuple[str, ...] = ()


class Identified:
    """Something of a kind, with an id; both together are its `ref`."""

    kind: ClassVar[str]

    @property
    def id(self) -> str:
        raise NotImplementedError

    @property
    def ref(self) -> Ref:
        return self.kind, self.id


@dataclass
class Room(Identified):
    """A place. Its id is the name of its note in the vault and never changes; `title` is what it is called instead.

    `number` is its lasting number for client mappers. `tags` are the note's own, `properties` what builders set.
    `descriptions_by_day_part` are added to the description in a part of the day, `ambient` is what may be noticed now
    and then. `exits` lead to rooms that are there. `closed_exits` lead to rooms that have no note now: nobody can see
    them, the room's own note keeps them, and they open when the room is there (`World.settle_exits`).
    """

    kind: ClassVar[str] = "room"
    is_agent: ClassVar[bool] = False

    room_id: str
    description: str = field(default="", metadata=stored(Section()))
    exits: dict[str, Exit] = field(default_factory=dict, metadata=stored(Entries("Exits")))
    details: dict[str, Detail] = field(default_factory=dict, metadata=stored(Entries("Details")))
    number: int = field(default=0, metadata=stored(Property("number", "number"), undone=False))
    tags: tuple[str, ...] = field(default=(), metadata=stored(Property("tags", "list")))
    title: str = field(default="", metadata=stored(Property("title")))
    aliases: tuple[str, ...] = field(default=(), metadata=stored(Property("aliases", "names")))
    properties: dict[str, str] = field(default_factory=dict, metadata=stored(Property("*")))
    descriptions_by_day_part: dict[str, str] = field(
        default_factory=dict, metadata=stored(Section("", "by day part"), saved=False)
    )
    ambient: tuple[str, ...] = field(default=(), metadata=stored(Section("Ambient", "list"), saved=False))
    triggers: tuple[Trigger, ...] = field(default=(), metadata=stored(Table("Reactions"), saved=False))
    closed_exits: dict[str, ClosedExit] = field(default_factory=dict, compare=False)

    @property
    def id(self) -> str:
        return self.room_id

    @property
    def name(self) -> str:
        return self.title or self.room_id

    @property
    def noted_exits(self) -> dict[str, Exit]:
        """All exits as the note has them, by name and in order: the open ones and the closed ones."""
        if not self.closed_exits:
            return self.exits
        exits = list(self.exits.items())
        for name, closed in sorted(self.closed_exits.items(), key=lambda item: item[1].position):
            if name not in self.exits:
                exits.insert(closed.position, (name, closed.exit))
        return dict(exits)

    @property
    def domain(self) -> str:
        """The domain of the place: `market` for the tag `domain/market`; empty if it has no such tag."""
        return next((tag.removeprefix(DOMAIN) for tag in self.tags if tag.startswith(DOMAIN)), "")

    @property
    def exits_by_name(self) -> dict[str, Exit]:
        """The exits by every name that they go by."""
        return {name: exit for exit in self.exits.values() for name in (exit.name, *exit.aliases)}


@dataclass
class Thing(Identified, Located):
    """Something in the world. `place_id` is the id of the room, character or container that has it.

    Its id is the name of its note and never changes; `title` is what it is called instead, `article` what stands
    before it (empty: as in English). `writing` is what can be read on it. What is `fixed` cannot be taken.
    """

    kind: ClassVar[str] = "thing"
    is_agent: ClassVar[bool] = False
    PLACE: ClassVar[str] = "place_id"
    INDEXED_FLAGS: ClassVar[tuple[str, ...]] = ("triggers",)

    thing_id: str
    place_id: str = field(metadata=stored(Property("at", "link"), saved=False, merged=False, undone=False))
    description: str = field(default="", metadata=stored(Section()))
    aliases: tuple[str, ...] = field(default=(), metadata=stored(Property("aliases", "names")))
    title: str = field(default="", metadata=stored(Property("title")))
    article: str = field(default="", metadata=stored(Property("article")))
    writing: str = field(default="", metadata=stored(Section("Writing")))
    is_container: bool = field(default=False, metadata=stored(Property("container", "flag")))
    fixed: bool = field(default=False, metadata=stored(Property("fixed", "flag")))
    properties: dict[str, str] = field(default_factory=dict, metadata=stored(Property("*")))
    triggers: tuple[Trigger, ...] = field(default=(), metadata=stored(Table("Reactions"), saved=False))

    @property
    def id(self) -> str:
        return self.thing_id

    @property
    def name(self) -> str:
        return self.title or self.thing_id


@dataclass
class Character(Identified, Located):
    """A person or an agent. Its id is its name. Who is not `awake` is nowhere to be seen.

    `grants` are verbs that it may use though its role may not. `properties` are what builders set, `preferences` what
    it has set for itself. `transient` is what it is about just now, and is never saved. What a person
    may do stands with the account; an agent has none, so its `agent.md` says it.
    """

    kind: ClassVar[str] = "character"
    PLACE: ClassVar[str] = "room_id"
    INDEXED_FLAGS: ClassVar[tuple[str, ...]] = ("awake", "is_agent", "triggers")

    character_id: str
    room_id: str = field(metadata=stored(None, Property("room", "link"), saved=False, merged=False, undone=False))
    description: str = field(default="", metadata=stored(Section(), Property("description", "long text")))
    role: Role = field(default=Role.PLAYER, metadata=stored(None, Property("role", "role"), undone=False))
    is_agent: bool = False
    awake: bool = False
    aliases: tuple[str, ...] = field(default=(), metadata=stored(Property("aliases", "names")))
    grants: frozenset[str] = field(
        default=frozenset(), metadata=stored(None, Property("grants", "verbs"), undone=False)
    )
    properties: dict[str, str] = field(default_factory=dict, metadata=stored(Property("*")))
    preferences: dict[str, str] = field(
        default_factory=dict, metadata=stored(Property("preferences", "table"), undone=False)
    )
    transient: TransientState = field(default_factory=TransientState, compare=False, repr=False)
    triggers: tuple[Trigger, ...] = field(default=(), metadata=stored(None, Table("Reactions"), saved=False))

    @property
    def id(self) -> str:
        return self.character_id

    @property
    def name(self) -> str:
        return self.character_id


Entity = Room | Thing | Character


FIELDS: Mapping[str, Mapping[str, Stored]] = {
    kind.kind: {one.name: one.metadata.get("stored", Stored()) for one in fields(kind)}
    for kind in (Room, Thing, Character)
}
"""The storage of each field of rooms, things and characters, by kind and name, in order."""


def noted_value(entity: Entity, name: str) -> Any:
    """Return a field of something as its note has it: with the exits of a room that are closed."""
    return entity.noted_exits if isinstance(entity, Room) and name == "exits" else getattr(entity, name)


def names_in_notes(kind: str) -> Iterator[str]:
    """Yield the properties and headings, in lower case, that a note has for what builders say of a room or thing."""
    for stored in FIELDS[kind].values():
        match stored.codec:
            case Property(key=name) | Entries(title=name) | Section(title=name, form="text"):
                yield name.lower()


def copy_entity(entity: Entity) -> Entity:
    """Return something as it is now, which no later change of it reaches."""
    tables = {name: dict(one) for name in FIELDS[entity.kind] if isinstance(one := getattr(entity, name), dict)}
    return replace(entity, **tables)  # type: ignore[arg-type]  # each table in the place of its like
