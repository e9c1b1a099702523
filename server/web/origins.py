"""Who may call: exact Host and Origin, and the address of a caller behind a proxy."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from config.settings import ServerSettings

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Origins:
    """The addresses under which browsers reach the page, each as an origin: scheme, host and port.

    `port` is the one that is listened on, `local_host` the address that this very connection has come to.
    """

    settings: ServerSettings
    port: int

    def is_host(self, host: str, local_host: str) -> bool:
        """Whether a request may name this host: a name of ours, so that no other name can be pointed here."""
        return host.lower() in {urlsplit(origin).netloc for origin in self._known(local_host)}

    def is_origin(self, origin: str, local_host: str) -> bool:
        """Whether a page of this origin may speak to us."""
        return origin.lower() in self._known(local_host)

    def _known(self, local_host: str) -> set[str]:
        settings = self.settings
        names = {*LOOPBACK, f"[{local_host}]" if ":" in local_host else local_host}
        if settings.hostname:
            names.add(settings.hostname.lower())
        scheme, usual = ("https", 443) if settings.web_tls else ("http", 80)
        ours = {f"{scheme}://{name}" if self.port == usual else f"{scheme}://{name}:{self.port}" for name in names}
        return ours | {one.rstrip("/").lower() for one in settings.web_origins.replace(",", " ").split()}


def is_network(text: str) -> bool:
    """Return whether a text is an address or a network."""
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True


def caller(peer: str, forwarded: Sequence[str], trusted: str) -> str:
    """Return the address of a caller: the peer, or the last one that is no trusted proxy's.

    `forwarded` are the values of X-Forwarded-For, `trusted` the addresses or networks of proxies. Only what trusted
    proxies have written counts, so nobody can give another address as their own.
    """
    hops = [hop.strip().strip("[]") for value in forwarded for hop in value.split(",")]
    host = peer
    networks = [ipaddress.ip_network(one, strict=False) for one in trusted.replace(",", " ").split() if is_network(one)]
    while hops and _is_in(host, networks):
        before = hops.pop()
        if not is_network(before):
            return host
        host = before
    return host


def _is_in(host: str, networks: Sequence[ipaddress.IPv4Network | ipaddress.IPv6Network]) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return any(address in network for network in networks)
