"""Who may not come in: names, addresses and networks, until a time or for ever."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from datetime import UTC, datetime

from server.door.accounts_file import AccountsFile
from server.door.accounts_text import Ban, key
from world.model import World


class BanRefused(Exception):
    """Nobody can be kept out by that; the message says why."""


class Bans:
    """The bans in the file of accounts. Times are UTC; `now` returns the present one."""

    def __init__(self, file: AccountsFile, world: World, now: Callable[[], datetime]) -> None:
        self._file = file
        self._world = world
        self._now = now

    def put(self, who: str, until: datetime | None, why: str) -> None:
        """Keep a name, an address or a network (`203.0.113.0/24`) out, until then or for ever (None).

        Whoever is connected stays. Raises: BanRefused for this machine's own address, NoteError if it cannot be kept.
        """
        who = who.strip()
        network = _network(who)
        if network and any(network.overlaps(own) for own in _OWN_MACHINE):
            raise BanRefused(self._world.wording("door.no_ban_on_this_machine", host=who))
        ban = Ban(who, until.astimezone(UTC).isoformat(timespec="seconds") if until else "", why)
        self._file.change(lambda records: records.with_ban(ban))

    def lift(self, who: str) -> bool:
        """Let somebody in again; return whether they were kept out. Raises: NoteError if it cannot be kept."""
        found = key(who.strip()) in self._file.records.bans
        if found:
            self._file.change(lambda records: records.without_ban(who.strip()))
        return found

    def in_force(self) -> list[Ban]:
        """Return the bans that are in force, oldest first."""
        now = self._now()
        return [
            ban for ban in self._file.records.bans.values() if not ban.until or datetime.fromisoformat(ban.until) > now
        ]

    def on(self, name_or_host: str) -> Ban | None:
        """Return the ban that keeps a name or an address out, or None."""
        address = _network(name_or_host)
        for ban in self.in_force():
            network = _network(ban.who)
            if key(ban.who) == key(name_or_host) or (address and network and _holds(network, address)):
                return ban
        return None

    def text(self, ban: Ban) -> str:
        """Return what somebody is told who may not come in."""
        if not ban.until:
            return self._world.wording("door.banned", why=ban.why)
        return self._world.wording("door.banned_until", until=minute_of(ban.until), why=ban.why)


def minute_of(until: str) -> str:
    """Return the time until which a ban counts as people read it; empty if it counts for ever."""
    return f"{datetime.fromisoformat(until).astimezone(UTC):%Y-%m-%d %H:%M} UTC" if until else ""


Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_OWN_MACHINE = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1"))


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
