"""Shares and means, with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Z_95 = 1.959964
"""How many standard deviations of a normal distribution hold 95 % of it."""


@dataclass(frozen=True)
class Share:
    """How many of how many."""

    hits: int = 0
    of: int = 0

    def __add__(self, other: Share) -> Share:
        return Share(self.hits + other.hits, self.of + other.of)

    @property
    def value(self) -> float:
        """The share from 0 to 1; NaN of nothing."""
        return self.hits / self.of if self.of else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval, in which the true share lies with a probability of 95 %."""
        if not self.of:
            return math.nan, math.nan
        n, p, z2 = self.of, self.value, Z_95**2
        middle = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = Z_95 / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)

    @property
    def text(self) -> str:
        """The share as a cell of a table."""
        if not self.of:
            return "–"
        low, high = self.interval
        return f"{self.value:.0%} ({low:.0%}–{high:.0%}) of {self.of}"


@dataclass(frozen=True)
class Amount:
    """The mean of something measured once a turn, and the interval in which the true mean lies with 95 %."""

    mean: float
    half: float
    of: int

    @classmethod
    def over(cls, values: Sequence[float]) -> Amount:
        """Return the mean over values."""
        n = len(values)
        if not n:
            return cls(math.nan, math.nan, 0)
        mean = sum(values) / n
        spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1)) if n > 1 else math.nan
        return cls(mean, Z_95 * spread / math.sqrt(n), n)

    @property
    def text(self) -> str:
        """The mean as a cell of a table."""
        if not self.of:
            return "–"
        digits = 1 if self.mean < 100 else 0
        half = "" if math.isnan(self.half) else f" ± {self.half:.{digits}f}"
        return f"{self.mean:.{digits}f}{half}"


def share_of(flags: Iterable[bool]) -> Share:
    """Return how many of these are so."""
    found = list(flags)
    return Share(sum(found), len(found))
