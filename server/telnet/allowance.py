"""How often something may happen: many times at once, but only so often in the long run."""

from __future__ import annotations

from server.telnet.interface import ReactorClock

TICK = 0.001  # a timer may be that much too early


class Allowance:
    """Allows `at_once` times together, and `per_second` times a second from then on; 0 a second allows any number.

    What is not used comes back at that pace, up to `at_once`.
    """

    __slots__ = ("_at_once", "_clock", "_left", "_per_second", "_since")

    def __init__(self, clock: ReactorClock, per_second: float, at_once: float) -> None:
        self._clock = clock
        self._per_second = per_second
        self._at_once = self._left = at_once
        self._since = clock.seconds()

    @property
    def seconds(self) -> float:
        """For how long the next time has to wait, in seconds; 0 if it is allowed now."""
        if not self._per_second or self._left >= 1:
            return 0.0
        wait = (1 - self._refilled()) / self._per_second
        return wait if wait > TICK else 0.0

    @property
    def is_whole(self) -> bool:
        """Whether all of it is there: nothing is lost if this is forgotten."""
        return not self._per_second or self._refilled() >= self._at_once

    def take(self, count: float = 1) -> None:
        """Note that it happened; more than was allowed is owed."""
        self._left = self._refilled() - count
        self._since = self._clock.seconds()

    def _refilled(self) -> float:
        return min(self._at_once, self._left + (self._clock.seconds() - self._since) * self._per_second)
