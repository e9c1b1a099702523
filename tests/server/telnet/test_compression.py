"""Compression from whatever byte on, to whatever byte: what is inflated is what was written."""

from __future__ import annotations

import zlib

from hypothesis import given
from hypothesis import strategies as st

from server.telnet.connection import OutputBuffer
from server.telnet.parser import COMPRESS2, IAC, SB, SE

BEGIN = bytes([IAC, SB, COMPRESS2, IAC, SE])
# No step's bytes look like the beginning of compression, so that a reader of the wire finds it.
CONTENT = st.binary(max_size=300).map(lambda content: content.replace(BEGIN, b""))
STEPS = st.lists(st.one_of(CONTENT, st.booleans(), st.none()), max_size=30)


class Reader:
    """A client: inflates what follows the beginning of compression, until that ends by itself."""

    def __init__(self) -> None:
        self.read = b""
        self._inflate: zlib._Decompress | None = None
        self._plain = b""

    def receives(self, wire: bytes) -> None:
        while wire:
            if self._inflate is None:
                plain, begin, wire = (self._plain + wire).partition(BEGIN)
                self.read += plain
                self._inflate = zlib.decompressobj() if begin else None
            else:
                self.read += self._inflate.decompress(wire)
                wire = self._inflate.unused_data
                if self._inflate.eof:
                    self._inflate = None


@given(STEPS)
def test_inflating_gives_exactly_what_was_added_wherever_compression_begins_and_ends(steps):
    outflow, reader, added = OutputBuffer(), Reader(), b""
    for step in steps:
        match step:
            case bytes():
                outflow.add(step)
                added += step
            case bool():
                outflow.compress(step)
            case None:
                reader.receives(outflow.drain())
                assert reader.read == added  # each write can be read to its last byte
    reader.receives(outflow.drain())
    assert reader.read == added


def test_what_waits_is_counted_before_it_is_compressed():
    outflow = OutputBuffer()
    outflow.compress(True)
    outflow.add(b"x" * 1000)
    assert outflow.waiting_bytes == 1000
    assert len(outflow.drain()) < 100
    assert outflow.waiting_bytes == 0
