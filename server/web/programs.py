"""WebSocket subprotocols of mudstandards.org for other programs, with the login of telnet."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from twisted.internet.error import ConnectionDone
from twisted.python.failure import Failure

from server.connection.base import TOO_LONG, ConnectionListener, TextConnection
from server.connection.connection import Capabilities, ColorDepth, DoorTraffic, Message
from server.connection.input import ConnectionServices, TakeResult
from server.telnet.negotiation import GmcpReceived
from server.telnet.options import read_gmcp
from server.telnet.protocol import TelnetProtocol
from server.web.socket import POLICY, WebSocket
from world.sanitize import clean_line

log = logging.getLogger(__name__)

TELNET_PROTOCOL = "telnet.mudstandards.org"
GMCP_PROTOCOL = "gmcp.mudstandards.org"
PROGRAMS = (GMCP_PROTOCOL, TELNET_PROTOCOL)
"""The protocols in the order of our preference; the first one that a client offers is taken."""


class ProgramConnection(TextConnection):
    """The `Connection` of a program: binary frames hold text with ANSI colours, text frames hold GMCP.

    A binary frame is a line that was typed, or several, with or without their ends.
    """

    def __init__(
        self,
        socket: WebSocket,
        listener: ConnectionListener,
        services: ConnectionServices,
        max_line_bytes: int,
    ) -> None:
        super().__init__(socket.host, services, Capabilities(colors=ColorDepth.MANY), _encoded)
        self._socket = socket
        self._listener = listener
        self._max_line_bytes = max_line_bytes
        self._out = b""

    def begin(self) -> None:
        """Tell the listener that there is somebody."""
        self._socket.begin(self)
        self._listener.connection_made(self)

    # What the socket tells

    @property
    def fairness_key(self) -> str:
        """The player's place, by which lines wait for each other."""
        return self._listener.fairness_key

    def message_received(self, content: str | bytes) -> TakeResult:
        """Take lines from a binary frame, data from a text frame."""
        if isinstance(content, bytes):
            return self._lines_typed(content.decode("utf-8", "replace"))
        for event in read_gmcp(None, content.encode("utf-8", "replace")):
            if isinstance(event, GmcpReceived):
                self.tell(self._listener.data_received, event.package, event.payload)
        return TakeResult.SIGNAL

    def socket_lost(self, reason: str) -> None:
        """Tell the listener."""
        self._is_open = False
        self.tell(self._listener.connection_lost, reason)

    def _lines_typed(self, text: str) -> TakeResult:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
        if len(lines) > 1 and len(text) > self._max_line_bytes:
            lines = lines[:1]  # a flood; a line a frame is what all clients send
        for line in lines:
            self.line_typed()
            if len(line.encode("utf-8", "replace")) > self._max_line_bytes:
                self.show(TOO_LONG.format(self._max_line_bytes))
            else:
                self.tell(self._listener.line_received, clean_line(line))
        return TakeResult.LINE

    # The connection

    def send_data(self, message: Message) -> None:
        if self._is_open:
            self._flush()  # in order with what is shown
            self._socket.send_text(message.encoded)

    def hide_typing(self, hidden: bool) -> None:
        self._screen.is_typing_hidden = hidden

    def hold(self, held: bool) -> None:
        self._socket.hold(held)

    def close(self) -> None:
        if self._is_open:
            self._flush()
            self._is_open = False
            self._socket.end()

    def _end_turn(self) -> None:
        self._is_due = False
        self._lay_out()
        if self._is_open and self._is_prompt_due:
            self._is_prompt_due = False
            self._write(self._screen.prompt(self._listener.prompt).encode())
        self._flush()

    def _write(self, content: bytes) -> None:
        self._out += content

    def _flush(self) -> None:
        self._lay_out()
        content, self._out = self._out, b""
        if content and self._is_open:
            self._socket.send_binary(content)


def _encoded(text: str, charset: str) -> bytes:
    return text.replace("\n", "\r\n").encode("utf-8", "replace")


@dataclass(frozen=True)
class _Peer:
    host: str


class TelnetThroughSocket:
    """A transport for telnet whose bytes stand in binary frames, and the socket's listener."""

    def __init__(self, socket: WebSocket, protocol: TelnetProtocol, traffic: DoorTraffic) -> None:
        self._socket = socket
        self._protocol = protocol
        self._traffic = traffic

    def begin(self) -> None:
        """Give the socket to the protocol."""
        self._socket.begin(self)
        self._protocol.makeConnection(self)  # type: ignore[no-untyped-call]

    # What the socket tells

    @property
    def fairness_key(self) -> str:
        """The player's place, by which lines wait for each other."""
        return self._protocol.fairness_key

    def message_received(self, content: str | bytes) -> TakeResult:
        """Give bytes to telnet; there is no text in it."""
        if isinstance(content, bytes):
            self._protocol.dataReceived(content)
        else:
            self._socket.end(POLICY, "Telnet stands in binary frames.")
        return TakeResult.FACT

    def socket_lost(self, reason: str) -> None:
        """Tell telnet."""
        self._protocol.connectionLost(Failure(ConnectionDone(reason)))

    # The transport

    def write(self, data: bytes) -> None:
        """Send."""
        self._traffic.sent_bytes -= len(data)  # which the socket counts
        self._socket.send_binary(data)

    def loseConnection(self) -> None:
        """Close when everything is sent."""
        self._socket.end()

    def abortConnection(self) -> None:
        """Close now."""
        self._socket.abort()

    def getPeer(self) -> Any:
        """Return the address of the player."""
        return _Peer(self._socket.host)

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        """The socket bounds what waits, and drops who does not read."""

    def unregisterProducer(self) -> None:
        """Nothing was registered."""

    def pauseProducing(self) -> None:
        """Read no more for now."""
        self._socket.hold(True)

    def resumeProducing(self) -> None:
        """Read again."""
        self._socket.hold(False)


def serve_program(
    subprotocol: str,
    socket: WebSocket,
    services: ConnectionServices,
    max_line_bytes: int,
    listener: ConnectionListener,
    telnet: Callable[[ConnectionListener], TelnetProtocol],
) -> None:
    """Begin a program's socket, whose handshake is answered. `telnet` makes the telnet protocol."""
    if subprotocol == TELNET_PROTOCOL:
        TelnetThroughSocket(socket, telnet(listener), services.traffic).begin()
    else:
        ProgramConnection(socket, listener, services, max_line_bytes).begin()
