"""The events. Each is frozen; `world.narration` computes its audience.

Events speak of characters, rooms and things by id, so that they stay true however the world moves on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Event:
    """Something that happened. `actor_id` is the character that did it, or empty for the world itself.

    `audience` says who perceives it: `nobody`, its `actor`, the `pair` of actor and `to_id`, everyone in the `room`, in
    the rooms `near` it, in the `world`.
    """

    audience: ClassVar[str] = "room"

    actor_id: str


@dataclass(frozen=True)
class Said(Event):
    """Words for everyone in the room; `is_scripted` if a table of reactions put them in the actor's mouth.

    `to_id` is whom they are meant for, or empty; everyone hears them all the same. `meant_for_id` is the same where it
    is only known and not shown: agents take no words for their own that are meant for another.
    """

    room_id: str
    text: str
    is_scripted: bool = False
    to_id: str = ""
    meant_for_id: str = ""


@dataclass(frozen=True)
class Emoted(Event):
    """A pose: the text follows the actor's name; `is_scripted` as for `Said`."""

    room_id: str
    text: str
    is_scripted: bool = False


@dataclass(frozen=True)
class Shouted(Event):
    """Words for everyone in the room and in those one exit away."""

    audience = "near"

    room_id: str
    text: str


@dataclass(frozen=True)
class Paged(Event):
    """Words for one character, wherever it is; nobody else perceives them."""

    audience = "pair"

    to_id: str
    text: str


@dataclass(frozen=True)
class Whispered(Event):
    """Words for one character; others in the room see only that something was whispered."""

    room_id: str
    to_id: str
    text: str


@dataclass(frozen=True)
class Left(Event):
    """The actor went out of `room_id` by the exit named; an empty exit means that it vanished from the world.

    `after_id` is whom it followed, or empty.
    """

    room_id: str
    exit: str
    to_room_id: str
    after_id: str = ""


@dataclass(frozen=True)
class Arrived(Event):
    """The actor came into `room_id`; `from_room_id` is empty for someone who wakes there."""

    room_id: str
    from_room_id: str = ""


@dataclass(frozen=True)
class Followed(Event):
    """The actor goes along with `to_id` from now on."""

    audience = "pair"

    to_id: str


@dataclass(frozen=True)
class Unfollowed(Event):
    """The actor goes along with `to_id` no longer."""

    audience = "pair"

    to_id: str


@dataclass(frozen=True)
class Shared(Event):
    """The actor put something on the board; `label` is its type, `scope` who reads it."""

    room_id: str
    label: str
    content: str
    scope: str
    entry_id: int


@dataclass(frozen=True)
class Took(Event):
    """The actor picked a thing up."""

    room_id: str
    thing_id: str


@dataclass(frozen=True)
class Dropped(Event):
    """The actor put a thing down."""

    room_id: str
    thing_id: str


@dataclass(frozen=True)
class Gave(Event):
    """The actor handed a thing to `to_id`."""

    room_id: str
    thing_id: str
    to_id: str


@dataclass(frozen=True)
class PutIn(Event):
    """The actor put a thing into a container."""

    room_id: str
    thing_id: str
    container_id: str


@dataclass(frozen=True)
class TookFrom(Event):
    """The actor took a thing out of a container."""

    room_id: str
    thing_id: str
    container_id: str


@dataclass(frozen=True)
class Used(Event):
    """The actor used a thing; what comes of it are events of their own."""

    room_id: str
    thing_id: str


@dataclass(frozen=True)
class ReadThing(Event):
    """The actor read what is written on a thing."""

    room_id: str
    thing_id: str


@dataclass(frozen=True)
class Wrote(Event):
    """The actor wrote a line on a thing; only who reads it knows what."""

    room_id: str
    thing_id: str
    text: str


@dataclass(frozen=True)
class Moved(Event):
    """A thing is somewhere else by itself. Nobody perceives it: it is there to be saved."""

    audience = "nobody"

    thing_id: str


@dataclass(frozen=True)
class RoomMessage(Event):
    """Something in a room that nobody did: `text` is the whole sentence. Its `actor_id` is empty."""

    room_id: str
    text: str


@dataclass(frozen=True)
class Announced(Event):
    """Words for everyone in the world, from the world itself or from who runs it."""

    audience = "world"

    text: str


@dataclass(frozen=True)
class LookedAt(Event):
    """The actor looked closely at a character, who notices."""

    room_id: str
    to_id: str


@dataclass(frozen=True)
class EntityChanged(Event):
    """A room, thing or character is not as its note says any more; one that the world does not have is gone.

    `kind` is `room`, `thing` or `character`, `entity_id` its id. Nobody perceives it: it is there to be saved.
    """

    audience = "nobody"

    kind: str
    entity_id: str


@dataclass(frozen=True)
class Built(Event):
    """The actor shaped the world: `action` is how (the name of a sentence in `text/building.md`), `name` what.

    `to` is where that leads, comes to be or what it is called now; both are names and no ids, because what they name
    may be no more.
    """

    room_id: str
    action: str
    name: str
    to: str = ""


@dataclass(frozen=True)
class Thought(Event):
    """A private thought: nobody but the actor perceives it."""

    audience = "actor"

    text: str


@dataclass(frozen=True)
class Output(Event):
    """The result of a look, an examination or a list, for the actor alone. `text` may have several lines.

    `is_own` is true if all of it is the world's own text, in which marks count.
    """

    audience = "actor"

    text: str
    is_own: bool = False


@dataclass(frozen=True)
class Recalled(Event):
    """A look into the actor's own or another's memory; it is shown, and only `brief` is remembered of it."""

    audience = "actor"

    text: str
    brief: str


@dataclass(frozen=True)
class Refused(Event):
    """A command that was not done, and why, for the actor alone."""

    audience = "actor"

    text: str


@dataclass(frozen=True)
class SystemMessage(Event):
    """A message from the world itself to one character."""

    audience = "actor"

    text: str


@dataclass(frozen=True)
class QuitRequested(Event):
    """The actor asked to leave the world; the server ends the connection."""

    audience = "actor"
