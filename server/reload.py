"""Taking in what is edited in the vault while the world runs; what is not valid changes nothing and is told."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

from server.telnet.interface import DelayedCall, ReactorClock
from vault.folder import Vault
from vault.watch import Watch

log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.3
LATEST_SECONDS = 2.0
AGAIN_SECONDS = 0.25
MOST_LINES = 10
"""How many notes that were taken in are told one by one."""
TAKEN, NEW = ": taken in.", ": taken in, as it is new."


class Looks(Protocol):
    """What takes edits in: `look` returns what admins should know, `is_waiting` says that another look is due."""

    @property
    def is_waiting(self) -> bool: ...
    def look(self, paths: set[str] | None = None) -> list[str]: ...


class Reload:
    """Has edits taken in soon after they were made, once for many, and tells what was said of them.

    `in_reactor` is how another thread has something called in the reactor's.
    """

    def __init__(
        self,
        vault: Vault,
        looks: Looks,
        tell: Callable[[str], None],
        clock: ReactorClock,
        in_reactor: Callable[[Callable[[], None]], None],
    ) -> None:
        self._looks = looks
        self._tell = tell
        self._clock = clock
        self._soon: DelayedCall | None = None
        self._first = 0.0
        self._watch = Watch(vault, lambda: in_reactor(self.note_change))

    def start(self) -> None:
        """Begin; if the system cannot watch, edits count from the next start or `@reload`, and the log says so."""
        try:
            self._watch.start()
        except OSError as error:
            log.warning("the vault cannot be watched, so edits count from the next start or @reload: %s", error)

    def stop(self) -> None:
        """Stop."""
        self._watch.stop()
        if self._soon and self._soon.active():
            self._soon.cancel()

    def note_change(self) -> None:
        """Wait until whoever is editing has finished writing, but not for ever, then take it in."""
        now = self._clock.seconds()
        if self._soon and self._soon.active():
            self._soon.cancel()
        else:
            self._first = now
        self._schedule(max(0.0, min(SETTLE_SECONDS, self._first + LATEST_SECONDS - now)))
        self._watch.go_on()

    def look_now(self) -> list[str]:
        """Take in every edit at once, wherever it is; return what was said of it, which is told too."""
        if self._soon and self._soon.active():
            self._soon.cancel()
        self._watch.take()
        return self._look(None)

    def _schedule(self, seconds: float) -> None:
        self._soon = self._clock.callLater(seconds, lambda: self._look(self._watch.take()))

    def _look(self, paths: set[str] | None) -> list[str]:
        try:
            said = self._looks.look(paths)
        except Exception:  # one note must not end the taking in of all later ones
            log.exception("what was edited could not be taken in")
            return []
        for sentence in in_brief(said):
            log.info("%s", sentence)
            self._tell(sentence)
        if self._looks.is_waiting and not (self._soon and self._soon.active()):
            self._schedule(AGAIN_SECONDS)
        return said


def in_brief(said: list[str]) -> list[str]:
    """Return sentences with those that say no more than that a note was taken in as one, if they are many."""
    plain = [sentence for sentence in said if sentence.endswith((TAKEN, NEW))]
    if len(plain) <= MOST_LINES:
        return said
    counted = f"{len(plain)} notes were taken in, from {plain[0].partition(': ')[0]} to {plain[-1].partition(': ')[0]}."
    return [counted, *(sentence for sentence in said if not sentence.endswith((TAKEN, NEW)))]
