"""Means with bootstrap intervals, and differences of two conditions paired by seed."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

K = TypeVar("K", bound=Hashable)

LEVEL = 0.95
RESAMPLES = 10_000
MAX_ENUMERATED = 5
"""Samples of up to so many values are resampled in every possible way, which are 3,125 at most."""


@dataclass(frozen=True)
class Estimate:
    """A mean of `n` values and its interval; `low` and `high` are NaN if there are fewer than two values."""

    n: int
    mean: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return self.low > 0 or self.high < 0


def estimate(values: Sequence[float], seed: int = 0, level: float = LEVEL) -> Estimate:
    """Return the mean with the percentile bootstrap interval; of the same values always the same.

    Raises: ValueError if there are no values.
    """
    if not values:
        raise ValueError("there are no values")
    n, mean = len(values), sum(values) / len(values)
    if n < 2:
        return Estimate(n, mean, float("nan"), float("nan"))
    means = sorted(_resampled_means(values, seed))
    tail = (1 - level) / 2
    return Estimate(n, mean, _quantile(means, tail), _quantile(means, 1 - tail))


def paired_difference(one: Mapping[K, float], other: Mapping[K, float], seed: int = 0) -> Estimate | None:
    """Return how much more `other` has than `one`, over the keys (seeds) that both have; None if there are none."""
    keys = [key for key in one if key in other]
    return estimate([other[key] - one[key] for key in keys], seed) if keys else None


def _resampled_means(values: Sequence[float], seed: int) -> list[float]:
    n = len(values)
    if n <= MAX_ENUMERATED:
        return [sum(sample) / n for sample in product(values, repeat=n)]
    rng = random.Random(seed)
    return [sum(rng.choices(values, k=n)) / n for _ in range(RESAMPLES)]


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which a share of all lies, between two where it falls between them."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
