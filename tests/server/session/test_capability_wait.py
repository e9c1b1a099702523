"""A first room that waits for what a client still tells, and never for long."""

from __future__ import annotations

import pytest

from server.session.session import Session
from server.telnet.negotiation import subnegotiation
from server.telnet.parser import IAC, TERMINAL_TYPE, WILL, WONT
from tests.server.front_door import lobby_of
from tests.server.telnet.in_memory import LoginView
from tests.server.turn_clock import TurnClock
from tests.world.inn import inn_game

AGREES = bytes([IAC, WILL, TERMINAL_TYPE])
REFUSES = bytes([IAC, WONT, TERMINAL_TYPE])
READ_ALOUD = [subnegotiation(TERMINAL_TYPE, b"\0" + name) for name in (b"MUDLET", b"ANSI", b"MTTS 69")]
ROOM = "The Common Room"
HEARD = "you can go north to The Kitchen"


class Connection(LoginView):
    """A client of which the inn knows nothing yet. A password takes no time here."""

    def __init__(self, folder) -> None:
        clock = TurnClock()
        self.registry = lobby_of(folder, inn_game(), clock=clock)
        self.session = Session(self.registry)
        super().__init__(listener=self.session, clock=clock)
        self.passes(0)

    def sends(self, content: bytes) -> str:
        """Send, and return what is shown by that."""
        self.transport.clear()
        self.receives(content)
        return self.passes(0)

    def passes(self, seconds: float) -> str:
        self.clock.advance(seconds)
        for _ in range(8):
            self.clock.advance(0)
        return str(self.shows(), "latin-1")


@pytest.fixture
def connection(tmp_path):
    return Connection(tmp_path)


def test_the_first_room_after_a_pasted_login_is_told_to_a_reader_as_all_that_follow(connection):
    assert ROOM not in connection.sends(b"eve\r\nsecret\r\n" + AGREES)
    assert ROOM not in connection.sends(b"".join(READ_ALOUD[:2]))
    shown = connection.sends(READ_ALOUD[2])
    assert HEARD in shown
    assert connection.registry.names_connected() == ["Eve"]


def test_a_client_that_says_nothing_of_itself_is_waited_for_three_tenths_of_a_second_from_its_call_on(connection):
    connection.passes(0.1)
    assert ROOM not in connection.sends(b"eve\r\nsecret\r\nlook\r\n")
    assert connection.passes(0.19) == ""
    shown = connection.passes(0.02)
    assert shown.count(ROOM) == 2  # the line that came with it has waited too


def test_nobody_waits_who_comes_in_later_or_whose_client_has_refused(connection, tmp_path):
    connection.passes(0.4)
    assert ROOM in connection.sends(b"eve\r\nsecret\r\n")
    (tmp_path / "other").mkdir()
    refusing = Connection(tmp_path / "other")
    refusing.sends(REFUSES)
    assert ROOM in refusing.sends(b"guest\r\n")


def test_a_client_far_away_that_is_telling_may_go_on_for_as_long(connection):
    connection.passes(0.4)
    connection.sends(AGREES)
    connection.sends(READ_ALOUD[0])
    assert ROOM not in connection.sends(b"guest\r\n")
    assert ROOM in connection.passes(0.3)


def test_who_hangs_up_meanwhile_leaves_nothing_behind(connection):
    connection.sends(b"eve\r\nsecret\r\n")
    connection.session.connection_lost("Connection was lost.")
    connection.passes(1)
    assert (connection.registry.names_connected(), connection.clock.getDelayedCalls()) == ([], [])
