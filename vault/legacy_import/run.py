"""Importing a vault of the older layout: a new vault is made of it, and nothing in the old one is touched.

world/locations/<Room>.md       world/world_state.md
agents/<Name>/agent.md          agents/<Name>/memories/  notes/  summaries/
"""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

from config.settings import AgentSettings, MemorySettings, WorldSettings
from config.validation import SettingsError, SourcedValue, closest_name, override
from vault.entities.agent_notes import KEYS
from vault.entities.load import load_world
from vault.entities.schema import save_entity
from vault.errors import NoteError
from vault.legacy_import.memories import import_memories, keep_summaries
from vault.legacy_import.places import (
    CHARACTER,
    LOCATIONS,
    ROOM,
    THING,
    Item,
    Names,
    OldNote,
    Places,
    Report,
    kept_properties,
    notes_in,
    read_note,
    read_places,
    start_room,
    table_rows,
    target_of,
    write_places,
)
from vault.locations_log import LocationsLog
from vault.note import Note, link
from vault.vault import MARK, STARTER, Vault
from world.entities import Character
from world.sanitize import file_name_for
from world.world import World

STATE = "world_state.md"
_FROM_STARTER = ("config", "templates", "text", MARK)
_HEADS = frozenset({"room", "location", "place", "where"})


def import_vault(source: Path, target: Path, zone: tzinfo | None = None) -> Report:
    """Make a vault in `target` of one of the older layout; return what was taken and what could not be.

    Times in the old vault are local to `zone`; None is that of this machine. The target appears whole or not at all.
    Raises: NoteError if there is no such vault, or something is in the way of the new one.
    """
    source, target = source.resolve(), target.absolute()
    _refuse(source, target)
    report = Report()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise NoteError(f"{target}: the new vault cannot be made there: {error.strerror}.") from error
    try:
        _fill(source, draft, zone, report)
        draft.chmod(0o755)
        draft.replace(target)
    except OSError as error:
        raise NoteError(f"{target}: the new vault cannot be made there: {error.strerror}.") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return report


def _refuse(source: Path, target: Path) -> None:
    if not source.joinpath(*LOCATIONS).is_dir():
        raise NoteError(
            f"{source}: there is no folder {'/'.join(LOCATIONS)} in it, so it is no vault of the older layout "
            "(docs/hosting.md)."
        )
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise NoteError(f"{target}: something is there already; give an empty or a new folder with --vault.")
    if target.resolve().is_relative_to(source) or source.is_relative_to(target.resolve()):
        raise NoteError(f"{target}: lies inside {source}, or around it; give another folder with --vault.")


def _fill(source: Path, draft: Path, zone: tzinfo | None, report: Report) -> None:
    names, vault = Names(), Vault(draft)
    places = read_places(source, names, report)
    if not places.rooms:
        raise NoteError(f"{source}: there is no room in {'/'.join(LOCATIONS)}; a world needs at least one.")
    agents = read_agents(source, names, report)
    start = start_room(places.rooms)
    _copy_starter(draft, start)
    things = write_places(vault, places, source, names, report)
    report.taken += [f"{len(places.rooms)} rooms, {things} things, {len(agents)} agents."]
    for agent in agents:
        report.taken.append(write_agent(vault, agent, source, start, zone, names, report))
    _place_everyone(vault, places, agents, source, start, names, report)
    report.taken.append(f"Newcomers arrive in {start}; start_room in config/world.md says so.")


def _copy_starter(draft: Path, start: str) -> None:
    """Copy the common parts of a vault: settings, templates and sentences, but none of the starter's places."""
    default = WorldSettings().start_room
    for name in _FROM_STARTER:
        if (STARTER / name).is_dir():
            shutil.copytree(STARTER / name, draft / name)
        else:
            text = (STARTER / name).read_text("utf-8").replace(link(default), link(start))
            (draft / name).write_text(text, "utf-8")
    world = draft / "config" / "world.md"
    text = world.read_text("utf-8")
    world.write_text(re.sub(r"(?m)^(\*\*start_room\*\*:).*$", lambda found: f"{found[1]} {start}", text), "utf-8")


def _place_everyone(
    vault: Vault, places: Places, agents: list[OldAgent], source: Path, start: str, names: Names, report: Report
) -> None:
    """Put everyone where the old world's state says; who is in it and no agent is taken for a person."""
    settings = WorldSettings(start_room=start)
    rows = _state(source, names, report)
    for name in [name for name in rows if not names.resolve(CHARACTER, name) and not names.resolve(THING, name)]:
        person = Character(names.reserve(CHARACTER, name), rows[name])
        save_entity(vault, person)
        report.taken.append(f"{person.name} is a person, as {STATE} has it.")
    world = load_world(vault, settings)
    for name, room_id in rows.items():
        _place(world, name, room_id, names)
    LocationsLog(vault, world).save()


def _place(world: World, name: str, room_id: str, names: Names) -> None:
    if character_id := names.resolve(CHARACTER, name):
        world.characters[character_id].room_id = room_id
    elif thing_id := names.resolve(THING, name):
        world.things[thing_id].place_id = room_id


def _state(source: Path, names: Names, report: Report) -> dict[str, str]:
    """Return the rooms, under their new names, in which the old world's state says that everyone is."""
    path = source / "world" / STATE
    note = read_note(path, source, report) if path.is_file() else None
    found: dict[str, str] = {}
    column = 1
    for cells, line in table_rows(note) if note else ():
        heads = [index for index, cell in enumerate(cells) if cell.lower() in _HEADS]
        if heads:
            column = heads[0]
            continue
        name, place = cells[0], cells[column] if column < len(cells) else ""
        room_id = names.resolve(ROOM, place)
        if name and room_id:
            found[name] = room_id
        else:
            source_name = note.source if note else STATE
            report.problem(
                source_name, line, f"{name or 'nobody'} is in {place!r}, which is no room; left where it was."
            )
    return found


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
        agent_id = names.reserve(CHARACTER, folder.name)
        names.add_alias(CHARACTER, note.title or folder.name, agent_id)
        if agent_id != folder.name:
            report.problem(note.source, 0, f"{folder.name!r} is called {agent_id!r} now: its name is taken or no name.")
        found.append(OldAgent(agent_id, folder, note))
    return found


def write_agent(
    vault: Vault, old: OldAgent, source: Path, home: str, zone: tzinfo | None, names: Names, report: Report
) -> str:
    """Write all there is of an agent and return what was taken, in a sentence. Raises: NoteError."""
    note, properties = old.note, old.note.listed_properties()
    room_id = names.resolve(ROOM, target_of(note.properties.get("location", ""))) or home
    own: dict[str, object] = {"room": link(room_id)}
    own |= _settings(note, properties, report)
    own |= {"description": note.prose} if note.prose else {}
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
    kept = keep_summaries(old.folder / "summaries", source, journal, zone, report)
    count = journal.last
    journal.close()
    if kept:
        report.taken.append(f"{old.agent_id}: {kept} old summaries are kept; new ones are made of the memories.")
    return f"{old.agent_id}: {count} memories, {copied} notes."


def _settings(note: OldNote, properties: dict[str, Item], report: Report) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, (name, kind, expected) in _SETTINGS.items():
        if key not in properties:
            continue
        item = properties[key]
        try:
            value = _number(item.text)
            override(kind(), {name: SourcedValue(value, item.line)}, note.source)
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
    return f"old_{key}" if closest_name(key, KEYS) else key


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
