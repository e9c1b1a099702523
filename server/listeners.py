"""The listening sockets of a world: telnet, telnet over TLS and the page; opened or inherited."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from socket import AF_INET, AF_INET6, SO_REUSEADDR, SOL_SOCKET, socket
from typing import TYPE_CHECKING, Any, Protocol

from twisted.internet.defer import Deferred, DeferredList, maybeDeferred
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import Factory
from twisted.internet.tcp import Port

from config.settings import ServerSettings
from server.clock import ReactorClock
from server.connection.limits import (
    OVERFLOW,
    ConnectionLimiter,
    LimitingFactory,
    ProtocolFactory,
    is_loopback,
    raise_fd_limit,
)
from server.telnet.connection import TelnetLimits
from vault.errors import NoteError

if TYPE_CHECKING:
    from server.tls import Credentials

BACKLOG = 512
"""Maximum number of callers that wait to be accepted. Twisted's 50 rejects callers when many come at once."""

MAX_ACCEPTS_PER_TURN = 16
"""Maximum number of callers accepted in one turn of the reactor, so that a storm of them delays no player."""

TELNET = "telnet"
TLS = "tls"
WEB = "web"

ANY_FREE = -1
"""The `tls_port`, `web_port` or `metrics_port` that takes any free one; 0 opens none."""

AdoptedSockets = Mapping[str, Sequence[int]]
"""Sockets that listen already, as file descriptors, by what is spoken there: TELNET, TLS or WEB."""

NONE_ADOPTED: AdoptedSockets = {}

RequestedPorts = Mapping[str, tuple[str, int]]
"""The host and port that were asked for, by what is spoken there."""

NONE_REQUESTED: RequestedPorts = {}


class ListeningPort(Protocol):
    """The part of Twisted's open port that is needed here."""

    def getHost(self) -> Any: ...
    def fileno(self) -> int: ...
    def stopReading(self) -> None: ...
    def stopListening(self) -> Deferred[None] | None: ...


class ListeningReactor(ReactorClock, Protocol):
    """The part of a reactor that listening needs."""

    def listenTCP(self, port: int, factory: Factory, backlog: int, interface: str) -> ListeningPort: ...
    def adoptStreamPort(self, fileDescriptor: int, addressFamily: int, factory: Factory) -> ListeningPort: ...


@dataclass(frozen=True)
class OpenPorts:
    """The ports of a world at one moment: their numbers, which were opened for it, and what was asked for."""

    numbers: frozenset[int]
    adopted: frozenset[str]
    asked: RequestedPorts


class Ports:
    """The ports of one world. What is adopted is listened on instead of opening a port of its own.

    `requested_before` has what the world before this one asked for: a socket of it that was asked for otherwise is not
    used. `asked` and `kept_sockets` are for the next world: the ports that this one asked for, and its sockets.
    """

    def __init__(
        self,
        reactor: ListeningReactor,
        adopted: AdoptedSockets = NONE_ADOPTED,
        requested_before: RequestedPorts = NONE_REQUESTED,
    ) -> None:
        self.asked: dict[str, tuple[str, int]] = {}
        self.kept_sockets: dict[str, list[int]] = {}
        self._reactor = reactor
        self._given = frozenset(service for service, several in adopted.items() if several)
        self._adopted = dict(adopted)
        self._requested_before = requested_before
        self._open: dict[str, list[ListeningPort]] = {}

    @property
    def telnet_port(self) -> int:
        """The port on which telnet is spoken in plain; 0 if none is open."""
        return self._number(TELNET)

    @property
    def tls_port(self) -> int:
        """The port on which telnet is spoken over TLS; 0 if none is open."""
        return self._number(TLS)

    @property
    def web_port(self) -> int:
        """The port of the page for browsers; 0 if none is open."""
        return self._number(WEB)

    @property
    def failed(self) -> str:
        """The service whose port could not be opened; empty if all were."""
        return next((service for service, ports in self._open.items() if not ports), "")

    def snapshot(self) -> OpenPorts:
        """Return the part that another thread may read."""
        adopted = frozenset(filter(self.is_adopted, (TELNET, TLS, WEB)))
        return OpenPorts(frozenset({self.telnet_port, self.tls_port, self.web_port}), adopted, dict(self.asked))

    def address(self, service: str) -> str:
        """Return the address of a service, as `host:port`; empty if there is none."""
        return ", ".join(_text(port.getHost()) for port in self._open.get(service, ()))

    def hosts(self, service: str) -> list[str]:
        """Return the addresses that are listened on for something."""
        return [str(port.getHost().host) for port in self._open.get(service, ())]

    def is_adopted(self, service: str) -> bool:
        """Return whether the port of a service was opened by the parent process, such as systemd."""
        return service in self._given and service not in self._requested_before

    def open(self, service: str, host: str, port: int, factory: Factory) -> None:
        """Listen, on any free port if it is 0. Raises: CannotListenError if the port cannot be opened."""
        opened = self._open.setdefault(service, [])
        if not self.is_adopted(service):
            self.asked[service] = (host, port)
        if self._requested_before.get(service, (host, port)) != (host, port):
            self._close_adopted(service)
        for descriptor in self._adopted.get(service, ()):
            opened.append(_limit_accepts_per_turn(self._adopt(descriptor, factory)))
        if not opened:
            opened.append(_limit_accepts_per_turn(self._reactor.listenTCP(port, factory, BACKLOG, host)))

    def close_adopted(self) -> None:
        """Close what was adopted: what is listened on are copies, and nobody is to call where nobody listens."""
        for service in list(self._adopted):
            self._close_adopted(service)

    def close(self, keep: bool = False) -> Deferred[None] | None:
        """Stop listening; the Deferred fires when all ports are closed, None if none is open.

        With `keep`, callers wait: the sockets go on listening. Closed by Twisted they would not, not even in
        another process that has them.
        """
        if keep:
            for port in (one for ports in self._open.values() for one in ports):
                port.stopReading()
            self.kept_sockets = {service: [port.fileno() for port in ports] for service, ports in self._open.items()}
            return None
        closing: list[Callable[[], Deferred[None] | None]]
        closing = [port.stopListening for ports in self._open.values() for port in ports]
        self._open = {}
        closed = DeferredList([maybeDeferred(close) for close in closing])
        return closed.addCallback(lambda _: None) if closing else None

    def _adopt(self, descriptor: int, factory: Factory) -> ListeningPort:
        try:
            os.set_blocking(descriptor, False)
            return self._reactor.adoptStreamPort(descriptor, _family(descriptor), factory)
        except OSError as error:  # no socket, or one that does not listen
            raise CannotListenError("the socket given as descriptor", descriptor, error) from error

    def _close_adopted(self, service: str) -> None:
        for descriptor in self._adopted.pop(service, ()):
            os.close(descriptor)

    def _number(self, service: str) -> int:
        ports = self._open.get(service)
        return int(ports[0].getHost().port) if ports else 0


def _limit_accepts_per_turn(port: ListeningPort) -> ListeningPort:
    """Limit a port to `MAX_ACCEPTS_PER_TURN`. By itself it takes twenty more each time that many have called."""
    if isinstance(port, Port):
        let_in = port.doRead

        def let_some_in() -> None:
            port.numberAccepts = min(port.numberAccepts, MAX_ACCEPTS_PER_TURN)
            let_in()  # type: ignore[no-untyped-call]

        port.doRead = let_some_in  # type: ignore[method-assign]
    return port


def _family(descriptor: int) -> int:
    listening = socket(fileno=descriptor)
    try:
        return AF_INET6 if listening.family == AF_INET6 else AF_INET
    finally:
        listening.detach()


def _text(address: Any) -> str:
    host = f"[{address.host}]" if ":" in address.host else address.host
    return f"{host}:{address.port}"


log = logging.getLogger(__name__)


class Listeners:
    """Opens the ports of a world, with sentences about them for the operator.

    `folder` is where the certificate is found or made, `tell` tells the admins who are here. What TLS needs is
    imported only if it is spoken: it weighs as much as a small world.
    """

    def __init__(
        self,
        ports: Ports,
        limiter: ConnectionLimiter,
        settings: Callable[[], ServerSettings],
        folder: Path,
        clock: ReactorClock,
        now_ms: Callable[[], int],
        tell: Callable[[str], None],
    ) -> None:
        self._ports = ports
        self._limiter = limiter
        self._settings = settings
        self._folder = folder
        self._clock = clock
        self._now_ms = now_ms
        self._tell = tell
        self._credentials: Credentials | None = None
        self._no_page = ""

    def open(self, factory: ProtocolFactory, pages: ProtocolFactory) -> None:
        """Listen. Raises: CannotListenError if a port of telnet is taken, NoteError if a certificate is not valid.

        Without the page's port the world opens all the same: `startup_messages` say why there is none.
        """
        settings = self._settings()
        self._make_room(settings.max_connections)
        if settings.tls_port or self._ports.is_adopted(TLS):
            encrypted = LimitingFactory(self._over_tls(factory), self._limiter)
            self._ports.open(TLS, *address_for(settings, TLS), encrypted)
        self._ports.open(TELNET, *address_for(settings, TELNET), LimitingFactory(factory, self._limiter))
        if settings.web_port or self._ports.is_adopted(WEB):
            self._open_page(settings, self._over_tls(pages) if settings.web_tls else pages)
        if self.warning:
            log.warning("%s", self.warning)

    def _open_page(self, settings: ServerSettings, pages: ProtocolFactory) -> None:
        host, port = address_for(settings, WEB)
        try:
            self._ports.open(WEB, host, port, LimitingFactory(pages, self._limiter, "web"))
        except CannotListenError as error:
            why = getattr(error.socketError, "strerror", None) or error.socketError
            self._no_page = f"There is no page for browsers: {host}:{port} cannot be opened: {why}. See web_port."
            log.error("%s", self._no_page)

    def close(self) -> None:
        """Stop watching the certificate; `Ports` closes the ports."""
        if self._credentials:
            self._credentials.stop()

    @property
    def startup_messages(self) -> list[str]:
        """The messages at start for the operator."""
        said = [self._no_page] if self._no_page else []
        if address := self._ports.address(WEB):
            scheme = "https" if self._settings().web_tls else "http"
            said.append(f"In a browser it is open on {scheme}://{address.replace('0.0.0.0', '127.0.0.1')}/")
        if self._credentials:
            where = f"Over TLS it is open on {self._ports.address(TLS)}. " if self._ports.address(TLS) else ""
            said.append(f"{where}{self._credentials.note}")
        return [*said, self.warning] if self.warning else said

    @property
    def warning(self) -> str:
        """The warning for admins; empty if there is none."""
        if all(is_loopback(host) for host in self._ports.hosts(TELNET)):
            return ""
        warning = (
            f"WARNING: telnet is open to other machines on {self._ports.address(TELNET)}, in plain text: anyone "
            "on the network path can read it, passwords too."
        )
        if tls_port := self._ports.tls_port:
            ours = self._settings().host
            return (
                f"{warning} Have people use TLS on port {tls_port}; then set tls_host to {ours} and host to 127.0.0.1."
            )
        return f"{warning} Set tls_port in config/server.md, or start with --tls-port, and have people use that."

    def _make_room(self, connections: int) -> None:
        self._limiter.most = raise_fd_limit(connections + OVERFLOW)
        if self._limiter.room < connections:
            log.warning(
                "max_connections is %d, but the limit of open files (ulimit -n) has room for %d connections.",
                connections,
                self._limiter.room,
            )

    def _over_tls(self, factory: ProtocolFactory) -> ProtocolFactory:
        try:
            from server.tls import Credentials, over_tls, utc_now
        except ImportError as error:
            raise NoteError(
                f"TLS needs a package that is not installed: {error}. pip install 'twisted[tls]'"
            ) from error
        if self._credentials is None:
            settings = self._settings()
            self._credentials = Credentials(settings, self._folder, self._clock, utc_now(self._now_ms), self._tell)
            self._credentials.start()
        return over_tls(factory, self._credentials, self._clock, lambda: self._settings().login_seconds)


def address_for(settings: ServerSettings, service: str) -> tuple[str, int]:
    """Return the address and the port where settings have telnet, TLS or the page, 0 for any free one."""
    if service == WEB:
        return settings.web_host or settings.host, 0 if settings.web_port == ANY_FREE else settings.web_port
    if service == TLS:
        return settings.tls_host or settings.host, 0 if settings.tls_port == ANY_FREE else settings.tls_port
    return settings.host, settings.port


def bind_error(host: str, port: int) -> Exception | None:
    """Return why a port cannot be opened, None if it can."""
    try:
        with socket(AF_INET6 if ":" in host else AF_INET) as trying:
            trying.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
            trying.bind((host, port))
            trying.listen(1)
    except (OSError, UnicodeError) as error:  # the latter of a name that no host can have
        return error
    return None


def limits_of(settings: ServerSettings) -> TelnetLimits:
    """Return the limits of one connection."""
    return TelnetLimits(
        max_line_bytes=settings.max_line_bytes,
        max_output_bytes=settings.max_output_bytes,
        max_negotiation_bytes=settings.max_negotiation_bytes,
        lines_per_second=settings.lines_per_second,
        lines_at_once=settings.lines_at_once,
    )
