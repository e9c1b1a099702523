"""The way in: telnet, and telnet over TLS where it is asked for, each through the gate that counts callers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from config.settings import ServerSettings
from server.accounts.throttle import is_loopback
from server.clock import ReactorClock
from server.net.connection_limits import OVERFLOW, ConnectionLimiter, LimitingFactory, ProtocolFactory
from server.net.fd_limit import raise_fd_limit
from server.net.listening import ANY_FREE, TELNET, TLS, Ports
from server.telnet.interface import TelnetLimits
from vault.notes import NoteError

if TYPE_CHECKING:
    from server.tls.credentials import Credentials

log = logging.getLogger(__name__)


class Listeners:
    """Opens the ports of a world and says what whoever runs it should know of them.

    `folder` is where the certificate is found or made, `tell` tells the admins who are here. What TLS needs is
    imported only if it is spoken: it weighs as much as a small world.
    """

    def __init__(
        self,
        ports: Ports,
        crowd: ConnectionLimiter,
        settings: Callable[[], ServerSettings],
        folder: Path,
        clock: ReactorClock,
        now_ms: Callable[[], int],
        tell: Callable[[str], None],
    ) -> None:
        self._ports = ports
        self._crowd = crowd
        self._settings = settings
        self._folder = folder
        self._clock = clock
        self._now_ms = now_ms
        self._tell = tell
        self._credentials: Credentials | None = None

    def open(self, factory: ProtocolFactory) -> None:
        """Listen. Raises: CannotListenError if a port is taken, NoteError if a certificate will not do."""
        settings = self._settings()
        self._make_room(settings.max_connections)
        if settings.tls_port or self._ports.is_adopted(TLS):
            encrypted = LimitingFactory(self._over_tls(factory), self._crowd)
            self._ports.open(TLS, *address_for(settings, TLS), encrypted)
        self._ports.open(TELNET, *address_for(settings, TELNET), LimitingFactory(factory, self._crowd))
        if self.warning:
            log.warning("%s", self.warning)

    def close(self) -> None:
        """Look after the certificate no longer; the ports are closed by whoever has them."""
        if self._credentials:
            self._credentials.stop()

    @property
    def sentences(self) -> list[str]:
        """What whoever started the world should read."""
        said = []
        if self._credentials:
            said += [f"Over TLS it is open on {self._ports.address(TLS)}. {self._credentials.note}"]
        return [*said, self.warning] if self.warning else said

    @property
    def warning(self) -> str:
        """What admins should know; empty if there is nothing."""
        if all(is_loopback(host) for host in self._ports.hosts(TELNET)):
            return ""
        warning = (
            f"WARNING: telnet is open to other machines on {self._ports.address(TELNET)}, in plain text: whoever is "
            "on the way can read along, passwords too."
        )
        if tls_port := self._ports.tls_port:
            ours = self._settings().host
            return (
                f"{warning} Have people use TLS on port {tls_port}; then set tls_host to {ours} and host to 127.0.0.1."
            )
        return f"{warning} Set tls_port in config/server.md, or start with --tls-port, and have people use that."

    def _make_room(self, connections: int) -> None:
        self._crowd.most = raise_fd_limit(connections + OVERFLOW)
        if self._crowd.room < connections:
            log.warning(
                "max_connections is %d, but the limit of open files (ulimit -n) has room for %d connections.",
                connections,
                self._crowd.room,
            )

    def _over_tls(self, factory: ProtocolFactory) -> ProtocolFactory:
        try:
            from server.tls.credentials import Credentials, utc_now
            from server.tls.handshake import over_tls
        except ImportError as error:
            raise NoteError(
                f"TLS needs a package that is not installed: {error}. pip install 'twisted[tls]'"
            ) from error
        settings = self._settings()
        self._credentials = Credentials(settings, self._folder, self._clock, utc_now(self._now_ms), self._tell)
        self._credentials.start()
        return over_tls(factory, self._credentials, self._clock, lambda: self._settings().login_seconds)


def address_for(settings: ServerSettings, spoken: str) -> tuple[str, int]:
    """Return the address and the port where settings have telnet or TLS, 0 for any free one."""
    if spoken == TLS:
        return settings.tls_host or settings.host, 0 if settings.tls_port == ANY_FREE else settings.tls_port
    return settings.host, settings.port


def limits_of(settings: ServerSettings) -> TelnetLimits:
    """Return what one connection may cost."""
    return TelnetLimits(
        max_line_bytes=settings.max_line_bytes,
        max_output_bytes=settings.max_output_bytes,
        max_negotiation_bytes=settings.max_negotiation_bytes,
        lines_per_second=settings.lines_per_second,
        lines_at_once=settings.lines_at_once,
    )
