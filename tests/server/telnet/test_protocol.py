"""A whole connection: its player's lines, its bounds, its end. On a clock that stands still."""

from __future__ import annotations

import errno
import logging
import zlib
from typing import NoReturn

import pytest
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.interfaces import IHalfCloseableProtocol, ITCPTransport
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from zope.interface import implementer

from server.connection.base import APOLOGY
from server.connection.connection import Capabilities, ColorDepth
from server.connection.input import ConnectionServices
from server.telnet.negotiation import subnegotiation
from server.telnet.parser import (
    AYT,
    BRK,
    COMPRESS2,
    DO,
    DONT,
    ECHO,
    END_OF_RECORD,
    EOF,
    EOR,
    IAC,
    NOP,
    TERMINAL_TYPE,
    TIMING_MARK,
    WILL,
    WONT,
)
from server.telnet.protocol import STILL_HERE, TelnetFactory, TelnetProtocol
from tests.server.telnet.in_memory import GO_AHEAD, LIMITS, LoginView, Player, TcpInMemory
from tests.server.turn_clock import TurnClock


@pytest.fixture
def connection():
    return LoginView()


def test_a_connection_opens_with_offers_and_without_delays(connection):
    assert connection.opening.startswith(bytes([IAC, DO]))
    assert connection.transport.settings == [("no delay", True), ("keep alive", True)]


def test_lines_reach_the_player_clean_and_without_their_ends(connection):
    connection.receives("look\r\nsay h\x1b[1méllo\r\0".encode())
    assert connection.player.lines == ["look", "say héllo"]


def test_what_is_written_in_one_turn_goes_out_in_one_piece(connection):
    writes = connection.transport.writes
    connection.player.asks = "> "
    connection.terminal.prompt()
    connection.terminal.send(b"The Hall\r\n")
    connection.terminal.send(b"You see nothing.\r\n")
    assert connection.transport.writes == writes
    assert connection.shows() == b"The Hall\r\nYou see nothing.\r\n> " + GO_AHEAD
    assert connection.transport.writes == writes + 1


@pytest.mark.parametrize(("verb", "mark"), [(DO, bytes([IAC, EOR])), (DONT, GO_AHEAD)])
def test_a_prompt_is_marked_with_eor_if_the_client_agrees_to_it_or_else_with_ga(connection, verb, mark):
    connection.receives(bytes([IAC, verb, END_OF_RECORD]))
    connection.player.asks = "> "
    connection.terminal.prompt()
    assert connection.shows() == b"> " + mark


def test_a_password_is_hidden_without_waiting_for_any_answer(connection):
    connection.player.asks = "Password: "
    connection.terminal.hide_typing(True)
    connection.terminal.prompt()
    assert connection.shows() == bytes([IAC, WILL, ECHO]) + b"Password: " + GO_AHEAD
    connection.terminal.hide_typing(False)
    connection.terminal.send(b"\r\nWelcome.\r\n")
    assert connection.shows() == bytes([IAC, WONT, ECHO]) + b"\r\nWelcome.\r\n"


def test_the_client_is_a_plain_terminal_until_it_tells_its_size_and_its_name(connection):
    assert connection.terminal.capabilities == Capabilities(80, ColorDepth.NONE, False, "utf-8", False)
    connection.receives(
        bytes([IAC, WILL, 31, IAC, WILL, 24]),
        subnegotiation(31, b"\0\x64\0\x1e"),
        subnegotiation(24, b"\0MUDLET"),
        subnegotiation(24, b"\0ANSI"),
        subnegotiation(24, b"\0MTTS 333"),
    )
    wide = Capabilities(width=100)
    all_told = Capabilities(100, ColorDepth.TRUE, screen_reader=True)
    assert connection.player.told == [wide, all_told]
    assert connection.terminal.capabilities == all_told


def test_an_ascii_client_reads_no_unicode(connection):
    connection.receives(bytes([IAC, DO, 42]), subnegotiation(42, b"\2US-ASCII"))
    connection.shows()
    connection.terminal.show("“Héllo”")
    assert connection.shows() == b'"Hello"\r\n'


def test_are_you_there_is_answered(connection):
    connection.player.asks = "> "
    connection.terminal.prompt()
    assert connection.shows() == b"> " + GO_AHEAD
    connection.receives(bytes([IAC, AYT]))
    assert connection.shows() == b"\r\n[Yes, the server is here.]\r\n> " + GO_AHEAD


def test_of_other_commands_only_the_timing_mark_behind_a_break_is_answered_with_a_refusal(connection):
    connection.receives(b"lo" + bytes(byte for code in range(EOF, AYT) for byte in (IAC, code)), b"ok\n")
    connection.receives(bytes([IAC, BRK, IAC, DO, TIMING_MARK]))
    connection.turns(10)
    assert connection.player.lines == ["look"]
    assert connection.shows() == bytes([IAC, WONT, TIMING_MARK])


def test_a_line_too_long_is_refused_and_the_next_one_heard(connection):
    connection.player.asks = "> "
    connection.receives(b"x" * 5000, b"x" * 5000 + b"\nlook\n")
    connection.turns(200)
    assert connection.player.lines == ["look"]
    told = b"That line was ignored: it is longer than 100 bytes.\r\n> "
    assert connection.shows() == told + GO_AHEAD + b"> " + GO_AHEAD


def test_a_pouring_client_gets_four_lines_a_turn_beside_what_it_tells_and_is_not_read_meanwhile(connection):
    connection.receives(bytes([IAC, WILL, 31]) * 9 + b"".join(b"%d\n" % n for n in range(10)))
    assert connection.player.lines == ["0", "1", "2", "3"]
    assert connection.transport.producerState == "paused"
    connection.turns(1)
    assert len(connection.player.lines) == 8
    assert connection.transport.producerState == "paused"
    connection.turns(1)
    assert connection.player.lines == [str(n) for n in range(10)]
    assert connection.transport.producerState == "producing"


def test_a_flood_of_negotiation_is_taken_in_portions(connection):
    connection.receives(bytes([IAC, DO, 200]) * 100 + b"look\n")
    assert connection.player.lines == []
    assert connection.transport.producerState == "paused"
    connection.turns(10)
    assert connection.player.lines == ["look"]


def test_held_lines_wait_until_they_are_released(connection):
    connection.receives(b"hold\nlook\n")
    connection.receives(b"north\n")
    connection.turns(3)
    assert connection.player.lines == ["hold"]
    connection.terminal.hold(False)
    connection.turns(2)
    assert connection.player.lines == ["hold", "look", "north"]
    assert connection.transport.producerState == "producing"


def test_what_a_client_tells_of_itself_is_heard_while_its_lines_wait(connection):
    connection.receives(b"hold\r\n" + bytes([IAC, WILL, TERMINAL_TYPE]))
    connection.receives(subnegotiation(TERMINAL_TYPE, b"\0MUDLET") + subnegotiation(TERMINAL_TYPE, b"\0MTTS 64"))
    assert connection.player.told == [Capabilities(screen_reader=True, charset="ascii")]
    connection.receives(b"look\n" + subnegotiation(TERMINAL_TYPE, b"\0LATE") + bytes([IAC, AYT]))
    assert connection.player.lines == ["hold"]
    assert STILL_HERE.encode() not in connection.shows()  # what stands behind a line is not heard before it


def test_whoever_is_held_is_still_listened_to_in_bounds_so_that_a_loss_is_noticed(connection):
    connection.receives(b"hold\nlook\n")
    assert connection.transport.producerState == "producing"
    connection.receives(b"x" * 200)
    assert connection.transport.producerState == "paused"


def test_whoever_hangs_up_while_held_is_let_go_soon(connection):
    connection.receives(b"hold\nlook\n")
    connection.protocol.readConnectionLost()
    connection.clock.advance(LIMITS.close_seconds - 0.1)
    assert not connection.transport.disconnecting
    connection.clock.advance(0.1)
    assert connection.transport.disconnecting
    assert connection.player.lines == ["hold"]


@pytest.mark.parametrize(("sent", "seconds"), [(b"loo", 0), (b"look\nnor", LIMITS.half_close_seconds)])
def test_only_whoever_has_typed_a_line_has_an_answer_to_wait_for(connection, sent, seconds):
    connection.receives(sent)
    connection.protocol.readConnectionLost()
    connection.clock.advance(max(0.0, seconds - 0.01))
    assert connection.transport.disconnecting == (not seconds)
    connection.clock.advance(0.01)
    assert connection.transport.disconnecting


def test_whoever_has_sent_all_and_is_held_for_a_moment_is_answered(connection):
    connection.receives(b"hold\nlook\n")
    connection.protocol.readConnectionLost()
    connection.clock.advance(1)
    connection.terminal.hold(False)
    connection.clock.advance(0)
    assert connection.player.lines == ["hold", "look"]
    connection.clock.advance(LIMITS.half_close_seconds)
    assert connection.transport.disconnecting


def test_a_hold_that_ends_at_once_loses_no_line(connection):
    connection.receives(b"hold and release\nlook\n")
    connection.turns(2)
    assert connection.player.lines == ["hold and release", "look"]


def test_no_line_is_delivered_after_the_session_has_closed(connection):
    connection.receives(b"quit\nlook\n")
    connection.receives(b"look\n")
    connection.turns(3)
    assert connection.player.lines == ["quit"]


def test_closing_sends_the_rest_and_then_ends_by_force(connection):
    connection.receives(b"quit\n")
    assert connection.transport.value() == b"Goodbye.\r\n"
    assert connection.transport.disconnecting
    assert connection.transport.producer is None
    assert not connection.terminal.is_open
    connection.clock.advance(4.9)
    assert not connection.transport.disconnected
    connection.clock.advance(0.2)
    assert connection.transport.disconnected


def test_nothing_is_left_on_the_clock_after_the_end(connection):
    connection.receives(b"1\n2\n3\n4\n5\n")
    connection.terminal.send(b"late\r\n")
    connection.ends(ConnectionDone())
    connection.turns(1)  # the end of the turn is everybody's
    assert (connection.player.lines, connection.clock.getDelayedCalls()) == (["1", "2", "3", "4"], [])


def test_lost_connection_tells_its_reason_and_sends_nothing(connection):
    connection.ends(ConnectionLost())
    assert connection.player.told == ["Connection to the other side was lost in a non-clean fashion."]
    connection.terminal.send(b"Anybody there?\r\n")
    connection.terminal.close()
    assert connection.shows() == b""


def inflated(wire: bytes) -> bytes:
    """Return what a client reads of something that is compressed from its very beginning, to a proper end."""
    inflate = zlib.decompressobj()
    read = inflate.decompress(wire)
    assert inflate.eof
    return read + inflate.unused_data


def test_compression_is_offered_once_the_client_has_said_who_it_is(connection):
    assert bytes([IAC, WILL, COMPRESS2]) not in connection.opening
    connection.receives(bytes([IAC, WILL, TERMINAL_TYPE]), subnegotiation(TERMINAL_TYPE, b"\0MUDLET"))
    assert bytes([IAC, WILL, COMPRESS2]) not in connection.shows()
    connection.receives(subnegotiation(TERMINAL_TYPE, b"\0MUDLET"))
    assert connection.shows() == bytes([IAC, WILL, COMPRESS2])


def test_who_has_not_said_what_it_is_gets_no_compression_whatever_it_asks_for(connection):
    every_option = b"".join(bytes([IAC, verb, option]) for option in range(255) for verb in (WILL, DO, WONT, DO))
    connection.receives(every_option)
    connection.turns(100)
    assert bytes([IAC, WILL, COMPRESS2]) not in connection.shows()
    connection.receives(b"quit\r\n")
    connection.turns(3)
    assert b"Goodbye.\r\n" in connection.shows()


@pytest.fixture
def compressing(connection):
    """A client that has been offered compression and has not answered yet."""
    connection.receives(bytes([IAC, WILL, TERMINAL_TYPE]), subnegotiation(TERMINAL_TYPE, b"\0X") * 2)
    connection.shows()
    return connection


def test_all_is_compressed_from_the_agreement_to_the_end(compressing):
    compressing.terminal.send(b"before\r\n")
    compressing.receives(bytes([IAC, DO, COMPRESS2]), b"quit\r\n")
    plain, begin, wire = compressing.shows().partition(subnegotiation(COMPRESS2, b""))
    assert (plain, bool(begin)) == (b"before\r\n", True)
    assert inflated(wire) == b"Goodbye.\r\n"


def test_a_client_that_wants_no_more_compression_reads_on_in_plain(compressing):
    compressing.receives(bytes([IAC, DO, COMPRESS2]))
    compressing.terminal.send(b"one\r\n")
    begun = compressing.shows().partition(subnegotiation(COMPRESS2, b""))[2]
    compressing.receives(bytes([IAC, DONT, COMPRESS2]))
    compressing.terminal.send(b"two\r\n")
    assert inflated(begun + compressing.shows()) == b"one\r\n" + bytes([IAC, WONT, COMPRESS2]) + b"two\r\n"


def test_compression_that_begins_while_the_client_does_not_read_waits_with_the_rest(compressing):
    compressing.transport.producer.pauseProducing()
    compressing.terminal.send(b"one\r\n")
    compressing.receives(bytes([IAC, DO, COMPRESS2]))
    compressing.terminal.send(b"two\r\n")
    assert compressing.shows() == b""
    compressing.transport.producer.resumeProducing()
    plain, _, wire = compressing.shows().partition(subnegotiation(COMPRESS2, b""))
    assert plain == b"one\r\n"
    assert zlib.decompressobj().decompress(wire) == b"two\r\n"


def test_a_connection_silent_both_ways_is_sent_a_sign_of_life():
    clock, transport, player = TurnClock(), TcpInMemory(), Player()
    factory = TelnetFactory(lambda: player, ConnectionServices(clock), lambda: LIMITS, keep_alive_seconds=lambda: 10)
    protocol = factory.buildProtocol(None)
    protocol.makeConnection(transport)
    clock.pump([1] * 11)
    transport.clear()
    clock.pump([1] * 8)
    player.terminal.send(b"something\r\n")
    clock.pump([1] * 2)
    assert transport.value() == b"something\r\n"
    clock.pump([1] * 8)
    protocol.dataReceived(b"x")
    clock.pump([1] * 4)
    transport.clear()
    clock.pump([1] * 10)
    assert transport.value() == bytes([IAC, NOP])
    clock.pump([1] * 20)
    assert transport.value() == bytes([IAC, NOP]) * 3
    protocol.connectionLost(Failure(ConnectionDone()))
    assert clock.getDelayedCalls() == []


def test_a_client_that_does_not_read_is_dropped_at_the_limit(connection, caplog):
    connection.transport.producer.pauseProducing()
    with caplog.at_level(logging.WARNING):
        for _ in range(100):
            connection.terminal.send(b"x" * 98 + b"\r\n")
    assert connection.transport.disconnected
    assert [record.getMessage() for record in caplog.records] == [
        "192.168.1.1 does not read; dropped with 1100 bytes waiting"
    ]


def test_a_client_that_reads_may_be_sent_any_amount_in_one_turn(connection):
    for _ in range(100):
        connection.terminal.send(b"x" * 98 + b"\r\n")
    assert not connection.transport.disconnected
    assert len(connection.shows()) == 100 * 100


def test_a_failing_session_is_logged_and_its_player_told_and_served(connection, caplog):
    connection.player.asks = "> "
    with caplog.at_level(logging.ERROR):
        connection.receives(b"fail\nlook\n")
    assert connection.player.lines == ["fail", "look"]
    assert connection.shows() == f"{APOLOGY}\r\n> ".encode() + GO_AHEAD
    assert ["a fault in a session" in record.exc_text for record in caplog.records] == [True]


def test_answers_still_go_out_after_the_client_has_shut_its_sending_side(connection):
    assert IHalfCloseableProtocol.providedBy(connection.protocol)
    connection.receives(b"1\n2\n3\n4\n5\n")
    connection.protocol.readConnectionLost()
    connection.turns(3)
    assert connection.player.lines == ["1", "2", "3", "4", "5"]
    connection.terminal.send(b"answer\r\n")
    connection.clock.advance(0.5)
    assert not connection.transport.disconnecting
    connection.clock.advance(1)
    assert connection.shows() == b"answer\r\n"
    assert connection.transport.disconnecting


def test_the_factory_makes_a_new_listener_for_each_caller():
    made: list[Player] = []

    def new_player() -> Player:
        made.append(Player())
        return made[-1]

    factory = TelnetFactory(new_player, ConnectionServices(Clock()), lambda: LIMITS)
    for _ in range(2):
        factory.buildProtocol(None).makeConnection(StringTransport())
    assert len({id(player.terminal) for player in made}) == 2


@implementer(ITCPTransport)
class Reset(TcpInMemory):
    """A connection that the client has reset before it was taken: macOS then refuses to set anything of it."""

    def setTcpNoDelay(self, enabled: bool) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")


class Unreadable(StringTransport):
    """A connection that cannot be taken."""

    aborted = False

    def getPeer(self) -> NoReturn:
        raise RuntimeError("no peer")

    def abortConnection(self) -> None:
        self.aborted = True


def taken(transport: StringTransport) -> tuple[Player, TelnetProtocol, list[str]]:
    """Return a protocol that this transport was given to, and what is noted once it is lost."""
    player, lost = Player(), list[str]()
    protocol = TelnetProtocol(player, ConnectionServices(TurnClock()), LIMITS)
    protocol.when_lost(lambda: lost.append("lost"))
    protocol.makeConnection(transport)
    return player, protocol, lost


def test_a_client_that_has_reset_its_connection_already_is_taken_and_counted_as_gone():
    player, protocol, lost = taken(Reset())
    protocol.connectionLost(Failure(ConnectionDone()))
    assert (player.told, lost) == (["Connection was closed cleanly."], ["lost"])


def test_a_connection_that_cannot_be_taken_is_closed_and_counted_as_gone(caplog):
    transport = Unreadable()
    player, protocol, lost = taken(transport)
    assert transport.aborted
    protocol.connectionLost(Failure(ConnectionLost()))
    assert (player.told, lost) == ([], ["lost"])
    assert [record.getMessage() for record in caplog.records] == ["A connection could not be opened"]
