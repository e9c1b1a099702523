"""Servers that are measured: Fallwater in a process of its own, a bare broadcast over Twisted, and the town in each."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.lib.broadcast_server import GREETING
from bench.lib.prepared import SECRET, caller_name, prepare_people
from bench.lib.town import DESCRIPTION, SEEN, SQUARE, room, rooms_for, town
from vault.vault import STARTER

OPEN = re.compile(r"is open on ([\d.]+):(\d+)")

WIDE_OPEN: Mapping[str, object] = {
    # Nothing of this is what is measured, and one address is everybody's here.
    "max_connections": 20000,
    "connections_per_address": 0,
    "connects_per_minute": 0,
    "lines_per_second": 0,
    "login_seconds": 3600,
}
AGENTS = 50
MODEL = "scripted"
ANSWER_SECONDS = 1.5

BARE = "bare Twisted"


@dataclass(frozen=True)
class Served:
    """What a client has to know of a server. `greeting` is what it shows to whoever connects.

    `comes_in` are the lines that somebody types to stand in the square, by the client's number.
    """

    name: str
    port: int
    pids: tuple[int, ...]
    greeting: bytes
    comes_in: Callable[[int], Sequence[tuple[bytes, bytes]]]


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


@contextmanager
def fallwater(people: int, agents: int = 0, settings: Mapping[str, object] | None = None) -> Iterator[Served]:
    """Open a world in which so many people have an account.

    Agents, if any, think with a scripted model that takes 1.5 s an answer.
    """
    with tempfile.TemporaryDirectory() as folder, _scripted_model(agents) as host:
        vault = Path(folder) / "world"
        _write(vault, people, agents)
        _set(vault / "config" / "server.md", {**WIDE_OPEN, **(settings or {})})
        _set(vault / "config" / "world.md", {"start_room": SQUARE, "ambient_minutes": 0})
        prepare_people(vault, people, SQUARE)
        if host:
            _set(vault / "config" / "models.md", {"ollama_host": host})
        with running(f"ollama:{MODEL}" if agents else "none", vault) as server:
            yield Served("Fallwater", server.port, (server.process.pid,), b"name shall we", _comes_in)


def _comes_in(number: int) -> Sequence[tuple[bytes, bytes]]:
    return (caller_name(number).encode(), b"Password: "), (SECRET.encode(), SEEN)


def _write(vault: Path, people: int, agents: int) -> None:
    shutil.copytree(STARTER, vault, ignore=shutil.ignore_patterns("rooms", "things", "agents"))
    for name, exits in town(people).items():
        _room(vault, name, exits)
    for number in range(agents):
        home = room(number % rooms_for(people))
        note = f"---\nroom: '[[{home}]]'\nthink_seconds: 20\nbreak_loops: false\n---\nYou live here and like company.\n"
        path = vault / "agents" / f"Agent{chr(97 + number // 26)}{chr(97 + number % 26)}" / "agent.md"
        path.parent.mkdir(parents=True)
        path.write_text(note, "utf-8")


def _room(vault: Path, name: str, exits: Mapping[str, str]) -> None:
    ways = "\n".join(f"- **{way}**: [[{goal}]]" for way, goal in exits.items())
    (vault / "rooms").mkdir(exist_ok=True)
    (vault / "rooms" / f"{name}.md").write_text(f"{DESCRIPTION}\n\n## Exits\n{ways}\n", "utf-8")


def _set(note: Path, settings: Mapping[str, object]) -> None:
    """Change those settings of a note that it has."""
    text = note.read_text("utf-8")
    for name, value in settings.items():
        text = re.sub(rf"^\*\*{name}\*\*: .*$", f"**{name}**: {value}", text, flags=re.MULTILINE)
    note.write_text(text, "utf-8")


@contextmanager
def _scripted_model(agents: int) -> Iterator[str]:
    """Serve a model that looks, nods and summarises by rule; yield its address, or nothing if there are no agents."""
    if not agents:
        yield ""
        return
    command = [sys.executable, "-m", "tests.integration.scripted_ollama", "--seconds", str(ANSWER_SECONDS)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.terminate()
        process.wait(timeout=60)


@contextmanager
def broadcast() -> Iterator[Served]:
    """Start it in a process of its own, and end it."""
    command = [sys.executable, "-m", "bench.lib.broadcast_server"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        yield Served(BARE, port, (process.pid,), GREETING, _needs_no_login)
    finally:
        process.terminate()
        process.wait(timeout=60)


def _needs_no_login(number: int) -> Sequence[tuple[bytes, bytes]]:
    return ()
