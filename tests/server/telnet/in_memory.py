"""A telnet connection in memory: its player, its transport, and what its client is shown."""

from __future__ import annotations

from twisted.internet.interfaces import ITCPTransport
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from zope.interface import implementer

from server.connection.base import Connection, ConnectionListener
from server.connection.input import ConnectionServices
from server.telnet.connection import TelnetConnection, TelnetLimits
from server.telnet.options import OPTIONS, compression_option
from server.telnet.parser import GA, IAC
from server.telnet.protocol import TelnetProtocol
from tests.server.turn_clock import TurnClock

LIMITS = TelnetLimits(max_line_bytes=100, max_output_bytes=1000, bytes_per_turn=64)
GO_AHEAD = bytes([IAC, GA])


class Player:
    """Remembers all that the connection tells, and answers each line as it was asked to."""

    fairness_key = "The Pump"

    def __init__(self) -> None:
        self.asks = ""
        self.lines: list[str] = []
        self.told: list[object] = []

    def connection_made(self, connection: Connection) -> None:
        assert isinstance(connection, TelnetConnection)
        self.terminal = connection

    def prompt(self, is_answer: bool) -> str:
        return self.asks

    def line_received(self, text: str) -> None:
        self.lines.append(text)
        match text:
            case "fail":
                raise RuntimeError("a fault in a session")
            case "quit":
                self.terminal.send(b"Goodbye.\r\n")
                self.terminal.close()
            case "hold":
                self.terminal.hold(True)
            case "hold and release":
                self.terminal.hold(True)
                self.terminal.hold(False)

    def data_received(self, package: str, payload: object) -> None:
        self.told.append((package, payload))

    def capabilities_changed(self) -> None:
        self.told.append(self.terminal.capabilities)

    def connection_lost(self, reason: str) -> None:
        self.told.append(reason)


@implementer(ITCPTransport)
class TcpInMemory(StringTransport):
    def __init__(self) -> None:
        super().__init__()
        self.settings: list[tuple[str, bool]] = []
        self.writes = 0

    def write(self, data: bytes) -> None:
        self.writes += 1
        super().write(data)

    def setTcpNoDelay(self, enabled: bool) -> None:
        self.settings.append(("no delay", enabled))

    def setTcpKeepAlive(self, enabled: bool) -> None:
        self.settings.append(("keep alive", enabled))


class LoginView:
    """A connected protocol with everything around it; `shows` takes what the client was sent since last time.

    It tells a `player`, unless there is another `listener`.
    """

    def __init__(
        self, limits: TelnetLimits = LIMITS, listener: ConnectionListener | None = None, clock: TurnClock | None = None
    ) -> None:
        self.player = Player()
        self.clock = clock or TurnClock()
        self.transport = TcpInMemory()
        services = ConnectionServices(self.clock)
        self.protocol = TelnetProtocol(listener or self.player, services, limits, (*OPTIONS, compression_option()))
        self.protocol.makeConnection(self.transport)
        self.opening = self.shows()

    @property
    def terminal(self) -> TelnetConnection:
        return self.player.terminal

    def receives(self, *chunks: bytes) -> None:
        for chunk in chunks:
            self.protocol.dataReceived(chunk)

    def shows(self) -> bytes:
        self.clock.advance(0)
        shown = bytes(self.transport.value())
        self.transport.clear()
        return shown

    def turns(self, count: int) -> None:
        for _ in range(count):
            self.clock.turn()

    def ends(self, error: Exception) -> None:
        self.protocol.connectionLost(Failure(error))
