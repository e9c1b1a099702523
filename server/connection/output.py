"""Output: all connections are flushed at the end of a turn, each directly into its socket."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol, cast

from twisted.internet.interfaces import ITCPTransport
from twisted.internet.tcp import Connection

from server.clock import ReactorClock
from server.connection.connection import DoorTraffic

log = logging.getLogger(__name__)

SLICE_SECONDS = 0.01
"""Seconds of sending the output of a turn before other input is looked at."""

FAILED = "a connection could not be flushed"


class FlushQueue:
    """Runs calls at the end of the reactor's turn, in the order in which they were added.

    One timer serves thousands of connections: in a crowd everyone is shown something in every turn. Long work is done
    in slices, with a turn of the reactor between them.
    """

    def __init__(self, clock: ReactorClock, seconds: float = SLICE_SECONDS) -> None:
        self._clock = clock
        self._seconds = seconds
        self._is_coming = False
        self._calls: list[Callable[[], None]] = []
        self._last: list[Callable[[], None]] = []
        self._ending: deque[Callable[[], None]] = deque()

    def add(self, call: Callable[[], None]) -> None:
        """Call in the next turn of the reactor."""
        if not self._is_coming:
            self._schedule()
        self._calls.append(call)

    def add_last(self, call: Callable[[], None]) -> None:
        """Call then too, after all that is added by `add`."""
        self._schedule()
        self._last.append(call)

    def run_first(self, call: Callable[[], None]) -> None:
        """Call now, and run what that adds before all that waits for the turn to end."""
        before, self._calls = self._calls, []
        try:
            call()
        finally:
            added, self._calls = self._calls, before
            for one in added:
                try:
                    one()
                except Exception:
                    log.exception(FAILED)

    def _schedule(self) -> None:
        if not self._is_coming:
            self._is_coming = True
            self._clock.callLater(0, self._flush)

    def _flush(self) -> None:
        self._is_coming = False
        if not self._ending:
            self._ending.extend([*self._calls, *self._last])
            self._calls, self._last = [], []
        until = self._clock.seconds() + self._seconds
        while self._ending:
            call = self._ending.popleft()
            try:
                call()
            except Exception:
                log.exception(FAILED)
            if self._clock.seconds() >= until:
                break
        if self._ending or self._calls or self._last:
            self._schedule()


class Transport(Protocol):
    """The part of a Twisted transport that is needed here."""

    def write(self, data: bytes) -> None:
        """Send."""

    def loseConnection(self) -> None:
        """Close when everything is sent."""

    def abortConnection(self) -> None:
        """Close now."""

    def getPeer(self) -> Any:
        """Return the address of the other side."""

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        """Tell `producer` to pause while the other side does not read."""

    def unregisterProducer(self) -> None:
        """End `registerProducer`."""

    def pauseProducing(self) -> None:
        """Stop reading."""

    def resumeProducing(self) -> None:
        """Read again."""


def set_tcp_options(transport: Transport) -> None:
    """Send small writes at once, and find out that the other side is gone, where this is TCP, with or without TLS.

    With Nagle's algorithm every second answer is 40 ms late.
    """
    if ITCPTransport.providedBy(transport):
        tcp = cast(Any, transport)
        with suppress(OSError):  # macOS refuses these where the client has reset the connection already
            tcp.setTcpNoDelay(True)
            tcp.setTcpKeepAlive(True)


SendSome = Callable[[bytes], object]
"""Sends as much as a socket takes at once; returns the number of bytes, or an exception if the connection is lost."""


class DirectWriter:
    """Sends to one transport, in order, and counts the bytes of its door.

    The transport's own way is a turn of the reactor longer and asks the system three times, for one piece of text. So
    a client that reads is sent to directly. One that was once behind goes that way from then on: what is in the
    buffer must not be overtaken. So does TLS.
    """

    __slots__ = ("_send_some", "_traffic", "_transport")

    def __init__(self, transport: Transport, traffic: DoorTraffic, send_some: SendSome | None = None) -> None:
        self._transport = transport
        self._traffic = traffic
        if send_some is None and isinstance(transport, Connection) and not transport.TLS:
            send_some = transport.writeSomeData
        self._send_some = send_some

    def send(self, content: bytes) -> None:
        """Send all of it, now or when the client has read what came before."""
        if not content:
            return
        self._traffic.sent_bytes += len(content)
        if self._send_some is not None:
            sent = self._send_some(content)
            if sent == len(content):
                return
            self._send_some = None
            content = content[sent:] if isinstance(sent, int) else content  # a loss is the transport's to notice
        self._transport.write(content)
