"""Look for bytes that a telnet connection stumbles over: `python -m tests.fuzz.telnet_bytes -max_total_time=600`.

It needs atheris (`pip install atheris`, in an environment with the project's own packages), which learns from what
is executed which bytes lead further. Whatever it finds belongs into tests/server/telnet/test_parser.py, as an
example.
"""

from __future__ import annotations

import logging
import sys
import tempfile
from pathlib import Path

import atheris  # type: ignore[import-untyped,import-not-found,unused-ignore]
from twisted.internet.task import Clock

with atheris.instrument_imports(include=["server.telnet", "server.session", "server.accounts", "world"]):
    from tests.server.telnet.conversing import heard, inn_of

SEEDS = (
    b"\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0look\r\n",
    b"\xff\xfb\x18\xff\xfa\x18\x00MTTS 141\xff\xf0say hi\r\0",
    b"\xff\xfd\x2a\xff\xfa\x2a\x02UTF-8\xff\xf0\xff\xfd\x56\xff\xf6",
    b'\xff\xfd\xc9\xff\xfa\xc9Core.Hello {"client":"x"}\xff\xf0',
)


class Failure(logging.Handler):
    """Makes a failure that the server has logged, and lived on with, one that stops the search."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            raise AssertionError(record.getMessage())

    def handleError(self, record: logging.LogRecord) -> None:
        raise


def main() -> None:
    """Search until the time is over or something is found; its bytes are left in a file `crash-…`."""
    logging.getLogger().addHandler(Failure())
    logging.raiseExceptions = True
    clock = Clock()
    folder = Path(tempfile.mkdtemp())
    registry = inn_of(folder, clock)

    def one(content: bytes) -> None:
        whole = heard(b"guest\n" + content, len(content) + 6, registry, clock)
        assert heard(b"guest\n" + content, 1, registry, clock) == whole

    corpus = folder / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(SEEDS):
        (corpus / str(number)).write_bytes(seed)
    atheris.Setup([*sys.argv, "-max_len=400", str(corpus)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
