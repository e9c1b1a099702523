"""Measure the pauses of the reactor: `python -m bench.pauses [SECONDS] [MEMORIES]` (60 and 800).

A heartbeat every 5 ms inside a real server, on its own event loop: once without a model, once with three agents that
think every second with the embedded model. Each agent has MEMORIES memories, so that the first prompts are long. A
pause is the delay of a beat, less the time its thread waited for a processor that other programs had.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench.lib.reporting import Table, argument_parser, percentile, publish
from bench.lib.servers import READY, run_program, wait_for
from bench.lib.worlds import write_journal
from server.__main__ import main as serve
from vault.chronicle.event_log import moment_text
from vault.vault import open_vault

TICK_SECONDS = 0.005
STARTING_BEATS = 50
GOAL_MS = 20.0
LONGEST_SHOWN = 5
INSIDE = "--inside"


class Heartbeat:
    """Beats on an event loop, and writes its pauses into a file of its process in `folder`.

    Each line has a time, in seconds since 1970, the pause before it, and how much of that its thread was at work, both
    in milliseconds; for the rest it waited for a disk or another thread. The first beats are left out.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, folder: Path) -> None:
        self._loop = loop
        self._beats = 0
        self._due = self._worked = self._waited = 0.0
        folder.mkdir(parents=True, exist_ok=True)
        self._file = open(folder / f"{os.getpid()}.pauses", "a", buffering=1, encoding="ascii")  # noqa: SIM115
        loop.call_soon(self._begin)

    def _begin(self) -> None:
        self._schedstat = open(f"/proc/self/task/{threading.get_native_id()}/schedstat", encoding="ascii")  # noqa: SIM115
        self._next()

    def _next(self) -> None:
        self._due = time.perf_counter() + TICK_SECONDS
        self._worked, self._waited = self._spent()
        self._loop.call_later(TICK_SECONDS, self._tick)

    def _tick(self) -> None:
        late, (worked, waited) = time.perf_counter() - self._due, self._spent()
        pause = 1000 * max(0.0, late - (waited - self._waited))
        self._beats += 1
        if self._beats > STARTING_BEATS:
            self._file.write(f"{time.time():.3f} {pause:.2f} {min(pause, 1000 * (worked - self._worked)):.2f}\n")
        self._next()

    def _spent(self) -> tuple[float, float]:
        """Return for how long this thread has run, and been ready to run while others ran, in seconds."""
        self._schedstat.seek(0)
        worked, waited, _ = self._schedstat.read().split()
        return int(worked) / 1e9, int(waited) / 1e9


def measure_pauses(model: str, seconds: float, memories: int) -> list[str]:
    """Return the pauses of a world with a model as a row, from before its first thought."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world = str(_write_vault(folder / "world", memories))
        serve = ["serve", "--vault", world, "--port", "0", "--model", model]
        with run_program(["bench.pauses", INSIDE, name, *serve]) as process:
            wait_for(process, READY[model])
            time.sleep(seconds)
            return _row(model, folder)


def _row(name: str, folder: Path) -> list[str]:
    pauses = [pause for _, pause in read_pauses(folder)]
    at = [percentile(pauses, share) for share in (0.5, 0.99, 0.999, 1.0)]
    return [name, f"{len(pauses):,}", *(f"{one:.1f} ms" for one in at), str(sum(one > GOAL_MS for one in pauses))]


def _write_vault(path: Path, memories: int) -> Path:
    open_vault(path)
    for note in path.glob("agents/*/agent.md"):
        text, found = re.subn(r"^think_seconds: .*$", "think_seconds: 1", note.read_text("utf-8"), flags=re.MULTILINE)
        assert found, f"{note} does not say how often its agent thinks"
        note.write_text(text, encoding="utf-8")
        write_journal(note.parent, memories, int(time.time() * 1000) - 60_000)
    return path


def read_pauses(folder: Path, pid: int | str = "*") -> list[tuple[float, float]]:
    """Return the pauses of a process with their times; of all that have written into the folder by default."""
    return [(at, pause) for at, pause, _ in _lines(folder, pid)]


def _lines(folder: Path, pid: int | str = "*") -> list[tuple[float, float, float]]:
    lines = [line for path in folder.glob(f"{pid}.pauses") for line in path.read_text("ascii").split("\n")[:-1]]
    return [(float(at), float(pause), float(work)) for at, pause, work in map(str.split, lines)]


def longest_pauses(folder: Path) -> Table:
    """Return the longest pauses in a folder as a table."""
    longest = sorted(_lines(folder), key=lambda row: -row[1])[:LONGEST_SHOWN]
    rows = [[moment_text(int(at * 1000)), f"{pause:.1f} ms", f"{work:.1f} ms"] for at, pause, work in longest]
    return Table(["at", "pause", "at work"], rows)


def main() -> None:
    """Print the pauses of both worlds as a table."""
    parser = argument_parser(__doc__)
    parser.add_argument("seconds", type=float, nargs="?", default=60.0)
    parser.add_argument("memories", type=int, nargs="?", default=800)
    parser.add_argument("--read", type=Path, metavar="FOLDER", help="measure nothing; read what servers have written")
    options = parser.parse_args()
    heads = ["the agents' model", "beats", "p50", "p99", "p99.9", "longest", f"over {GOAL_MS:g} ms"]
    if options.read:
        tables = [Table(heads, [_row("of any kind", options.read)]), longest_pauses(options.read)]
    else:
        rows = [measure_pauses(model, options.seconds, options.memories) for model in READY]
        tables = [Table(heads, rows)]
    publish("pauses", tables, options.record)


if __name__ == "__main__":
    if sys.argv[1:2] == [INSIDE]:
        serve(sys.argv[3:], lambda loop: Heartbeat(loop, Path(sys.argv[2])))
    else:
        main()
