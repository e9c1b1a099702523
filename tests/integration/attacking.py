"""What every attack is measured by: somebody else's `look`, the server's memory and open files, and the vault's files.

    with attack(target, "ten megabytes in one line"):
        target.sends(b"x" * 10_000_000)

While the block runs, a bystander looks again and again; after it, everything has to be let go of.
"""

from __future__ import annotations

import os
import socket
import statistics
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from tests.integration.line_player import HOST, LinePlayer
from tests.integration.running import RunningServer, eventually, new_vault, running

PROMISED = 0.25
"""Within so many seconds a bystander's `look` is answered during an attack: half of all looks, on any machine."""

NOISE = 2.5
"""No single look takes longer, however busy the machine that runs the tests is with other things."""

MOST_GROWTH = 96 * 1024 * 1024
"""So many bytes more than before the server may hold at most while it is attacked."""

PAUSE = 0.02
"""So long the bystander waits from one answer to the next look, in seconds."""

RELEASED_WITHIN = 30.0
INDEX = (".sqlite", ".sqlite-wal", ".sqlite-shm")
"""How the files of an agent's search index end, which is made when somebody first asks what the agent remembers."""

KEPT_OPEN = len(INDEX)
"""How many handles the server may have opened for good meanwhile: those of one agent's index."""

IAC, SB, SE = b"\xff", b"\xff\xfa", b"\xff\xf0"
UNLIMITED = {
    "tls_port": -1,  # any free one
    "max_connections": 2000,
    "connections_per_address": 0,
    "connects_per_minute": 0,
    "lines_per_second": 10_000,
    "lines_at_once": 100_000,
}
CHANGING = (".draft", "whereabouts.md", ".jsonl", "/plan.md")
"""What comes and goes, and the record of who used commands of builders and admins."""


@dataclass
class Target:
    """A server under attack, with somebody in it whom none of it concerns.

    `measured` is of each attack, by its name; `played` are the names of those who have come in.
    """

    server: RunningServer
    bystander: LinePlayer
    measured: dict[str, str] = field(default_factory=dict)
    callers: list[socket.socket] = field(default_factory=list)
    played: set[str] = field(default_factory=set)

    def calls(self, host: str = HOST, buffer: int = 0, port: int = 0) -> socket.socket:
        """Connect from an address of this machine; the caller is hung up on when the attack is over."""
        caller = socket.socket()
        if buffer:
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        caller.settimeout(10)
        caller.bind((host, 0))
        caller.connect((HOST, port or self.server.port))
        self.callers.append(caller)
        return caller

    def sends(self, *parts: bytes) -> socket.socket:
        """Connect and send; a server that has had enough may hang up meanwhile."""
        caller = self.calls()
        with suppress(OSError):
            for part in parts:
                caller.sendall(part)
        return caller

    def plays(self, name: str, *lines: str | bytes) -> LinePlayer:
        """Enter as somebody and type lines; wait until the last is done."""
        player = self.server.player(name)
        self.played.add(name)
        for line in lines:
            player.socket.sendall((line if isinstance(line, bytes) else line.encode()) + b"\n")
        if lines:
            player.types(f"say {name} is done")
            player.expects(f'You say, "{name} is done"')
        self.callers.append(player.socket)
        return player

    def hangs_up(self) -> None:
        """End all connections that the attack has made."""
        for caller in self.callers:
            caller.close()
        self.callers.clear()


@contextmanager
def target(folder: Path, changes: Mapping[str, Mapping[str, Any]] | None = None) -> Iterator[Target]:
    """Start a server; at the end it has logged no failure.

    It limits neither callers nor lines, so that attacks reach what is behind those limits.
    """
    server_note = {**UNLIMITED, **(changes or {}).get("config/server.md", {})}
    with running(new_vault(folder / "world", {**(changes or {}), "config/server.md": server_note})) as server:
        found = Target(server, server.player("Bystander"))
        yield found
        found.bystander.close()
        report(found)
        assert not server.failure


@contextmanager
def attack(
    target: Target,
    name: str,
    new_files: tuple[str, ...] = (),
    most_growth: int = MOST_GROWTH,
    promised: float = PROMISED,
) -> Iterator[None]:
    """Watch a bystander, memory, open files and the vault during what the block does, and after it.

    `new_files` are names, or patterns of names, of files that may be new after it. `promised` is within how many
    seconds half of all looks are answered.
    """
    server = target.server
    files, handles = files_of(server), server.open_files
    watch = _Watch(target)
    try:
        yield
        target.hangs_up()
        released = eventually(lambda: server.open_files <= handles + KEPT_OPEN, RELEASED_WITHIN)
    finally:
        target.hangs_up()
        watch.end()
    target.measured[name] = watch.figures
    assert released, f"{name}: {server.open_files} handles are open, {handles} were before"
    assert watch.median <= promised, f"{name}: {watch.figures}"
    assert watch.slowest <= NOISE, f"{name}: {watch.figures}"
    assert watch.growth <= most_growth, f"{name}: {watch.figures}"
    known = (*CHANGING, *new_files, *(f"/people/{player}.md" for player in target.played))
    new = {path for path in files_of(server) - files if not any(fnmatch(path, f"*{one}") for one in known)}
    assert not new, f"{name}: {new}"
    assert not server.failure


def files_of(server: RunningServer) -> set[str]:
    """Return every file of the vault and beside it."""
    folder = server.vault.parent
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def report(target: Target) -> None:
    """Write down what was measured, into the file that FALLWATER_ATTACK_FIGURES names, if it does."""
    if path := os.environ.get("FALLWATER_ATTACK_FIGURES"):
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(f"{figures}  {name}\n" for name, figures in target.measured.items())


class _Watch:
    """The bystander looks every few hundredths of a second, in a thread of its own."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._seconds: list[float] = []
        self._before = self._most = target.server.resident_bytes
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look_again_and_again)
        self._thread.start()

    def end(self) -> None:
        self._is_over.set()
        self._thread.join()

    @property
    def median(self) -> float:
        return statistics.median(self._seconds)

    @property
    def slowest(self) -> float:
        return max(self._seconds)

    @property
    def growth(self) -> int:
        return self._most - self._before

    @property
    def figures(self) -> str:
        ms = 1000
        late = sum(seconds > PROMISED for seconds in self._seconds)
        return (
            f"{self.median * ms:5.0f} ms median {self.slowest * ms:5.0f} ms slowest {late:3} of "
            f"{len(self._seconds):4} late {self.growth / 1e6:6.1f} MB more"
        )

    def _look_again_and_again(self) -> None:
        looker = self._target.bystander
        while not self._is_over.is_set() or len(self._seconds) < 5:
            self._seconds.append(looker.looks(60))
            looker.forget()
            self._most = max(self._most, self._target.server.resident_bytes)
            self._is_over.wait(PAUSE)
