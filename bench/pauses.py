"""Measure the pauses of the reactor: `python -m bench.pauses [SECONDS] [MEMORIES]` (60 and 800).

A heartbeat every 5 ms inside a real server, on its own event loop: once without a model, once with three agents that
think every second with the embedded model. Each agent has MEMORIES memories, so that the first prompts are long. A
pause is the delay of a beat, less the time its thread waited for a processor that other programs had.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from bench.lib.reporting import Table, argument_parser, percentile, publish
from bench.lib.servers import READY, run_program, wait_for
from bench.lib.worlds import write_journal
from vault.vault import open_vault

TICK_SECONDS = 0.005
STARTING_BEATS = 50
GOAL_MS = 20.0
INSIDE = "--inside"


class Heartbeat:
    """Beats on an event loop until the file `stop` is there, then writes the pauses to `pauses.json`, in milliseconds.

    Each pause stands behind its time, in seconds since 1970. The first beats, those of starting, are left out.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, folder: Path) -> None:
        self._loop = loop
        self._folder = folder
        self._pauses: list[tuple[float, float]] = []
        self._due = 0.0
        self._waited = 0.0
        loop.call_soon(self._begin)

    def _begin(self) -> None:
        self._schedstat = open(f"/proc/self/task/{threading.get_native_id()}/schedstat", encoding="ascii")  # noqa: SIM115
        self._next()

    def _next(self) -> None:
        self._due, self._waited = time.perf_counter() + TICK_SECONDS, self._waiting()
        self._loop.call_later(TICK_SECONDS, self._tick)

    def _tick(self) -> None:
        late = time.perf_counter() - self._due
        self._pauses.append((time.time(), 1000 * max(0.0, late - (self._waiting() - self._waited))))
        if len(self._pauses) % STARTING_BEATS == 0 and (self._folder / "stop").exists():
            (self._folder / "pauses.json").write_text(json.dumps(self._pauses[STARTING_BEATS:]), encoding="ascii")
        else:
            self._next()

    def _waiting(self) -> float:
        """Return for how long this thread has been ready to run while others ran, in seconds."""
        self._schedstat.seek(0)
        return int(self._schedstat.read().split()[1]) / 1e9


def measure_pauses(model: str, seconds: float, memories: int) -> list[str]:
    """Return the pauses of a world with a model as a row, from before its first thought."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world = str(_write_vault(folder / "world", memories))
        serve = ["serve", "--vault", world, "--port", "0", "--model", model]
        with run_program(["bench.pauses", INSIDE, name, *serve]) as process:
            wait_for(process, READY[model])
            time.sleep(seconds)
            (folder / "stop").touch()
            pauses = [pause for _, pause in read_pauses(folder)]
    at = [percentile(pauses, share) for share in (0.5, 0.99, 0.999, 1.0)]
    return [model, f"{len(pauses):,}", *(f"{one:.1f} ms" for one in at), str(sum(one > GOAL_MS for one in pauses))]


def run_inside(folder: Path, arguments: list[str]) -> None:
    """Be the server, with a heartbeat in its loop."""
    from twisted.internet import asyncioreactor

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    asyncioreactor.install(loop)
    from twisted.internet import reactor

    from server.cli import run

    Heartbeat(loop, folder)
    twisted: Any = reactor
    run(twisted, arguments)


def _write_vault(path: Path, memories: int) -> Path:
    open_vault(path)
    for note in path.glob("agents/*/agent.md"):
        text, found = re.subn(r"^think_seconds: .*$", "think_seconds: 1", note.read_text("utf-8"), flags=re.MULTILINE)
        assert found, f"{note} does not say how often its agent thinks"
        note.write_text(text, encoding="utf-8")
        write_journal(note.parent, memories, int(time.time() * 1000) - 60_000)
    return path


def read_pauses(folder: Path) -> list[tuple[float, float]]:
    """Return the pauses with their times, once the heartbeat has written them."""
    path, until = folder / "pauses.json", time.monotonic() + 30
    while time.monotonic() < until:
        if path.exists() and (text := path.read_text("ascii")):
            return [(at, pause) for at, pause in json.loads(text)]
        time.sleep(0.1)
    raise RuntimeError(f"{path} was never written.")


def main() -> None:
    """Print the pauses of both worlds as a table."""
    parser = argument_parser(__doc__)
    parser.add_argument("seconds", type=float, nargs="?", default=60.0)
    parser.add_argument("memories", type=int, nargs="?", default=800)
    options = parser.parse_args()
    heads = ["the agents' model", "beats", "p50", "p99", "p99.9", "longest", f"over {GOAL_MS:g} ms"]
    rows = [measure_pauses(model, options.seconds, options.memories) for model in READY]
    publish("pauses", [Table(heads, rows)], options.record)


if __name__ == "__main__":
    if sys.argv[1:2] == [INSIDE]:
        run_inside(Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
