"""How long whoever gave wrong passwords has to wait before the next one is looked at."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from server.clock import ReactorClock

FREE = 3
FIRST_SECONDS = 2.0
LONGEST_SECONDS = 300.0
FORGET_SECONDS = 1800.0
MOST_REMEMBERED = 10_000
TICK = 0.01  # a timer may be that much too early


@dataclass
class _Wrong:
    """Wrong passwords of one name or address, and until when the next one waits, in the clock's seconds."""

    count: int = 0
    until: float = 0.0


class LoginThrottle:
    """Counts wrong passwords by name and by address; from the third on each doubles the wait, up to five minutes.

    An address from which somebody has come in does not wait for what others guess at that name elsewhere, so that
    nobody can be kept out by it. On this machine, where a proxy may speak for everybody, each name waits for itself.
    All is forgotten half an hour after the last wrong one, and at a new start.
    """

    def __init__(self, clock: ReactorClock) -> None:
        self._clock = clock
        self._wrong: dict[tuple[str, str], _Wrong] = {}
        self._at_home: dict[tuple[str, str], None] = {}

    def seconds(self, name: str, host: str) -> float:
        """Return how long a password for this name has to wait that comes from this address."""
        key, left = name.casefold(), self.seconds_there(name, host)
        return left if (key, network_of(host)) in self._at_home else max(left, self._left(("name", key)))

    def seconds_there(self, name: str, host: str) -> float:
        """Return how long it has to wait for what was wrong from there, whatever others guess elsewhere."""
        return self._left(("address", throttle_key(name, host)))

    def wrong(self, name: str, host: str) -> None:
        """Count a wrong password."""
        self._count(("address", throttle_key(name, host)))
        self._count(("name", name.casefold()))

    def right(self, name: str, host: str) -> None:
        """Note that somebody came in. What was guessed from that address, at whatever name, still counts."""
        self._wrong.pop(("name", name.casefold()), None)
        home = name.casefold(), network_of(host)
        self._at_home.pop(home, None)
        self._at_home[home] = None  # behind all others: who came in longest ago is forgotten first
        if len(self._at_home) > MOST_REMEMBERED:
            del self._at_home[next(iter(self._at_home))]

    def _left(self, key: tuple[str, str]) -> float:
        found = self._wrong.get(key)
        left = found.until - self._clock.seconds() if found else 0.0
        return left if left > TICK else 0.0

    def _count(self, key: tuple[str, str]) -> None:
        now = self._clock.seconds()
        entry = self._wrong.pop(key, None) or _Wrong()
        if now > entry.until + FORGET_SECONDS:
            entry = _Wrong()
        entry.count += 1
        beyond = entry.count - FREE
        entry.until = now + (min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** min(beyond, 30)) if beyond >= 0 else 0.0)
        self._wrong[key] = entry
        if len(self._wrong) > MOST_REMEMBERED:
            del self._wrong[next(iter(self._wrong))]


def throttle_key(name: str, host: str) -> str:
    """Return what waits together: an address, or a name that is tried on this machine."""
    return f"{network_of(host)} {name.casefold()}" if is_loopback(host) else network_of(host)


def network_of(host: str) -> str:
    """Return what counts as one address: of IPv6 the network that one household has, of IPv4 the address."""
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
