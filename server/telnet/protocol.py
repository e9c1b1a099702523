"""The input side of a connection: bytes to lines for a session, a few in each turn of the reactor."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import cast

from twisted.internet.interfaces import IAddress, IHalfCloseableProtocol, ITCPTransport
from twisted.internet.protocol import Protocol, ServerFactory, connectionDone
from twisted.python.failure import Failure
from zope.interface import implementer

from server.clock import DelayedCall, ReactorClock
from server.connection.input import FairScheduler, TokenBucket
from server.connection.output import FlushQueue
from server.telnet.codes import AYT
from server.telnet.connection import TelnetConnection
from server.telnet.interface import LineListener, TcpTransport, TelnetLimits, Transport
from server.telnet.keep_alive import KeepAlive
from server.telnet.negotiation import Compressed, Identified, Negotiator, Option, Outcome, Resized, Send, Told
from server.telnet.options import OPTIONS, Client
from server.telnet.parser import (
    Command,
    Event,
    Line,
    LineTooLong,
    Negotiation,
    Subnegotiation,
    TelnetParser,
)
from server.telnet.traffic import Traffic

log = logging.getLogger(__name__)

STILL_HERE = "[Yes, the server is here.]"
TOO_LONG = "That line was ignored: it is longer than {} bytes."
APOLOGY = "Something went wrong with that. It has been noted in the server's log.\n"


@implementer(IHalfCloseableProtocol)
class TelnetProtocol(Protocol):
    """One telnet connection, telling `listener` about its player.

    What is beyond the turn's share, or comes faster than lines are taken, waits as bytes while the transport is
    paused, so a client that pours commands costs one read of memory, and everybody else is served in between.
    """

    def __init__(
        self,
        listener: LineListener,
        clock: ReactorClock,
        limits: TelnetLimits,
        options: Iterable[Option[Client]] = OPTIONS,
        keep_alive: KeepAlive | None = None,
        traffic: Traffic | None = None,
        flush_queue: FlushQueue | None = None,
        scheduler: FairScheduler | None = None,
    ) -> None:
        self._listener = listener
        self._flush_queue = flush_queue or FlushQueue(clock)
        self._scheduler = scheduler or FairScheduler(clock, self._flush_queue)
        self._is_on_rota = False
        self._traffic = traffic
        self._keep_alive = keep_alive
        self._clock = clock
        self._limits = limits
        self._client = Client()
        self._negotiator = Negotiator(options, self._client)
        self._parser = TelnetParser(limits.max_line_bytes, limits.max_subnegotiation_bytes)
        self._pace = TokenBucket(clock, limits.lines_per_second, limits.lines_at_once)
        self._received = b""
        self._parsed_bytes = 0
        self._terminal: TelnetConnection
        self._next_turn: DelayedCall | None = None
        self._end: DelayedCall | None = None
        self._is_held = False
        self._reads = True
        self._input_ended = False
        self._has_typed = False
        self._has_begun = False
        self._when_lost: Callable[[], None] = lambda: None

    def connectionMade(self) -> None:
        try:
            self._begin()
        except Exception:
            log.exception("A connection could not be taken")
            self._transport.abortConnection()

    def _begin(self) -> None:
        transport = self._transport
        if ITCPTransport.providedBy(transport):
            tcp = cast(TcpTransport, transport)
            with suppress(OSError):  # macOS refuses these where the client has reset the connection already
                tcp.setTcpNoDelay(True)
                tcp.setTcpKeepAlive(True)
        self._terminal = TelnetConnection(
            transport,
            self._clock,
            self._limits,
            self._client,
            self._negotiator,
            self._hold,
            self._flush_queue,
            self._traffic,
        )
        self._has_begun = True
        if self._keep_alive:
            self._keep_alive.add(self._terminal)
        self._terminal.send(self._negotiator.open())
        if not self._tell(self._listener.connection_made, self._terminal):
            self._terminal.close()

    def dataReceived(self, data: bytes) -> None:
        if not self._terminal.is_open:
            return
        self._terminal.note_life()
        self._received = self._received[self._parsed_bytes :] + data
        self._parsed_bytes = 0
        if not self._has_turn_to_come:
            self._take_turn()
        if self._is_on_rota and len(self._received) > self._limits.max_line_bytes:
            self._set_reading(False)  # there is enough to be going on with

    def readConnectionLost(self) -> None:
        """The client has shut its sending side and may still be reading."""
        self._input_ended = True
        if not self._has_turn_to_come:
            self._take_turn()

    def writeConnectionLost(self) -> None:
        self._terminal.abort()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        for call in (self._next_turn, self._end):
            if call is not None and call.active():
                call.cancel()
        if self._has_begun:
            if self._keep_alive:
                self._keep_alive.discard(self._terminal)
            self._terminal.connection_lost()
            self._tell(self._listener.connection_lost, reason.getErrorMessage())
        self._when_lost()

    def when_lost(self, call: Callable[[], None]) -> None:
        """Have something called when the connection has ended, whatever else fails then."""
        self._when_lost = call

    @property
    def _transport(self) -> Transport:
        return cast(Transport, self.transport)

    @property
    def _has_turn_to_come(self) -> bool:
        return self._next_turn is not None or self._is_on_rota

    def _take_turn(self) -> None:
        """Take in what has arrived when it is this connection's turn."""
        self._next_turn = None
        self._is_on_rota = True
        self._scheduler.take(self._listener.place, self._have_turn)

    def _have_turn(self) -> None:
        """Take in what has arrived, up to this turn's share, and see to the rest in the next turn."""
        self._is_on_rota = False
        if not self._terminal.is_open:
            return
        self._take_share()
        if not self._terminal.is_open:
            return
        is_done = self._parser.is_drained and not self._received
        self._set_reading(is_done or (self._is_held and len(self._received) <= self._limits.max_line_bytes))
        if self._is_held:
            self._watch_held()
            return
        if not is_done and self._next_turn is None:
            self._next_turn = self._clock.callLater(self._pace.wait_seconds, self._take_turn)
        if is_done and self._input_ended and self._end is None:
            # There is no answer to come to who has typed nothing, and others may want the room.
            seconds = self._limits.half_close_seconds if self._has_typed else 0
            self._end = self._clock.callLater(seconds, self._terminal.close)

    def _take_share(self) -> None:
        if self._parser.is_drained:
            self._parse_portion()
        lines = 0
        while lines < self._limits.lines_per_turn and self._may_go_on:
            # Whoever has to wait is still known better: what a client tells of itself must not come too late.
            event = self._parser.next_event(up_to_text=self._is_held)
            if event is None:
                break
            if isinstance(event, Line | LineTooLong | Command):
                lines += 1
                self._pace.take()
            self._take(event)
        if self._parser.negotiation_bytes > self._limits.max_negotiation_bytes and self._terminal.is_open:
            self._terminal.drop("negotiates without end", "negotiates without end; dropped")

    @property
    def _may_go_on(self) -> bool:
        return self._terminal.is_open and not self._pace.wait_seconds

    def _parse_portion(self) -> None:
        start = self._parsed_bytes
        portion = self._received[start : start + self._limits.bytes_per_turn]
        self._parsed_bytes += len(portion)
        if self._parsed_bytes == len(self._received):
            self._received, self._parsed_bytes = b"", 0
        self._parser.receive(portion)

    def _take(self, event: Event) -> None:
        match event:
            case Line(content):
                self._has_typed = True
                self._negotiator.refill()
                self._parser.negotiation_bytes = 0
                self._tell(self._listener.line_received, self._client.read_line(content))
            case LineTooLong(max_line_bytes):
                self._tell(self._listener.line_answered, TOO_LONG.format(max_line_bytes))
            case Negotiation():
                self._follow(self._negotiator.receive(event))
            case Subnegotiation():
                self._follow(self._negotiator.learn(event))
            case Command(code) if code == AYT:
                self._tell(self._listener.show, STILL_HERE)

    def _follow(self, outcomes: Iterable[Outcome]) -> None:
        for outcome in outcomes:
            match outcome:
                case Send(content):
                    self._terminal.send(content)
                case Resized(width, height):
                    self._tell(self._listener.size_changed, width, height)
                case Identified():
                    self._tell(self._listener.terminal_identified)
                    self._terminal.send(self._negotiator.open_late())
                case Compressed(on):
                    self._terminal.compress(on)
                case Told(package, payload):
                    self._tell(self._listener.gmcp_received, package, payload)

    def _tell(self, call: Callable[..., None], *arguments: object) -> bool:
        """Call the listener, and say whether it went well. Its failure is this player's trouble alone."""
        try:
            call(*arguments)
        except Exception:
            log.exception("The session of %s has failed", self._terminal.host, extra={"host": self._terminal.host})
            self._terminal.write(APOLOGY)
            return False
        return True

    def _hold(self, is_held: bool) -> None:
        self._is_held = is_held
        if not is_held and self._end is not None and self._end.active():
            self._end.cancel()
            self._end = None
        if not is_held and not self._has_turn_to_come and self._terminal.is_open:
            self._next_turn = self._clock.callLater(0, self._take_turn)

    def _watch_held(self) -> None:
        """See that a client that has hung up does not stay for as long as it would have to wait."""
        if self._input_ended and self._end is None:
            self._end = self._clock.callLater(self._limits.close_seconds, self._terminal.close)

    def _set_reading(self, reads: bool) -> None:
        if reads == self._reads or self._input_ended:
            return
        self._reads = reads
        if reads:
            self._transport.resumeProducing()
        else:
            self._transport.pauseProducing()


class TelnetFactory(ServerFactory):
    """Makes a `TelnetProtocol` with a new listener for each caller. `limits` and `options` return what holds for
    the next one.

    Listen with a backlog of 512 or more: Twisted's default of 50 turns callers away when many come at once.
    """

    noisy = False

    def __init__(
        self,
        new_listener: Callable[[], LineListener],
        clock: ReactorClock,
        limits: Callable[[], TelnetLimits],
        options: Callable[[], Sequence[Option[Client]]] = lambda: OPTIONS,
        keep_alive_seconds: Callable[[], float] = lambda: 0,
        traffic: Traffic | None = None,
    ) -> None:
        self._new_listener = new_listener
        self._clock = clock
        self._limits = limits
        self._options = options
        self._keep_alive = KeepAlive(clock, keep_alive_seconds)
        self._traffic = traffic or Traffic()
        self._flush_queue = FlushQueue(clock)
        self._scheduler = FairScheduler(clock, self._flush_queue)

    def buildProtocol(self, addr: IAddress | None) -> TelnetProtocol:
        protocol = TelnetProtocol(
            self._new_listener(),
            self._clock,
            self._limits(),
            self._options(),
            self._keep_alive,
            self._traffic,
            self._flush_queue,
            self._scheduler,
        )
        protocol.factory = self
        return protocol
