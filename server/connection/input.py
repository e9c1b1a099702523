"""Whose input is taken next, and how much of it: a token bucket for each caller, one fair queue for all."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from server.clock import ReactorClock
from server.connection.output import FlushQueue

TURN_SECONDS = 0.03
"""For how long input is taken, from all connections, before what came of it is sent and others are read again."""

PLACE_SECONDS = 0.002
"""For how long input from one place is taken before the next: what several hear of each other is sent together."""

ASIDE_SECONDS = 0.01
"""For how long more it is taken in a turn, and answered at once, from places that have had none of that time."""


TICK = 0.001  # a timer may be that much too early


class TokenBucket:
    """A token bucket: `at_once` tokens at first, refilled by `per_second`. With 0 a second it never runs out."""

    __slots__ = ("_at_once", "_clock", "_left", "_per_second", "_since")

    def __init__(self, clock: ReactorClock, per_second: float, at_once: float) -> None:
        self._clock = clock
        self._per_second = per_second
        self._at_once = self._left = at_once
        self._since = clock.seconds()

    @property
    def wait_seconds(self) -> float:
        """How long until there is a token, in seconds; 0 if there is one."""
        if not self._per_second or self._left >= 1:
            return 0.0
        wait = (1 - self._refilled()) / self._per_second
        return wait if wait > TICK else 0.0

    @property
    def is_full(self) -> bool:
        """Whether no token is missing, so that a bucket can be forgotten."""
        return not self._per_second or self._refilled() >= self._at_once

    def take(self, count: float = 1) -> None:
        """Take tokens, even those that are not there yet."""
        self._left = self._refilled() - count
        self._since = self._clock.seconds()

    def _refilled(self) -> float:
        return min(self._at_once, self._left + (self._clock.seconds() - self._since) * self._per_second)


class FairScheduler:
    """Takes input at once while a turn has time, and what is left in the turns after it.

    Those who wait are called place by place, each for as long, in rotation: when everybody in a full room speaks at
    once, in which each word is heard hundreds of times, that room waits for itself. Somebody elsewhere is answered as
    soon as they are read, unless too many are.
    """

    def __init__(
        self,
        clock: ReactorClock,
        flush_queue: FlushQueue,
        seconds: float = TURN_SECONDS,
        place_seconds: float = PLACE_SECONDS,
        aside_seconds: float = ASIDE_SECONDS,
    ) -> None:
        self._clock = clock
        self._flush_queue = flush_queue
        self._seconds = seconds
        self._place_seconds = place_seconds
        self._aside_seconds = aside_seconds
        self._aside_left = aside_seconds
        self._until: float | None = None
        self._served: set[str] = set()
        self._waiting: dict[str, deque[Callable[[], None]]] = {}

    def take(self, place: str, call: Callable[[], None]) -> None:
        """Call now, or in a later turn of the reactor if this one has no time left; from one place in order."""
        if not self._waiting and self._has_time:
            self._call(place, call)
        elif self._aside_left > 0 and place not in self._served and place not in self._waiting:
            self._call_aside(call)
        else:
            self._waiting.setdefault(place, deque()).append(call)

    @property
    def _has_time(self) -> bool:
        return self._until is None or self._clock.seconds() < self._until

    def _go_on(self) -> None:
        """Begin a turn, with those who wait."""
        self._until, self._aside_left = None, self._aside_seconds
        self._served.clear()
        while self._waiting and self._has_time:
            place, calls = next(iter(self._waiting.items()))
            try:
                self._call_some(place, calls)
            finally:
                del self._waiting[place]
                if calls:
                    self._waiting[place] = calls  # behind all other places

    def _call_some(self, place: str, calls: deque[Callable[[], None]]) -> None:
        until = self._clock.seconds() + self._place_seconds
        self._call(place, calls.popleft())
        while calls and self._has_time and self._clock.seconds() < until:
            self._call(place, calls.popleft())

    def _call_aside(self, call: Callable[[], None]) -> None:
        began = self._clock.seconds()
        try:
            self._flush_queue.at_once(call)
        finally:
            self._aside_left -= self._clock.seconds() - began

    def _call(self, place: str, call: Callable[[], None]) -> None:
        self._served.add(place)
        is_first = self._until is None
        if is_first:
            self._until = self._clock.seconds() + self._seconds
        try:
            call()
        finally:
            if is_first:
                self._flush_queue.add_last(self._go_on)  # when all that was brought about is sent
