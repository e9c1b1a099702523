"""All views by name, and the scope that each requires.

A view is a dictionary that JSON can hold. The page draws it, and a command tells it as text. A scope is the whole of a
world, or what somebody in one room perceives; the feed keeps of each event what the functions here say of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from twisted.internet.defer import Deferred, succeed

from server.chronicle.recorder import bystander_text
from server.chronicle.scope import PastAccess
from world.entities import Character, Role
from world.errors import CommandError
from world.events import (
    Announced,
    Arrived,
    Event,
    Left,
    Paged,
    Refused,
    Shouted,
    Thought,
    Whispered,
)
from world.message_catalog import Wording
from world.preferences import IgnorableLine, IgnoreList, ignore_list
from world.world import World

EVERYWHERE = "*"
"""The key of every room, for what is perceived in all of them."""


@dataclass(frozen=True)
class Scope:
    """The scope of a viewer: the whole world, or through the window the events that a bystander in `room_id` perceives.

    Through the window, characters on the list `ignored` are left out.
    """

    room_id: str = ""
    ignored: IgnoreList | None = None

    @property
    def is_whole(self) -> bool:
        """True if minds, reasons and whispers are visible too."""
        return not self.room_id

    def hides(self, one: IgnorableLine | None) -> bool:
        """Return whether something is hidden because an ignored character did it."""
        return self.ignored is not None and self.ignored.hides(one)


WHOLE = Scope()


def scope_of(character: Character) -> Scope:
    """Return how much somebody sees just now; equal scopes are mostly one object."""
    if character.role.includes(Role.OBSERVER):
        return WHOLE
    return _window(character.room_id, ignore_list(character) if character.preferences else None)


@lru_cache(maxsize=1024)  # asked for each viewer before each update
def _window(room_id: str, ignored: IgnoreList | None) -> Scope:
    return Scope(room_id, ignored)


def window_texts(event: Event, world: World) -> Mapping[str, str]:
    """Return the texts of an event by room, as a bystander there perceives them; `EVERYWHERE` for all rooms.

    A bystander perceives that there was a whisper, and nothing of thoughts, tells and reasons.
    """
    match event:
        case Announced():
            return _perceived(event, EVERYWHERE, world)
        case Shouted(room_id=room_id) if room_id in world.rooms:
            near = dict.fromkeys([room_id, *(exit.room_id for exit in world.rooms[room_id].exits.values())])
            return {one: text for each in near for one, text in _perceived(event, each, world).items()}
        case Arrived() | Left() if world.is_crowded(event.room_id):
            return {}
        case _ if event.audience == "room":
            return _perceived(event, event.room_id, world)  # type: ignore[attr-defined]
    return {}


def whole_text(event: Event, rooms: Mapping[str, str], world: World) -> str:
    """Return the text of an event for viewers who see all of it; empty if it concerns nobody else.

    `rooms` are the texts for bystanders by room, from `window_texts`.
    """
    say = world.wording
    match event:
        case Whispered(actor_id=actor, to_id=to, text=text):
            return say("observatory.whispers", who=_name(actor, world), to=_name(to, world), text=text)
        case Paged(actor_id=actor, to_id=to, text=text):
            return say("observatory.tells", who=_name(actor, world), to=_name(to, world), text=text)
        case Thought(actor_id=actor, text=text):
            return say("observatory.thinks", who=_name(actor, world), text=text)
        case Refused(actor_id=actor, text=text):
            return say("observatory.is_refused", who=_name(actor, world), text=text)
    here: str = getattr(event, "room_id", EVERYWHERE)
    text = rooms.get(here, "") or next(iter(rooms.values()), "")
    if not text and isinstance(event, Arrived | Left):  # who came into a crowd or left it, which nobody there notices
        return bystander_text(event, event.room_id, world)
    return text


def _perceived(event: Event, room_id: str, world: World) -> dict[str, str]:
    text = bystander_text(event, room_id, world)
    return {room_id: text} if text else {}


def _name(character_id: str, world: World) -> str:
    found = world.characters.get(character_id)
    return found.name if found else character_id


Shown = dict[str, Any]
Asked = Mapping[str, str]
"""The parameters of a view beside its name: an agent, a number, filters."""

Whole = Callable[[Asked], Shown | Deferred[Shown]]
Past = Callable[[Asked, PastAccess], Shown | Deferred[Shown]]
Window = Callable[[Asked, Scope], Shown | Deferred[Shown]]
Stamp = Callable[[Asked], object]


@dataclass(frozen=True)
class Pieces:
    """A view in JSON, in pieces: the `items` of a list by its `name`, and an object with the fields `beside` it."""

    name: str
    items: Sequence[bytes]
    beside: bytes

    def whole(self) -> bytes:
        """Return all of the view."""
        return b'{"%b":[%b],%b' % (self.name.encode(), b",".join(self.items), self.beside[1:])

    def changed_since(self, before: Pieces) -> bytes:
        """Return the changes: the changed items by their places; or all of it, or nothing."""
        if before.beside != self.beside or len(before.items) != len(self.items):
            return self.whole()
        pairs = enumerate(zip(self.items, before.items, strict=True))
        changed = [b'"%d":%b' % (place, new) for place, (new, old) in pairs if new is not old and new != old]
        return b'{"changed":{%b}}' % b",".join(changed) if changed else b""


MakePieces = Callable[[], Pieces]

_ENCODER = json.JSONEncoder(ensure_ascii=False)  # `json.dumps` makes one at each call


def as_json(value: object) -> bytes:
    """Return a value as JSON in UTF-8; half a character becomes a question mark."""
    return _ENCODER.encode(value).encode("utf-8", "replace")


@dataclass(frozen=True)
class View:
    """One view.

    `whole` makes it for viewers who see all; `window` for those in a room, None where it is not for them. A view of
    what has happened has `past` instead, which makes it for anybody, of what they may see of the past. `is_private`
    says that the whole of it shows somebody's private life, so that the audit log names its viewers.

    `text` tells it to people. `is_live` says that it changes by itself while somebody looks; `stamp` then returns a
    value that changes with the view, at a fraction of its cost. `pieces` makes the whole of it as of now, so that only
    the changed pieces are sent.
    """

    name: str
    whole: Whole | None
    text: Callable[[Shown, Wording], str]
    window: Window | None = None
    is_live: bool = False
    stamp: Stamp = lambda asked: None
    is_private: bool = True
    pieces: MakePieces | None = None
    past: Past | None = None


def now_only(asked: Asked, name: str, say: Wording) -> None:
    """Refuse a time. Raises: CommandError if one is asked for: only viewers of the whole may see the past."""
    if asked.get("at"):
        raise CommandError(say("observatory.not_through_window", name=f"{name}@{asked['at']}"))


class Views:
    """The views of a world. Raises: ValueError if two have one name."""

    def __init__(self, wording: Callable[[], Wording]) -> None:
        self._wording = wording
        self._views: dict[str, View] = {}

    def add(self, *views: View) -> None:
        """Add views."""
        for one in views:
            if one.name in self._views:
                raise ValueError(f"there are two views {one.name!r}")
            self._views[one.name] = one

    @property
    def names(self) -> list[str]:
        """The names of all views."""
        return list(self._views)

    def get(self, name: str) -> View | None:
        """Return a view, or None."""
        return self._views.get(name)

    def make(self, name: str, asked: Asked, scope: Scope, past: PastAccess | None = None) -> Deferred[Shown]:
        """Return a view as a scope sees it; it fails with CommandError or NoteError where there is nothing to be shown.

        `past` is what the viewer may see of what has happened. Raises: CommandError if there is no such view, or it is
        not for that scope.
        """
        made = self._made(name, asked, scope, past)
        return made if isinstance(made, Deferred) else succeed(made)

    def make_now(self, name: str, asked: Asked, scope: Scope, past: PastAccess | None = None) -> Shown:
        """Return a view that takes no time. Raises: CommandError as `make`, NoteError, TypeError if it takes time."""
        made = self._made(name, asked, scope, past)
        if isinstance(made, Deferred):
            raise TypeError(f"the view {name!r} takes a while")
        return made

    def _made(self, name: str, asked: Asked, scope: Scope, past: PastAccess | None) -> Shown | Deferred[Shown]:
        say, view = self._wording(), self._views.get(name)
        if view is None:
            raise CommandError(say("observatory.no_view", name=name, names=", ".join(self.names)))
        if view.past and past:
            return view.past(asked, past)
        if scope.is_whole and view.whole:
            return view.whole(asked)
        if view.window is None:
            raise CommandError(say("observatory.not_through_window", name=name))
        return view.window(asked, scope)

    def pieces(self, name: str, asked: Asked, scope: Scope) -> Pieces | None:
        """Return a view as it is now in pieces; None if it is not made so for that scope, or for a time."""
        view = self._views.get(name)
        is_whole_now = scope.is_whole and not asked.get("at")
        return view.pieces() if view and view.pieces and is_whole_now else None

    def text(self, name: str, shown: Shown) -> str:
        """Return a view as text."""
        return self._views[name].text(shown, self._wording())
