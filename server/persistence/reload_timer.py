"""Taking in what is edited in the vault while the world runs; what is not valid changes nothing and is told."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from time import perf_counter
from typing import Protocol

from server.clock import DelayedCall, ReactorClock, cancel
from vault.entities.reload import run_steps
from vault.vault import Vault
from vault.watch import Watcher

log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.3
MAX_DELAY_SECONDS = 2.0
RETRY_SECONDS = 0.25
SLICE_SECONDS = 0.02
"""For so long edits are taken in before anything else has its turn."""

MAX_LINES = 10
"""How many notes that were taken in are told one by one."""
TAKEN, NEW = ": taken in.", ": taken in, as it is new."


class Reloader(Protocol):
    """What takes edits in, a step at a time: what comes of it is what admins should know.

    `is_waiting` says that another look is due.
    """

    @property
    def is_waiting(self) -> bool: ...
    def steps(self, paths: set[str] | None = None) -> Generator[None, None, list[str]]: ...


class ReloadTimer:
    """Has edits taken in soon after they were made, once for many, and tells what was said of them.

    `in_reactor` is how another thread has something called in the reactor's, `seconds` measures how long steps take.
    """

    def __init__(
        self,
        vault: Vault,
        looks: Reloader,
        tell: Callable[[str], None],
        clock: ReactorClock,
        in_reactor: Callable[[Callable[[], None]], None],
        seconds: Callable[[], float] = perf_counter,
    ) -> None:
        self._reloader = looks
        self._tell = tell
        self._clock = clock
        self._timer: DelayedCall | None = None
        self._first = 0.0
        self._seconds = seconds
        self._steps: Generator[None, None, list[str]] | None = None
        self._next: DelayedCall | None = None
        self._watch = Watcher(vault, lambda: in_reactor(self.note_change))

    def start(self) -> None:
        """Begin; if the system cannot watch, edits count from the next start or `@reload`, and the log says so."""
        try:
            self._watch.start()
        except OSError as error:
            log.warning("the vault cannot be watched, so edits count from the next start or @reload: %s", error)

    def stop(self) -> None:
        """Stop, with what is being taken in taken in."""
        self._end_steps()
        self._watch.stop()
        cancel(self._timer)

    def note_change(self) -> None:
        """Wait until whoever is editing has run_steps writing, but not for ever, then take it in."""
        now = self._clock.seconds()
        if not (self._timer and self._timer.active()):
            self._first = now
        cancel(self._timer)
        self._schedule(max(0.0, min(SETTLE_SECONDS, self._first + MAX_DELAY_SECONDS - now)))
        self._watch.rearm()

    def reload_now(self) -> list[str]:
        """Take in every edit at once, wherever it is; return what was said of it, which is told too."""
        cancel(self._timer)
        self._watch.take()
        self._end_steps()
        return self._guarded(lambda: self._told(run_steps(self._reloader.steps(None))))

    def _schedule(self, seconds: float) -> None:
        self._timer = self._clock.callLater(seconds, self._look)

    def _look(self) -> None:
        if self._steps is not None:  # of an earlier look, which goes first
            self._schedule(RETRY_SECONDS)
            return
        self._steps = self._reloader.steps(self._watch.take())
        self._go_on()

    def _go_on(self) -> None:
        """Take steps for as long as nobody notices, and go on in the reactor's next turn."""
        until = self._seconds() + SLICE_SECONDS
        self._next = None
        self._guarded(lambda: self._step(until))

    def _step(self, until: float) -> list[str]:
        steps, self._steps = self._steps, None
        assert steps is not None
        while self._seconds() < until:
            try:
                next(steps)
            except StopIteration as ended:
                return self._told(ended.value)
        self._steps, self._next = steps, self._clock.callLater(0, self._go_on)
        return []

    def _end_steps(self) -> None:
        """Take all steps that are left, now."""
        steps, self._steps = self._steps, None
        cancel(self._next)
        if steps is not None:
            self._guarded(lambda: self._told(run_steps(steps)))

    def _guarded(self, look: Callable[[], list[str]]) -> list[str]:
        try:
            return look()
        except Exception:  # one note must not end the taking in of all later ones
            log.exception("an edit could not be reloaded")
            return []

    def _told(self, said: list[str]) -> list[str]:
        for sentence in summarized(said):
            log.info("%s", sentence)
            self._tell(sentence)
        if self._reloader.is_waiting and not (self._timer and self._timer.active()):
            self._schedule(RETRY_SECONDS)
        return said


def shortened(problems: list[str]) -> list[str]:
    """Return the first of many sentences on notes that are not valid, and how to see the others."""
    left = len(problems) - MAX_LINES
    return problems if left <= 0 else [*problems[:MAX_LINES], f"And {left} more: fallwater vault check lists them all."]


def summarized(said: list[str]) -> list[str]:
    """Return sentences with those that say no more than that a note was taken in as one, if they are many."""
    plain = [sentence for sentence in said if sentence.endswith((TAKEN, NEW))]
    if len(plain) <= MAX_LINES:
        return said
    counted = f"{len(plain)} notes were taken in, from {plain[0].partition(': ')[0]} to {plain[-1].partition(': ')[0]}."
    return [counted, *(sentence for sentence in said if not sentence.endswith((TAKEN, NEW)))]
