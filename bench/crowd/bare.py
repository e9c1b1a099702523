"""A bare broadcast over Twisted as it is measured: how fast anything could be that is written in it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.crowd.broadcast_server import GREETING
from bench.crowd.server import Served

BARE = "bare Twisted"


@contextmanager
def broadcast() -> Iterator[Served]:
    """Start it in a process of its own, and end it."""
    command = [sys.executable, "-m", "bench.crowd.broadcast_server"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        yield Served(BARE, port, (process.pid,), GREETING, _comes_in)
    finally:
        process.terminate()
        process.wait(timeout=60)


def _comes_in(number: int) -> Sequence[tuple[bytes, bytes]]:
    return ()
