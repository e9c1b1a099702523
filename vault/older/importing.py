"""Taking over a vault of the older layout: a new vault is made of it, and nothing in the old one is touched.

world/locations/<Room>.md       world/world_state.md
agents/<Name>/agent.md          agents/<Name>/memories/  notes/  summaries/
"""

from __future__ import annotations

import re
import shutil
import tempfile
from datetime import tzinfo
from pathlib import Path

from config.settings import WorldSettings
from vault.folder import MARK, STARTER, Vault
from vault.notes import NoteError, link
from vault.older.agents import OldAgent, read_agents, write_agent
from vault.older.notes import table_rows
from vault.older.places import (
    CHARACTER,
    LOCATIONS,
    ROOM,
    THING,
    Places,
    read_note,
    read_places,
    start_room,
    write_places,
)
from vault.older.report import Names, Report
from vault.subjects.character_notes import save_person
from vault.world_notes import Whereabouts, load_world
from world.entities import Character
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
    """Copy what every vault needs: settings, templates and sentences, but none of the starter's places."""
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
    for name in [name for name in rows if not names.find(CHARACTER, name) and not names.find(THING, name)]:
        person = Character(names.claim(CHARACTER, name), rows[name])
        save_person(vault, person)
        report.taken.append(f"{person.name} is a person, as {STATE} has it.")
    world = load_world(vault, settings)
    for name, room_id in rows.items():
        _place(world, name, room_id, names)
    Whereabouts(vault, world).save()


def _place(world: World, name: str, room_id: str, names: Names) -> None:
    if character_id := names.find(CHARACTER, name):
        world.characters[character_id].room_id = room_id
    elif thing_id := names.find(THING, name):
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
        room_id = names.find(ROOM, place)
        if name and room_id:
            found[name] = room_id
        else:
            source_name = note.source if note else STATE
            report.problem(
                source_name, line, f"{name or 'nobody'} is in {place!r}, which is no room; left where it was."
            )
    return found
