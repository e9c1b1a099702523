"""What is saved when: whereabouts at once, journals forced to disk in groups."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

from server.telnet.interface import DelayedCall, ReactorClock
from vault.board_note import BoardNote
from vault.journal import Journal
from vault.notes import NoteError
from vault.world_notes import Whereabouts
from world.events import Arrived, Dropped, Event, Gave, Took

log = logging.getLogger(__name__)

MOVES = (Arrived, Took, Dropped, Gave)


class SaveMoves:
    """Writes where everyone and everything is, before anybody hears of the move."""

    def __init__(self, whereabouts: Whereabouts) -> None:
        self._whereabouts = whereabouts
        self._failing = False

    def __call__(self, events: tuple[Event, ...]) -> None:
        """Save if something moved."""
        if any(isinstance(event, MOVES) for event in events):
            self.save()

    def save(self) -> None:
        """Save now; a failure is logged once, and the next move tries again."""
        try:
            self._whereabouts.save()
        except NoteError as error:
            if not self._failing:
                log.error("where everyone is could not be saved: %s", error)
            self._failing = True
        else:
            self._failing = False


class SaveBoard:
    """Keeps the shared board and its note alike, at every line that somebody types."""

    def __init__(self, note: BoardNote) -> None:
        self._note = note
        self._failing = False

    def __call__(self, events: tuple[Event, ...]) -> None:
        """Take in an edit, write what was shared or taken down; a failure is logged once, and tried again."""
        try:
            self._note.save()
        except NoteError as error:
            if not self._failing:
                log.error("what is shared could not be saved: %s", error)
            self._failing = True
        else:
            self._failing = False


def in_turn(*savers: Callable[[tuple[Event, ...]], None]) -> Callable[[tuple[Event, ...]], None]:
    """Return what calls each of these with whatever happened, in this order."""

    def save(events: tuple[Event, ...]) -> None:
        for saver in savers:
            saver(events)

    return save


class GroupSync:
    """Forces the journals' new lines to disk, all together, every so many milliseconds and in another thread.

    `in_thread` calls its first argument with the rest of them, elsewhere, and returns a Deferred of the outcome.
    """

    def __init__(
        self,
        journals: Callable[[], Iterable[Journal]],
        period_ms: int,
        clock: ReactorClock,
        in_thread: Callable[..., Deferred[None]] = deferToThread,
    ) -> None:
        self._journals = journals
        self._seconds = max(period_ms, 5) / 1000
        self._clock = clock
        self._in_thread = in_thread
        self._next: DelayedCall | None = None
        self._stopped = False

    def start(self) -> None:
        """Begin."""
        self._next = self._clock.callLater(self._seconds, self._beat)

    def stop(self) -> None:
        """Stop; what is left is forced when the journals are closed."""
        self._stopped = True
        if self._next and self._next.active():
            self._next.cancel()

    def _beat(self) -> None:
        syncs = [sync for journal in self._journals() if (sync := journal.take_sync())]
        if not syncs:
            self.start()
            return
        self._in_thread(_all, syncs).addErrback(_log).addCallback(lambda _: None if self._stopped else self.start())


def _all(syncs: list[Callable[[], None]]) -> None:
    """Call each, so that one agent's bad file keeps no other's memories from the disk. Raises: the first failure."""
    failures = []
    for sync in syncs:
        try:
            sync()
        except OSError as error:
            failures.append(error)
    if failures:
        raise failures[0]


def _log(failure: Failure) -> None:
    log.error("memories could not be forced to disk: %s", failure.getErrorMessage())
