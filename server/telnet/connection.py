"""The output side of a connection: text out, once a turn, and never more than the client will read."""

from __future__ import annotations

import logging
from collections.abc import Callable

from twisted.internet.interfaces import IPushProducer
from zope.interface import implementer

from server.clock import DelayedCall, ReactorClock
from server.connection.output import DirectWriter, FlushQueue, Transport
from server.telnet.charset import encode_text
from server.telnet.codes import ECHO, END_OF_RECORD, EOR, GA, GMCP, IAC, NOP, TERMINAL_TYPE
from server.telnet.compression import Outflow
from server.telnet.gmcp import Message
from server.telnet.interface import TelnetLimits
from server.telnet.negotiation import Negotiator
from server.telnet.options import Client, Mtts
from server.telnet.traffic import Traffic, Why

_SIGN_OF_LIFE = bytes([IAC, NOP])
_NOTHING_TOLD = Mtts(0)

log = logging.getLogger(__name__)


@implementer(IPushProducer)
class TelnetConnection:
    """The `Terminal` of one telnet connection. Twisted pauses it while the client does not read."""

    def __init__(
        self,
        transport: Transport,
        clock: ReactorClock,
        limits: TelnetLimits,
        client: Client,
        negotiator: Negotiator[Client],
        hold: Callable[[bool], None],
        flush_queue: FlushQueue,
        traffic: Traffic | None = None,
    ) -> None:
        self._transport = transport
        self._writer = DirectWriter(transport)
        self._clock = clock
        self._limits = limits
        self._client = client
        self._negotiator = negotiator
        self._hold = hold
        self._flush_queue = flush_queue
        self._traffic = traffic or Traffic()
        self._host = str(getattr(transport.getPeer(), "host", "local"))
        self._is_open = True
        self._outflow = Outflow()
        self._was_silent = False
        self._is_paused = False
        self._is_due = False
        self._last_words: Callable[[], None] | None = None
        self._forced_end: DelayedCall | None = None
        transport.registerProducer(self, True)

    @property
    def is_open(self) -> bool:
        return self._is_open

    @property
    def host(self) -> str:
        return self._host

    @property
    def width(self) -> int:
        return self._client.width

    @property
    def height(self) -> int:
        return self._client.height

    @property
    def encoding(self) -> str:
        return self._client.encoding

    @property
    def client_name(self) -> str:
        return self._client.name

    @property
    def terminal_types(self) -> tuple[str, ...]:
        return tuple(self._client.terminal_types)

    @property
    def mtts(self) -> Mtts:
        return self._client.mtts or _NOTHING_TOLD

    @property
    def is_identified(self) -> bool:
        return self._client.is_identified

    @property
    def may_tell(self) -> bool:
        return not self._client.is_identified and self._negotiator.awaits_theirs(TERMINAL_TYPE)

    @property
    def is_telling(self) -> bool:
        return not self._client.is_identified and self._negotiator.they_perform(TERMINAL_TYPE)

    @property
    def screen_reader(self) -> bool:
        return Mtts.SCREEN_READER in self.mtts

    def write(self, text: str) -> None:
        self.send(encode_text(text, self._client.encoding))

    def prompt(self, text: str) -> None:
        mark = EOR if self._negotiator.we_perform(END_OF_RECORD) else GA
        self.send(encode_text(text, self._client.encoding) + bytes([IAC, mark]))

    def send_gmcp(self, message: Message) -> None:
        if self._negotiator.we_perform(GMCP):
            self.send(message.framed)

    def at_turn_end(self, call: Callable[[], None]) -> None:
        self._last_words = call
        self._flush_soon()

    def hide_input(self) -> None:
        self.send(self._negotiator.switch_ours(ECHO, True))

    def show_input(self) -> None:
        self.send(self._negotiator.switch_ours(ECHO, False))

    def hold_input(self) -> None:
        self._hold(True)

    def release_input(self) -> None:
        self._hold(False)

    def send(self, content: bytes) -> None:
        """Send `content` as it is, in order with what is written."""
        if not (content and self._is_open):
            return
        self._was_silent = False
        self._outflow.add(content)
        if self._outflow.waiting_bytes > self._limits.max_output_bytes:
            self._relieve()
        else:
            self._flush_soon()

    def compress(self, on: bool) -> None:
        """Compress what is sent from here on, or end that."""
        if self._is_open:
            self._outflow.compress(on)
            self._flush_soon()

    def note_life(self) -> None:
        """Know that the client has sent something."""
        self._was_silent = False

    def keep_alive(self) -> None:
        """Send a sign of life if neither side has sent anything since the last call."""
        if self._was_silent:
            self.send(_SIGN_OF_LIFE)
        self._was_silent = True

    def close(self) -> None:
        if not self._is_open:
            return
        self._is_open = False
        self._outflow.compress(False)
        self._flush()
        self._forced_end = self._clock.callLater(self._limits.close_seconds, self._transport.abortConnection)
        self._transport.unregisterProducer()
        self._transport.loseConnection()

    def abort(self) -> None:
        self._is_open = False
        self._transport.abortConnection()

    def drop(self, why: Why, told: str) -> None:
        """End the connection at once, with a line in the log."""
        self._traffic.dropped[why] += 1
        log.warning("%s %s", self._host, told, extra={"host": self._host})
        self.abort()

    def connection_lost(self) -> None:
        """Let go of everything: the connection has ended."""
        self._is_open = False
        self._outflow.forget()
        self._last_words = None
        if self._forced_end is not None and self._forced_end.active():
            self._forced_end.cancel()

    def pauseProducing(self) -> None:
        self._is_paused = True

    def resumeProducing(self) -> None:
        self._is_paused = False
        self._end_turn()

    def stopProducing(self) -> None:
        self._is_open = False

    def _flush_soon(self) -> None:
        if not self._is_due and not self._is_paused:
            self._is_due = True
            self._flush_queue.add(self._end_turn)

    def _end_turn(self) -> None:
        """Send what was written in this turn, and what is to stand behind all of it, in one piece."""
        if self._is_open and not self._is_paused:
            if self._last_words is not None:
                last_words, self._last_words = self._last_words, None
                last_words()
            self._flush()
        self._is_due = False

    def _flush(self) -> None:
        if content := self._outflow.take():
            self._traffic.sent_bytes += len(content)
            self._writer.send(content)

    def _relieve(self) -> None:
        """Make room: send at once if the client reads, drop the client if it does not."""
        if not self._is_paused:
            self._flush()
            return
        waiting = self._outflow.waiting_bytes
        self.drop("does not read", f"does not read; dropped with {waiting} bytes waiting")
