"""Closing a world in so many minutes, or having it restart, with everybody told as the time comes nearer."""

from __future__ import annotations

from collections.abc import Callable

from server.clock import DelayedCall, ReactorClock

MARKS = (600, 300, 120, 60, 30, 10)
"""How many seconds before the end everybody is told again."""

Tell = Callable[[int, bool], None]


class Countdown:
    """Calls `end` when the time has come, and `tell` with the seconds that are left, now and then until then.

    Both are told whether the world is to restart. `was_told` says that the time has come that everybody was told of.
    """

    def __init__(self, clock: ReactorClock, tell: Tell, end: Callable[[bool], None]) -> None:
        self._clock = clock
        self._tell = tell
        self._end = end
        self._calls: list[DelayedCall] = []
        self.was_told = False

    @property
    def is_running(self) -> bool:
        """Whether the world is about to close."""
        return any(call.active() for call in self._calls)

    def start(self, seconds: int, restart: bool = False) -> None:
        """Begin, or begin anew with another time; 0 ends it as soon as this line is answered."""
        self.stop()
        if seconds:
            self._tell(seconds, restart)
        for mark in (mark for mark in MARKS if mark < seconds):
            self._calls.append(self._clock.callLater(seconds - mark, self._tell, mark, restart))
        self._calls.append(self._clock.callLater(seconds, self._come, seconds > 0, restart))

    def stop(self) -> bool:
        """Let the world stay open; return whether it was about to close."""
        running, self.was_told = self.is_running, False
        for call in self._calls:
            if call.active():
                call.cancel()
        self._calls.clear()
        return running

    def _come(self, was_told: bool, restart: bool) -> None:
        self.was_told = was_told
        self._end(restart)
