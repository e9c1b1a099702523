"""How many requests an endpoint gets at a time: as many as somebody says, or as many as are found to pay."""

from __future__ import annotations

import statistics

MOST = 64
ROUNDS = 3
"""A level is judged by so many answers for each request at a time."""
FEWEST_ANSWERS = 6
WORTH_IT = 0.5
"""One more at a time has to bring this share of the throughput that it would bring at best, or else it is not kept."""
FIRST_REST = 4
LONGEST_REST = 64


class Concurrency:
    """A limit. With `given` of 0 it begins with one at a time, and is tried one higher or one lower now and then.

    Only answers count that were given while the endpoint was full: others say nothing about the limit. What pays is
    kept and tried further; what does not is taken back, and the other direction is tried after a rest of some rounds,
    which doubles each time.
    """

    def __init__(self, given: int = 0, most: int = MOST) -> None:
        self.limit = given or 1
        self.is_measured = given == 0
        self._most = most
        self._seconds: list[float] = []
        self._rate_before: float | None = None
        self._step = 1
        self._rest = 0
        self._next_rest = FIRST_REST

    def answer(self, seconds: float, was_full: bool) -> None:
        """Note an answer that took so many seconds; `was_full` says whether as many ran as may."""
        if not (self.is_measured and was_full and seconds > 0):
            return
        self._seconds.append(seconds)
        if len(self._seconds) >= max(FEWEST_ANSWERS, ROUNDS * self.limit):
            self._judge(self.limit / statistics.median(self._seconds))
            self._seconds.clear()

    def fail(self) -> None:
        """Note a failure: what was being tried was perhaps too much."""
        if self.is_measured:
            self._seconds.clear()
            if self._rate_before is not None and self._step > 0:
                self._take_back()

    def _judge(self, rate: float) -> None:
        before, self._rate_before = self._rate_before, None
        if before is not None and rate < before * (1 + WORTH_IT * self._step / (self.limit - self._step)):
            self._take_back()
        elif self._rest:
            self._rest -= 1
        else:
            if not 1 <= self.limit + self._step <= self._most:
                self._step = -self._step
            self._rate_before = rate
            self.limit += self._step

    def _take_back(self) -> None:
        self._rate_before = None
        self.limit -= self._step
        self._step = -self._step
        self._rest = self._next_rest
        self._next_rest = min(LONGEST_REST, 2 * self._next_rest)
