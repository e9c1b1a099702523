"""Signs of life: to everybody in turn, a few each second, and never when nobody wants them."""

from __future__ import annotations

from collections import Counter

from twisted.internet.task import Clock

from server.telnet.connection import KeepAlive


class Line:
    """Counts how often it was asked, and says how many were asked in each second."""

    def __init__(self, clock: Clock, when: Counter[float]) -> None:
        self.asked = 0
        self._clock = clock
        self._when = when

    def keep_alive(self) -> None:
        self.asked += 1
        self._when[self._clock.seconds()] += 1


def advance(clock: Clock, seconds: int) -> None:
    clock.pump([1] * seconds)


def test_everybody_is_asked_once_a_minute_and_never_all_at_once():
    clock, when = Clock(), Counter[float]()
    lines = [Line(clock, when) for _ in range(600)]
    keep_alive = KeepAlive(clock, lambda: 60)
    for line in lines:
        keep_alive.add(line)
    advance(clock, 60)
    assert {line.asked for line in lines} == {1}
    assert set(when.values()) == {10}
    advance(clock, 60)
    assert {line.asked for line in lines} == {2}


def test_one_alone_is_asked_no_more_often():
    clock, when = Clock(), Counter[float]()
    line = Line(clock, when)
    KeepAlive(clock, lambda: 4).add(line)
    advance(clock, 12)
    assert when == {4: 1, 8: 1, 12: 1}


def test_zero_seconds_ask_nobody_until_that_is_changed():
    clock, when, seconds = Clock(), Counter[float](), [0]
    line = Line(clock, when)
    KeepAlive(clock, lambda: seconds[0]).add(line)
    advance(clock, 100)
    assert line.asked == 0
    seconds[0] = 1
    advance(clock, 1)
    assert line.asked == 1


def test_nothing_is_left_on_the_clock_once_everybody_has_gone():
    clock, when = Clock(), Counter[float]()
    line = Line(clock, when)
    keep_alive = KeepAlive(clock, lambda: 1)
    keep_alive.add(line)
    keep_alive.discard(line)
    keep_alive.discard(line)
    assert clock.getDelayedCalls() == []
