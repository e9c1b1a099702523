"""The pauses of the reactor: `python -m bench.pauses [SECONDS] [MEMORIES]` (60 and 800).

A heartbeat every 5 ms inside a real server, on its own event loop: once without agents that think, once with three
that think every second with the embedded model. Each has a life of MEMORIES memories, so that the first prompts are
long. A pause is the delay of a beat, less the time its thread waited for a processor that other programs had.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from bench.lib.reporting import argument_parser, percentile, table
from bench.lib.servers import wait_for, write_journal
from vault.vault import open_vault

TICK_SECONDS = 0.005
GOAL_MS = 20.0
AGENTS = ("Eliza", "Moss", "Odile")
SAID = {"none": "No language model", "embedded": "The agents think with"}


class Heartbeat:
    """Beats on an event loop until the file `stop` is there, then writes all pauses, in milliseconds, to `out`.

    The figures of the first beats are those of starting; they begin to count with the file `begin`.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, folder: Path) -> None:
        self._loop = loop
        self._folder = folder
        self._pauses: list[float] = []
        self._counts = False
        self._due = 0.0
        self._waited = 0.0
        self._beats = 0
        loop.call_soon(self._begin)

    def _begin(self) -> None:
        self._schedstat = open(f"/proc/self/task/{threading.get_native_id()}/schedstat", encoding="ascii")  # noqa: SIM115
        self._next()

    def _next(self) -> None:
        self._due, self._waited = time.perf_counter() + TICK_SECONDS, self._waiting()
        self._loop.call_later(TICK_SECONDS, self._tick)

    def _tick(self) -> None:
        late = time.perf_counter() - self._due
        if self._counts:
            self._pauses.append(1000 * max(0.0, late - (self._waiting() - self._waited)))
        self._beats += 1
        if self._beats % 50 == 0:
            self._counts = self._counts or (self._folder / "begin").exists()
            if (self._folder / "stop").exists():
                (self._folder / "pauses.json").write_text(json.dumps(self._pauses), encoding="ascii")
                return
        self._next()

    def _waiting(self) -> float:
        """Return for how long this thread has been ready to run while others ran, in seconds."""
        self._schedstat.seek(0)
        return int(self._schedstat.read().split()[1]) / 1e9


def main(seconds: float, memories: int) -> None:
    """Print the pauses of both worlds as a table."""
    rows = [row(name, measure_pauses(name, seconds, memories)) for name in SAID]
    print(table(["the agents' model", "beats", "p50", "p99", "p99.9", "longest", f"over {GOAL_MS:g} ms"], rows))


def measure_pauses(model: str, seconds: float, memories: int) -> list[float]:
    """Return the pauses of a world with a model, in milliseconds, from before its first thought."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        vault = _vault(folder / "world", memories)
        (folder / "begin").touch()
        command = [sys.executable, "-m", "bench.pauses", "--inside", str(folder)]
        arguments = ["serve", "--vault", str(vault), "--port", "0", "--model", model]
        process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            wait_for(process, SAID[model])
            time.sleep(seconds)
            (folder / "stop").touch()
            return _read(folder / "pauses.json")
        finally:
            process.terminate()
            process.wait(timeout=60)


def row(name: str, pauses: list[float]) -> list[str]:
    """Return the figures of one world as cells."""
    ordered = sorted(pauses)
    at = [percentile(ordered, share) for share in (0.5, 0.99, 0.999, 1.0)]
    return [name, f"{len(ordered):,}", *(f"{one:.1f} ms" for one in at), str(sum(one > GOAL_MS for one in ordered))]


def inside(folder: Path, arguments: list[str]) -> None:
    """Be the server, with a heartbeat in its loop."""
    from twisted.internet import asyncioreactor

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    asyncioreactor.install(loop)
    from twisted.internet import reactor

    from server.cli import run

    Heartbeat(loop, folder)
    run(_as_any(reactor), arguments)


def _as_any(one: Any) -> Any:
    return one


def _vault(path: Path, memories: int) -> Path:
    open_vault(path)
    for name in AGENTS:
        agent = path / "agents" / name
        note = agent / "agent.md"
        text, found = re.subn(r"^think_seconds: .*$", "think_seconds: 1", note.read_text("utf-8"), flags=re.MULTILINE)
        assert found, f"{note} does not say how often its agent thinks"
        note.write_text(text, encoding="utf-8")
        if memories:
            write_journal(agent, memories, int(time.time() * 1000) - 60_000)
    return path


def _read(path: Path) -> list[float]:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if path.exists() and (text := path.read_text("ascii")):
            found: list[float] = json.loads(text)
            return found
        time.sleep(0.1)
    raise RuntimeError(f"{path} was never written.")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        inside(Path(sys.argv[2]), sys.argv[3:])
    else:
        parser = argument_parser(__doc__)
        parser.add_argument("seconds", type=float, nargs="?", default=60.0)
        parser.add_argument("memories", type=int, nargs="?", default=800)
        asked = parser.parse_args()
        main(asked.seconds, asked.memories)
