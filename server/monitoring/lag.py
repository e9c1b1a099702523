"""How late the reactor comes to what is due: while it is late, nobody is answered."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from server.clock import DelayedCall, ReactorClock

PERIOD_SECONDS = 0.5
KEPT_SECONDS = 60.0


class ReactorLag:
    """Has itself called twice a second and notes how late that is. `observe` is given each measure, in seconds."""

    def __init__(self, clock: ReactorClock, observe: Callable[[float], object] = lambda seconds: None) -> None:
        self._observe = observe
        self._clock = clock
        self._recent: deque[tuple[float, float]] = deque()
        self._due = 0.0
        self._next: DelayedCall | None = None

    def start(self) -> None:
        """Begin."""
        self._due = self._clock.seconds() + PERIOD_SECONDS
        self._next = self._clock.callLater(PERIOD_SECONDS, self._beat)

    def stop(self) -> None:
        """Stop."""
        if self._next and self._next.active():
            self._next.cancel()

    def worst(self, seconds: float = KEPT_SECONDS) -> float:
        """Return the longest that it was late within the last `seconds`, at most 60; what is late now counts too."""
        now = self._clock.seconds()
        late_now = now - self._due if self._next and self._next.active() else 0.0
        return max([0.0, late_now, *(late for at, late in self._recent if at >= now - seconds)])

    def _beat(self) -> None:
        now = self._clock.seconds()
        late = max(0.0, now - self._due)
        self._observe(late)
        self._recent.append((now, late))
        while self._recent[0][0] < now - KEPT_SECONDS:
            self._recent.popleft()
        self.start()
