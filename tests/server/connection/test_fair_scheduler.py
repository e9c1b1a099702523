"""A turn of the reactor has so much time for input; what is left comes place by place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

import pytest

from server.clock import ReactorClock
from server.connection.input import FairScheduler
from server.connection.output import FlushQueue


class Day:
    """A clock that goes on only by what is done, and runs a turn of the reactor when told to.

    What comes takes a second, and from the attic half of one.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.done: list[str] = []
        clock = cast(ReactorClock, self)
        self.flush_queue = FlushQueue(clock)
        self.scheduler = FairScheduler(clock, self.flush_queue, seconds=3, key_seconds=1, reserve_seconds=2)
        self._due: list[Callable[[], None]] = []

    def seconds(self) -> float:
        return self.now

    def callLater(self, delay: float, callable: Callable[[], None]) -> None:
        assert delay == 0
        self._due.append(callable)

    def comes(self, *names: str) -> None:
        """Let input come: `hall 1` is the first from the hall."""
        for name in names:
            self.scheduler.take(name.split()[0], partial(self.does, name))

    def does(self, name: str) -> None:
        self.now += 0.5 if name.startswith("attic") else 1
        self.done.append(name)
        self.flush_queue.add(lambda: self.done.append("sent"))

    def turn(self) -> list[str]:
        """Return what was done since this was asked last; then let the next turn begin."""
        done, self.done = self.done, []
        due, self._due = self._due, []
        for call in due:
            call()
        return done


@pytest.fixture
def day():
    return Day()


def test_what_a_turn_has_time_for_is_done_at_once(day):
    day.comes("hall 1", "hall 2", "yard 1")
    assert day.turn() == ["hall 1", "hall 2", "yard 1"]
    assert day.turn() == ["sent"] * 3
    day.comes("hall 3")
    assert day.turn() == ["hall 3"]


def test_the_rest_is_done_in_the_next_turns_after_what_was_done_is_sent(day):
    day.comes(*(f"hall {number}" for number in range(1, 6)))
    assert day.turn() == ["hall 1", "hall 2", "hall 3"]
    assert day.turn() == ["sent", "sent", "sent", "hall 4", "hall 5"]
    assert day.turn() == ["sent", "sent"]


def test_somebody_elsewhere_does_not_wait_for_a_crowd_and_is_answered_at_once(day):
    day.comes(*(f"hall {number}" for number in range(1, 100)))
    day.comes("yard 1")
    assert day.turn() == ["hall 1", "hall 2", "hall 3", "yard 1", "sent"]
    day.turn()
    day.comes("yard 2")
    assert day.turn()[-2:] == ["yard 2", "sent"]


def test_of_many_elsewhere_some_are_answered_at_once_and_one_of_each_place_in_the_next_turn(day):
    day.comes(*(f"hall {number}" for number in range(1, 100)))
    day.comes("yard 1", "yard 2", "barn 1", "mill 1", "mill 2")
    assert [one for one in day.turn() if one != "sent"] == ["hall 1", "hall 2", "hall 3", "yard 1", "yard 2"]
    assert [one for one in day.turn() if one != "sent"] == ["hall 4", "barn 1", "mill 1"]


def test_of_each_place_as_much_is_done_as_takes_no_longer_than_of_others(day):
    day.comes("hall 1", "hall 2", "hall 3", "yard 1", "yard 2")
    day.comes("attic 1", "attic 2", "attic 3", "barn 1")
    assert [one for one in day.turn() if one != "sent"] == ["hall 1", "hall 2", "hall 3", "yard 1", "yard 2"]
    assert [one for one in day.turn() if one != "sent"] == ["attic 1", "attic 2", "barn 1", "attic 3"]


def test_what_takes_long_to_send_is_sent_in_slices_and_all_of_it_before_more_is_done(day):
    sent = []

    def send(number: int) -> None:
        day.now += 1
        sent.append(number)

    slow = FlushQueue(cast(ReactorClock, day), seconds=2)
    for number in range(5):
        slow.add(partial(send, number))
    slow.add_last(partial(send, 9))
    day.turn()
    slow.add(partial(send, 5))
    assert sent == [0, 1]
    slow.run_first(lambda: slow.add(partial(send, 7)))
    assert sent == [0, 1, 7]
    for _ in range(3):
        day.turn()
    assert sent == [0, 1, 7, 2, 3, 4, 9, 5]


def test_the_lines_of_one_place_stay_in_order_and_all_are_done(day):
    day.comes(*(f"hall {number}" for number in range(20)), *(f"yard {number}" for number in range(5)))
    done = []
    while turn := day.turn():
        done += [one for one in turn if one != "sent"]
    assert [one for one in done if one.startswith("hall")] == [f"hall {number}" for number in range(20)]
    assert [one for one in done if one.startswith("yard")] == [f"yard {number}" for number in range(5)]


def test_nobody_overtakes_who_waits_in_the_same_place(day):
    day.comes("hall 1", "hall 2", "hall 3", "hall 4")
    day.now = 100
    day.comes("hall 5")
    day.turn()
    assert [one for one in day.turn() if one != "sent"] == ["hall 4", "hall 5"]


def test_a_failure_is_its_own_trouble_alone(day):
    def fail() -> None:
        raise RuntimeError("a fault in a connection")

    with pytest.raises(RuntimeError):
        day.scheduler.take("hall", fail)
    day.comes("hall 1", "hall 2", "hall 3")
    day.scheduler.take("hall", fail)
    day.comes("hall 4")
    day.turn()
    day.turn()
    assert [one for one in day.turn() if one != "sent"] == ["hall 4"]


@pytest.mark.parametrize(("sending", "lines"), [(1.0, 3), (4.0, 8), (100.0, 10)])
def test_a_turn_is_longer_after_a_long_sending_and_never_endless(day, sending, lines):
    day.scheduler = FairScheduler(cast(ReactorClock, day), day.flush_queue, seconds=3, key_seconds=1, max_seconds=10)

    def send() -> None:
        day.now += sending

    day.flush_queue.add(send)
    day.comes(*(f"hall {number}" for number in range(40)))
    assert sum(one.startswith("hall") for one in day.turn()) == 3
    while day.now < 3 + sending:
        day.turn()
    day.done.clear()
    day.turn()
    assert sum(one.startswith("hall") for one in day.done) == lines
