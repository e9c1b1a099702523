"""What can happen. Every event is frozen; who perceives it is computed by `world.narration`.

Events speak of characters, rooms and things by id, so that they stay true however the world moves on.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """Something that happened. `actor_id` is the character that did it."""

    actor_id: str


@dataclass(frozen=True)
class Said(Event):
    """Words for everyone in the room."""

    room_id: str
    text: str


@dataclass(frozen=True)
class Emoted(Event):
    """A pose: the text follows the actor's name."""

    room_id: str
    text: str


@dataclass(frozen=True)
class Whispered(Event):
    """Words for one character; others in the room see only that something was whispered."""

    room_id: str
    to_id: str
    text: str


@dataclass(frozen=True)
class Left(Event):
    """The actor went out of `room_id` by the exit named; an empty exit means that it vanished from the world."""

    room_id: str
    exit: str
    to_room_id: str


@dataclass(frozen=True)
class Arrived(Event):
    """The actor came into `room_id`; `from_room_id` is empty for someone who wakes there."""

    room_id: str
    from_room_id: str = ""


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
class LookedAt(Event):
    """The actor looked closely at a character, who notices."""

    room_id: str
    to_id: str


@dataclass(frozen=True)
class Thought(Event):
    """A private thought: nobody but the actor perceives it."""

    text: str


@dataclass(frozen=True)
class Saw(Event):
    """What a look, an examination or a list brought to the actor alone. `text` may have several lines."""

    text: str


@dataclass(frozen=True)
class Recalled(Event):
    """What the actor looked up in its own or another's memory; it is shown, and only `brief` is remembered of it."""

    text: str
    brief: str


@dataclass(frozen=True)
class Refused(Event):
    """A command that was not done, and why, for the actor alone."""

    text: str


@dataclass(frozen=True)
class Told(Event):
    """A message from the world itself to one character."""

    text: str


@dataclass(frozen=True)
class Departed(Event):
    """The actor asked to leave the world; the server ends the connection."""


PRIVATE = (Thought, Saw, Recalled, Refused, Told, Departed)
