"""Agents of the older layout: who they are, what they remember, and the notes they keep."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

from config.settings import AgentSettings, Given, MemorySettings, SettingsError, misspelt, override
from vault.agent_notes import KEYS
from vault.folder import Vault
from vault.notes import Note, NoteError, link
from vault.older.memories import import_memories, import_summaries
from vault.older.notes import Item, OldNote, target_of
from vault.older.places import CHARACTER, ROOM, kept_properties, notes_in, read_note
from vault.older.report import Names, Report
from world.sanitize import file_name_for

PROFILE = "thinker.profile"
_SETTINGS = {
    "thinker.think_interval": ("think_seconds", AgentSettings, "a number from 0.5 to 86400"),
    "thinker.memory_count": ("immediate_window", MemorySettings, "a whole number from 1 to 4096"),
}


@dataclass(frozen=True)
class OldAgent:
    """An agent's folder in the older vault, and what its `agent.md` says."""

    agent_id: str
    folder: Path
    note: OldNote


def read_agents(source: Path, names: Names, report: Report) -> list[OldAgent]:
    """Return the agents; a folder without an `agent.md` is reported and left out."""
    where, found = source / "agents", list[OldAgent]()
    for folder in sorted(where.iterdir()) if where.is_dir() else ():
        if not folder.is_dir() or folder.name.startswith("."):
            continue
        path = folder / "agent.md"
        note = read_note(path, source, report) if path.is_file() else None
        if note is None:
            report.problem(f"agents/{folder.name}", 0, "there is no agent.md that can be read, so nobody lives here.")
            continue
        agent_id = names.claim(CHARACTER, folder.name)
        names.call(CHARACTER, note.title or folder.name, agent_id)
        if agent_id != folder.name:
            report.problem(note.source, 0, f"{folder.name!r} is called {agent_id!r} now: its name is taken or no name.")
        found.append(OldAgent(agent_id, folder, note))
    return found


def write_agent(
    vault: Vault, old: OldAgent, source: Path, home: str, zone: tzinfo | None, names: Names, report: Report
) -> str:
    """Write all there is of an agent and return what was taken, in a sentence. Raises: NoteError."""
    note, properties = old.note, old.note.listed_properties()
    room_id = names.find(ROOM, target_of(note.properties.get("location", ""))) or home
    own: dict[str, object] = {"room": link(room_id)}
    own |= _settings(note, properties, report)
    description = "\n\n".join(text for text in (note.text(""), note.text("description")) if text)
    own |= {"description": description} if description else {}
    aliases = [item.text for item in note.items("aliases")]
    own |= {"aliases": aliases} if aliases else {}
    taken = {PROFILE, *_SETTINGS}
    own |= {_free(key): text for key, text in kept_properties(note, KEYS).items() if key not in taken}
    profile = properties.get(PROFILE, Item("", 0)).text or note.text("profile")
    if not profile:
        report.problem(note.source, 0, f"it has no {PROFILE}; write who the agent is into its agent.md.")
    vault.write(Note("", own, profile), "agents", old.agent_id, "agent.md")
    copied = _copy_notes(vault, old, source, report)
    journal = import_memories(vault, old.folder / "memories", source, old.agent_id, zone, names, report)
    window = own.get("immediate_window", MemorySettings().immediate_window)
    assert isinstance(window, int)
    told = import_summaries(vault, old.folder / "summaries", source, old.agent_id, journal, window, zone, report)
    count = journal.last
    journal.close()
    report.taken += [told] if told else []
    return f"{old.agent_id}: {count} memories, {copied} notes."


def _settings(note: OldNote, properties: dict[str, Item], report: Report) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, (name, kind, expected) in _SETTINGS.items():
        if key not in properties:
            continue
        item = properties[key]
        try:
            value = _number(item.text)
            override(kind(), {name: Given(value, item.line)}, note.source)
            found[name] = value
        except (SettingsError, ValueError, OverflowError):
            what = f"{key} is {item.text!r}; expected {expected}. What counts for all agents counts for this one."
            report.problem(note.source, item.line, what)
    return found


def _number(text: str) -> float | int:
    value = float(text.split()[0] if text.split() else text)
    return int(value) if value.is_integer() else value


def _free(key: str) -> str:
    """Return a name that is not taken for a misspelt setting."""
    return f"old_{key}" if misspelt(key, KEYS) else key


def _copy_notes(vault: Vault, old: OldAgent, source: Path, report: Report) -> int:
    names: list[str] = []
    for path in notes_in(old.folder / "notes"):
        name = file_name_for(path.stem, names)
        names.append(name)
        note = read_note(path, source, report)
        if note is None:
            continue
        try:
            text = path.read_text("utf-8", "replace")
            vault.write_text(text, "agents", old.agent_id, "notes", f"{name}.md")
        except (OSError, NoteError) as error:
            report.problem(note.source, 0, f"cannot be copied: {error}")
    return len(names)
