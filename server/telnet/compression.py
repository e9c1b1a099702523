"""The output buffer of a connection, and its compression (MCCP2, option 86)."""

from __future__ import annotations

import zlib

from server.telnet.negotiation import Compressed, Effect, Option, Policy, subnegotiation
from server.telnet.options import ClientInfo
from server.telnet.parser import COMPRESS2

WINDOW_BITS = 12
MEMORY_LEVEL = 4
"""30 KB a player instead of the 200 that zlib takes by itself, for text a ninth as long instead of a seventeenth."""

_BEGIN = subnegotiation(COMPRESS2, b"")


def compression_option() -> Option[ClientInfo]:
    """Return the row of the option table that offers compression.

    It is offered once the client has said who it is, because Mudlet fails on compressed questions. A client that says
    nothing, or asks unbidden, gets none: it may be a program that tries every option there is.
    """
    return Option(COMPRESS2, local=Policy.OFFER_LATE, on_local_enabled=_begin, on_local_disabled=_end)


def _begin(client: ClientInfo) -> list[Effect]:
    return [Compressed(True)]


def _end(client: ClientInfo) -> list[Effect]:
    return [Compressed(False)]


class OutputBuffer:
    """Bytes in the order in which they were added, compressed from the places on where that was asked for."""

    __slots__ = ("_deflate", "_has_switch", "_parts", "_will_compress", "waiting_bytes")

    def __init__(self) -> None:
        self.waiting_bytes = 0
        """The number of waiting bytes, before compression."""
        self._parts: list[bytes | bool] = []
        """The output: bytes, and marks where compression begins (True) or ends (False)."""
        self._will_compress = False
        self._has_switch = False
        self._deflate: zlib._Compress | None = None

    def add(self, content: bytes) -> int:
        """Let some bytes wait, and return how many do."""
        self._parts.append(content)
        self.waiting_bytes = waiting = self.waiting_bytes + len(content)
        return waiting

    def compress(self, on: bool) -> None:
        """Have compressed what is added from here on, or end that; asked again, change nothing."""
        if on != self._will_compress:
            self._will_compress = on
            self._has_switch = True
            self._parts.append(on)

    def drain(self) -> bytes:
        """Return all that waits as it goes over the wire, so that the client can read it to its last byte."""
        if not self._parts:
            return b""
        parts, self._parts, self.waiting_bytes = self._parts, [], 0
        if self._has_switch:
            self._has_switch = False
            return b"".join(self._switched(part) if isinstance(part, bool) else self._encoded(part) for part in parts)
        content = b"".join(parts)  # type: ignore[arg-type]
        return content if self._deflate is None else self._encoded(content)

    def forget(self) -> None:
        """Drop everything: nobody is there any more."""
        self._parts, self.waiting_bytes, self._has_switch = [], 0, False
        self._deflate = None

    def _encoded(self, content: bytes) -> bytes:
        if self._deflate is None:
            return content
        return self._deflate.compress(content) + self._deflate.flush(zlib.Z_SYNC_FLUSH)

    def _switched(self, on: bool) -> bytes:
        if on:
            self._deflate = zlib.compressobj(wbits=WINDOW_BITS, memLevel=MEMORY_LEVEL)
            return _BEGIN
        assert self._deflate is not None
        ended, self._deflate = self._deflate.flush(zlib.Z_FINISH), None
        return ended
