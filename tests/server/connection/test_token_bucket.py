"""How often something may happen."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from server.connection.input import TokenBucket


@pytest.fixture
def clock():
    return Clock()


def test_so_many_times_at_once_are_allowed_and_the_next_has_to_wait(clock):
    bucket = TokenBucket(clock, per_second=4, capacity=3)
    waits = []
    for _ in range(4):
        waits.append(bucket.wait_seconds)
        bucket.take()
    assert waits == [0.0, 0.0, 0.0, 0.25]


def test_what_is_not_used_comes_back_but_never_more_than_that(clock):
    bucket = TokenBucket(clock, per_second=4, capacity=3)
    bucket.take(3)
    assert not bucket.is_full
    clock.advance(0.25)
    assert bucket.wait_seconds == 0.0
    clock.advance(100)
    assert bucket.is_full
    bucket.take(3)
    assert bucket.wait_seconds == 0.25


def test_what_was_taken_beyond_it_is_owed(clock):
    bucket = TokenBucket(clock, per_second=10, capacity=5)
    bucket.take(25)
    assert bucket.wait_seconds == 2.1
    clock.advance(2.1)
    assert bucket.wait_seconds == 0.0


def test_in_the_long_run_it_is_so_many_a_second(clock):
    bucket, times = TokenBucket(clock, per_second=50, capacity=200), 0
    for _ in range(2001):
        while not bucket.wait_seconds:
            bucket.take()
            times += 1
        clock.advance(0.005)
    assert times == 200 + 10 * 50


def test_none_a_second_allows_any_number(clock):
    bucket = TokenBucket(clock, per_second=0, capacity=1)
    bucket.take(1000)
    assert (bucket.wait_seconds, bucket.is_full) == (0.0, True)
