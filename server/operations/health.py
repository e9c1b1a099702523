"""Whether a world is well, and whether people may come in; each with reasons."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from server.operations.lag import ReactorLag
from server.operations.watched import Watched
from vault.folder import Vault

LATE_SECONDS = 5.0
WITHIN_SECONDS = 10.0
PROBE = ".health.draft"


@dataclass(frozen=True)
class Check:
    """One thing looked at; `problem` is empty if it is as it should be."""

    name: str
    problem: str = ""


@dataclass(frozen=True)
class Verdict:
    """What several checks come to."""

    checks: tuple[Check, ...]

    @property
    def is_good(self) -> bool:
        return not self.reasons

    @property
    def reasons(self) -> list[str]:
        """Why it is not good."""
        return [f"{check.name}: {check.problem}" for check in self.checks if check.problem]

    def row(self) -> dict[str, object]:
        """Return it as it is told in JSON."""
        checks = {check.name: check.problem or "ok" for check in self.checks}
        return {"status": "ok" if self.is_good else "failing", "reasons": self.reasons, "checks": checks}


def health(watched: Watched, lag: ReactorLag) -> Verdict:
    """Return whether the reactor turns, memories can be written and what had to be saved was."""
    late = lag.worst(WITHIN_SECONDS)
    slow = f"what was due was done {late:.1f} s late" if late > LATE_SECONDS else ""
    return Verdict((Check("reactor", slow), *safety(watched).checks))


def safety(watched: Watched) -> Verdict:
    """Return whether all that there is to save can be saved."""
    return Verdict(
        (
            Check("vault", unwritable(watched.vault)),
            Check("journals", _unwritten(watched)),
            Check("saving", watched.on_disk.problem),
        )
    )


def readiness(watched: Watched) -> Verdict:
    """Return whether the world is loaded, listens and does not close."""
    ports = watched.ports()
    listens = bool(ports and (ports.telnet_port or ports.tls_port))
    return Verdict(
        (
            Check("world", "" if watched.is_open() else "it is not open yet, or closing"),
            Check("listening", "" if listens else "no port is open"),
        )
    )


def unwritable(vault: Vault) -> str:
    """Write a small file and take it away again; return why that fails."""
    path = vault.root / PROBE
    try:
        vault.disk.write_draft(path, b"well\n", durable=False)
    except OSError as error:
        return f"{vault.root} cannot be written: {error.strerror}"
    finally:
        with suppress(OSError):
            path.unlink()
    return ""


def _unwritten(watched: Watched) -> str:
    waiting = sum(agent.memory.waiting for agent in watched.agents.values())
    problems = [agent.memory.problem for agent in watched.agents.values() if agent.memory.problem]
    if problems:
        return f"{waiting} memories wait to be written: {problems[0]}"
    return f"memories could not be forced to disk: {watched.sync.problem}" if watched.sync.problem else ""
