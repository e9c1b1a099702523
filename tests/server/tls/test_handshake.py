"""Telnet over TLS, whole: handshakes that hang, players who play, clients that do not read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from twisted.internet.error import ConnectionLost
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from config.settings import ServerSettings
from server.connection.services import ConnectionServices
from server.net.connection_limits import ConnectionLimiter, LimitingFactory
from server.telnet.interface import TelnetLimits
from server.telnet.protocol import TelnetFactory
from server.tls.credentials import Credentials
from server.tls.handshake import MOST_SECONDS, over_tls
from tests.server.telnet.test_protocol import Player
from tests.server.tls.wire import TlsClient

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
LIMITS = TelnetLimits(lines_per_second=10, lines_at_once=5, max_output_bytes=100_000)


class House:
    def __init__(self, folder, login_seconds=180):
        self.clock = Clock()
        self.players = []
        settings = ServerSettings()
        self.crowd = ConnectionLimiter(lambda: settings, self.clock)
        credentials = Credentials(settings, folder, self.clock, lambda: NOW, list[str]().append)
        telnet = TelnetFactory(self._new_player, ConnectionServices(self.clock), lambda: LIMITS)
        self.factory = LimitingFactory(over_tls(telnet, credentials, self.clock, lambda: login_seconds), self.crowd)

    def _new_player(self):
        self.players.append(Player())
        return self.players[-1]

    def calls(self):
        return TlsClient(self.factory, self.clock)


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def test_nobody_is_spoken_to_before_the_handshake_is_done(house):
    caller = house.calls()
    assert (house.players, house.crowd.count) == ([], 1)
    caller.greets()
    assert [player.terminal.host for player in house.players] == ["203.0.113.5"]


def test_a_player_is_answered_over_tls_as_in_plain(house):
    caller = house.calls().greets()
    caller.sends(b"look\r\nnorth\r\n")
    [player] = house.players
    assert player.lines == ["look", "north"]
    player.terminal.write("Pump Yard\n")
    assert caller.reads().endswith(b"Pump Yard\r\n")


def test_a_handshake_that_hangs_ends_in_time_and_is_counted_no_longer(house):
    caller = house.calls()
    caller.server.dataReceived(b"\x16\x03\x01")  # the beginning of a greeting
    house.clock.advance(MOST_SECONDS - 1)
    assert not caller.transport.disconnected
    house.clock.advance(1)
    assert caller.transport.disconnected
    caller.server.connectionLost(Failure(ConnectionLost()))
    assert (house.crowd.count, house.players, house.clock.getDelayedCalls()) == (0, [], [])


def test_a_handshake_may_take_no_longer_than_coming_in(tmp_path):
    house = House(tmp_path, login_seconds=10)
    caller = house.calls()
    house.clock.advance(10)
    assert caller.transport.disconnected


def test_who_speaks_no_tls_is_hung_up_on(house):
    caller = house.calls()
    caller.server.dataReceived(b"look\r\nnorth\r\n")
    assert caller.transport.disconnecting
    assert house.players == []


def test_a_player_who_has_gone_is_told_of_and_counted_no_longer(house):
    caller = house.calls().greets()
    caller.server.connectionLost(Failure(ConnectionLost()))
    assert len(house.players[0].told) == 1
    assert house.crowd.count == 0


def test_a_paste_over_tls_is_slowed_and_done_whole_and_in_order(house):
    caller = house.calls().greets()
    caller.sends(b"".join(b"%d\n" % number for number in range(50)))
    assert len(house.players[0].lines) < 10
    assert caller.transport.producerState == "paused"
    for _ in range(100):
        house.clock.advance(0.05)
    assert house.players[0].lines == [str(number) for number in range(50)]
    assert caller.transport.producerState == "producing"


def test_who_does_not_read_over_tls_is_paused_and_then_dropped(house):
    caller = house.calls().greets()
    terminal = house.players[0].terminal
    caller.transport.producer.pauseProducing()  # as the reactor does when the other side does not read
    terminal.write("x" * 90_000)
    house.clock.advance(0)
    assert caller.transport.value() == b""
    assert not caller.transport.disconnected
    terminal.write("x" * 20_000)
    assert caller.transport.disconnected


def test_what_waited_over_tls_is_sent_when_the_other_side_reads_again(house):
    caller = house.calls().greets()
    terminal = house.players[0].terminal
    caller.reads()
    caller.transport.producer.pauseProducing()
    terminal.write("x" * 50_000)
    assert caller.reads() == b""
    caller.transport.producer.resumeProducing()
    assert len(caller.reads()) == 50_000


def test_closing_says_the_last_word_first(house):
    caller = house.calls().greets()
    terminal = house.players[0].terminal
    terminal.write("Goodbye.\n")
    terminal.close()
    assert caller.reads().endswith(b"Goodbye.\r\n")
