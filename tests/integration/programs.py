"""Real client programs, each in a terminal of its own: a private tmux server is typed into and its screen is read."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.integration.line_player import HOST, LONG, SECRET

SEARCHED = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath), "/usr/games"])
ENDED = "[the client has ended]"


@dataclass(frozen=True)
class Program:
    """A client program: its name, the package that has it, and its arguments with HOST and PORT to be put in.

    `script` is what TinTin++ is to read before it connects, with the command `connect`.
    """

    name: str
    package: str
    arguments: str
    script: str = ""
    connect: str = "#session"

    def command(self, port: int) -> str:
        """Return the shell command that connects to a port of this machine."""
        path = shutil.which(self.name, path=SEARCHED)
        assert path, f"{self.name} is missing"
        words = [{"HOST": HOST, "PORT": str(port)}.get(word, word) for word in self.arguments.split()]
        return shlex.join([path, *words])


TELNET = Program("telnet", "inetutils-telnet", "HOST PORT")
TINTIN = Program("tt++", "tintin++", "-G -r connect.tin")
TINTIN_TLS = Program("tt++", "tintin++", "-G -r connect.tin", connect="#ssl")
TINYFUGUE = Program("tf5", "tf5", "-f HOST PORT")
PLINK = Program("plink", "putty-tools", "-telnet -P PORT HOST")
NETCAT = Program("nc", "netcat-openbsd", "HOST PORT")
TELNETLIB3 = Program("telnetlib3-client", "", "HOST PORT")
OPENSSL = Program("openssl", "openssl", "")
TMUX = Program("tmux", "tmux", "")


class Screen:
    """What a program shows, and a keyboard before it."""

    def __init__(self, tmux: list[str]) -> None:
        self._tmux = tmux

    def types(self, line: str) -> None:
        """Type a line and press Enter."""
        self._ask("send-keys", "-l", "--", line)
        self._ask("send-keys", "Enter")

    def enters(self, name: str, password: str = SECRET) -> None:
        """Give a name and its password, or choose it, at the door."""
        self.shows("By what name shall we know you?")
        self.types(name)
        self.shows("assword:")
        self.types(password)

    def text(self) -> str:
        """Return all that was shown, with what has scrolled away, a line a line."""
        shown = self._ask("capture-pane", "-p", "-J", "-S", "-")
        return "\n".join(line.rstrip() for line in shown.split("\n")).strip("\n")

    def colored(self) -> str:
        """Return all that was shown with the escapes of its colours, as tmux would write them."""
        return self._ask("capture-pane", "-e", "-p", "-J", "-S", "-")

    def shows(self, text: str, within: float = LONG, times: int = 1) -> str:
        """Wait until the text stands on the screen so many times; return the screen."""
        until = time.monotonic() + within
        while (shown := self.text()).count(text) < times:
            assert time.monotonic() < until, f"{text!r} was not shown {times} times within {within} s:\n{shown}"
            time.sleep(0.1)  # tmux tells nobody when a screen changes
        return shown

    def _ask(self, *words: str) -> str:
        done = subprocess.run([*self._tmux, *words], capture_output=True, text=True, encoding="utf-8", check=False)
        assert done.returncode == 0, f"tmux {words[0]}: {done.stderr}"
        return done.stdout


@contextmanager
def screen_of(program: Program, port: int, folder: Path) -> Iterator[Screen]:
    """Start the program in a terminal of 100 columns and 50 lines, with `folder` as its home."""
    require(TMUX)
    require(program)
    (folder / "connect.tin").write_text(f"{program.script}{program.connect} fallwater {HOST} {port}\n")
    tmux = [shutil.which("tmux") or "tmux", "-S", str(folder / "tmux"), "-f", os.devnull]
    clean = {"HOME": str(folder), "TERM": "xterm-256color", "LANG": "C.UTF-8", "PATH": SEARCHED, "SHELL": "/bin/sh"}
    # The shell stays after the program, so that its last words can be read.
    shell = f"{program.command(port)}; echo '{ENDED}'; exec sleep 600"
    begin = ["new-session", "-d", "-x", "100", "-y", "50", "-c", str(folder), shell]
    subprocess.run([*tmux, *begin], env=clean, check=True, capture_output=True)
    try:
        yield Screen(tmux)
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)


def require(program: Program) -> None:
    """Skip the test if the program is not installed; where everything must be there (CI=true), fail."""
    if shutil.which(program.name, path=SEARCHED):
        return
    remedy = f"apt-get install {program.package}" if program.package else "pip install -e '.[dev]'"
    why = f"the program {program.name} is missing: {remedy}"
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)
