"""Closing a world in so many minutes, with everybody told as the time comes nearer."""

from __future__ import annotations

from collections.abc import Callable

from server.telnet.interface import DelayedCall, ReactorClock

MARKS = (600, 300, 120, 60, 30, 10)
"""How many seconds before the end everybody is told again."""

Tell = Callable[[int], None]


class Countdown:
    """Calls `end` when the time has come, and `tell` with the seconds that are left, now and then until then."""

    def __init__(self, clock: ReactorClock, tell: Tell, end: Callable[[], None]) -> None:
        self._clock = clock
        self._tell = tell
        self._end = end
        self._calls: list[DelayedCall] = []

    @property
    def is_running(self) -> bool:
        """Whether the world is about to close."""
        return any(call.active() for call in self._calls)

    def start(self, seconds: int) -> None:
        """Begin, or begin anew with another time; 0 ends it as soon as this line is answered."""
        self.stop()
        if seconds:
            self._tell(seconds)
        for mark in (mark for mark in MARKS if mark < seconds):
            self._calls.append(self._clock.callLater(seconds - mark, self._tell, mark))
        self._calls.append(self._clock.callLater(seconds, self._end))

    def stop(self) -> bool:
        """Let the world stay open; return whether it was about to close."""
        running = self.is_running
        for call in self._calls:
            if call.active():
                call.cancel()
        self._calls.clear()
        return running
