"""How many new names one address may take: a flood of accounts is slowed, a household is not."""

from __future__ import annotations

from server.accounts.throttle import is_loopback, network_of
from server.clock import ReactorClock
from server.connection.input import TokenBucket

MOST_REMEMBERED = 10_000
HOUR = 3600.0


class SignupLimiter:
    """Counts the names taken from each address. This machine itself may take any number."""

    def __init__(self, clock: ReactorClock) -> None:
        self._clock = clock
        self._taken: dict[str, TokenBucket] = {}

    def are_too_many(self, host: str) -> bool:
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
        if len(self._taken) > MOST_REMEMBERED:
            del self._taken[next(iter(self._taken))]
