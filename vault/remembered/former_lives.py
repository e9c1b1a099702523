"""Letting an agent begin anew: what it remembers is put by as a former life, and nothing is deleted."""

from __future__ import annotations

from datetime import UTC, datetime

from vault.archive import Archive
from vault.folder import Vault
from vault.notes import NoteError

REMEMBERED = ("journal", "summaries", "facts.md", "insights.md", "people")
ARCHIVE = "archive"
FORMER = "former lives"


def put_by(vault: Vault, agent_id: str, at_ms: int, archive: bool = True) -> str:
    """Move what an agent remembers, and its archive unless that is to stay, into a folder of its own; return which.

    The world must be closed. Its notes, profile and templates stay. What was moved already by a try that failed
    half-way stays in its own folder. An archive that stays is told that numbers begin again. Raises: NoteError if there
    is no such agent, it remembers nothing, or a folder cannot be moved.
    """
    if not vault.exists("agents", agent_id, "agent.md"):
        known = ", ".join(vault.folders("agents"))
        raise NoteError(f"There is no agent {agent_id!r}; there are {known or 'none'}.")
    names = [name for name in (*REMEMBERED, *([ARCHIVE] if archive else [])) if _is_there(vault, agent_id, name)]
    if not names:
        raise NoteError(f"{agent_id} remembers nothing yet.")
    when = datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y%m%d-%H%M%S")
    life = vault.path("agents", agent_id, FORMER, when)
    try:
        life.mkdir(parents=True)
        for name in names:
            vault.disk.replace(vault.path("agents", agent_id, name), life / name)
    except OSError as error:
        raise NoteError(f"{vault.source(life)}: cannot take what {agent_id} remembers: {error.strerror}.") from error
    if not archive and _is_there(vault, agent_id, ARCHIVE):
        kept = Archive(vault, agent_id)
        kept.append("begin_anew", at_ms, 0, former_life=life.name)
        kept.close()
    return vault.source(life)


def _is_there(vault: Vault, agent_id: str, name: str) -> bool:
    return vault.path("agents", agent_id, name).exists()
