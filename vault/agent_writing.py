"""Writing to an agent's `agent.md`: a new one, or one property of one that is there."""

from __future__ import annotations

from vault.folder import Vault, check_name
from vault.note_text import NoteText
from vault.notes import Note, NoteError, link


def begin_agent(vault: Vault, name: str, room_id: str, profile: str) -> None:
    """Write the note of a new agent. Raises: NoteError, also if there is such a folder already."""
    if vault.exists("agents", check_name(name)):
        raise NoteError(f"agents/{name}: this folder is there already; move it away, or choose another name.")
    vault.write(Note("", {"room": link(room_id)}, profile), "agents", name, "agent.md")


def set_agent_property(vault: Vault, name: str, key: str, value: str | bool | int | None) -> None:
    """Give a property of an agent another value, or take it away with None; all else stays to the letter.

    Raises: NoteError if the note cannot be read or written.
    """
    parts = ("agents", name, "agent.md")
    text = NoteText(vault.read_exact(*parts), vault.source(vault.path(*parts)))
    text.set_property(key, value)
    vault.write_text(str(text), *parts)
