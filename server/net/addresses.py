"""Addresses: the network that one belongs to, and whether it is this machine's own."""

from __future__ import annotations

import ipaddress


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
