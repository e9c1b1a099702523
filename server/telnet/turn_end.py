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

    def add(self, call: Callable[[], None]) -> None:
        """Have something called in the next turn of the reactor."""
        if not self._calls:
            self._clock.callLater(0, self._come)
        self._calls.append(call)

    def _come(self) -> None:
        calls, self._calls = self._calls, []
        for call in calls:
            try:
                call()
            except Exception:
                log.exception("a connection could not be shown what is new")
