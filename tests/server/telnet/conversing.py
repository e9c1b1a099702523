"""A whole conversation in memory, from any bytes: the protocol, a session in the inn, and the lines that it heard."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from twisted.internet.error import ConnectionLost
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from server.clock import DelayedCall
from server.connection.input import ConnectionServices
from server.session.registry import SessionRegistry
from server.session.session import Session
from server.telnet.connection import TelnetLimits
from server.telnet.options import OPTIONS, compression_option
from server.telnet.parser import TelnetParser
from server.telnet.protocol import TelnetProtocol
from tests.server.front_door import lobby_of
from tests.world.inn import inn_game

LIMITS = TelnetLimits(max_line_bytes=200, max_subnegotiation_bytes=200)
MOST_HELD = 4 * (LIMITS.max_line_bytes + LIMITS.max_subnegotiation_bytes)
ALL_SECONDS = 60.0
TIME = 100.0


class Listening(Session):
    """A session that keeps what it is told; a failure of it is a failure of the test."""

    def __init__(self, registry: SessionRegistry) -> None:
        super().__init__(registry)
        self.heard: list[object] = []

    def line_received(self, text: str) -> None:
        self.heard.append(text)
        super().line_received(text)

    def capabilities_changed(self) -> None:
        assert self._connection
        self.heard.append(self._connection.capabilities)
        super().capabilities_changed()


def inn_of(folder: Path, clock: Clock) -> SessionRegistry:
    """Return a lobby into the inn."""
    return lobby_of(folder, inn_game(), clock=clock)


def heard(content: bytes, portion: int, registry: SessionRegistry, clock: Clock) -> list[object]:
    """Return what a session hears of bytes that come in so large portions, each once the one before is read.

    All of them together take less time than anybody has for logging in.
    """
    session = Listening(registry)
    transport = StringTransport()
    protocol = TelnetProtocol(session, ConnectionServices(clock), LIMITS, (*OPTIONS, compression_option()))
    protocol.makeConnection(transport)
    starts = range(0, len(content), portion)
    for at in starts:
        protocol.dataReceived(content[at : at + portion])
        passes(clock, min(1.0, ALL_SECONDS / len(starts)))
    passes(clock, TIME)
    assert transport.disconnecting or held(protocol) <= MOST_HELD
    protocol.connectionLost(Failure(ConnectionLost()))
    assert session not in registry.sessions
    return session.heard


def passes(clock: Clock, seconds: float) -> None:
    """Let time pass, in which whatever is due is done turn by turn."""
    end = clock.seconds() + seconds
    while (due := [at for at in times_of_calls(clock) if at <= end]) and len(due) < 10_000:
        clock.advance(max(0.0, min(due) - clock.seconds()))
    clock.advance(max(0.0, end - clock.seconds()))


def times_of_calls(clock: Clock) -> list[float]:
    calls: Sequence[DelayedCall] = clock.getDelayedCalls()
    return [call.getTime() for call in calls]


def held(protocol: TelnetProtocol) -> int:
    """Return how many bytes of what came are kept."""
    parser: TelnetParser = protocol._parser
    return len(protocol._received) + len(parser._unread) + len(parser._line) + len(parser._payload)
