"""The measured servers, each in a process of its own: Fallwater, and a bare broadcast over Twisted."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from bench.lib.broadcast_server import GREETING
from bench.lib.crowd import DESCRIPTION, SEEN, SQUARE, room, rooms_for, town
from bench.lib.worlds import SECRET, add_agent, add_people, agent_name, caller_name, change_settings
from vault.vault import STARTER

HOST = "127.0.0.1"
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
AGENT_SETTINGS = "think_seconds: 20\nbreak_loops: false\n"
ANSWER_SECONDS = 1.5

BARE = "bare Twisted"


@dataclass(frozen=True)
class Served:
    """A server as a client needs to know it. `greeting` is the first text of a connection.

    `comes_in` returns the lines that a client types to get to the square, by its number. `vault` is the world's, None
    where there is none.
    """

    name: str
    port: int
    pids: tuple[int, ...]
    greeting: bytes
    comes_in: Callable[[int], Sequence[tuple[bytes, bytes]]]
    vault: Path | None = None


@dataclass(frozen=True)
class Running:
    """A server that accepts connections. `seconds` is the time from starting the process to that moment."""

    process: subprocess.Popen[str]
    port: int
    seconds: float

    def rss_megabytes(self) -> float:
        """Return the resident memory of the process (Linux)."""
        return resident_kib([self.process.pid]) / 1024


def resident_kib(pids: Sequence[int]) -> int:
    """Return the resident memory of some processes, in KiB (Linux)."""
    texts = [Path(f"/proc/{pid}/status").read_text("utf-8") for pid in pids]
    return sum(int(re.findall(r"VmRSS:\s+(\d+)", text)[0]) for text in texts)


def cpu_seconds(pids: Sequence[int]) -> float:
    """Return the processor time that some processes have used, in seconds (Linux)."""
    return sum(time.clock_gettime(~pid << 3 | 2) for pid in pids)  # the clock of a process, to the nanosecond


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.create_server((HOST, 0)) as sock:
        return int(sock.getsockname()[1])


@contextmanager
def run_program(arguments: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """Run a module of Python with some arguments, and end it afterwards. Its errors are shown if it fails by itself."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        process = subprocess.Popen([sys.executable, "-m", *arguments], stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            yield process
        finally:
            if process.poll():
                log.seek(0)
                sys.stderr.write(log.read())
            process.terminate()
            process.wait(timeout=60)


def wait_for(process: subprocess.Popen[str], text: str) -> str:
    """Return the next line that a program prints with a text in it. Raises: RuntimeError if it ends before."""
    assert process.stdout is not None
    printed = []
    for line in process.stdout:
        printed.append(line)
        if text in line:
            return line
    process.wait(timeout=60)
    raise RuntimeError(f"The program ended without saying {text!r}. It printed:\n{''.join(printed)}")


@contextmanager
def run_server(model: str, vault: Path | None = None) -> Iterator[Running]:
    """Start a server on a free port, in a vault that is thrown away unless one is given, and end it afterwards.

    Raises: RuntimeError with what it printed if it does not open.
    """
    with tempfile.TemporaryDirectory() as folder:
        world = str(vault or Path(folder) / "world")
        started = time.perf_counter()
        with run_program(["server", "serve", "--port", "0", "--model", model, "--vault", world]) as process:
            found = OPEN.search(wait_for(process, "is open on"))
            assert found is not None
            yield Running(process, int(found[2]), time.perf_counter() - started)


@contextmanager
def fallwater(
    people: int,
    agents: int = 0,
    settings: Mapping[str, object] | None = None,
    role: str = "player",
    answer_seconds: float = ANSWER_SECONDS,
) -> Iterator[Served]:
    """Open a world in which so many people have an account, all with a role.

    Agents, if any, think every 20 seconds with a scripted model that answers one after the other.
    """
    model = scripted_model(answer_seconds) if agents else nullcontext("")
    with tempfile.TemporaryDirectory() as folder, model as host:
        vault = Path(folder) / "world"
        shutil.copytree(STARTER, vault, ignore=shutil.ignore_patterns("rooms", "things", "agents"))
        _write_town(vault / "rooms", people)
        for number in range(agents):
            add_agent(vault, agent_name(number), room(number % rooms_for(people)), AGENT_SETTINGS)
        change_settings(vault / "config" / "server.md", {**WIDE_OPEN, **(settings or {})})
        change_settings(vault / "config" / "world.md", {"start_room": SQUARE, "ambient_minutes": 0})
        change_settings(vault / "config" / "models.md", {"ollama_host": host} if host else {})
        add_people(vault, people, SQUARE, role)
        with run_server("ollama:scripted" if agents else "none", vault) as server:
            yield Served("Fallwater", server.port, (server.process.pid,), b"name shall we", _log_in, vault)


def _log_in(number: int) -> Sequence[tuple[bytes, bytes]]:
    return (caller_name(number).encode(), b"Password: "), (SECRET.encode(), SEEN)


def _write_town(folder: Path, people: int) -> None:
    folder.mkdir()
    for name, exits in town(people).items():
        ways = "\n".join(f"- **{way}**: [[{goal}]]" for way, goal in exits.items())
        (folder / f"{name}.md").write_text(f"{DESCRIPTION}\n\n## Exits\n{ways}\n", "utf-8")


@contextmanager
def scripted_model(seconds: float = 0.0) -> Iterator[str]:
    """Serve a model that looks, nods and summarises by rule, in a process of its own; yield its address."""
    with run_program(["tests.integration.scripted_ollama", "--seconds", str(seconds)]) as process:
        yield f"http://{HOST}:{int(wait_for(process, ''))}"


@contextmanager
def broadcast() -> Iterator[Served]:
    """Run the bare broadcast server, which has no login."""
    with run_program(["bench.lib.broadcast_server"]) as process:
        yield Served(BARE, int(wait_for(process, "")), (process.pid,), GREETING, lambda number: ())
