"""One client at a raw socket: what it types, and when what it waits for has come."""

from __future__ import annotations

import re
import socket
import time
import zlib

_OFFERS = re.compile(rb"\xff([\xfb\xfd])(.)", re.DOTALL)
_DO, _WILL, _WONT, _DONT = 253, 251, 252, 254
_COMPRESS = 86
_TERMINAL_TYPE = 24
_ASKS_NAME = b"\xff\xfa\x18\x01\xff\xf0"
_IS_BENCH = b"\xff\xfa\x18\x00BENCH\xff\xf0"
_COMPRESSED_FROM_HERE = b"\xff\xfa\x56\xff\xf0"
TAIL_BYTES = 64
"""What is looked for may come in two pieces; nothing looked for is longer."""


class Client:
    """A plain client. It refuses every option until it has come in, except compression if it wants that.

    `sent_at` is when its last line was written, or was due, `heard` counts the speech that reached it.
    """

    __slots__ = (
        "_expected",
        "_inflate",
        "_is_in",
        "_sock",
        "_tail",
        "_wants_compression",
        "bytes_in",
        "closed",
        "heard",
        "is_waiting",
        "number",
        "sent_at",
    )

    def __init__(self, number: int, sock: socket.socket, compressed: bool) -> None:
        self.number = number
        self.bytes_in = self.heard = 0
        self.sent_at = 0.0
        self.is_waiting = self.closed = False
        self._sock = sock
        self._expected = b""
        self._tail = b""
        self._is_in = False
        self._wants_compression = compressed
        self._inflate: zlib._Decompress | None = None

    def expect(self, text: bytes) -> None:
        """Wait for a text in what comes from now on."""
        self._expected, self._tail, self.is_waiting = text, b"", True

    def send(self, line: bytes, expected: bytes, due: float = 0.0) -> None:
        """Type a line and wait for a text; latency counts from `due`, if that is given, or else from now."""
        self.expect(expected)
        self.sent_at = due or time.perf_counter()
        try:
            self._sock.send(line + b"\r\n")
        except OSError:
            self.closed = True

    def come_in(self) -> None:
        """Be settled: what is offered from now on is not answered any more."""
        self._is_in = True

    def receive(self) -> bool:
        """Read what has come; return whether what is waited for is among it."""
        try:
            content = self._sock.recv(262144)
        except BlockingIOError:
            return False
        except OSError:
            content = b""
        if not content:
            self.closed = True
            return False
        self.bytes_in += len(content)
        if not self._is_in:
            content = self._settle(content)
        elif self._inflate:
            content = self._inflate.decompress(content)
        self.heard += content.count(b" says")
        if not self.is_waiting:
            return False
        seen = self._tail + content
        if self._expected in seen:
            self.is_waiting = False
            return True
        self._tail = seen[-TAIL_BYTES:]
        return False

    def _settle(self, content: bytes) -> bytes:
        if self._inflate:
            content = self._inflate.decompress(content)
        elif _COMPRESSED_FROM_HERE in content:
            before, _, after = content.partition(_COMPRESSED_FROM_HERE)
            self._inflate = zlib.decompressobj()
            content = before + self._inflate.decompress(after)
        answers = self._name(content) + b"".join(
            self._answer(verb[0], option[0]) for verb, option in _OFFERS.findall(content)
        )
        if answers:
            self._sock.send(answers)
        return content

    def _name(self, content: bytes) -> bytes:
        """Answer who it is, as a server may offer compression only then."""
        return _IS_BENCH if self._wants_compression and _ASKS_NAME in content else b""

    def _answer(self, verb: int, option: int) -> bytes:
        if verb == _WILL:
            yes = option == _COMPRESS and self._wants_compression
            return bytes([255, _DO if yes else _DONT, option])
        yes = option == _TERMINAL_TYPE and self._wants_compression
        return bytes([255, _WILL if yes else _WONT, option])

    @property
    def is_compressed(self) -> bool:
        """Whether the server compresses what it sends."""
        return self._inflate is not None

    def fileno(self) -> int:
        return self._sock.fileno()

    def close(self) -> None:
        """Hang up."""
        self._sock.close()
