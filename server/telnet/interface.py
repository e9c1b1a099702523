"""What one telnet connection may cost, and what it expects of Twisted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from server.connection.input import InputLimits
from server.connection.output import Transport


@dataclass(frozen=True)
class TelnetLimits(InputLimits):
    """What one telnet connection may cost. The defaults suit any public server."""

    max_line_bytes: int = 4096
    """A longer line is dropped and its player told. Bytes, 80 to 65536."""
    max_subnegotiation_bytes: int = 4096
    """A longer subnegotiation is dropped. Bytes, 64 to 65536."""
    max_negotiation_bytes: int = 256 * 1024
    """What a client may send of telnet commands before it sends a line, or it is dropped. Bytes, 4096 and up."""
    bytes_per_turn: int = 512
    """What is taken in one turn in bytes, as anything but a line costs time too: negotiations, breaks. 64 to 65536."""
    max_output_bytes: int = 256 * 1024
    """What may wait for a client that does not read, before it is dropped. Bytes, 65536 and up."""


class TcpTransport(Transport, Protocol):
    """What a transport can do besides when it is TCP, or TLS over it."""

    def setTcpNoDelay(self, enabled: bool) -> None:
        """Send small writes at once: with Nagle's algorithm every second answer is 40 ms late."""

    def setTcpKeepAlive(self, enabled: bool) -> None:
        """Find out, in time, that the other side is gone."""
