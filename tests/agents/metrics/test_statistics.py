"""Means, their bootstrap intervals, and differences paired by seed."""

from __future__ import annotations

import math

import pytest

from agents.metrics.statistics import estimate, paired_difference


def test_a_small_sample_is_resampled_in_every_possible_way():
    found = estimate([0.0, 3.0])  # the means of its four resamples are 0, 1.5, 1.5 and 3
    assert (found.n, found.mean) == (2, 1.5)
    assert (found.low, found.high) == pytest.approx((0.1125, 2.8875))  # 0.075 and 2.925 of the way between four values


def test_one_value_has_no_interval_and_none_has_no_mean():
    found = estimate([4.0])
    assert (found.mean, math.isnan(found.low), found.is_clear) == (4.0, True, False)
    with pytest.raises(ValueError, match="there are no values"):
        estimate([])


def test_a_large_sample_has_the_interval_of_its_standard_error_and_always_the_same():
    values = [float(number % 2) for number in range(100)]
    found = estimate(values)
    assert found == estimate(values)
    assert (found.low, found.high) == pytest.approx((0.5 - 1.96 * 0.05, 0.5 + 1.96 * 0.05), abs=0.012)


def test_pairing_by_seed_takes_out_what_seeds_have_in_common():
    one = {seed: float(seed * 100) for seed in range(1, 5)}
    other = {seed: value + 1 + seed % 2 for seed, value in one.items()} | {9: 0.0}
    found = paired_difference(one, other)
    assert found is not None
    assert (found.n, found.mean, found.is_clear) == (4, 1.5, True)
    assert 1 <= found.low <= found.high <= 2
    assert paired_difference({1: 0.0}, {2: 0.0}) is None
