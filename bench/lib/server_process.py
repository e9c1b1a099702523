"""A real server as a process of its own, for what can only be measured from outside."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

OPEN = re.compile(r"is open on ([\d.]+):(\d+)")


@dataclass(frozen=True)
class Running:
    """A server that accepts connections. `seconds` is the time from starting the process to that moment."""

    process: subprocess.Popen[str]
    port: int
    seconds: float

    def rss_megabytes(self) -> float:
        """Return the resident memory of the process (Linux)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text("utf-8")
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


@contextmanager
def running(model: str, vault: Path | None = None) -> Iterator[Running]:
    """Start a server on a free port, in a vault that is thrown away unless one is given, and end it afterwards.

    Raises: RuntimeError with what it printed if it does not open.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "server", "serve", "--port", "0", "--model", model]
        started = time.perf_counter()
        log = Path(folder) / "log"
        with log.open("w", encoding="utf-8") as file:
            process = subprocess.Popen(
                [*command, "--vault", str(vault or Path(folder) / "world")],
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
            )
        try:
            try:
                port = _port_of(process)
            except RuntimeError as error:
                raise RuntimeError(f"{error}{log.read_text('utf-8')}") from None
            yield Running(process, port, time.perf_counter() - started)
        finally:
            process.terminate()
            process.wait(timeout=60)


def wait_for(process: subprocess.Popen[str], text: str) -> str:
    """Return the next line that the server prints with a text in it. Raises: RuntimeError if it ends before."""
    assert process.stdout is not None
    printed = []
    for line in process.stdout:
        printed.append(line)
        if text in line:
            return line
    raise RuntimeError(f"The server ended without saying {text!r}. It printed:\n{''.join(printed)}")


def _port_of(process: subprocess.Popen[str]) -> int:
    found = OPEN.search(wait_for(process, "is open on"))
    assert found is not None
    return int(found[2])
