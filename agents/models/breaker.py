"""A breaker: after failures an endpoint is left alone, longer each time, and then tried with one request."""

from __future__ import annotations

import math
import random
from typing import Literal

FIRST_SECONDS = 1.0
LONGEST_SECONDS = 60.0
FAILURES_TO_OPEN = 2

State = Literal["untried", "closed", "open", "half-open"]


class Breaker:
    """Closed while all is well; opened by failures in a row, or by one that would be the same again.

    Open, it lets nothing through for a time that doubles with each opening, up to a limit, less a random share up to a
    half, so that many who fail together do not come back together. Then it is half-open: one request is let through,
    and decides. One that begins `untried` is half-open from the first.
    """

    def __init__(
        self,
        rng: random.Random,
        *,
        failures_to_open: float = FAILURES_TO_OPEN,
        first_seconds: float = FIRST_SECONDS,
        longest_seconds: float = LONGEST_SECONDS,
        untried: bool = False,
    ) -> None:
        self._rng = rng
        self._failures_to_open = failures_to_open
        self._first_seconds = first_seconds
        self._longest_seconds = longest_seconds
        self._untried = untried
        self._failures = 0
        self._openings = 0
        self._opens_until = -math.inf

    def state(self, now: float) -> State:
        """Return how it stands at `now`, in seconds."""
        if self._openings:
            return "open" if now < self._opens_until else "half-open"
        return "untried" if self._untried else "closed"

    def seconds_left(self, now: float) -> float:
        """Return how long it stays open, in seconds; 0.0 if it is not."""
        return max(0.0, self._opens_until - now) if self._openings else 0.0

    def succeed(self) -> None:
        """Close: a request was answered."""
        self._failures = self._openings = 0
        self._untried = False

    def fail(self, now: float, *, for_good: bool = False) -> None:
        """Note a failure at `now`, in seconds; `for_good` is one that would be the same again."""
        self._failures += 1
        was_open = self.state(now) == "open"
        probed = self.state(now) in ("half-open", "untried")
        if math.isinf(self._failures_to_open) or was_open:
            return  # what was under way when it opened says nothing new
        if probed or for_good or self._failures >= self._failures_to_open:
            seconds = min(self._longest_seconds, self._first_seconds * 2 ** min(self._openings, 30))
            self._openings += 1
            self._opens_until = now + seconds * self._rng.uniform(0.5, 1.0)
