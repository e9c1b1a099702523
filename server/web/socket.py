"""One WebSocket: bounded input in fair turns, bounded output, keep-alive pings, and a clean close."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol, cast

from twisted.internet.interfaces import IPushProducer
from twisted.internet.protocol import Protocol as TwistedProtocol
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web.server import Request
from zope.interface import implementer

from server.clock import DelayedCall, cancel
from server.connection.input import ConnectionServices, InputLimits, LineIntake, TakeResult
from server.connection.output import DirectWriter, Transport, set_tcp_options
from server.web.wire import CloseReceived, MessageReceived, Opened, WireEvent

log = logging.getLogger(__name__)

NORMAL, GOING_AWAY, POLICY, FAILED = 1000, 1001, 1008, 1011
"""The close codes of a socket, from RFC 6455."""
BYTES_PER_TURN = 2048
PING_SECONDS = 25.0
SILENT_SECONDS = 60.0
"""Seconds without any sign after which a socket counts as lost: a pong answers each ping."""


class SocketListener(Protocol):
    """The listener to one socket."""

    @property
    def fairness_key(self) -> str:
        """The key of the queue for its messages."""

    def message_received(self, content: str | bytes) -> TakeResult:
        """Take one message, and return its kind."""

    def socket_lost(self, reason: str) -> None:
        """End, as the last call: the socket is closed, by either side."""


@implementer(IPushProducer)
class WebSocket(TwistedProtocol):
    """One socket. It is a `LineSource`; what goes out waits in bounds, or the client is dropped."""

    def __init__(
        self,
        opened: Opened,
        host: str,
        services: ConnectionServices,
        limits: InputLimits,
        max_output_bytes: int,
        when_lost: Callable[[], None],
    ) -> None:
        self.host = host
        self.wire = opened.wire
        self._services = services
        self._limits = limits
        self._max_output_bytes = max_output_bytes
        self._when_lost = when_lost
        self._listener: SocketListener | None = None
        self._intake = LineIntake(self, services.scheduler, limits, services.clock)
        self._received = b""
        self._arrived: deque[WireEvent] = deque()
        self._is_open = True
        self._is_lost = False
        self._is_paused = False
        self._kept: list[bytes] = []
        self._kept_bytes = 0
        self._last_sign = services.clock.seconds()
        self._ping: DelayedCall | None = None
        self._forced_end: DelayedCall | None = None
        self._writer: DirectWriter

    def begin(self, listener: SocketListener) -> None:
        """Send arrivals to a listener."""
        self._listener = listener

    def connectionMade(self) -> None:
        transport = self._transport
        set_tcp_options(transport)
        transport.unregisterProducer()  # which was the HTTP channel
        transport.registerProducer(self, True)
        self._writer = DirectWriter(transport, self._services.traffic)
        self._ping = self._services.clock.callLater(PING_SECONDS, self._send_ping)

    def dataReceived(self, data: bytes) -> None:
        if self._is_open:
            self._last_sign = self._services.clock.seconds()
            self._received += data
            self._intake.receive()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._is_open = False
        self._is_lost = True
        self._intake.stop()
        self._kept.clear()
        for call in (self._ping, self._forced_end):
            cancel(call)
        self._tell_lost(reason.getErrorMessage())
        self._when_lost()

    # What goes out

    def send(self, frame: bytes) -> None:
        """Send a frame, or keep it while the client does not read."""
        if not frame or self._is_lost:
            return
        if not self._is_paused:
            self._writer.send(frame)
            return
        self._kept.append(frame)
        self._kept_bytes += len(frame)
        if self._kept_bytes > self._max_output_bytes:
            self.drop("does not read", f"does not read; dropped with {self._kept_bytes} bytes waiting")

    @property
    def is_congested(self) -> bool:
        """True while the client has not read what was sent."""
        return self._is_paused or bool(self._kept)

    def send_text(self, content: bytes) -> None:
        """Send a text message, given in UTF-8."""
        if self._is_open:
            self.send(self.wire.text(content))

    def send_binary(self, content: bytes) -> None:
        """Send a binary message."""
        if self._is_open:
            self.send(self.wire.binary(content))

    def end(self, code: int = NORMAL, reason: str = "") -> None:
        """Close, after what was sent."""
        if not self._is_open:
            return
        self._is_open = False
        self.send(self.wire.close(code, reason))
        transport = self._transport
        self._forced_end = self._services.clock.callLater(self._limits.close_seconds, transport.abortConnection)
        transport.unregisterProducer()
        for frame in self._kept:
            self._writer.send(frame)
        self._kept.clear()
        transport.loseConnection()
        self._tell_lost(reason or "closed from here")

    def abort(self) -> None:
        """Close now."""
        self._is_open = False
        self._transport.abortConnection()

    def drop(self, why: Any, told: str) -> None:
        """End the connection at once, with a line in the log."""
        self._services.traffic.dropped[why] += 1
        log.warning("%s %s", self.host, told, extra={"host": self.host})
        self.abort()

    def hold(self, held: bool) -> None:
        """Deliver no message while held."""
        self._intake.hold(held)

    # Twisted's producer

    def pauseProducing(self) -> None:
        self._is_paused = True

    def resumeProducing(self) -> None:
        self._is_paused = False
        kept, self._kept, self._kept_bytes = self._kept, [], 0
        for frame in kept:
            self.send(frame)

    def stopProducing(self) -> None:
        self._is_open = False

    # The source of messages

    @property
    def is_open(self) -> bool:
        """False once the socket is closing or lost."""
        return self._is_open

    @property
    def is_empty(self) -> bool:
        """True if everything was taken."""
        return not self._received and not self._arrived

    @property
    def is_backlogged(self) -> bool:
        """True if more than a message waits."""
        return len(self._received) > 4 * BYTES_PER_TURN

    @property
    def fairness_key(self) -> str:
        """The key of its queue."""
        return self._listener.fairness_key if self._listener else ""

    def begin_turn(self) -> None:
        """Decode frames from at most `BYTES_PER_TURN` bytes, unless some wait already."""
        if self._arrived:
            return
        portion, self._received = self._received[:BYTES_PER_TURN], self._received[BYTES_PER_TURN:]
        self.wire.receive(portion)
        while (arrival := self.wire.next_event()) is not None:
            self._arrived.append(arrival)
            if isinstance(arrival, CloseReceived):
                break
        self.send(self.wire.answers())

    def take_next(self, is_held: bool) -> TakeResult:
        """Hand one message on; while lines are held, none."""
        while self._arrived:
            if is_held and isinstance(self._arrived[0], MessageReceived):
                return TakeResult.NOTHING
            match self._arrived.popleft():
                case MessageReceived(content) if self._listener:
                    return self._tell(self._listener, content)
                case CloseReceived(code, reason):
                    self._answer_close(code, reason)
                    return TakeResult.NOTHING
        return TakeResult.NOTHING

    def end_turn(self) -> None:
        """Nothing is left to do."""

    def set_reading(self, reads: bool) -> None:
        """Read from the transport, or let it wait."""
        if reads:
            self._transport.resumeProducing()
        else:
            self._transport.pauseProducing()

    def close(self) -> None:
        """Close: the client sends no more."""
        self.end(GOING_AWAY)

    @property
    def _transport(self) -> Transport:
        return cast(Transport, self.transport)

    def _answer_close(self, code: int, reason: str) -> None:
        if code not in (NORMAL, GOING_AWAY, 1005):
            log.warning("%s was disconnected: %s", self.host, reason or code, extra={"host": self.host})
        self.end(NORMAL if code == 1005 else code, reason[:100])

    def _tell(self, listener: SocketListener, content: str | bytes) -> TakeResult:
        try:
            return listener.message_received(content)
        except Exception:
            log.exception("The socket of %s has failed", self.host, extra={"host": self.host})
            self.end(FAILED, "Something went wrong. The server's log has the details.")
            return TakeResult.SIGNAL

    def _tell_lost(self, reason: str) -> None:
        listener, self._listener = self._listener, None
        if listener:
            listener.socket_lost(reason)

    def _send_ping(self) -> None:
        if self._services.clock.seconds() - self._last_sign > SILENT_SECONDS:
            self._transport.abortConnection()
            return
        self._ping = self._services.clock.callLater(PING_SECONDS, self._send_ping)
        if self._is_open:
            self.send(self.wire.ping())


def switch_protocol(request: Request, socket: WebSocket, answer: bytes) -> None:
    """Answer a request with its handshake, and let the socket have the connection from here on.

    The hook is Twisted's own for its own WebSockets and not public; a test holds it.
    """
    channel = cast(Any, request.channel)
    channel._protocolUpgradeForWebsockets(socket)
    channel.requests.clear()  # what was asked is not needed for as long as somebody plays
    socket.send(answer)
