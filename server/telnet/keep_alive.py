"""Signs of life to connections that are silent: what stands between forgets those that say nothing for minutes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Protocol

from server.clock import DelayedCall, ReactorClock

TICK_SECONDS = 1.0


class Quiet(Protocol):
    """A connection that may have fallen silent."""

    def keep_alive(self) -> None:
        """Send a sign of life if neither side has sent anything since the last call."""


class KeepAlive:
    """Asks every connection once in `seconds()`, in turn: a few each second, with one timer for all. 0 asks none."""

    def __init__(self, clock: ReactorClock, seconds: Callable[[], float]) -> None:
        self._clock = clock
        self._seconds = seconds
        self._connections: dict[Quiet, None] = {}
        self._owed = 0.0
        """How many are to be asked, of which only whole ones can be."""
        self._tick: DelayedCall | None = None

    def add(self, connection: Quiet) -> None:
        """Ask a connection from now on."""
        self._connections[connection] = None
        if self._tick is None:
            self._tick = self._clock.callLater(TICK_SECONDS, self._ask_some)

    def discard(self, connection: Quiet) -> None:
        """Ask a connection no more."""
        self._connections.pop(connection, None)
        if not self._connections and self._tick is not None:
            self._tick.cancel()
            self._tick = None

    def _ask_some(self) -> None:
        self._tick = self._clock.callLater(TICK_SECONDS, self._ask_some)
        seconds = self._seconds()
        if not seconds:
            return
        self._owed += len(self._connections) * TICK_SECONDS / seconds
        due = list(islice(self._connections, int(self._owed)))
        self._owed %= 1
        for connection in due:
            self._connections[connection] = self._connections.pop(connection)
            connection.keep_alive()
