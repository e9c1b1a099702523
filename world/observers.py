"""Observers: what is told that something happened. Each has a name, and one that fails or is slow harms no other."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec

from world.errors import WorldError

log = logging.getLogger(__name__)

MAX_SECONDS = 1.0
"""An observer that takes this long in one call is reported."""

PAUSE_SECONDS = 60.0
"""How long an observer that can be spared is not called after that."""

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

    def call(self, name: str, observer: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> float:
        """Call one observer and return how many seconds it took. Never raises: a failure is reported."""
        outer, self.running = self.running, name
        began = self.seconds()
        try:
            observer(*args, **kwargs)
        except Exception as error:
            self.report_failure(name, error)
        finally:
            self.running = outer
        return self.seconds() - began

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
    is_paused: bool = False
    paused_until: float = 0.0


class Observers(Generic[P]):
    """Those who are told of one thing, in the order in which they were added; nothing may depend on that order.

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
        for observer in self._observers:
            if observer.is_paused and self._calls.seconds() < observer.paused_until:
                continue
            took = self._calls.call(observer.name, observer.call, *args, **kwargs)
            if took >= MAX_SECONDS:
                self._calls.report_slow(observer.name, took, PAUSE_SECONDS if self._can_pause else 0.0)
                observer.is_paused = self._can_pause
                observer.paused_until = self._calls.seconds() + PAUSE_SECONDS
