"""Viewers of the page: each watches views, which are sent when they change, without delaying the world.

A view is made and encoded once for all viewers of it with one scope, at most five times a second, in slices that hold
nobody up. A viewer that does not read is sent nothing; when it reads again, it gets the view as it is then.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.python.failure import Failure

from server.chronicle.scope import PastAccess, past_access
from server.clock import DelayedCall, ReactorClock, cancel
from server.observatory.feed import Feed, FeedEntry
from server.observatory.views import WHOLE, Pieces, Scope, Shown, Views, as_json, scope_of
from server.questions import Questions, Replaced
from vault.errors import NoteError
from world.entities import Character, Role
from world.errors import CommandError

log = logging.getLogger(__name__)

MIN_SECONDS = 0.2
"""Minimum seconds between two updates of a view."""

MIND_SECONDS = 1.0
"""Minimum seconds between two updates of a mind or of the models, which take longer to make."""

POLL_SECONDS = 1.0
"""Interval of the check for changes of a mind while somebody looks at it, in seconds."""

SLICE_SECONDS = 0.01
"""Seconds of making and sending views in one turn of the reactor; one view is the least."""

MAX_ASKED = 16
MAX_ASKED_CHARACTERS = 500
NOTED_SECONDS = 600.0
"""A look at the same view of the same agent is noted once within this time, for each socket."""

FEED, TOWN = "feed", "town"

Encoded = bytes
RecordLook = Callable[[str, str], None]
"""Takes who looked, and at what, as `why Eliza 123`."""


class ViewerSocket(Protocol):
    """The receiver of a viewer's messages."""

    @property
    def is_congested(self) -> bool:
        """True while it does not read what was sent."""

    def send_text(self, content: bytes) -> None:
        """Send a message, given in UTF-8."""


@dataclass(frozen=True)
class Target:
    """The target of a look: a view, its parameters, and the scope of the viewer."""

    name: str
    asked: tuple[tuple[str, str], ...]
    scope: Scope


@dataclass
class Sight:
    """A target with its viewers; `last` is the content sent last, `reached` the last entry sent.

    `looked_at` is the time of the last check for changes of the view, `stamp` the view's stamp at that time.
    """

    target: Target
    viewers: list[Viewer] = field(default_factory=list)
    last: Encoded = b""
    looked_at: float = float("-inf")
    reached: int = 0
    pieces: Pieces | None = None
    is_making: bool = False
    stamp: object = None


class Viewers:
    """All viewers. `changed` is to be told that something may look different; nobody waits for it."""

    def __init__(self, views: Views, feed: Feed, clock: ReactorClock, questions: Questions) -> None:
        self.questions = questions
        self._noted_by: list[RecordLook] = []
        self.seconds = clock.seconds
        self._views = views
        self._feed = feed
        self._clock = clock
        self._sights: dict[Target, Sight] = {}
        self._due: DelayedCall | None = None
        self._poll: DelayedCall | None = None
        self._told_at = float("-inf")
        self._has_changed = False
        self._untold: list[Target] = []

    @property
    def count(self) -> int:
        """The number of viewers that look at something that changes."""
        return sum(len(one.viewers) for one in self._sights.values())

    def subscribe_looks(self, observer: RecordLook) -> None:
        """Tell an observer of each look at what is private."""
        self._noted_by.append(observer)

    def note_look(self, who: str, what: str) -> None:
        """Tell of a look at what is private."""
        for observer in self._noted_by:
            observer(who, what)

    def mark_changed(self) -> None:
        """Send the changes soon, if anybody looks."""
        if self._sights:
            self._has_changed = True
            self._tell_soon()

    def stop(self) -> None:
        """Send no more."""
        cancel(self._due)
        cancel(self._poll)
        self._sights.clear()

    def look(self, viewer: Viewer, target: Target) -> None:
        """Send a viewer a view that changes by itself, first as it is now."""
        sight = self._sights.get(target)
        if sight is None:
            sight = self._sights[target] = Sight(target, reached=self._feed.last)
        sight.viewers.append(viewer)
        if self._poll is None:
            self._poll = self._clock.callLater(POLL_SECONDS, self._poll_views)
        viewer.is_behind = False
        if target.name == FEED:
            viewer.send(self._past_entries(viewer))
        else:
            self._make(sight, viewer)

    def leave(self, viewer: Viewer, target: Target) -> None:
        """Send a viewer no more of a view."""
        sight = self._sights.get(target)
        if sight and viewer in sight.viewers:
            sight.viewers.remove(viewer)
            if not sight.viewers:
                del self._sights[target]

    def _poll_views(self) -> None:
        self._poll = None
        if self._sights:
            self._poll = self._clock.callLater(POLL_SECONDS, self._poll_views)
            self.mark_changed()

    def _tell_soon(self) -> None:
        if self._due is None:
            wait = max(0.0, self._told_at + MIN_SECONDS - self._clock.seconds())
            self._due = self._clock.callLater(wait, self._begin_to_tell)

    def _begin_to_tell(self) -> None:
        self._told_at, self._has_changed = self._clock.seconds(), False
        self._untold = list(self._sights)
        self._tell()

    def _tell(self) -> None:
        """Send the changes of the views not yet sent, for one slice of time; the next one goes on."""
        self._due, until = None, self._clock.seconds() + SLICE_SECONDS
        while self._untold:
            sight = self._sights.get(self._untold.pop())
            if sight is None:
                continue
            try:
                for viewer in list(sight.viewers):
                    viewer.check_scope()
                self._update(sight)
            except Exception:
                log.exception("the view %r cannot be sent", sight.target.name)
            if self._untold and self._clock.seconds() >= until:
                self._due = self._clock.callLater(0, self._tell)
                return
        if self._has_changed:
            self._tell_soon()

    def _update(self, sight: Sight) -> None:
        if not sight.viewers:
            return
        if sight.target.name == FEED:
            self._send_entries(sight)
        elif sight.target.name == TOWN or self._told_at >= sight.looked_at + MIND_SECONDS:
            self._make(sight)

    def _send_entries(self, sight: Sight) -> None:
        entries = self._feed.since(sight.reached, sight.target.scope)
        sight.reached, scope = self._feed.last, sight.target.scope
        content = _encode_more(entries, scope)
        for viewer in list(sight.viewers):
            if viewer.reads_again:
                viewer.is_behind = False
                viewer.send(self._past_entries(viewer))
                continue
            own = [one for one in entries if one.number > viewer.since and self._feed.is_perceived(viewer.access, one)]
            if own:  # mostly all of them, in the very bytes that the others get
                viewer.send(content if len(own) == len(entries) else _encode_more(own, scope))

    def _past_entries(self, viewer: Viewer) -> Encoded:
        """Return the newest entries that a viewer may see, and note up to which it has them."""
        viewer.since = self._feed.last
        listed = b",".join(entry.encoded_for(scope) for entry, scope in self._feed.past(viewer.access))
        return b'[{"seen":{"entries":[%b]},"view":"feed","live":true}]' % listed

    def _send(
        self, sight: Sight, changes: Encoded, whole: Callable[[], Encoded], newcomer: Viewer | None = None
    ) -> None:
        """Send all of it to a newcomer and to viewers who read again, and to everybody else the changes, if any."""
        for viewer in list(sight.viewers):
            if viewer is newcomer or viewer.reads_again:
                viewer.is_behind = False
                viewer.send(whole())
            elif changes:
                viewer.send(changes)

    def _make(self, sight: Sight, newcomer: Viewer | None = None) -> None:
        """Make a view, and send it to a newcomer, and if it is different to everybody who looks at it."""
        stamp = self._stamp(sight.target)
        sight.looked_at = self._clock.seconds() if newcomer else self._told_at
        reads_again = any(one.reads_again for one in sight.viewers)
        is_as_before = stamp is not None and stamp == sight.stamp and not reads_again
        if newcomer is None and (sight.is_making or is_as_before):
            return
        sight.stamp = stamp
        target = sight.target
        if pieces := self._views.pieces(target.name, dict(target.asked), target.scope):
            before, sight.pieces = sight.pieces, pieces
            whole, changed = pieces.whole, pieces.changed_since(before) if before else b""
            changes = _encode_live(target.name, changed) if changed else b""
            self._send(sight, changes, lambda: _encode_live(target.name, whole()), newcomer)
            return
        make = partial(self._views.make, target.name, dict(target.asked), target.scope)
        sight.is_making = sight.is_making or newcomer is None

        def send(content: Encoded) -> None:
            if newcomer is None:
                sight.is_making = False
            is_new, sight.last = content != sight.last, content
            self._send(sight, content if is_new else b"", lambda: content, newcomer)

        made = self.questions.ask(f"look {newcomer.asker}", make) if newcomer else maybeDeferred(make)
        answer(made, target.name, lambda shown: send(_encode_live(target.name, as_json(shown))), send)

    def _stamp(self, target: Target) -> object:
        view = self._views.get(target.name)
        try:
            return view.stamp(dict(target.asked)) if view else None
        except (CommandError, NoteError):
            return None


def answer(
    made: Deferred[Shown],
    name: str,
    done: Callable[[Shown], None],
    refused: Callable[[Encoded], None],
    number: int = 0,
) -> None:
    """Give a view to `done`, or to `refused` the message that says why there is none.

    Without a `number` a view that was replaced by another is nobody's any more, and nothing is said.
    """

    def failed(failure: Failure) -> None:
        if failure.check(Replaced) and not number:
            return
        if failure.check(CommandError, NoteError):
            why = failure.getErrorMessage()
        else:
            log.error("the view %r failed: %s", name, failure.getTraceback())
            why = "Something went wrong. The server's log has the details."
        refused(as_json([{"seen": None, "view": name, "unseen": why, "id": number}]))

    made.addCallback(done).addErrback(failed)


def _encode_live(name: str, seen: bytes) -> Encoded:
    """Return a view in JSON as a message to the page; the same for as many as look at it."""
    return b'[{"seen":%b,"view":"%b","id":0,"live":true}]' % (seen, name.encode())


def _encode_more(entries: Sequence[FeedEntry], scope: Scope) -> Encoded:
    listed = b",".join(one.encoded_for(scope) for one in entries)
    return b'[{"seen":{"more":[%b]},"view":"feed","live":true}]' % listed


class Viewer:
    """Somebody at one socket. Who that is, is asked at each message and before each update."""

    def __init__(
        self, viewers: Viewers, views: Views, outlet: ViewerSocket, who: Callable[[], Character | None]
    ) -> None:
        self.outlet = outlet
        self.is_behind = False
        self.asker = ""
        self.access = PastAccess("")
        self.since = 0
        """The number of the last entry of the feed in what it was sent at first."""
        self._viewers = viewers
        self._views = views
        self._who = who
        self._target: Target | None = None
        self._role = Role.GUEST
        self._noted: dict[tuple[str, str], float] = {}

    @property
    def reads_again(self) -> bool:
        """True if something was missed, and could be sent by now."""
        return self.is_behind and not self.outlet.is_congested

    def message_received(self, message: Mapping[str, Any]) -> None:
        """Take what a page asks for: a `view` with what it wants to know, or an empty one to look away.

        What is answered once has an `id`; what changes by itself is sent until the page looks away.
        """
        character = self._who()
        name, asked, number = message.get("view"), _asked(message), message.get("id", 0)
        if character is None or not isinstance(name, str) or not isinstance(number, int):
            return
        if not name:
            self.leave()
            return
        target = Target(name, asked, scope_of(character))
        view = self._views.get(name)
        self.asker, self.access = character.character_id, past_access(character)
        self._note(character, target)
        if number or view is None or not view.is_live:
            make = partial(self._views.make, name, dict(asked), target.scope, self.access)
            made = self._viewers.questions.ask(self.asker, make)
            answer(made, name, partial(self._answer, target, number), self.outlet.send_text, number)
            return
        self.leave()
        self._target, self._role = target, character.role
        self._viewers.look(self, target)

    def leave(self) -> None:
        """Look at nothing: the socket is lost, or another view is asked for."""
        if self._target:
            self._viewers.leave(self, self._target)
            self._target = None

    def check_scope(self) -> None:
        """See no more than one may by now: roles change, and people walk."""
        target, character = self._target, self._who()
        if target is None or (character and target.scope is WHOLE and character.role is self._role):
            return
        scope = scope_of(character) if character else None
        if scope is target.scope or scope == target.scope:
            return
        self.leave()
        if character is not None and scope is not None:
            self._target, self._role = Target(target.name, target.asked, scope), character.role
            self.access = past_access(character)
            self._note(character, self._target)
            self._viewers.look(self, self._target)

    def send(self, content: Encoded) -> None:
        """Send something that changes by itself, unless what was sent before is not read yet."""
        if self.outlet.is_congested:
            self.is_behind = True
        else:
            self.outlet.send_text(content)

    def _note(self, character: Character, target: Target) -> None:
        """Note a look at what is private, for the audit log."""
        view, asked = self._views.get(target.name), dict(target.asked)
        if view is None or not (view.is_private and target.scope.is_whole):
            return
        now, key = self._viewers.seconds(), (target.name, asked.get("agent", ""))
        self._noted = {one: at for one, at in self._noted.items() if now - at < NOTED_SECONDS}
        if key not in self._noted:
            self._noted[key] = now
            what = (target.name, asked.get("agent", ""), asked.get("seq", ""))
            self._viewers.note_look(character.character_id, " ".join(one for one in what if one))

    def _answer(self, target: Target, number: int, shown: Shown) -> None:
        """Answer a question once: with the view, or as text if that is asked for."""
        if dict(target.asked).get("form") == "text":
            shown = {"text": self._views.text(target.name, shown)}
        self.outlet.send_text(as_json([{"seen": shown, "view": target.name, "id": number, "live": False}]))


def _asked(message: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the parameters beside the view, as short texts in a fixed order."""
    given = [(str(key), str(one)) for key, one in message.items() if key not in ("view", "id") and one is not None]
    return tuple(sorted((key, one[:MAX_ASKED_CHARACTERS]) for key, one in given[:MAX_ASKED]))
