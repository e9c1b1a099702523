"""Measure how fast telnet bytes become lines, beside twisted.conch's parser in the same run.

Run `python -m bench.telnet_parser [--megabytes N]`. Both get the same bytes in reads of 64 KB and must find the
same number of lines. One line per kind of traffic: MB/s of either, and the ratio.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from twisted.conch.telnet import StatefulTelnetProtocol, TelnetTransport
from twisted.internet.testing import StringTransport

from server.telnet.parser import Line, TelnetParser

READ_BYTES = 65536
ROUNDS = 5

TRAFFIC = {
    "short commands": b"look\r\nnorth\r\nget lamp\r\n",
    "typed speech": b"say What a lovely evening it is, and how the river sings under the old bridge!\r\n",
    "pasted text": b"x" * 2000 + b"\r\n",
    "options in every line": b"say hello\xff\xfb\x1f there\xff\xff\r\n",
}


class CountedLines(StatefulTelnetProtocol):
    """conch's own way to lines; the end of a line is left on, as it comes."""

    delimiter = b"\n"

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def lineReceived(self, line: bytes) -> None:
        self.count += 1


def ours(reads: list[bytes]) -> int:
    """Return the number of lines that our parser finds in `reads`."""
    parser = TelnetParser()
    count = 0
    for read in reads:
        parser.receive(read)
        while (event := parser.next_event()) is not None:
            count += isinstance(event, Line)
    return count


def conchs(reads: list[bytes]) -> int:
    """Return the number of lines that conch's parser finds in `reads`."""
    conch: Any = TelnetTransport  # it has no annotations
    in_memory: Any = StringTransport
    transport = conch(CountedLines)
    transport.makeConnection(in_memory())
    for read in reads:
        transport.dataReceived(read)
    return int(transport.protocol.count)


def seconds(find_lines: Callable[[list[bytes]], int], reads: list[bytes], expected: int) -> float:
    """Return how long `find_lines` takes; refuse a parser that finds another number of lines."""
    start = time.perf_counter()
    found = find_lines(reads)
    taken = time.perf_counter() - start
    if found != expected:
        raise SystemExit(f"{find_lines.__name__} found {found} lines instead of {expected}")
    return taken


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--megabytes", type=int, default=4, help="bytes of each kind of traffic (default 4)")
    wanted_bytes = options.parse_args().megabytes * 1_000_000
    print(f"{'traffic':24}{'ours MB/s':>11}{'conch MB/s':>12}{'ratio':>8}")
    for name, sample in TRAFFIC.items():
        stream = sample * (wanted_bytes // len(sample))
        reads = [stream[start : start + READ_BYTES] for start in range(0, len(stream), READ_BYTES)]
        lines = stream.count(b"\n")
        megabytes = len(stream) / 1e6
        # In turns, so that whatever else the machine does slows both; the best round of each counts.
        rounds = [(seconds(ours, reads, lines), seconds(conchs, reads, lines)) for _ in range(ROUNDS)]
        our_rate, conch_rate = (megabytes / min(taken) for taken in zip(*rounds, strict=True))
        print(f"{name:24}{our_rate:11.1f}{conch_rate:12.1f}{our_rate / conch_rate:8.1f}")


if __name__ == "__main__":
    main()
