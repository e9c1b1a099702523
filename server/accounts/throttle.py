"""Limits by name and by address: how long the next password waits, and how many new names an address may take."""

from __future__ import annotations

from dataclasses import dataclass

from server.clock import ReactorClock
from server.connection.input import TokenBucket
from server.net.addresses import is_loopback, network_of

FREE_TRIES = 3
FIRST_WAIT_SECONDS = 2.0
MAX_WAIT_SECONDS = 300.0
FORGET_SECONDS = 1800.0
MAX_REMEMBERED = 10_000
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
        self._trusted: dict[tuple[str, str], None] = {}

    def seconds(self, name: str, host: str) -> float:
        """Return how long a password for this name has to wait that comes from this address."""
        key, left = name.casefold(), self.seconds_there(name, host)
        return left if (key, network_of(host)) in self._trusted else max(left, self._left(("name", key)))

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
        self._trusted.pop(home, None)
        self._trusted[home] = None  # behind all others: who came in longest ago is forgotten first
        if len(self._trusted) > MAX_REMEMBERED:
            del self._trusted[next(iter(self._trusted))]

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
        beyond = entry.count - FREE_TRIES
        entry.until = now + (min(MAX_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** min(beyond, 30)) if beyond >= 0 else 0.0)
        self._wrong[key] = entry
        if len(self._wrong) > MAX_REMEMBERED:
            del self._wrong[next(iter(self._wrong))]


def throttle_key(name: str, host: str) -> str:
    """Return what waits together: an address, or a name that is tried on this machine."""
    return f"{network_of(host)} {name.casefold()}" if is_loopback(host) else network_of(host)


HOUR = 3600.0


class SignupLimiter:
    """Counts the names taken from each address. This machine itself may take any number."""

    def __init__(self, clock: ReactorClock) -> None:
        self._clock = clock
        self._taken: dict[str, TokenBucket] = {}

    def is_exceeded(self, host: str) -> bool:
        """Whether no other name can be taken from an address for now."""
        taken = self._taken.get(network_of(host))
        return taken is not None and taken.wait_seconds > 0

    def note(self, host: str, an_hour: int) -> None:
        """Note that a name was taken from an address, where so many may be in an hour; 0 for any number."""
        if is_loopback(host) or not an_hour:
            return
        network = network_of(host)
        taken = self._taken.pop(network, None) or TokenBucket(self._clock, an_hour / HOUR, an_hour)
        self._taken[network] = taken  # behind all others: who took a name longest ago is forgotten first
        taken.take()
        if len(self._taken) > MAX_REMEMBERED:
            del self._taken[next(iter(self._taken))]
