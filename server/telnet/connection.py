"""The telnet connection: output once a turn, bounded by what the client reads, and compressed (MCCP2, option 86)."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from twisted.internet.interfaces import IPushProducer
from zope.interface import implementer

from server.clock import DelayedCall, ReactorClock, cancel
from server.connection.base import TextConnection
from server.connection.connection import DropReason, Identification, Message
from server.connection.input import ConnectionServices, InputLimits
from server.connection.output import DirectWriter, Transport
from server.telnet.negotiation import Negotiator, subnegotiation
from server.telnet.options import ClientInfo, capabilities_of, encode_text, framed
from server.telnet.parser import COMPRESS2, ECHO, END_OF_RECORD, EOR, GA, GMCP, IAC, NOP, TERMINAL_TYPE

TICK_SECONDS = 1.0

WINDOW_BITS = 12
MEMORY_LEVEL = 4
"""30 KB a player instead of the 200 that zlib takes by itself, for text a ninth as long instead of a seventeenth."""

_BEGIN_COMPRESSION = subnegotiation(COMPRESS2, b"")


class KeepAlive:
    """Asks every connection once in `seconds()`, in turn: a few each second, with one timer for all. 0 asks none.

    Routers forget connections that are silent for minutes.
    """

    def __init__(self, clock: ReactorClock, seconds: Callable[[], float]) -> None:
        self._clock = clock
        self._seconds = seconds
        self._connections: dict[TelnetConnection, None] = {}
        self._owed = 0.0
        """Number of connections that are due to be asked, with a fraction; only whole ones are asked."""
        self._tick: DelayedCall | None = None

    def add(self, connection: TelnetConnection) -> None:
        """Ask a connection from now on."""
        self._connections[connection] = None
        if self._tick is None:
            self._tick = self._clock.callLater(TICK_SECONDS, self._ask_some)

    def discard(self, connection: TelnetConnection) -> None:
        """Ask a connection no more."""
        self._connections.pop(connection, None)
        if not self._connections and self._tick is not None:
            self._tick.cancel()
            self._tick = None

    def _ask_some(self) -> None:
        self._tick = self._clock.callLater(TICK_SECONDS, self._ask_some)
        seconds = self._seconds()
        if not seconds:
            return
        self._owed += len(self._connections) * TICK_SECONDS / seconds
        due = list(islice(self._connections, int(self._owed)))
        self._owed %= 1
        for connection in due:
            self._connections[connection] = self._connections.pop(connection)
            connection.keep_alive()


@dataclass(frozen=True)
class TelnetLimits(InputLimits):
    """The limits of one telnet connection. The defaults suit any public server."""

    max_line_bytes: int = 4096
    """Maximum length of a line; a longer one is dropped and its player told. Bytes, 80 to 65536."""
    max_subnegotiation_bytes: int = 4096
    """Maximum length of a subnegotiation; a longer one is dropped. Bytes, 64 to 65536."""
    max_negotiation_bytes: int = 256 * 1024
    """Maximum length of telnet commands before a line; a client that sends more is dropped. Bytes, 4096 and up."""
    bytes_per_turn: int = 512
    """Bytes parsed in one turn, as negotiations and breaks cost time as lines do. 64 to 65536."""
    max_output_bytes: int = 256 * 1024
    """Maximum output that waits for a client that does not read; then it is dropped. Bytes, 65536 and up."""


class OutputBuffer:
    """Bytes in the order in which they were added, compressed from the places on where that was asked for."""

    __slots__ = ("_deflate", "_has_switch", "_parts", "_will_compress", "waiting_bytes")

    def __init__(self) -> None:
        self.waiting_bytes = 0
        """The number of waiting bytes, before compression."""
        self._parts: list[bytes | bool] = []
        """The output: bytes, and marks where compression begins (True) or ends (False)."""
        self._will_compress = False
        self._has_switch = False
        self._deflate: zlib._Compress | None = None

    def add(self, content: bytes) -> int:
        """Add bytes, and return the number of waiting ones."""
        self._parts.append(content)
        self.waiting_bytes = waiting = self.waiting_bytes + len(content)
        return waiting

    def compress(self, on: bool) -> None:
        """Compress all that is added from here on, or end that; a repeated call changes nothing."""
        if on != self._will_compress:
            self._will_compress = on
            self._has_switch = True
            self._parts.append(on)

    def drain(self) -> bytes:
        """Return all that waits as it goes over the wire, so that the client can read it to its last byte."""
        if not self._parts:
            return b""
        parts, self._parts, self.waiting_bytes = self._parts, [], 0
        if self._has_switch:
            self._has_switch = False
            return b"".join(self._switched(part) if isinstance(part, bool) else self._encoded(part) for part in parts)
        content = b"".join(parts)  # type: ignore[arg-type]
        return content if self._deflate is None else self._encoded(content)

    def forget(self) -> None:
        """Drop everything: nobody is there any more."""
        self._parts, self.waiting_bytes, self._has_switch = [], 0, False
        self._deflate = None

    def _encoded(self, content: bytes) -> bytes:
        if self._deflate is None:
            return content
        return self._deflate.compress(content) + self._deflate.flush(zlib.Z_SYNC_FLUSH)

    def _switched(self, on: bool) -> bytes:
        if on:
            self._deflate = zlib.compressobj(wbits=WINDOW_BITS, memLevel=MEMORY_LEVEL)
            return _BEGIN_COMPRESSION
        assert self._deflate is not None
        ended, self._deflate = self._deflate.flush(zlib.Z_FINISH), None
        return ended


_SIGN_OF_LIFE = bytes([IAC, NOP])

log = logging.getLogger(__name__)


@implementer(IPushProducer)
class TelnetConnection(TextConnection):
    """The `Connection` of one telnet client. Twisted pauses it while the client does not read."""

    def __init__(
        self,
        transport: Transport,
        services: ConnectionServices,
        limits: TelnetLimits,
        client: ClientInfo,
        negotiator: Negotiator[ClientInfo],
        hold: Callable[[bool], None],
        prompt: Callable[[bool], str],
    ) -> None:
        host = str(getattr(transport.getPeer(), "host", "local"))
        super().__init__(host, services, capabilities_of(client), encode_text)
        self._transport = transport
        self._writer = DirectWriter(transport, services.traffic)
        self._close_seconds = limits.close_seconds
        self._max_output_bytes = limits.max_output_bytes
        self._info = client
        self._negotiator = negotiator
        self._hold = hold
        self._asked = prompt
        self._output_buffer = OutputBuffer()
        self._was_silent = False
        self._is_paused = False
        self._forced_end: DelayedCall | None = None
        transport.registerProducer(self, True)

    @property
    def identification(self) -> Identification:
        if self._info.is_identified:
            return Identification.FINAL
        if self._negotiator.is_remote_enabled(TERMINAL_TYPE):
            return Identification.ANSWERING
        return Identification.ASKED if self._negotiator.awaits_remote(TERMINAL_TYPE) else Identification.FINAL

    def learn_capabilities(self) -> bool:
        """Update the capabilities from what the client has sent; return whether they changed."""
        before, self._client = self._client, capabilities_of(self._info)
        return self._client != before

    def send_data(self, message: Message) -> None:
        if self._negotiator.is_local_enabled(GMCP):
            self.send(framed(message))

    def hide_typing(self, hidden: bool) -> None:
        if hidden != self._screen.is_typing_hidden:
            self._screen.is_typing_hidden = hidden
            self.send(self._negotiator.set_local(ECHO, hidden))

    def hold(self, held: bool) -> None:
        self._hold(held)

    def send(self, content: bytes) -> None:
        """Send `content` as it is, in order with what is written."""
        self._lay_out()
        self._write(content)

    def _write(self, content: bytes) -> None:
        if not (content and self._is_open):
            return
        self._was_silent = False
        if self._output_buffer.add(content) > self._max_output_bytes:
            self._relieve()
        elif not self._is_due:
            self._flush_soon()

    def compress(self, on: bool) -> None:
        """Compress the output from here on, or end that."""
        if self._is_open:
            self._output_buffer.compress(on)
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
        self._lay_out()
        self._is_open = False
        self._output_buffer.compress(False)
        self._writer.send(self._output_buffer.drain())
        self._forced_end = self._services.clock.callLater(self._close_seconds, self._transport.abortConnection)
        self._transport.unregisterProducer()
        self._transport.loseConnection()

    def abort(self) -> None:
        self._is_open = False
        self._transport.abortConnection()

    def drop(self, why: DropReason, sentence: str) -> None:
        """End the connection at once, with a line in the log."""
        self._services.traffic.dropped[why] += 1
        log.warning("%s %s", self._host, sentence, extra={"host": self._host})
        self.abort()

    def connection_lost(self) -> None:
        """Release everything: the connection has ended."""
        self._is_open = False
        self._shown.clear()
        self._output_buffer.forget()
        cancel(self._forced_end)

    def pauseProducing(self) -> None:
        self._is_paused = True

    def resumeProducing(self) -> None:
        self._is_paused = False
        self._end_turn()

    def stopProducing(self) -> None:
        self._is_open = False

    def _flush_soon(self) -> None:
        if self._is_paused:
            self._lay_out()  # so that it counts as what waits for a client that does not read
        else:
            super()._flush_soon()

    def _end_turn(self) -> None:
        """Send the output of this turn, and the text behind all of it, in one piece."""
        self._lay_out()
        if self._is_open and not self._is_paused:
            if self._is_prompt_due:
                self._is_prompt_due = False
                if prompt := self._screen.prompt(self._asked):
                    has_eor = self._negotiator.is_local_enabled(END_OF_RECORD)
                    self._output_buffer.add(_marked(prompt, self._client.charset, has_eor))
            self._writer.send(self._output_buffer.drain())
        self._is_due = False

    def _relieve(self) -> None:
        """Make room: send at once if the client reads, drop the client if it does not."""
        if not self._is_paused:
            self._writer.send(self._output_buffer.drain())
            return
        waiting = self._output_buffer.waiting_bytes
        self.drop("does not read", f"does not read; dropped with {waiting} bytes waiting")


@lru_cache(maxsize=64)
def _marked(text: str, encoding: str, has_eor: bool) -> bytes:
    return encode_text(text, encoding) + bytes([IAC, EOR if has_eor else GA])
