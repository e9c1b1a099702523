"""The reload timer: has edits of the vault taken in soon after they were made, in slices, and reports them."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Generator
from time import perf_counter
from typing import Protocol

from server.clock import DelayedCall, ReactorClock, RepeatingCall, cancel
from vault.vault import Vault
from vault.watch import Watcher

log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.3
MAX_DELAY_SECONDS = 2.0
RETRY_SECONDS = 0.25
REPLACED_SECONDS = 1.0
SLICE_SECONDS = 0.02
"""Seconds of reloading edits before anything else has its turn."""

MAX_LINES = 10
"""Maximum number of reloaded notes that are reported one by one."""
RELOADED, NEW = ": reloaded.", ": loaded, as it is new."


class Reloader(Protocol):
    """Takes edits in, a step at a time, and returns messages for admins.

    `is_waiting` if another look is due soon, `has_replaced` if an editor may have a replaced note open. `undo_scan` is
    called after steps that have failed, and returns the notes that are to be taken in again.
    """

    @property
    def is_waiting(self) -> bool: ...
    @property
    def has_replaced(self) -> bool: ...
    def steps(self, paths: set[str] | None = None) -> Generator[None, None, list[str]]: ...
    def undo_scan(self) -> list[str]: ...


class ReloadTimer:
    """Reloads edits soon after they were made, many at once, and reports the result.

    If many at once fail, they are reloaded in ever smaller parts. The note that fails is named, and is tried again at
    each later scan.
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
        self._replaced = RepeatingCall(clock, REPLACED_SECONDS, self._look_at_replaced, "the look at replaced notes")
        self._waiting: deque[set[str] | None] = deque()
        self._paths: set[str] | None = None
        self._failed: dict[str, str] = {}
        self._watch = Watcher(vault, lambda: in_reactor(self.note_change))

    def start(self) -> None:
        """Begin, with all that was edited while the world was loaded.

        If the system cannot watch, edits count from the next start or `@reload`, and the log says so.
        """
        self._replaced.start()
        try:
            self._watch.start()
        except OSError as error:
            log.warning("the vault cannot be watched, so edits count from the next start or @reload: %s", error)
        self._waiting.append(None)
        self._next = self._clock.callLater(0, self._go_on)

    def stop(self) -> None:
        """Stop, after finishing a reload that is running."""
        self._end_steps()
        self._watch.stop()
        cancel(self._timer)
        self._replaced.stop()

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
        self._waiting.append(None)
        return self._finish()

    def _look_at_replaced(self) -> None:
        """Reload while an editor may have a note open that the world has replaced."""
        if self._reloader.has_replaced:
            self.note_change()

    def _schedule(self, seconds: float) -> None:
        self._timer = self._clock.callLater(seconds, self._scan)

    def _scan(self) -> None:
        if self._steps is not None:  # of an earlier look, which goes first
            self._schedule(RETRY_SECONDS)
            return
        self._waiting.extend([self._watch.drain_changes(), *({source} for source in self._failed)])
        self._go_on()

    def _go_on(self) -> None:
        """Take steps for as long as nobody notices, and go on in the reactor's next turn."""
        self._next = None
        until = self._seconds() + SLICE_SECONDS
        while self._has_more:
            if self._seconds() >= until:
                self._next = self._clock.callLater(0, self._go_on)
                return
            self._step()

    def _end_steps(self) -> None:
        """Take all steps that are left, now."""
        cancel(self._next)
        self._finish()

    def _finish(self) -> list[str]:
        """Take steps to their end, now; report the result and return it."""
        messages: list[str] = []
        while self._has_more:
            messages += self._step()
        return messages

    @property
    def _has_more(self) -> bool:
        return self._steps is not None or bool(self._waiting)

    def _step(self) -> list[str]:
        """Take one step of the reload that runs, or of the next one; at its end report the result and return it."""
        if self._steps is None:
            self._paths = self._waiting.popleft()
            self._steps = self._reloader.steps(self._paths)
        try:
            next(self._steps)
            return []
        except StopIteration as ended:
            messages: list[str] = ended.value
            self._failed = {source: why for source, why in self._failed.items() if source not in (self._paths or ())}
        except Exception as error:
            messages = self._set_apart(error)
        self._steps = None
        for sentence in summarized(messages):
            log.info("%s", sentence)
            try:
                self._tell(sentence)
            except Exception:
                log.exception("admins do not hear of a reload")
        if self._reloader.is_waiting and not (self._timer and self._timer.active()):
            self._schedule(RETRY_SECONDS)
        return messages

    def _set_apart(self, error: Exception) -> list[str]:
        """Have the notes of a reload that has failed reloaded in two parts; return the fault if it was the only one.

        Rooms stay together as long as others can be set apart from them, for one may have only another name.
        """
        sources = self._reloader.undo_scan()
        if len(sources) > 1:
            rooms = [source for source in sources if source.startswith("rooms/")]
            others = [source for source in sources if source not in rooms]
            middle = len(sources) // 2
            parts = (others, rooms) if rooms and others else (sources[:middle], sources[middle:])
            self._waiting.extendleft(map(set, reversed(parts)))
            return []
        what = "".join(sources) or "the vault"
        why = f"{what}: not reloaded ({error!r}); it is tried again at the next edit. The server's log has the details."
        if why in self._failed.values():
            return []
        log.error("%s", what, exc_info=error)
        self._failed |= dict.fromkeys(sources, why)
        return [why]


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
