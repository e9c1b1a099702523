"""What one telnet connection may cost, and signs of life to those that are silent."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any

import pytest
from twisted.internet.task import Clock

from server.telnet.connection import KeepAlive, TelnetLimits
from server.telnet.parser import DO, IAC, SB, SE, WILL, WINDOW_SIZE
from tests.server.telnet.in_memory import LoginView

PACED = TelnetLimits(max_line_bytes=100, lines_per_second=10, lines_at_once=5)
PASTE = [f"line {number}" for number in range(200)]


def passes(connection: LoginView, seconds: float) -> None:
    """Let time pass, a twentieth of a second at a time."""
    for _ in range(round(seconds * 20)):
        connection.clock.advance(0.05)
        connection.turns(3)


def test_a_paste_of_many_lines_is_done_whole_and_in_order_only_slowed():
    connection = LoginView(PACED)
    connection.receives("".join(f"{line}\r\n" for line in PASTE).encode())
    connection.turns(5)
    assert connection.player.lines == PASTE[:5]
    assert connection.transport.producerState == "paused"
    passes(connection, 10)
    assert 100 <= len(connection.player.lines) <= 106
    passes(connection, 10)
    assert connection.player.lines == PASTE
    assert connection.transport.producerState == "producing"


def test_who_types_as_people_do_never_waits():
    connection = LoginView(PACED)
    for line in PASTE[:30]:
        connection.receives(f"{line}\n".encode())
        assert connection.player.lines[-1] == line
        connection.clock.advance(0.3)


def test_what_waits_is_done_after_the_other_side_has_ended_its_own():
    connection = LoginView(PACED)
    connection.receives("".join(f"{line}\n" for line in PASTE[:20]).encode())
    connection.protocol.readConnectionLost()
    passes(connection, 1.6)
    assert connection.player.lines == PASTE[:20]


def test_lines_that_are_too_long_count_as_lines():
    connection = LoginView(PACED)
    connection.receives((b"x" * 101 + b"\n") * 5 + b"look\n")
    connection.turns(4)
    assert connection.player.lines == []
    passes(connection, 0.2)
    assert connection.player.lines == ["look"]


LITTLE_TALK = TelnetLimits(max_negotiation_bytes=6000, bytes_per_turn=512)


def test_who_negotiates_without_end_is_dropped_with_one_line_in_the_log(caplog):
    connection = LoginView(LITTLE_TALK)
    connection.receives(bytes([IAC, WILL, 99]) * 1990)
    connection.turns(20)
    assert not connection.transport.disconnecting
    with caplog.at_level(logging.WARNING):
        connection.receives(bytes([IAC, DO, 99]) * 100)
        connection.turns(5)
    assert connection.transport.disconnected
    assert [record.getMessage() for record in caplog.records] == ["192.168.1.1 negotiates without end; dropped"]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (bytes([IAC, SB, WINDOW_SIZE]) + b"\0" * 7000, None),
        ((bytes([IAC, SB, WINDOW_SIZE]) + b"\0" * 4000 + bytes([IAC, SE]) + b"look\n") * 5, ["look"] * 5),
        (b"x" * 20000 + b"\nlook\n", ["look"]),
    ],
    ids=["what never ends is talk", "a line resets the count", "text is no talk"],
)
def test_only_so_much_telnet_talk_may_stand_before_a_line(content, lines):
    connection = LoginView(LITTLE_TALK)
    connection.receives(content)
    connection.turns(60)
    assert connection.transport.disconnected == (lines is None)
    assert connection.player.lines == (lines or [])


class Line:
    """Counts how often it was asked, and says how many were asked in each second."""

    def __init__(self, clock: Clock, when: Counter[float]) -> None:
        self.asked = 0
        self._clock = clock
        self._when = when

    def keep_alive(self) -> None:
        self.asked += 1
        self._when[self._clock.seconds()] += 1


def test_everybody_is_asked_once_a_minute_and_never_all_at_once():
    clock, when = Clock(), Counter[float]()
    lines: list[Any] = [Line(clock, when) for _ in range(600)]
    keep_alive = KeepAlive(clock, lambda: 60)
    for line in lines:
        keep_alive.add(line)
    clock.pump([1] * 60)
    assert {line.asked for line in lines} == {1}
    assert set(when.values()) == {10}
    clock.pump([1] * 60)
    assert {line.asked for line in lines} == {2}
    gone = lines.pop()
    keep_alive.discard(gone)
    clock.pump([1] * 60)
    assert (gone.asked, max(line.asked for line in lines)) == (2, 3)


def test_one_alone_is_asked_no_more_often():
    clock, when = Clock(), Counter[float]()
    line: Any = Line(clock, when)
    KeepAlive(clock, lambda: 4).add(line)
    clock.pump([1] * 12)
    assert when == {4: 1, 8: 1, 12: 1}


def test_zero_seconds_ask_nobody_until_that_is_changed():
    clock, when, seconds = Clock(), Counter[float](), [0]
    line: Any = Line(clock, when)
    KeepAlive(clock, lambda: seconds[0]).add(line)
    clock.pump([1] * 100)
    assert line.asked == 0
    seconds[0] = 1
    clock.advance(1)
    assert line.asked == 1
