"""How many requests at a time an endpoint is found to take."""

from __future__ import annotations

import pytest

from agents.models.concurrency import Concurrency


def found(slots: int, answers: int = 4000) -> list[int]:
    """Return the limits, one an answer, for a server that works on so many requests at once and lets others wait."""
    one, limits = Concurrency(), []
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
    one = Concurrency(3)
    for _ in range(100):
        one.answer(0.1, was_full=True)
    one.fail()
    assert one.limit == 3


def test_answers_while_there_was_room_say_nothing():
    one = Concurrency()
    for _ in range(100):
        one.answer(0.1, was_full=False)
    assert one.limit == 1


def test_a_failure_while_one_more_is_tried_ends_the_trial():
    one = Concurrency()
    for _ in range(6):
        one.answer(1.0, was_full=True)
    tried = one.limit
    one.fail()
    assert (tried, one.limit) == (2, 1)
