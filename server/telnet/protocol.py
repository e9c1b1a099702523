"""The telnet protocol: bytes to lines for a session, a few in each turn of the reactor."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from twisted.internet.interfaces import IAddress, IHalfCloseableProtocol
from twisted.internet.protocol import Protocol, ServerFactory, connectionDone
from twisted.python.failure import Failure
from zope.interface import implementer

from server.connection.base import TOO_LONG, ConnectionListener
from server.connection.input import ConnectionServices, LineIntake, TakeResult
from server.connection.output import Transport, set_tcp_options
from server.telnet.connection import KeepAlive, TelnetConnection, TelnetLimits
from server.telnet.mssp import mssp_option
from server.telnet.negotiation import Compressed, Effect, GmcpReceived, Identified, Negotiator, Option, Send
from server.telnet.options import OPTIONS, ClientInfo, compression_option
from server.telnet.parser import (
    AYT,
    Command,
    Line,
    LineTooLong,
    Negotiation,
    Subnegotiation,
    TelnetParser,
    decode_line,
)

log = logging.getLogger(__name__)

STILL_HERE = "[Yes, the server is here.]"


def options_for(status: Callable[[], Mapping[str, str]], compression: bool) -> tuple[Option[ClientInfo], ...]:
    """Return the rows for the next connection, in the order in which they are offered."""
    return (*OPTIONS, mssp_option(status), *((compression_option(),) if compression else ()))


@implementer(IHalfCloseableProtocol)
class TelnetProtocol(Protocol):
    """One telnet connection, telling `listener` about its player.

    It is a `LineSource`: what its intake does not take yet waits as bytes, while the transport is paused.
    """

    def __init__(
        self,
        listener: ConnectionListener,
        services: ConnectionServices,
        limits: TelnetLimits,
        options: Iterable[Option[ClientInfo]] = OPTIONS,
        keep_alive: KeepAlive | None = None,
    ) -> None:
        self._listener = listener
        self._services = services
        self._intake = LineIntake(self, services.scheduler, limits, services.clock)
        self._keep_alive = keep_alive
        self._limits = limits
        self._client = ClientInfo()
        self._negotiator = Negotiator(options, self._client)
        self._parser = TelnetParser(limits.max_line_bytes, limits.max_subnegotiation_bytes)
        self._received = b""
        self._parsed_bytes = 0
        self._connection: TelnetConnection
        self._has_begun = False
        self._when_lost: Callable[[], None] = lambda: None

    def connectionMade(self) -> None:
        try:
            self._begin()
        except Exception:
            log.exception("A connection could not be opened")
            self._transport.abortConnection()

    def _begin(self) -> None:
        transport = self._transport
        set_tcp_options(transport)
        self._connection = TelnetConnection(
            transport,
            self._services,
            self._limits,
            self._client,
            self._negotiator,
            self._intake.hold,
            self._listener.prompt,
        )
        self._has_begun = True
        if self._keep_alive:
            self._keep_alive.add(self._connection)
        self._connection.send(self._negotiator.open())
        if not self._connection.tell(self._listener.connection_made, self._connection):
            self._connection.close()

    def dataReceived(self, data: bytes) -> None:
        if not self._connection.is_open:
            return
        self._connection.note_life()
        self._received = self._received[self._parsed_bytes :] + data
        self._parsed_bytes = 0
        self._intake.receive()

    def readConnectionLost(self) -> None:
        """The client has shut its sending side and may still be reading."""
        self._intake.end_input()

    def writeConnectionLost(self) -> None:
        self._connection.abort()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._intake.stop()
        if self._has_begun:
            if self._keep_alive:
                self._keep_alive.discard(self._connection)
            self._connection.connection_lost()
            self._connection.tell(self._listener.connection_lost, reason.getErrorMessage())
        self._when_lost()

    def when_lost(self, call: Callable[[], None]) -> None:
        """Call something when the connection has ended, even if other cleanup fails."""
        self._when_lost = call

    @property
    def _transport(self) -> Transport:
        return cast(Transport, self.transport)

    # The source of lines

    @property
    def is_open(self) -> bool:
        """False once the connection is closing or lost."""
        return self._connection.is_open

    @property
    def is_empty(self) -> bool:
        """True if everything that was received was taken."""
        return self._parser.is_drained and not self._received

    @property
    def is_backlogged(self) -> bool:
        """True if more than a line waits."""
        return len(self._received) > self._limits.max_line_bytes

    @property
    def fairness_key(self) -> str:
        """The key of its queue."""
        return self._listener.fairness_key

    def begin_turn(self) -> None:
        """Parse at most `bytes_per_turn` bytes, unless some are parsed already."""
        if not self._parser.is_drained:
            return
        start = self._parsed_bytes
        portion = self._received[start : start + self._limits.bytes_per_turn]
        self._parsed_bytes += len(portion)
        if self._parsed_bytes == len(self._received):
            self._received, self._parsed_bytes = b"", 0
        self._parser.receive(portion)

    def take_next(self, is_held: bool) -> TakeResult:
        """Tell the listener one thing that the client has sent.

        Held clients are still listened to: what a client tells of itself must not come too late.
        """
        event = self._parser.next_event(up_to_text=is_held)
        match event:
            case None:
                return TakeResult.NOTHING
            case Line(content):
                self._negotiator.reset_budget()
                self._parser.negotiation_bytes = 0
                self._connection.line_typed()
                if not content.isascii():
                    self._client.note_line(content)
                try:
                    self._listener.line_received(decode_line(content, self._client.knows_utf_8))
                except Exception:
                    self._connection.apologize()
                return TakeResult.LINE
            case LineTooLong(max_line_bytes):
                self._connection.line_typed()
                self._connection.show(TOO_LONG.format(max_line_bytes))
                return TakeResult.SIGNAL
            case Negotiation():
                self._apply(self._negotiator.receive(event))
            case Subnegotiation():
                effects = self._negotiator.receive_subnegotiation(event)
                self._learn_capabilities(Identified() in effects)
                self._apply(effects)
            case Command(code):
                if code == AYT:
                    self._connection.show(STILL_HERE)
                return TakeResult.SIGNAL
        return TakeResult.FACT

    def end_turn(self) -> None:
        """Drop a client that does nothing but negotiate."""
        if self._parser.negotiation_bytes > self._limits.max_negotiation_bytes and self._connection.is_open:
            self._connection.drop("negotiates without end", "negotiates without end; dropped")

    def set_reading(self, reads: bool) -> None:
        """Read from the transport, or let it wait."""
        if reads:
            self._transport.resumeProducing()
        else:
            self._transport.pauseProducing()

    def close(self) -> None:
        """Send the remaining output, then end the connection."""
        self._connection.close()

    def _learn_capabilities(self, is_final: bool) -> None:
        if self._connection.learn_capabilities() or is_final:
            self._connection.tell(self._listener.capabilities_changed)

    def _apply(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Send(content):
                    self._connection.send(content)
                case Identified():
                    self._connection.send(self._negotiator.late_offers())
                case Compressed(on):
                    self._connection.compress(on)
                case GmcpReceived(package, payload):
                    self._connection.tell(self._listener.data_received, package, payload)


class TelnetFactory(ServerFactory):
    """Makes a `TelnetProtocol` with a new listener for each caller. `limits` and `options` return what holds for
    the next one.

    Listen with a backlog of 512 or more: Twisted's default of 50 turns callers away when many come at once.
    """

    noisy = False

    def __init__(
        self,
        new_listener: Callable[[], ConnectionListener],
        services: ConnectionServices,
        limits: Callable[[], TelnetLimits],
        options: Callable[[], Sequence[Option[ClientInfo]]] = lambda: OPTIONS,
        keep_alive_seconds: Callable[[], float] = lambda: 0,
    ) -> None:
        self._new_listener = new_listener
        self._services = services
        self._limits = limits
        self._options = options
        self._keep_alive = KeepAlive(services.clock, keep_alive_seconds)

    def buildProtocol(self, addr: IAddress | None) -> TelnetProtocol:
        protocol = TelnetProtocol(
            self._new_listener(), self._services, self._limits(), self._options(), self._keep_alive
        )
        protocol.factory = self
        return protocol
