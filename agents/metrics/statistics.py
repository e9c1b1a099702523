"""Shares and means with their intervals, and differences of two conditions paired by seed."""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import quantiles, stdev
from typing import TypeVar

Z_95 = 1.959964
"""Number of standard deviations of a normal distribution that hold 95 % of it."""


@dataclass(frozen=True)
class Share:
    """A share: `hits` of `of`. A hit may count in part."""

    hits: float = 0
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
        spread = stdev(values) if n > 1 else math.nan
        return cls(sum(values) / n, Z_95 * spread / math.sqrt(n), n)

    @property
    def text(self) -> str:
        """The mean as a cell of a table."""
        if not self.of:
            return "–"
        digits = 1 if self.mean < 100 else 0
        half = "" if math.isnan(self.half) else f" ± {self.half:.{digits}f}"
        return f"{self.mean:.{digits}f}{half}"


def share_of(flags: Iterable[bool]) -> Share:
    """Return the share of true flags."""
    found = list(flags)
    return Share(sum(found), len(found))


K = TypeVar("K", bound=Hashable)

LEVEL = 0.95
RESAMPLES = 10_000
MAX_ENUMERATED = 5
"""Maximum number of values whose samples are resampled in every possible way, 3,125 at most."""


@dataclass(frozen=True)
class Estimate:
    """A mean of `n` values and its interval; `low` and `high` are NaN if there are fewer than two values."""

    n: int
    mean: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """True if the interval lies on one side of 0."""
        return self.low > 0 or self.high < 0


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean with the percentile bootstrap interval; equal values always give the same interval.

    Raises: ValueError if there are no values.
    """
    if not values:
        raise ValueError("there are no values")
    n, mean = len(values), sum(values) / len(values)
    if n < 2:
        return Estimate(n, mean, float("nan"), float("nan"))
    cuts = quantiles(_resampled_means(values), n=round(2 / (1 - LEVEL)), method="inclusive")
    return Estimate(n, mean, cuts[0], cuts[-1])


def paired_difference(one: Mapping[K, float], other: Mapping[K, float]) -> Estimate | None:
    """Return how much more `other` has than `one`, over the keys (seeds) that both have; None if there are none."""
    keys = [key for key in one if key in other]
    return estimate([other[key] - one[key] for key in keys]) if keys else None


def _resampled_means(values: Sequence[float]) -> list[float]:
    n = len(values)
    if n <= MAX_ENUMERATED:
        return [sum(sample) / n for sample in product(values, repeat=n)]
    rng = random.Random(0)
    return [sum(rng.choices(values, k=n)) / n for _ in range(RESAMPLES)]
