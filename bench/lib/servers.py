"""The measured servers, each in a process of its own: Fallwater, a bare broadcast over Twisted, and Evennia.

Evennia is the release on PyPI, in an environment and a game of its own, kept in a cache folder. Its settings are its
own but for what would only hinder a measure: no web server, no limits of rate, and a quick hash for passwords, as
logging in is not what is measured.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from bench.lib.broadcast_server import GREETING
from bench.lib.crowd import DESCRIPTION, HOST, SEEN, SQUARE, room, rooms_for, town
from bench.lib.worlds import SECRET, add_agent, add_people, agent_name, caller_name, change_settings
from vault.vault import STARTER

OPEN = re.compile(r"is open on ([\d.]+):(\d+)")

WIDE_OPEN: Mapping[str, object] = {
    # Nothing of this is what is measured, and one address is everybody's here.
    "max_connections": 20000,
    "connections_per_address": 0,
    "connects_per_minute": 0,
    "lines_per_second": 0,
    "speech_per_second": 0,
    "login_seconds": 3600,
}
AGENTS = 50
AGENT_SETTINGS = "think_seconds: 20\nbreak_loops: false\n"
ANSWER_SECONDS = 1.5

BARE = "bare Twisted"
READY = {"none": "No language model", "embedded": "The agents think with"}
"""The line that a server prints when its agents have their model, by the model."""


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


EVENNIA_VERSION = "6.1.0"
EVENNIA_PYTHONS = ("3.13", "3.12")
"""The versions of Python that Evennia runs with, the first one there is; without any, ours and its newest release."""

EVENNIA_PARTS = ("portal", "server")
"""The processes that Evennia consists of."""

FIRST_START_SECONDS = 15.0
"""Seconds after its first start in which Evennia restarts by itself; stopped meanwhile, it leaves processes behind."""

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fallwater-bench"
EVENNIA_SETTINGS = """
import os
TELNET_PORTS = [int(os.environ.get("BENCH_TELNET_PORT", "4000"))]
TELNET_INTERFACES = ["127.0.0.1"]
AMP_PORT = int(os.environ.get("BENCH_AMP_PORT", "4006"))
WEBSERVER_ENABLED = WEBCLIENT_ENABLED = WEBSOCKET_CLIENT_ENABLED = False
MAX_CONNECTION_RATE = 100000
MAX_COMMAND_RATE = 1000000
CREATION_THROTTLE_LIMIT = LOGIN_THROTTLE_LIMIT = 1000000000
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""
EVENNIA_SUPERUSER = {
    "EVENNIA_SUPERUSER_USERNAME": "warden",
    "EVENNIA_SUPERUSER_PASSWORD": "only for a bench",
    "EVENNIA_SUPERUSER_EMAIL": "warden@example.org",
}


class EvenniaServer:
    """An environment with Evennia, and a game with accounts for so many people.

    Raises: subprocess.CalledProcessError if it cannot be installed or set up; its output says why.
    """

    def __init__(self, people: int) -> None:
        python, requirement = _python()
        name = f"evennia-{EVENNIA_VERSION}-{Path(python).name}"
        self._bin = CACHE / name / "bin"
        self._game = CACHE / f"{name}-game-{people}"
        if not (self._bin / "evennia").exists():
            CACHE.mkdir(parents=True, exist_ok=True)
            _run([python, "-m", "venv", "--clear", str(CACHE / name)], CACHE)
            _run([str(self._bin / "pip"), "install", "-q", "--disable-pip-version-check", requirement], CACHE)
        if not self._game.exists():
            self._make_game(people)

    @property
    def version(self) -> str:
        """The release that was installed, with its Python."""
        asked = "import evennia, sys; print(evennia.__version__.split()[0], *sys.version_info[:2])"
        said = _run([str(self._bin / "python"), "-c", asked], CACHE).split()
        return f"Evennia {said[0]} on Python {said[1]}.{said[2]}"

    @contextmanager
    def open(self) -> Iterator[Served]:
        """Start it, and stop it at the end."""
        with tempfile.TemporaryDirectory() as folder:
            game = Path(folder) / "game"
            shutil.copytree(self._game, game)
            ports = {"BENCH_TELNET_PORT": str(free_port()), "BENCH_AMP_PORT": str(free_port())}
            self._evennia(game, "start", **ports)
            try:
                yield Served("Evennia", int(ports["BENCH_TELNET_PORT"]), _pids(game), b"connect <", _connect)
            finally:
                self._stop(game, ports)

    def _make_game(self, people: int) -> None:
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            game = Path(folder) / "game"
            self._evennia(Path(folder), "--init", "game")
            with (game / "server" / "conf" / "settings.py").open("a", encoding="utf-8") as file:
                file.write(EVENNIA_SETTINGS)
            self._evennia(game, "migrate")
            ports = {"BENCH_TELNET_PORT": str(free_port()), "BENCH_AMP_PORT": str(free_port())}
            self._evennia(game, "start", **ports)  # the first start makes the superuser and the first room
            time.sleep(FIRST_START_SECONDS)
            self._stop(game, ports)
            wanted = json.dumps({"rooms": town(people), "description": DESCRIPTION, "people": people})
            program = Path(__file__).with_name("evennia_world.py")
            _run([str(self._bin / "python"), str(program), wanted], game)
            game.rename(self._game)

    def _stop(self, game: Path, ports: Mapping[str, str]) -> None:
        """Stop Evennia in good order, and by force what is left of it."""
        pids = _pids(game)
        with suppress(subprocess.CalledProcessError):
            self._evennia(game, "stop", **ports)
        for pid in {*pids, *_pids(game)}:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for part in EVENNIA_PARTS:
            (game / "server" / f"{part}.pid").unlink(missing_ok=True)

    def _evennia(self, folder: Path, *arguments: str, **environment: str) -> None:
        path = f"{self._bin}{os.pathsep}{os.environ['PATH']}"  # it starts twistd by its name
        _run([str(self._bin / "evennia"), *arguments], folder, PATH=path, **EVENNIA_SUPERUSER, **environment)


def _pids(game: Path) -> tuple[int, ...]:
    """Return the processes of a game that runs."""
    files = [game / "server" / f"{part}.pid" for part in EVENNIA_PARTS]
    return tuple(int(file.read_text("utf-8")) for file in files if file.exists())


def _connect(number: int) -> Sequence[tuple[bytes, bytes]]:
    return ((b"connect player%d secret%dword" % (number, number), SEEN),)


def _python() -> tuple[str, str]:
    """Return the Python to run Evennia with, and what to install."""
    for version in EVENNIA_PYTHONS:
        known = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python{version}"))
        if found := shutil.which(f"python{version}", path=os.defpath) or (str(known[-1]) if known else None):
            return found, f"evennia=={EVENNIA_VERSION}"
    return sys.executable, "evennia"


def _run(command: Sequence[str], folder: Path, **environment: str) -> str:
    """Run a program and return what it prints; what it leaves running holds no pipe of ours."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
        )
        printed.seek(0)
        text = printed.read()
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, text)
    return text
