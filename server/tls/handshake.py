"""Callers over TLS: until the handshake is done there is nobody to speak to, and it may take only so long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from twisted.internet.interfaces import IAddress, IHandshakeListener
from twisted.internet.protocol import Protocol, ServerFactory, connectionDone
from twisted.protocols.tls import TLSMemoryBIOFactory, TLSMemoryBIOProtocol
from twisted.python.failure import Failure
from zope.interface import implementer

from server.clock import DelayedCall, ReactorClock
from server.net.connection_limits import ProtocolFactory
from server.tls.credentials import Credentials

MOST_SECONDS = 20.0
"""How long a handshake may take, or less if coming in may take less."""


@implementer(IHandshakeListener)
class Handshake(Protocol):
    """Stands in for the protocol of a caller who has not finished the handshake, and makes way for it then."""

    def __init__(self, factory: ProtocolFactory, clock: ReactorClock, seconds: float) -> None:
        self._factory = factory
        self._clock = clock
        self._seconds = seconds
        self._late: DelayedCall | None = None

    def connectionMade(self) -> None:
        self._late = self._clock.callLater(self._seconds, self._connection.abortConnection)

    def handshakeCompleted(self) -> None:
        """Let the caller in."""
        self._stop_waiting()
        connection = self._connection
        protocol = connection.wrappedProtocol = self._factory.buildProtocol(connection.getPeer())
        protocol.makeConnection(connection)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._stop_waiting()

    @property
    def _connection(self) -> TLSMemoryBIOProtocol:
        return cast(TLSMemoryBIOProtocol, self.transport)

    def _stop_waiting(self) -> None:
        if self._late and self._late.active():
            self._late.cancel()


class TlsConnection(TLSMemoryBIOProtocol):
    """A connection over TLS. What is written goes out at once: the terminal gathers it already, a turn at a time."""

    _when_lost: Callable[[], None] = staticmethod(lambda: None)

    def when_lost(self, call: Callable[[], None]) -> None:
        """Have something called when the connection has ended."""
        self._when_lost = call

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        try:
            super().connectionLost(reason)  # type: ignore[no-untyped-call]
        finally:
            self._when_lost()


class _Handshakes(ServerFactory):
    noisy = False

    def __init__(self, factory: ProtocolFactory, clock: ReactorClock, seconds: Callable[[], float]) -> None:
        self._factory = factory
        self._clock = clock
        self._seconds = seconds

    def buildProtocol(self, addr: IAddress | None) -> Handshake:
        return Handshake(self._factory, self._clock, min(MOST_SECONDS, self._seconds()))


def over_tls(
    factory: ProtocolFactory, credentials: Credentials, clock: ReactorClock, login_seconds: Callable[[], float]
) -> ProtocolFactory:
    """Return a factory whose callers speak TLS, and behind it what `factory` makes for each."""
    behind: Any = _Handshakes(factory, clock, login_seconds)
    encrypted = TLSMemoryBIOFactory(cast(Any, credentials), False, behind, cast(Any, clock))
    encrypted.protocol = TlsConnection
    return encrypted
