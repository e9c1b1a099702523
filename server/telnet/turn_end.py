"""The end of a turn of the reactor, for all connections at once."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable

from server.telnet.interface import ReactorClock

log = logging.getLogger(__name__)

SLICE_SECONDS = 0.01
"""For how long is sent what a turn has brought about, before it is looked who else has typed meanwhile."""


class TurnEnd:
    """Calls what is to be done when all that a turn brings has been said, in the order in which it was asked for.

    One timer does for thousands of connections: in a crowd everyone is shown something in every turn. What takes long
    is done in slices, with a turn of the reactor between them.
    """

    def __init__(self, clock: ReactorClock, seconds: float = SLICE_SECONDS) -> None:
        self._clock = clock
        self._seconds = seconds
        self._is_coming = False
        self._calls: list[Callable[[], None]] = []
        self._last: list[Callable[[], None]] = []
        self._ending: deque[Callable[[], None]] = deque()

    def add(self, call: Callable[[], None]) -> None:
        """Have something called in the next turn of the reactor."""
        self._come_soon()
        self._calls.append(call)

    def add_last(self, call: Callable[[], None]) -> None:
        """Have something called then too, after all that is added by `add`."""
        self._come_soon()
        self._last.append(call)

    def at_once(self, call: Callable[[], None]) -> None:
        """Do something now, and then what it has added, before all that waits for the turn to end."""
        before, self._calls = self._calls, []
        try:
            call()
        finally:
            added, self._calls = self._calls, before
            for one in added:
                self._do(one)

    def _come_soon(self) -> None:
        if not self._is_coming:
            self._is_coming = True
            self._clock.callLater(0, self._come)

    def _come(self) -> None:
        self._is_coming = False
        if not self._ending:
            self._ending.extend([*self._calls, *self._last])
            self._calls, self._last = [], []
        until = self._clock.seconds() + self._seconds
        while self._ending:
            self._do(self._ending.popleft())
            if self._clock.seconds() >= until:
                break
        if self._ending or self._calls or self._last:
            self._come_soon()

    def _do(self, call: Callable[[], None]) -> None:
        try:
            call()
        except Exception:
            log.exception("a connection could not be shown what is new")
