"""Observers of a world: they are called with what happens; the faults of one do not reach the others."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec

from world.errors import WorldError

log = logging.getLogger(__name__)

MAX_SECONDS = 1.0
"""An observer that takes this long in one call is reported."""

PAUSE_SECONDS = 60.0
"""Seconds for which an observer that is not essential is left out after that."""

P = ParamSpec("P")


class ObserverCalls:
    """The calls of all observers of one game: which is running, and what was reported of each.

    `seconds` is a monotonic clock. Without one, no observer counts as slow.
    """

    def __init__(self, seconds: Callable[[], float] = lambda: 0.0) -> None:
        self.seconds = seconds
        self.running = ""
        """The name of the observer that is being called, empty while none is."""
        self._reported: set[tuple[str, str]] = set()

    def report_failure(self, name: str, error: Exception) -> None:
        """Log what an observer raised, once for each kind of exception."""
        if self._is_new(name, type(error).__name__):
            log.error(
                "The observer %r failed; a further %s of it is not logged.", name, type(error).__name__, exc_info=error
            )

    def report_slow(self, name: str, seconds: float, pause_seconds: float = 0.0) -> None:
        """Log, once, that an observer has kept everybody waiting."""
        if self._is_new(name, "slow"):
            spared = f" It is left out for {pause_seconds:.0f} s each time." if pause_seconds else ""
            log.warning("The observer %r took %.1f s, in which nothing else was done.%s", name, seconds, spared)

    def forget(self, name: str) -> None:
        """Report the next trouble of an observer again: it is another one of the same name."""
        self._reported = {one for one in self._reported if one[0] != name}

    def _is_new(self, name: str, trouble: str) -> bool:
        is_new = (name, trouble) not in self._reported
        self._reported.add((name, trouble))
        return is_new


@dataclass
class _Observer(Generic[P]):
    name: str
    call: Callable[P, object]
    paused_until: float = -math.inf


class Observers(Generic[P]):
    """The observers of one thing, in the order in which they were added; nothing may depend on that order.

    With `can_pause`, one that takes `MAX_SECONDS` is not called for `PAUSE_SECONDS`, and misses what happens then.
    """

    def __init__(self, calls: ObserverCalls, can_pause: bool = True) -> None:
        self._calls = calls
        self._can_pause = can_pause
        self._observers: tuple[_Observer[P], ...] = ()

    def __bool__(self) -> bool:
        return bool(self._observers)

    def add(self, name: str, observer: Callable[P, object]) -> None:
        """Add an observer. Raises: WorldError if there is one of that name."""
        if any(one.name == name for one in self._observers):
            raise WorldError(f"There is an observer {name!r} already; give this one another name.")
        self._observers = (*self._observers, _Observer(name, observer))

    def tell(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call every observer. Never raises."""
        calls, seconds = self._calls, self._calls.seconds
        outer, began = calls.running, seconds()
        try:
            for observer in self._observers:
                if began < observer.paused_until:
                    continue
                calls.running = observer.name
                try:
                    observer.call(*args, **kwargs)
                except Exception as error:
                    calls.report_failure(observer.name, error)
                ended = seconds()
                if ended - began >= MAX_SECONDS:
                    pause_seconds = PAUSE_SECONDS if self._can_pause else 0.0
                    calls.report_slow(observer.name, ended - began, pause_seconds)
                    observer.paused_until = ended + pause_seconds
                began = ended
        finally:
            calls.running = outer
