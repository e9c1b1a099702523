"""The measures of every attack: other people's lines, logins and health checks, the server's memory and files.

    with attack(target, "ten megabytes in one line"):
        target.sends(b"x" * 10_000_000)

While the block runs, each of them is measured again and again; after it, everything has to be let go of.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from bench.lib.reporting import percentile
from bench.pauses import read_pauses
from tests.integration.line_player import HOST, LinePlayer
from tests.integration.running import ADMIN, AGENTS, PAUSES, RunningServer, eventually, thinking, waited_seconds

MAX_LOOK_SECONDS, MAX_LOGIN_SECONDS, MAX_DISK_SECONDS = 0.1, 2.0, 1.0
"""The bounds during an attack, for 99 of 100 looks, logins, and said lines on their way to disk."""

MOST_GROWTH = 96 * 1024 * 1024
"""So many bytes more than before the server may hold at most while it is attacked."""

RELEASED_WITHIN = 30.0
INDEX = (".sqlite", ".sqlite-wal", ".sqlite-shm")
"""How the files of an agent's search index end, which is made when somebody first asks what the agent remembers."""

KEPT_OPEN = len(INDEX) + 2 * len(AGENTS)
"""How many handles the server may have opened for good meanwhile: those of one agent's index, and the journals."""

IAC, SB, SE = b"\xff", b"\xff\xfa", b"\xff\xf0"
UNLIMITED = {
    "tls_port": -1,  # any free one
    "metrics_port": -1,
    "max_connections": 2000,
    "connections_per_address": 0,
    "connects_per_minute": 0,
    "lines_per_second": 10_000,
    "lines_at_once": 100_000,
}
LISTENING = {"config/agents.md": {"paused": "true", "reflection": "false"}}
CHANGING = (
    *(".draft", "whereabouts.md", ".jsonl", "/plan.md"),
    *("/.trash/replaced/*", "/agents/*/journal/*", "/agents/*/summaries/*", "/agents/*/facts.md", "/.index/*.words*"),
)
"""What comes and goes, what agents remember and how that is found, and who used commands of builders and admins."""

PLACES = {"Patient": "Behind the Water", "Teller": "Gauge House"}
"""Where those are who log in and who speak, far from the attacks."""

PATIENT_HOST = "127.0.99.1"
"""The address of who logs in: attackers have others."""

LOGS = ("chronicle/*.jsonl", "agents/Odile/journal/[0-9]*.md")
"""The files that each line said in the Gauge House is written to."""

HEADS = "look: p50  p99 longest | login | healthz | to disk | reactor | MB more    (the longest, in ms)\n"


@dataclass
class Target:
    """A server under attack, with somebody in it whom none of it concerns.

    `measured` is of each attack, by its name; `played` are the names of those who have come in. A line that is said
    goes to the files that match `logs`.
    """

    server: RunningServer
    bystander: LinePlayer
    teller: LinePlayer
    logs: tuple[str, ...] = LOGS
    measured: dict[str, str] = field(default_factory=dict)
    callers: list[socket.socket] = field(default_factory=list)
    played: set[str] = field(default_factory=lambda: {"Bystander", *PLACES})
    said: int = 0

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

    def comes(self, name: str = "", host: str = HOST) -> LinePlayer:
        """Connect, and enter if there is a name: as a guest, or as somebody with a password."""
        player = self.server.player("" if name == "guest" else name, host)
        self.callers.append(player.socket)
        if name == "guest":
            player.enters_as_guest()
        elif name:
            self.played.add(name)
        return player

    def plays(self, name: str, *lines: str | bytes) -> LinePlayer:
        """Enter as somebody and type lines; wait until the last is done."""
        player = self.comes(name)
        for line in lines:
            player.socket.sendall((line if isinstance(line, bytes) else line.encode()) + b"\n")
        if lines:
            player.types(f"say {name} is done")
            player.expects(f'You say, "{name} is done"')
        return player

    def hangs_up(self) -> None:
        """End all connections that the attack has made."""
        for caller in self.callers:
            caller.close()
        self.callers.clear()

    # What is measured: each is done once, and returns what is to be done before the next time

    def looks(self) -> Callable[[], object]:
        self.bystander.looks(60)
        return self.bystander.forget

    def logs_in(self) -> Callable[[], object]:
        player = self.server.player("Patient", PATIENT_HOST)
        player.types("quit")
        return player.is_shown_out

    def asks_for_health(self) -> Callable[[], object]:
        with urlopen(f"{self.server.metrics_site}/healthz", timeout=10):  # raises for another status than 200
            return lambda: None

    def says_to_disk(self) -> Callable[[], object]:
        self.said += 1
        sizes = {path: path.stat().st_size for pattern in self.logs for path in self.server.vault.glob(pattern)}

        def has_mark(path: Path) -> bool:
            with open(path, "rb") as log:
                log.seek(sizes.get(path, 0))
                return f"mark {self.said}.".encode() in log.read()

        self.teller.types(f"say mark {self.said}.")
        until = time.monotonic() + 60
        while not all(any(map(has_mark, self.server.vault.glob(pattern))) for pattern in self.logs):
            assert time.monotonic() < until, f"mark {self.said} is not in {self.logs}"
            time.sleep(0.005)
        self.teller.expects(f"mark {self.said}.")
        return self.teller.forget


@contextmanager
def target(folder: Path, changes: Mapping[str, Mapping[str, Any]] | None = None) -> Iterator[Target]:
    """Start a server; at the end it has logged no failure.

    It limits neither callers nor lines, so that attacks reach what is behind those limits. Its agents listen and
    remember; they do not act.
    """
    server_note = {**UNLIMITED, **(changes or {}).get("config/server.md", {})}
    with thinking(folder / "world", {**(changes or {}), "config/server.md": server_note, **LISTENING}) as (server, _):
        people = {name: server.player(name, PATIENT_HOST) for name in (ADMIN, *PLACES)}
        for name, place in PLACES.items():
            people[ADMIN].asks(f"@teleport {name} to {place}")
        for name in (ADMIN, "Patient"):
            people[name].types("quit")
            people[name].is_shown_out()
        found = Target(server, server.player("Bystander"), people["Teller"])
        found.says_to_disk()()
        yield found
        report(found)
        assert not server.failure


@contextmanager
def attack(
    target: Target,
    name: str,
    new_files: tuple[str, ...] = (),
    most_growth: int = MOST_GROWTH,
    fills: bool = False,
) -> Iterator[None]:
    """Measure what the block must not hold up, memory, open files and the vault, during what it does and after it.

    `new_files` are names, or patterns of names, of files that may be new after it. If it `fills` the world, nobody
    else can log in meanwhile.
    """
    server = target.server
    files, handles = files_of(server), server.open_files
    watch = _Watch(target, fills)
    try:
        yield
        target.hangs_up()
        released = eventually(lambda: server.open_files <= handles + KEPT_OPEN, RELEASED_WITHIN)
    finally:
        target.hangs_up()
        watch.end()
        target.measured[name] = watch.figures
    assert released, f"{name}: {server.open_files} handles are open, {handles} were before"
    assert not watch.faults, f"{name}: {watch.faults}\n{HEADS}{watch.figures}"
    assert watch.growth <= most_growth, f"{name}: {watch.figures}"
    known = (*CHANGING, *new_files, *(f"/people/{player}.md" for player in target.played))
    new = {path for path in files_of(server) - files if not any(fnmatch(path, f"*{one}") for one in known)}
    assert not new, f"{name}: {new}"
    assert not server.failure


def read_all(caller: socket.socket) -> bytes:
    """Return what comes until the server hangs up."""
    content = b""
    with suppress(OSError):
        while received := caller.recv(65536):
            content += received
    return content


def read_until(caller: socket.socket, text: bytes) -> None:
    """Read what the server sends, up to a text."""
    seen = b""
    while text not in seen:
        part = caller.recv(65536)
        assert part
        seen = seen[-len(text) :] + part


def files_of(server: RunningServer) -> set[str]:
    """Return every file of the vault and beside it."""
    folder = server.vault.parent
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def report(target: Target) -> None:
    """Write down what was measured, into the file that FALLWATER_ATTACK_FIGURES names, if it does."""
    if path := os.environ.get("FALLWATER_ATTACK_FIGURES"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(HEADS + "".join(f"{figures}  {name}\n" for name, figures in target.measured.items()))


class _Probe:
    """Measures one thing again and again, in a thread of its own. `seconds` are the measures.

    `held` are the same without what the threads of the server and of the probe waited for a processor that other
    programs had: a busy machine makes them no longer.
    """

    def __init__(
        self, server: RunningServer, measure: Callable[[], Callable[[], object]], pause_seconds: float
    ) -> None:
        self.seconds: list[float] = []
        self.held: list[float] = []
        self.error: Exception | None = None
        self._server = server
        self._measure = measure
        self._pause_seconds = pause_seconds
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def end(self) -> None:
        """Measure no more."""
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not (self._is_over.is_set() and self.seconds):
                began, waited = time.monotonic(), self._waited
                clean_up = self._measure()
                self.seconds.append(time.monotonic() - began)
                self.held.append(self.seconds[-1] - (self._waited - waited))
                clean_up()
                self._is_over.wait(self._pause_seconds)
        except Exception as error:
            self.error = error

    @property
    def _waited(self) -> float:
        return self._server.waited_seconds + waited_seconds("/proc/thread-self/schedstat")


class _Watch:
    """All probes of one attack, and the most memory that the server held meanwhile."""

    def __init__(self, target: Target, fills: bool) -> None:
        self._server = target.server
        self._before = self._most = target.server.resident_bytes
        self._began = time.time()
        probe = partial(_Probe, target.server)
        self._looks, self._disk = probe(partial(self._look, target), 0.02), probe(target.says_to_disk, 0.3)
        self._health = probe(target.asks_for_health, 0.1)
        self._logins = None if fills else probe(target.logs_in, 0.3)

    def end(self) -> None:
        """Measure no more."""
        for probe in filter(None, (self._looks, self._disk, self._health, self._logins)):
            probe.end()

    @property
    def faults(self) -> list[str]:
        """All that the attack has held up."""
        bounds = {
            "a look": (self._looks, MAX_LOOK_SECONDS),
            "a login": (self._logins, MAX_LOGIN_SECONDS),
            "/healthz": (self._health, 10.0),
            "a line on its way to disk": (self._disk, MAX_DISK_SECONDS),
        }
        probes = [(what, probe, bound) for what, (probe, bound) in bounds.items() if probe]
        failed = [f"{what}: {probe.error!r}" for what, probe, _ in probes if probe.error]
        return failed + [f"{what} took too long" for what, one, most in probes if percentile(one.held, 0.99) > most]

    @property
    def growth(self) -> int:
        return self._most - self._before

    @property
    def figures(self) -> str:
        looks = self._looks.seconds
        logins = f"{_longest(self._logins):5.0f}" if self._logins else "    –"
        pauses = read_pauses(Path(PAUSES), self._server.pid) if PAUSES else []
        paused = max((pause for at, pause in pauses if at >= self._began), default=float("nan"))
        return (
            f"{percentile(looks, 0.5) * 1000:9.0f} {percentile(looks, 0.99) * 1000:4.0f} {_longest(self._looks):7.0f} |"
            f" {logins} | {_longest(self._health):7.0f} | {_longest(self._disk):7.0f} | {paused:7.0f} |"
            f" {self.growth / 1e6:7.1f}"
        )

    def _look(self, target: Target) -> Callable[[], object]:
        self._most = max(self._most, target.server.resident_bytes)
        return target.looks()


def _longest(probe: _Probe) -> float:
    return 1000 * max(probe.seconds, default=float("nan"))
