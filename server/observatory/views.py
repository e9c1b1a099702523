"""All views by name, and the scope that each requires.

A view is a dictionary that JSON can hold. The page draws it, and a command tells it as text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from twisted.internet.defer import Deferred, succeed

from server.observatory.scope import Scope
from world.errors import CommandError
from world.message_catalog import Wording

Shown = dict[str, Any]
Asked = Mapping[str, str]
"""What is asked for beside the view's name: an agent, a number, filters."""

Whole = Callable[[Asked], Shown | Deferred[Shown]]
Window = Callable[[Asked, Scope], Shown | Deferred[Shown]]
Stamp = Callable[[Asked], object]


@dataclass(frozen=True)
class Pieces:
    """A view in JSON, in pieces: the `items` of a list by its `name`, and an object with what stands `beside` it."""

    name: str
    items: Sequence[bytes]
    beside: bytes

    def whole(self) -> bytes:
        """Return all of the view."""
        return b'{"%b":[%b],%b' % (self.name.encode(), b",".join(self.items), self.beside[1:])

    def changed_since(self, before: Pieces) -> bytes:
        """Return what is different: the items that are others, by their places; or all of it, or nothing."""
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
    """One view. `whole` makes it for those who see all; `window` for those in a room, None where it is not for them.

    `is_private` says that the whole of it shows what is private of somebody, so that who looks is in the audit log.

    `text` tells it to people. `is_live` says that it changes by itself while somebody looks; `stamp` then returns what
    is another while the view is another, at a fraction of its cost. `pieces` makes the whole of it as of now, so that
    only those pieces are sent that are others.
    """

    name: str
    whole: Whole
    text: Callable[[Shown, Wording], str]
    window: Window | None = None
    is_live: bool = False
    stamp: Stamp = lambda asked: None
    is_private: bool = True
    pieces: MakePieces | None = None


def now_only(asked: Asked, name: str, say: Wording) -> None:
    """Refuse a time. Raises: CommandError if one is asked for: what was is for those who see the whole."""
    if asked.get("at"):
        raise CommandError(say("observatory.not_through_window", name=f"{name}@{asked['at']}"))


class Views:
    """The views of a world. Raises: ValueError if two have one name."""

    def __init__(self, wording: Callable[[], Wording]) -> None:
        self._wording = wording
        self._views: dict[str, View] = {}

    def __iter__(self) -> Iterator[View]:
        return iter(self._views.values())

    def add(self, *views: View) -> None:
        """Add views."""
        for one in views:
            if one.name in self._views:
                raise ValueError(f"there are two views {one.name!r}")
            self._views[one.name] = one

    def get(self, name: str) -> View | None:
        """Return a view, or None."""
        return self._views.get(name)

    def make(self, name: str, asked: Asked, scope: Scope) -> Deferred[Shown]:
        """Return a view as a scope sees it; it fails with CommandError or NoteError where there is nothing to be shown.

        Raises: CommandError if there is no such view, or it is not for that scope.
        """
        made = self._made(name, asked, scope)
        return made if isinstance(made, Deferred) else succeed(made)

    def make_now(self, name: str, asked: Asked, scope: Scope) -> Shown:
        """Return a view that takes no time. Raises: CommandError as `make`, NoteError, TypeError if it takes time."""
        made = self._made(name, asked, scope)
        if isinstance(made, Deferred):
            raise TypeError(f"the view {name!r} takes a while")
        return made

    def _made(self, name: str, asked: Asked, scope: Scope) -> Shown | Deferred[Shown]:
        say, view = self._wording(), self._views.get(name)
        if view is None:
            raise CommandError(say("observatory.no_view", name=name, names=", ".join(self._views)))
        if scope.is_whole:
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
