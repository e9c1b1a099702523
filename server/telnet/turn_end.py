"""The end of a turn of the reactor, for all connections at once."""

from __future__ import annotations

import logging
from collections.abc import Callable

from server.telnet.interface import ReactorClock

log = logging.getLogger(__name__)


class TurnEnd:
    """Calls what is to be done when all that a turn brings has been said, in the order in which it was asked for.

    One timer does for thousands of connections: in a crowd everyone is shown something in every turn.
    """

    def __init__(self, clock: ReactorClock) -> None:
        self._clock = clock
        self._calls: list[Callable[[], None]] = []
        self._last: list[Callable[[], None]] = []

    def add(self, call: Callable[[], None]) -> None:
        """Have something called in the next turn of the reactor."""
        self._come_soon()
        self._calls.append(call)

    def add_last(self, call: Callable[[], None]) -> None:
        """Have something called then too, after all that is added by `add`."""
        self._come_soon()
        self._last.append(call)

    def _come_soon(self) -> None:
        if not (self._calls or self._last):
            self._clock.callLater(0, self._come)

    def _come(self) -> None:
        calls = [*self._calls, *self._last]
        self._calls, self._last = [], []
        for call in calls:
            try:
                call()
            except Exception:
                log.exception("a connection could not be shown what is new")
