"""Schedules hot reload: waits until edits settle, applies them in slices, and reports invalid ones."""

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
"""Seconds of reloading edits before anything else has its turn."""

MAX_LINES = 10
"""Maximum number of reloaded notes that are reported one by one."""
RELOADED, NEW = ": reloaded.", ": loaded, as it is new."


class Reloader(Protocol):
    """Takes edits in, a step at a time, and returns messages for admins. `is_waiting` if another look is due."""

    @property
    def is_waiting(self) -> bool: ...
    def steps(self, paths: set[str] | None = None) -> Generator[None, None, list[str]]: ...


class ReloadTimer:
    """Reloads edits soon after they were made, many at once, and reports the result.

    `in_reactor` calls something in the reactor's thread from another one, `seconds` measures the time of steps.
    """

    def __init__(
        self,
        vault: Vault,
        reloader: Reloader,
        tell: Callable[[str], None],
        clock: ReactorClock,
        in_reactor: Callable[[Callable[[], None]], None],
        seconds: Callable[[], float] = perf_counter,
    ) -> None:
        self._reloader = reloader
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
        """Stop, after finishing a reload that is running."""
        self._end_steps()
        self._watch.stop()
        cancel(self._timer)

    def note_change(self) -> None:
        """Wait until the editor has finished writing, but not for ever, then reload."""
        now = self._clock.seconds()
        if not (self._timer and self._timer.active()):
            self._first = now
        cancel(self._timer)
        self._schedule(max(0.0, min(SETTLE_SECONDS, self._first + MAX_DELAY_SECONDS - now)))
        self._watch.rearm()

    def reload_now(self) -> list[str]:
        """Reload every edit now, wherever it is; report the result and return it."""
        cancel(self._timer)
        self._watch.drain_changes()
        self._end_steps()
        return self._finish(self._reloader.steps(None))

    def _schedule(self, seconds: float) -> None:
        self._timer = self._clock.callLater(seconds, self._scan)

    def _scan(self) -> None:
        if self._steps is not None:  # of an earlier look, which goes first
            self._schedule(RETRY_SECONDS)
            return
        self._steps = self._reloader.steps(self._watch.drain_changes())
        self._go_on()

    def _go_on(self) -> None:
        """Take steps for as long as nobody notices, and go on in the reactor's next turn."""
        until = self._seconds() + SLICE_SECONDS
        steps, self._steps, self._next = self._steps, None, None
        assert steps is not None
        try:
            while self._seconds() < until:
                try:
                    next(steps)
                except StopIteration as ended:
                    self._report(ended.value)
                    return
        except Exception:  # one note must not end the reload of all later ones
            log.exception("an edit could not be reloaded")
            return
        self._steps, self._next = steps, self._clock.callLater(0, self._go_on)

    def _end_steps(self) -> None:
        """Take all steps that are left, now."""
        steps, self._steps = self._steps, None
        cancel(self._next)
        if steps is not None:
            self._finish(steps)

    def _finish(self, steps: Generator[None, None, list[str]]) -> list[str]:
        """Take steps to their end, now; report the result and return it."""
        try:
            return self._report(run_steps(steps))
        except Exception:  # as in `_go_on`
            log.exception("an edit could not be reloaded")
            return []

    def _report(self, messages: list[str]) -> list[str]:
        for sentence in summarized(messages):
            log.info("%s", sentence)
            self._tell(sentence)
        if self._reloader.is_waiting and not (self._timer and self._timer.active()):
            self._schedule(RETRY_SECONDS)
        return messages


def shortened(problems: list[str]) -> list[str]:
    """Return the first of many sentences on notes that are not valid, and how to see the others."""
    left = len(problems) - MAX_LINES
    return problems if left <= 0 else [*problems[:MAX_LINES], f"And {left} more: fallwater vault check lists them all."]


def summarized(messages: list[str]) -> list[str]:
    """Return sentences, with many that only say that a note was reloaded summed up in one."""
    plain = [sentence for sentence in messages if sentence.endswith((RELOADED, NEW))]
    if len(plain) <= MAX_LINES:
        return messages
    counted = f"{len(plain)} notes were reloaded, from {plain[0].partition(': ')[0]} to {plain[-1].partition(': ')[0]}."
    return [counted, *(sentence for sentence in messages if not sentence.endswith((RELOADED, NEW)))]
