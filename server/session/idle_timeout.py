"""Letting go of who has typed nothing for long, with a warning a minute before."""

from __future__ import annotations

from collections.abc import Callable

from server.clock import DelayedCall, ReactorClock

WARNING_SECONDS = 60.0


class IdleTimeout:
    """Watches one player. `is_exempt` is asked when the time has come; `warn` and `let_go` are called then."""

    def __init__(
        self,
        clock: ReactorClock,
        minutes: int,
        is_exempt: Callable[[], bool],
        warn: Callable[[], None],
        let_go: Callable[[], None],
    ) -> None:
        self._clock = clock
        self._seconds = minutes * 60.0
        self._is_exempt = is_exempt
        self._warn = warn
        self._let_go = let_go
        self._since = clock.seconds()
        self._next: DelayedCall | None = None
        if minutes:
            self._next = clock.callLater(max(0.0, self._seconds - WARNING_SECONDS), self._look)

    @property
    def idle_seconds(self) -> float:
        """For how long the player has typed nothing."""
        return self._clock.seconds() - self._since

    def note_line(self) -> None:
        """Note that the player has typed something."""
        self._since = self._clock.seconds()

    def stop(self) -> None:
        """Watch no longer."""
        if self._next and self._next.active():
            self._next.cancel()

    def _look(self) -> None:
        left = self._since + self._seconds - self._clock.seconds()
        if self._is_exempt():
            self._next = self._clock.callLater(self._seconds, self._look)
        elif left > WARNING_SECONDS:
            self._next = self._clock.callLater(left - WARNING_SECONDS, self._look)
        elif left > 0:
            self._warn()
            self._next = self._clock.callLater(left, self._look)
        else:
            self._let_go()
