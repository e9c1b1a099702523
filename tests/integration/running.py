"""The real server as a process, a vault for it, and a plain socket that plays.

Nothing here sleeps and hopes: whatever is waited for is read until it comes, or until a deadline fails the test
and shows what came instead.
"""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vault.folder import open_vault

ROOT = Path(__file__).parents[2]
HOST = "127.0.0.1"
LONG = 90.0  # seconds: far more than anything here takes, even on a machine that is busy with other things
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}

_TELNET = re.compile(rb"\xff(?:[\xfb-\xfe].|\xfa.*?\xff\xf0|[^\xfa-\xfe])", re.DOTALL)
_OPEN = re.compile(r" is open on [\d.]+:(\d+)\.")


class RunningServer:
    """A process of `python -m server serve`. `lines` is all that it printed and logged so far."""

    def __init__(self, vault: Path, model: str, port: int) -> None:
        self.vault = vault
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._process = subprocess.Popen(
            serve_command("--vault", str(vault), "--port", str(port), "--model", model),
            cwd=ROOT,
            env=CLEAN,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.port = 0

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def log(self) -> str:
        return "\n".join(self.lines)

    def wait_until_open(self, within: float = LONG) -> None:
        """Wait for the line that names the port."""
        found = _OPEN.search(self.says(" is open on ", within))
        assert found, self.log
        self.port = int(found[1])

    def says(self, text: str, within: float = LONG, times: int = 1) -> str:
        """Wait until `times` lines hold the text and return the last of them."""

        def told() -> list[str]:
            return [line for line in self.lines if text in line]

        with self._news:
            come = self._news.wait_for(lambda: len(told()) >= times or not self._reader.is_alive(), within)
        assert come and len(told()) >= times, f"{text!r} was not printed {times} times in {within} s:\n{self.log}"
        return told()[times - 1]

    def signal(self, number: int) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    def exit_code(self, within: float = LONG) -> int:
        """Wait for the end and return the exit code; all of `lines` is there then."""
        code = self._process.wait(within)
        self._reader.join(within)
        return code

    def kill(self) -> None:
        """End the process at once, as a power cut would, and wait until it is gone."""
        self._process.kill()
        self.exit_code()

    def player(self, name: str = "") -> LinePlayer:
        """Connect; with a name, also enter and wait for the first prompt."""
        player = LinePlayer(self.port)
        if name:
            player.enters(name)
        return player

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()
        with self._news:
            self._news.notify_all()


class LinePlayer:
    """A player at a plain socket: no telnet options, one line at a time. `text` is all that came, without telnet."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection((HOST, port), timeout=LONG)
        self.text = ""
        self.is_closed = False
        self._raw = b""
        self._seen = 0

    def types(self, line: str) -> None:
        """Send one line."""
        self.socket.sendall(line.encode() + b"\n")

    def enters(self, name: str) -> str:
        """Give a name and return what is shown up to the first prompt."""
        self.expects("By what name shall we know you? ")
        self.types(name)
        return self.expects("\n> ")

    def asks(self, line: str) -> str:
        """Send a line and return what is shown up to the next prompt."""
        self.types(line)
        return self.expects("> ")

    def expects(self, text: str, within: float = LONG) -> str:
        """Wait for the text among what has not been looked at yet; return all up to and with it."""
        until = time.monotonic() + within
        while (at := self.text.find(text, self._seen)) < 0:
            if not self._receive(until - time.monotonic()):
                missing = "the connection ended" if self.is_closed else f"{within} s passed"
                raise AssertionError(f"{missing} without {text!r}; since the last: {self.text[self._seen :]!r}")
        begin, self._seen = self._seen, at + len(text)
        return self.text[begin : self._seen]

    def is_shown_out(self, within: float = LONG) -> str:
        """Wait until the server closes the connection and return what it said before."""
        until = time.monotonic() + within
        while self._receive(until - time.monotonic()):
            pass
        assert self.is_closed, f"the connection is still open after {within} s: {self.text[self._seen :]!r}"
        return self.text[self._seen :]

    def close(self) -> None:
        """Hang up."""
        self.socket.close()

    def _receive(self, seconds: float) -> bool:
        """Take in what comes within so many seconds; return whether anything came."""
        if self.is_closed or not select.select([self.socket], [], [], max(0.0, seconds))[0]:
            return False
        try:
            received = self.socket.recv(65536)
        except ConnectionResetError:
            received = b""
        self.is_closed = not received
        self._raw += received
        self.text = _TELNET.sub(b"", self._raw).decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(received)


def serve_command(*arguments: str) -> list[str]:
    """Return the command that serves a world with the Python that runs the tests."""
    return [sys.executable, "-m", "server", "serve", *arguments]


@contextmanager
def running(vault: Path, model: str = "none", port: int = 0) -> Iterator[RunningServer]:
    """Start a server and wait until it is open; end it at the end, if the test has not.

    Started again on the same vault, it goes on with the same world.
    """
    server = RunningServer(vault, model, port)
    try:
        server.wait_until_open()
        yield server
    finally:
        server.signal(signal.SIGKILL)
        server.exit_code()


def new_vault(folder: Path, changes: Mapping[str, Mapping[str, Any]] | None = None) -> Path:
    """Make a starter vault and set settings in it: {"config/agents.md": {"think_seconds": 2}}; return its path."""
    open_vault(folder)
    for note, settings in (changes or {}).items():
        path = folder / note
        for key, value in settings.items():
            text, found = re.subn(
                rf"^(\*\*{key}\*\*|{key}):.*$", rf"\1: {value}", path.read_text(), count=1, flags=re.MULTILINE
            )
            assert found, f"{note} has no line for {key}"
            path.write_text(text)
    return folder


def refused(*arguments: str, within: float = LONG) -> tuple[int, str]:
    """Start a server that will not start; return its exit code and all that it printed."""
    done = subprocess.run(
        serve_command("--port", "0", "--model", "none", *arguments),
        cwd=ROOT,
        env=CLEAN,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=within,
        check=False,
    )
    return done.returncode, done.stdout.strip()


def eventually(what: Callable[[], bool], within: float = LONG) -> bool:
    """Return whether it becomes so before the deadline; for files, of which nobody tells us."""
    until = time.monotonic() + within
    while not what():
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
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
