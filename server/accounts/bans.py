"""Bans: names, addresses and networks, until a time or for ever."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache

from twisted.internet.defer import Deferred

from server.accounts.schema import Ban, key
from server.accounts.store import AccountStore
from world.world import World


class BanRefused(Exception):
    """Nobody can be kept out by that; the message says why."""


class Bans:
    """The bans among the accounts. Times are UTC; `now` returns the present one."""

    def __init__(self, store: AccountStore, world: World, now: Callable[[], datetime]) -> None:
        self._store = store
        self._world = world
        self._now = now

    def put(self, who: str, until: datetime | None, why: str) -> Deferred[None]:
        """Keep a name, an address or a network (`203.0.113.0/24`) out, until then or for ever (None).

        Whoever is connected stays. The Deferred fires when the ban is kept and in force; it fails with NoteError.
        Raises: BanRefused for this machine's own address.
        """
        who = who.strip()
        network = _network(who)
        if network and any(network.overlaps(own) for own in _OWN_MACHINE):
            raise BanRefused(self._world.wording("door.no_ban_on_this_machine", host=who))
        ban = Ban(who, until.astimezone(UTC).isoformat(timespec="seconds") if until else "", why)
        return self._store.change(lambda database: database.put_ban(ban))

    def has(self, who: str) -> bool:
        """Return whether there is a ban of exactly this name, address or network."""
        return key(who.strip()) in self._store.bans

    def lift(self, who: str) -> Deferred[bool]:
        """Let somebody in again. The Deferred fires with whether they were kept out, and fails with NoteError."""
        return self._store.change(lambda database: database.remove_ban(who.strip()))

    def in_force(self) -> list[Ban]:
        """Return the bans that are in force, oldest first."""
        return [ban for ban in self._store.bans.values() if self._counts(ban)]

    def on(self, name_or_host: str) -> Ban | None:
        """Return the ban that keeps a name or an address out, or None."""
        found = self._store.bans.get(key(name_or_host))
        if found and self._counts(found):
            return found
        address = _network(name_or_host)
        for ban in self._store.bans.values() if address else ():
            network = _network(ban.who)
            if address and network and _holds(network, address) and self._counts(ban):
                return ban
        return None

    def _counts(self, ban: Ban) -> bool:
        return not ban.until or datetime.fromisoformat(ban.until) > self._now()

    def text(self, ban: Ban) -> str:
        """Return the message for somebody who is banned."""
        if not ban.until:
            return self._world.wording("door.banned", why=ban.why)
        return self._world.wording("door.banned_until", until=until_text(ban.until), why=ban.why)


def until_text(until: str) -> str:
    """Return the time until which a ban counts as people read it; empty if it counts for ever."""
    return f"{datetime.fromisoformat(until).astimezone(UTC):%Y-%m-%d %H:%M} UTC" if until else ""


Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_OWN_MACHINE = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1"))


@lru_cache(10_000)
def _network(text: str) -> Network | None:
    """Return an address or network as a network, an IPv4 address within IPv6 as itself; None if it is neither."""
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None
    mapped = network.network_address.ipv4_mapped if isinstance(network, ipaddress.IPv6Network) else None
    return ipaddress.ip_network(mapped) if mapped and network.num_addresses == 1 else network


def _holds(network: Network, address: Network) -> bool:
    return network.version == address.version and address.network_address in network
