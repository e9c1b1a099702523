"""What one connection may ask of the server: so many lines a second, so much telnet talk. On a clock of our own."""

from __future__ import annotations

import logging

from server.telnet.codes import DO, IAC, SB, SE, WILL, WINDOW_SIZE
from server.telnet.connection import TelnetLimits
from tests.server.telnet.test_protocol import LoginView

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


def test_without_a_pace_lines_are_done_as_fast_as_they_come():
    connection = LoginView(TelnetLimits())
    connection.receives("".join(f"{line}\n" for line in PASTE).encode())
    connection.turns(100)
    assert connection.player.lines == PASTE


def test_who_negotiates_without_end_is_dropped_with_one_line_in_the_log(caplog):
    connection = LoginView(TelnetLimits(max_negotiation_bytes=6000, bytes_per_turn=512))
    connection.receives(bytes([IAC, WILL, 99]) * 1990)
    connection.turns(20)
    assert not connection.transport.disconnecting
    with caplog.at_level(logging.WARNING):
        connection.receives(bytes([IAC, DO, 99]) * 100)
        connection.turns(5)
    assert connection.transport.disconnected
    assert [record.getMessage() for record in caplog.records] == ["192.168.1.1 negotiates without end; dropped"]


def test_a_subnegotiation_that_never_ends_is_as_much_talk():
    connection = LoginView(TelnetLimits(max_negotiation_bytes=6000, bytes_per_turn=512))
    connection.receives(bytes([IAC, SB, WINDOW_SIZE]) + b"\0" * 7000)
    connection.turns(20)
    assert connection.transport.disconnected


def test_a_line_begins_the_count_of_telnet_talk_anew():
    connection = LoginView(TelnetLimits(max_negotiation_bytes=6000, bytes_per_turn=512))
    for _ in range(5):
        connection.receives(bytes([IAC, SB, WINDOW_SIZE]) + b"\0" * 4000 + bytes([IAC, SE]) + b"look\n")
        connection.turns(20)
    assert connection.player.lines == ["look"] * 5
    assert not connection.transport.disconnected


def test_text_is_no_telnet_talk_however_long():
    connection = LoginView(TelnetLimits(max_negotiation_bytes=6000))
    connection.receives(b"x" * 20000 + b"\nlook\n")
    connection.turns(50)
    assert connection.player.lines == ["look"]
