"""The real server as a process, and a vault for it.

Nothing here sleeps and hopes: whatever is waited for is read until it comes, or until a deadline fails the test
and shows what came instead.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bench.pauses import INSIDE
from server.accounts.database import default_folder
from server.accounts.passwords import Argon2
from server.accounts.schema import Account
from tests.integration.line_player import HOST, LONG, SECRET, LinePlayer
from tests.integration.scripted_ollama import MODEL, ScriptedOllama, scripted_ollama
from tests.server.front_door import put_accounts
from vault.vault import open_vault

ROOT = Path(__file__).parents[2]
# The environment without what this run of the tests has put into it.
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "MAKE", "VIRTUAL_ENV"))}

PAUSES = os.environ.get("FALLWATER_PAUSES", "")
COMMAND_SECONDS = 600.0
ADMIN = "Warden"
AGENTS = ("Eliza", "Moss", "Odile")
_OPEN = re.compile(r" is open on [\d.]+:(\d+)\.")
_TLS = re.compile(r"Over TLS it is open on [\d.]+:(\d+)\.")
_METRICS = re.compile(r"(http://\S+)/metrics, /healthz")
_PAGE = re.compile(r"In a browser it is open on https?://127\.0\.0\.1:(\d+)/")

HURRIED: Mapping[str, Mapping[str, Any]] = {
    **{f"agents/{name}/agent.md": {"think_seconds": 1} for name in AGENTS},
    "config/agents.md": {"break_loops": "false"},  # the models of tests repeat themselves
}
"""The settings of a vault whose agents think every second."""


class RunningServer:
    """A process that serves a world. `lines` is all that it printed and logged so far."""

    def __init__(self, command: list[str], vault: Path, folder: Path) -> None:
        self.vault = vault
        self.lines: list[str] = []
        self.port = 0
        self._has_ended = False
        self._news = threading.Condition()
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=CLEAN,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,  # so that it gets no signal that is meant for the tests
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def log(self) -> str:
        return "\n".join(self.lines)

    @property
    def sockets(self) -> int:
        """How many sockets the process holds; its files, which come and go with what is watched and written, apart."""
        links = []
        for handle in Path(f"/proc/{self.pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed in between
                links.append(os.readlink(handle))
        return sum(link.startswith("socket:") for link in links)

    @property
    def open_files(self) -> int:
        """How many handles the process has open, sockets too."""
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    @property
    def resident_bytes(self) -> int:
        """How much memory the process holds."""
        pages = Path(f"/proc/{self.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    @property
    def tls_port(self) -> int:
        """The port at which TLS is spoken."""
        return self._number_in(_TLS, "Over TLS it is open on ")

    @property
    def web_port(self) -> int:
        """The port of the page."""
        return self._number_in(_PAGE, "In a browser it is open on ")

    @property
    def metrics_site(self) -> str:
        """Where metrics and health are asked for, without a path."""
        found = _METRICS.search(self.says("Metrics and health are on "))
        assert found, self.log
        return found[1]

    @property
    def waited_seconds(self) -> float:
        """How long the reactor's thread was ready to run while other programs had the processors."""
        return waited_seconds(f"/proc/{self.pid}/task/{self.pid}/schedstat")

    def wait_until_open(self, within: float = LONG) -> None:
        """Wait for the line that names the port."""
        self.port = self._number_in(_OPEN, " is open on ", within)

    @property
    def failure(self) -> str:
        """The first traceback in the log, with what it says about it; empty if there is none."""
        for number, line in enumerate(self.lines):
            if "Traceback" in line:
                return "\n".join(self.lines[max(0, number - 1) : number + 40])
        return ""

    def says(self, text: str, within: float = LONG, times: int = 1) -> str:
        """Wait until `times` lines hold the text and return the last of them."""

        def told() -> list[str]:
            return [line for line in self.lines if text in line]

        with self._news:
            come = self._news.wait_for(lambda: len(told()) >= times or self._has_ended, within)
        assert come and len(told()) >= times, f"{text!r} was not printed {times} times in {within} s:\n{self.log}"
        return told()[times - 1]

    def signal(self, number: int) -> None:
        """Send a signal to the process and those it has started, as a terminal does."""
        if self._process.poll() is None:
            os.killpg(self.pid, number)

    def exit_code(self, within: float = LONG) -> int:
        """Wait for the end and return the exit code; all of `lines` is there then."""
        code = self._process.wait(within)
        self._reader.join(within)
        return code

    def kill(self) -> None:
        """End the process at once, as a power cut would, and wait until it is gone."""
        self.signal(signal.SIGKILL)
        self.exit_code()

    def player(self, name: str = "", host: str = HOST) -> LinePlayer:
        """Connect from an address of this machine; with a name, also enter and wait for the first prompt.

        `ADMIN` is an admin.
        """
        player = LinePlayer(self.port, host=host)
        if name:
            player.enters(name)
        return player

    def _number_in(self, pattern: re.Pattern[str], line: str, within: float = LONG) -> int:
        found = pattern.search(self.says(line, within))
        assert found, self.log
        return int(found[1])

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()
        with self._news:
            self._has_ended = True
            self._news.notify_all()


def serve_command(*arguments: str) -> list[str]:
    """Return the command that serves a world with the Python that runs the tests.

    The pauses of the reactor go into the folder that FALLWATER_PAUSES names, if it does.
    """
    program = ["bench.pauses", INSIDE, os.path.abspath(PAUSES)] if PAUSES else ["server"]
    return [sys.executable, "-m", *program, "serve", *arguments]


@contextmanager
def running(vault: Path, model: str = "none", port: int = 0) -> Iterator[RunningServer]:
    """Start a server and wait until it is open; end it at the end, if the test has not.

    Started again on the same vault, it goes on with the same world.
    """
    command = serve_command("--vault", str(vault), "--port", str(port), "--model", model)
    with started(command, vault) as server:
        yield server


@contextmanager
def started(command: list[str], vault: Path, folder: Path = ROOT, within: float = LONG) -> Iterator[RunningServer]:
    """Run a command that serves a world, in a folder, and wait until it is open; end it at the end."""
    server = RunningServer(command, vault, folder)
    try:
        server.wait_until_open(within)
        yield server
    finally:
        server.kill()


def new_vault(folder: Path, changes: Mapping[str, Mapping[str, Any]] | None = None) -> Path:
    """Make a starter vault and set settings in it: {"config/agents.md": {"think_seconds": 2}}; return its path.

    `ADMIN` is its admin and has chosen a password already. Unless `changes` say so, there is no page, and speech has no
    limit.
    """
    open_vault(folder)
    _set(folder / "config" / "server.md", {"web_port": 0, "speech_per_second": 0})
    put_accounts(default_folder(folder), Account(ADMIN, "admin", Argon2().hash(SECRET)))
    for note, settings in (changes or {}).items():
        _set(folder / note, settings)
    return folder


def _set(path: Path, settings: Mapping[str, Any]) -> None:
    for key, value in settings.items():
        text, found = re.subn(
            rf"^(\*\*{key}\*\*|{key}):.*$", rf"\1: {value}", path.read_text(), count=1, flags=re.MULTILINE
        )
        assert found, f"{path.name} has no line for {key}"
        path.write_text(text)


@contextmanager
def thinking(
    folder: Path, changes: Mapping[str, Mapping[str, Any]] | None = None
) -> Iterator[tuple[RunningServer, ScriptedOllama]]:
    """Serve a new vault with these changes, whose agents think with a `ScriptedOllama`; yield both."""
    with scripted_ollama() as ollama:
        models = {"ollama_host": ollama.host, **(changes or {}).get("config/models.md", {})}
        vault = new_vault(folder, {**(changes or {}), "config/models.md": models})
        with running(vault, f"ollama:{MODEL}") as server:
            server.says("The agents think with ")
            yield server, ollama


@contextmanager
def model_server(module: str, *arguments: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """Run a module beside this one that serves a model, killed at the end; yield its port and the process."""
    command = [sys.executable, "-m", f"tests.integration.{module}", *arguments]
    with subprocess.Popen(command, cwd=ROOT, env=CLEAN, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline()), process
        finally:
            process.kill()


def fallwater(*arguments: str, folder: Path = ROOT, env: Mapping[str, str] = CLEAN) -> subprocess.CompletedProcess[str]:
    """Run a sub-command in a folder to its end."""
    return subprocess.run(
        [sys.executable, "-m", "server", *arguments],
        cwd=folder,
        env={**env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )


def waited_seconds(schedstat: str) -> float:
    """Return how long a thread was ready to run and waited for a processor, from its file of the kernel."""
    return int(Path(schedstat).read_text("ascii").split()[1]) / 1e9


def free_port() -> int:
    """Return a port that nobody listens on just now."""
    with socket.create_server((HOST, 0)) as trying:
        return int(trying.getsockname()[1])


def eventually(what: Callable[[], bool], within: float = LONG) -> bool:
    """Return whether it becomes so before the deadline; for files, of which nobody tells us."""
    until = time.monotonic() + within
    while not what():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def journal_lines(vault: Path) -> dict[str, list[str]]:
    """Return every whole journal line on disk, by agent, in order."""
    found: dict[str, list[str]] = {}
    for path in sorted(vault.glob("agents/*/journal/[0-9]*.md")):
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        found.setdefault(path.parts[-3], []).extend(line for line in lines if line.startswith("- "))
    return found


def acts_of(vault: Path) -> list[str]:
    """Return what agents did of their own accord, as their journals have it."""
    return [line for lines in journal_lines(vault).values() for line in lines if " acted · " in line]
