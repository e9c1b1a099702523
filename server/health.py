"""Health checks and readiness with reasons, and reactor lag measured by a heartbeat."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from agents.population import Population
from server.agent_scheduler import AgentScheduler
from server.autosave import GroupCommit, WorldStore
from server.clock import InThread, ReactorClock, RepeatingCall
from server.listeners import TELNET, TLS, WEB, Ports
from server.session.registry import SessionRegistry
from vault.vault import Vault
from world.game import Game


@dataclass
class MonitoredServer:
    """The parts of a world that are monitored. `is_open` says whether it has been started and does not close."""

    vault: Vault
    game: Game
    registry: SessionRegistry
    agents: Population
    scheduler: AgentScheduler
    sync: GroupCommit
    world_store: WorldStore
    is_open: Callable[[], bool]
    ports: Callable[[], Ports | None]


PERIOD_SECONDS = 0.5
WINDOW_SECONDS = 60.0


class ReactorLag:
    """Measures twice a second how late the reactor is. `observe` receives each measure, in seconds."""

    def __init__(self, clock: ReactorClock, observe: Callable[[float], object] = lambda seconds: None) -> None:
        self._observe = observe
        self._clock = clock
        self._recent: deque[tuple[float, float]] = deque()
        self._due = 0.0
        self._beats = RepeatingCall(clock, PERIOD_SECONDS, self._tick, "measuring the reactor")

    def start(self) -> None:
        """Begin."""
        self._due = self._clock.seconds() + PERIOD_SECONDS
        self._beats.start()

    def stop(self) -> None:
        """Stop."""
        self._beats.stop()

    def worst(self, seconds: float = WINDOW_SECONDS) -> float:
        """Return the longest that it was late within the last `seconds`, at most 60; what is late now counts too."""
        now = self._clock.seconds()
        late_now = 0.0 if self._beats.due is None else now - self._beats.due
        return max([0.0, late_now, *(late for at, late in self._recent if at >= now - seconds)])

    def _tick(self) -> None:
        now = self._clock.seconds()
        late, self._due = max(0.0, now - self._due), now + PERIOD_SECONDS
        self._recent.append((now, late))
        while self._recent[0][0] < now - WINDOW_SECONDS:
            self._recent.popleft()
        self._observe(late)


LATE_SECONDS = 5.0
MAX_LAG_AGE_SECONDS = 10.0
PROBE = ".health.draft"

MAX_DISK_SECONDS = 2.0
"""Seconds after which a check of the disk counts as failed."""


@dataclass(frozen=True)
class Check:
    """One thing looked at; `problem` is empty if it is as it should be."""

    name: str
    problem: str = ""


@dataclass(frozen=True)
class HealthStatus:
    """The combined result of several checks."""

    checks: tuple[Check, ...]

    @property
    def is_healthy(self) -> bool:
        return not self.reasons

    @property
    def reasons(self) -> list[str]:
        """The reasons why it is not healthy."""
        return [f"{check.name}: {check.problem}" for check in self.checks if check.problem]

    def row(self) -> dict[str, object]:
        """Return it as JSON shows it."""
        checks = {check.name: check.problem or "ok" for check in self.checks}
        return {"status": "ok" if self.is_healthy else "failing", "reasons": self.reasons, "checks": checks}


class DiskCheck:
    """Checks in another thread whether the vault can be written, and writes nothing.

    A disk that hangs fails the check. One check runs at a time; callers meanwhile get its result. The thread is the
    check's own, so that a late answer is always the disk's doing.
    """

    def __init__(self, vault: Vault, clock: ReactorClock, in_thread: InThread) -> None:
        self._vault = vault
        self._clock = clock
        self._in_thread = in_thread
        self._waiting: list[Deferred[str]] = []
        self._is_running = False

    def __call__(self) -> Deferred[str]:
        """Return a Deferred that fires within MAX_DISK_SECONDS with the problem, empty if there is none."""
        problem = Deferred[str]()
        problem.addTimeout(MAX_DISK_SECONDS, cast(IReactorTime, self._clock), lambda *_: self._hangs)
        self._waiting.append(problem)
        if not self._is_running:
            self._is_running = True
            self._in_thread(check_free_space, self._vault).addErrback(Failure.getErrorMessage).addCallback(self._tell)
        return problem

    def _tell(self, problem: str) -> None:
        self._is_running = False
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            one.callback(problem)  # which does nothing to one that has timed out

    @property
    def _hangs(self) -> str:
        return f"the disk of {self._vault.root} has not answered for {MAX_DISK_SECONDS:g} s"


def health(monitored: MonitoredServer, lag: ReactorLag, disk_problem: str) -> HealthStatus:
    """Return whether the reactor turns, memories can be written and what had to be saved was.

    `disk_problem` is what a `DiskCheck` has found.
    """
    late = lag.worst(MAX_LAG_AGE_SECONDS)
    slow = f"what was due was done {late:.1f} s late" if late > LATE_SECONDS else ""
    checks = (Check("reactor", slow), Check("vault", disk_problem), *unsaved_work(monitored).checks)
    return HealthStatus(checks)


def doors(monitored: MonitoredServer) -> dict[str, dict[str, object]]:
    """Return of each door where it listens, empty if nowhere, and what has come and gone by it since the start."""
    ports, services = monitored.ports(), {"telnet": (TELNET, TLS), "web": (WEB,)}
    return {
        door: {
            "listens": ", ".join(filter(None, (ports.address(one) for one in services[door]))) if ports else "",
            "connections": traffic.connections,
            "sent_lines": traffic.sent_lines,
            "resumes": traffic.resumes,
            "slow_readers": traffic.dropped["does not read"],
            "refused": dict(traffic.refused),
        }
        for door, traffic in monitored.registry.traffic.items()
    }


def unsaved_work(monitored: MonitoredServer) -> HealthStatus:
    """Return whether everything has been saved that should be. Reads no disk, but is for the reactor's thread."""
    return HealthStatus((Check("journals", _unwritten(monitored)), Check("saving", monitored.world_store.problem)))


def readiness(monitored: MonitoredServer) -> HealthStatus:
    """Return whether the world is loaded, listens and does not close."""
    ports = monitored.ports()
    listens = bool(ports and (ports.telnet_port or ports.tls_port))
    return HealthStatus(
        (
            Check("world", "" if monitored.is_open() else "it is not open yet, or is closing"),
            Check("listening", "" if listens else "no port is open"),
        )
    )


def check_write(vault: Vault) -> str:
    """Write a small file and take it away again; return why that fails."""
    path = vault.root / PROBE
    try:
        vault.disk.write_draft(path, b"well\n", durable=False)
    except OSError as error:
        return _cannot_be_written(vault, error)
    finally:
        with suppress(OSError):
            path.unlink()
    return ""


def check_free_space(vault: Vault) -> str:
    """Return why the vault cannot be written, as far as that shows without writing; empty if it can."""
    try:
        vault.disk.check_room(vault.root)
    except OSError as error:
        return _cannot_be_written(vault, error)
    return ""


def _cannot_be_written(vault: Vault, error: OSError) -> str:
    return f"{vault.root} cannot be written: {error.strerror}"


def _unwritten(monitored: MonitoredServer) -> str:
    waiting = sum(agent.memory.waiting for agent in monitored.agents.values())
    problems = [agent.memory.problem for agent in monitored.agents.values() if agent.memory.problem]
    if problems:
        return f"{waiting} memories wait to be written: {problems[0]}"
    return f"memories could not be synced to disk: {monitored.sync.problem}" if monitored.sync.problem else ""
