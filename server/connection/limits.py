"""Connection limits (rate limit) by network address and in all, counted at the socket."""

from __future__ import annotations

import ipaddress
import logging
import os
import resource
from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import ServerFactory

from config.settings import ServerSettings
from server.clock import ReactorClock
from server.connection.connection import Door, RefusalReason, Traffic, new_traffic
from server.connection.input import TokenBucket

log = logging.getLogger(__name__)

RESERVED_FDS = 128
"""Number of file handles reserved for notes, journals and requests to models."""

MAX_PAGE_FILES = 256
PAGE_FILES_SHARE = 8
"""Maximum number of handles for the backlogs of pages, and the share of all handles, one part in this many."""

UNBOUNDED = 1_000_000
OVERFLOW = 64
"""Number of connections beyond those that may log in, so that they can be told why they may not."""

OVERFLOW_PER_ADDRESS = 4
"""The same for one address."""

MAX_REMEMBERED = 10_000
REPORT_SECONDS = 60.0


def network_of(host: str) -> str:
    """Return the network that counts as one address: for IPv6 that of a household, for IPv4 the address."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        if not address.is_loopback:
            return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def is_loopback(host: str) -> bool:
    """Return whether an address is that of this very machine."""
    try:
        return ipaddress.ip_address(network_of(host)).is_loopback
    except ValueError:
        return False


def page_files(limit: int | None = None) -> int:
    """Return for how many files of pages a limit of handles has room; by default the one in force."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if limit is None else limit
    return MAX_PAGE_FILES if soft == resource.RLIM_INFINITY else min(MAX_PAGE_FILES, soft // PAGE_FILES_SHARE)


def raise_fd_limit(connections: int) -> int:
    """Raise the limit on file handles to the need of some connections; return the number that there is room for."""
    in_use = _in_use()
    needed = connections + in_use + RESERVED_FDS + MAX_PAGE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return UNBOUNDED if soft == resource.RLIM_INFINITY else max(1, soft - in_use - RESERVED_FDS - page_files(soft))


def _in_use() -> int:
    try:
        return len(os.listdir("/proc/self/fd"))
    except OSError:
        return 64


class ConnectionLimiter:
    """Counts open connections, before and after login.

    This machine itself may call as often as it likes, within the total: such calls come from a proxy or from the
    operator. Players who are absent count for their address as well; see `SessionRegistry.entry_refusal`. `most` bounds
    connections by what the process can hold open; settings count at once. `traffic` counts open and refused connections
    by door, whether the refusal had a message or not.
    """

    def __init__(
        self, settings: Callable[[], ServerSettings], clock: ReactorClock, traffic: Traffic | None = None
    ) -> None:
        self.most = UNBOUNDED
        self.traffic = new_traffic() if traffic is None else traffic
        self._settings = settings
        self._clock = clock
        self._of_address: Counter[str] = Counter()
        self._calls: dict[str, TokenBucket] = {}
        self._turned_away: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """The number of open connections."""
        return sum(door.connections for door in self.traffic.values())

    @property
    def room(self) -> int:
        """The number of players that may come in."""
        return min(self._settings().max_connections, max(1, self.most - OVERFLOW))

    def exceeds_address_limit(self, host: str, absent: int = 0) -> bool:
        """Return whether an address has more connections than it may, with some `absent` that have no socket.

        Of this machine only the absent count, of which the caller says which do.
        """
        most = self._settings().connections_per_address
        connections = 1 if is_loopback(host) else max(1, self._of_address[network_of(host)])
        return bool(most) and connections + absent > most

    def admit(self, host: str, door: Door = "telnet") -> bool:
        """Count a call, or return False if it should be closed without a word."""
        network = network_of(host)
        if why := self._why_not(network, is_loopback(host)):
            self.refuse(network, why, door)
            return False
        self.traffic[door].connections += 1
        self._of_address[network] += 1
        return True

    def admit_behind_proxy(self, host: str, door: Door) -> bool:
        """Count a caller whose proxy's connection is counted already; False if it is to be refused."""
        if not self.admit(host, door):
            return False
        self.traffic[door].connections -= 1
        return True

    def leave_behind_proxy(self, host: str, door: Door) -> None:
        """Count no longer what `admit_behind_proxy` has counted."""
        self.traffic[door].connections += 1
        self.leave(host, door)

    def refuse(self, network: str, why: RefusalReason, door: Door) -> None:
        """Count a rejection; of many within a minute the log has two lines."""
        self.traffic[door].refused[why] += 1
        if not self._turned_away:
            reason = "banned" if why == "banned" else "too many connections"
            log.warning("%s rejected: %s. Further rejections are summed up once a minute.", network, reason)
            self._clock.callLater(REPORT_SECONDS, self._report)
        if network in self._turned_away or len(self._turned_away) < MAX_REMEMBERED:
            self._turned_away[network] += 1

    def leave(self, host: str, door: Door = "telnet") -> None:
        """Count no longer what `admit` has counted."""
        network = network_of(host)
        self.traffic[door].connections -= 1
        self._of_address[network] -= 1
        if not self._of_address[network]:
            del self._of_address[network]

    def _why_not(self, network: str, is_here: bool) -> RefusalReason | None:
        if self.count >= min(self.room + OVERFLOW, self.most):
            return "full"
        if is_here:
            return None
        settings = self._settings()
        most, a_minute = settings.connections_per_address, settings.connects_per_minute
        if most and self._of_address[network] >= most + OVERFLOW_PER_ADDRESS:
            return "too_many_from_there"
        calls = self._calls.setdefault(network, TokenBucket(self._clock, a_minute / 60, a_minute))
        if calls.wait_seconds:
            return "too_often"
        calls.take()
        if len(self._calls) > MAX_REMEMBERED:
            self._forget()
        return None

    def _forget(self) -> None:
        """Forget addresses that have not called recently; if all have, the oldest."""
        self._calls = {network: calls for network, calls in self._calls.items() if not calls.is_full}
        for network in list(self._calls)[: max(0, len(self._calls) - MAX_REMEMBERED // 2)]:
            del self._calls[network]

    def _report(self) -> None:
        (network, most), *_ = self._turned_away.most_common(1)
        total = self._turned_away.total()
        self._turned_away.clear()
        if total > 1:
            log.warning("%d connections rejected within a minute, %d of them from %s.", total, most, network)


class ProtocolFactory(Protocol):
    """A factory of protocols, one for each caller."""

    def buildProtocol(self, addr: IAddress | None) -> Any: ...


class LimitingFactory(ServerFactory):
    """Passes callers on to another factory if the limiter admits them, and counts them again when they leave.

    Protocols of that factory have a method `when_lost`, which takes what they call when their connection is lost.
    """

    noisy = False

    def __init__(self, factory: ProtocolFactory, limiter: ConnectionLimiter, door: Door = "telnet") -> None:
        self._factory = factory
        self._limiter = limiter
        self._door = door

    def buildProtocol(self, addr: IAddress | None) -> Any:
        """Return a protocol for a caller, or None to have the connection closed."""
        host = str(getattr(addr, "host", "local"))
        if not self._limiter.admit(host, self._door):
            return None
        try:
            protocol = self._factory.buildProtocol(addr)
        except Exception:
            self._limiter.leave(host, self._door)
            raise
        if protocol is None:
            self._limiter.leave(host, self._door)
        else:
            protocol.when_lost(lambda: self._limiter.leave(host, self._door))
        return protocol
