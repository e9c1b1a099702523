"""An endpoint: when its breaker opens and what closes it, how many requests it is found to take, and its record."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from agents.models.endpoint import CircuitBreaker, ConcurrencyLimit, RequestStats
from agents.models.model import Completion


class NoJitter(random.Random):
    def uniform(self, a: float, b: float) -> float:
        return b


def breaker(**arguments: float) -> CircuitBreaker:
    return CircuitBreaker(NoJitter(), **arguments)  # type: ignore[arg-type]


def test_two_failures_in_a_row_open_it_and_an_answer_between_them_does_not():
    one = breaker()
    one.fail(0.0)
    one.succeed()
    one.fail(1.0)
    before = one.state(1.0)
    one.fail(1.0)
    assert (before, one.state(1.0), one.seconds_left(1.5)) == ("closed", "open", 0.5)


def test_it_stays_open_twice_as_long_each_time_up_to_a_limit():
    one, now, times = breaker(), 0.0, []
    one.fail(now)
    for _ in range(9):
        one.fail(now)
        times.append(one.seconds_left(now))
        now += times[-1]
        assert one.state(now) == "half-open"
    assert times == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]


def test_failures_of_what_was_under_way_when_it_opened_do_not_prolong_it():
    one = breaker()
    for _ in range(10):
        one.fail(0.0)
    assert one.seconds_left(0.0) == 1.0


def test_an_answer_closes_it_and_the_next_time_begins_anew():
    one = breaker()
    for _ in range(2):
        one.fail(0.0, for_good=True)
        one.fail(2.0)
        one.succeed()
    one.fail(9.0, for_good=True)
    assert one.seconds_left(9.0) == 1.0


def test_chance_takes_up_to_half_of_the_time_off():
    times = []
    for seed in range(50):
        one = CircuitBreaker(random.Random(seed))
        one.fail(0.0, for_good=True)
        times.append(one.seconds_left(0.0))
    assert 0.5 <= min(times) < 0.6 < 0.9 < max(times) <= 1.0


def test_one_that_is_untried_is_opened_by_its_first_failure_and_closed_by_its_first_answer():
    failing, well = CircuitBreaker(NoJitter(), untried=True), CircuitBreaker(NoJitter(), untried=True)
    failing.fail(0.0)
    well.succeed()
    assert (failing.state(0.0), well.state(0.0)) == ("open", "closed")


def test_one_that_never_opens_is_for_whoever_has_one_model_only():
    one = breaker(failures_to_open=float("inf"))
    for _ in range(100):
        one.fail(0.0, for_good=True)
    assert one.state(0.0) == "closed"


def found(slots: int, answers: int = 4000) -> list[int]:
    """Return the limits, one an answer, for a server that works on so many requests at once and lets others wait."""
    one, limits = ConcurrencyLimit(), []
    for _ in range(answers):
        one.answer(max(1.0, one.limit / slots), was_full=True)
        limits.append(one.limit)
    return limits


@pytest.mark.parametrize("slots", [1, 2, 4, 16])
def test_it_finds_how_many_a_server_works_on_at_once_and_stays_there(slots):
    limits = found(slots)
    assert set(limits[-1000:]) <= {slots - 1, slots, slots + 1}
    assert limits[-1000:].count(slots) > 800


def test_what_is_given_is_not_changed():
    one = ConcurrencyLimit(3)
    for _ in range(100):
        one.answer(0.1, was_full=True)
    one.fail()
    assert one.limit == 3


def test_answers_while_there_was_room_say_nothing():
    one = ConcurrencyLimit()
    for _ in range(100):
        one.answer(0.1, was_full=False)
    assert one.limit == 1


def test_a_failure_while_one_more_is_tried_ends_the_trial():
    one = ConcurrencyLimit()
    for _ in range(6):
        one.answer(1.0, was_full=True)
    tried = one.limit
    one.fail()
    assert (tried, one.limit) == (2, 1)


def test_the_share_from_the_cache_is_of_those_prompts_whose_server_told_it():
    record, told = RequestStats("m"), Completion("look", "m", 100, 80, 2, 1.0, "stop")
    found = []
    for one in (None, replace(told, cached_tokens=None), told, replace(told, cached_tokens=None)):
        if one:
            record.answer(one)
        status = record.status(0, 0, 0.0)
        found.append(status.cached_share if status.is_cache_told else None)
    assert found == [None, None, 0.8, 0.8]
