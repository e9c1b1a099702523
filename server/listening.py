"""The ports of a world: opened or taken over open from whoever started it, and closed together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from socket import AF_INET, AF_INET6, socket
from typing import Any, Protocol

from twisted.internet.defer import Deferred, DeferredList, maybeDeferred
from twisted.internet.protocol import Factory

from server.telnet.interface import ReactorClock

BACKLOG = 512
"""How many callers may wait to be let in. Twisted's 50 turns callers away when many come at once."""

TELNET = "telnet"
TLS = "tls"

ANY_FREE = -1
"""The `tls_port` that takes any free one; 0 opens none."""

Adopted = Mapping[str, Sequence[int]]
"""Sockets that listen already, as file descriptors, by what is spoken there: TELNET or TLS."""

NONE_ADOPTED: Adopted = {}


class ListeningPort(Protocol):
    """The part of Twisted's open port that is needed here."""

    def getHost(self) -> Any: ...
    def stopListening(self) -> Deferred[None] | None: ...


class ListeningReactor(ReactorClock, Protocol):
    """The part of a reactor that listening needs."""

    def listenTCP(self, port: int, factory: Factory, backlog: int, interface: str) -> ListeningPort: ...
    def adoptStreamPort(self, fileDescriptor: int, addressFamily: int, factory: Factory) -> ListeningPort: ...


class Ports:
    """The ports of one world. What is adopted is listened on instead of opening a port of its own."""

    def __init__(self, reactor: ListeningReactor, adopted: Adopted = NONE_ADOPTED) -> None:
        self._reactor = reactor
        self._adopted = adopted
        self._open: dict[str, list[ListeningPort]] = {}

    @property
    def telnet_port(self) -> int:
        """The port on which telnet is spoken in plain; 0 if none is open."""
        return self._number(TELNET)

    @property
    def tls_port(self) -> int:
        """The port on which telnet is spoken over TLS; 0 if none is open."""
        return self._number(TLS)

    def address(self, spoken: str) -> str:
        """Return where something is spoken, as `host:port`; empty if nowhere."""
        return ", ".join(_text(port.getHost()) for port in self._open.get(spoken, ()))

    def hosts(self, spoken: str) -> list[str]:
        """Return the addresses that are listened on for something."""
        return [str(port.getHost().host) for port in self._open.get(spoken, ())]

    def is_adopted(self, spoken: str) -> bool:
        """Whether whoever started the world has opened the port for something."""
        return bool(self._adopted.get(spoken))

    def open(self, spoken: str, host: str, port: int, factory: Factory) -> None:
        """Listen, on any free port if it is 0. Raises: CannotListenError if the port cannot be opened."""
        opened = self._open.setdefault(spoken, [])
        for descriptor in self._adopted.get(spoken, ()):
            opened.append(self._reactor.adoptStreamPort(descriptor, _family(descriptor), factory))
        if not opened:
            opened.append(self._reactor.listenTCP(port, factory, BACKLOG, host))

    def close(self) -> Deferred[None] | None:
        """Let nobody in any more; the Deferred fires when all ports are closed, None if none is open."""
        closing: list[Callable[[], Deferred[None] | None]]
        closing = [port.stopListening for ports in self._open.values() for port in ports]
        self._open = {}
        closed = DeferredList([maybeDeferred(close) for close in closing])
        return closed.addCallback(lambda _: None) if closing else None

    def _number(self, spoken: str) -> int:
        ports = self._open.get(spoken)
        return int(ports[0].getHost().port) if ports else 0


def _family(descriptor: int) -> int:
    listening = socket(fileno=descriptor)
    try:
        return AF_INET6 if listening.family == AF_INET6 else AF_INET
    finally:
        listening.detach()


def _text(address: Any) -> str:
    host = f"[{address.host}]" if ":" in address.host else address.host
    return f"{host}:{address.port}"
