"""Rooms of the older layout, the ways between them and what lies there, as notes of ours."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vault.entities.schema import known_keys, save_entity
from vault.legacy_import.notes import Item, Names, OldNote, Report, read_old
from vault.vault import Vault
from world.entities import Exit, Room, Thing

LOCATIONS = ("world", "locations")
ROOM, THING, CHARACTER = "room", "thing", "character"
_KNOWN_SECTIONS = frozenset(
    "description aliases properties flags components connections exits contents occupants".split()
)
_NOT_KEPT = frozenset({"type", "location"})


@dataclass
class Places:
    """The rooms by their new ids, in the order of their files, and the notes that they were."""

    rooms: dict[str, Room] = field(default_factory=dict)
    notes: dict[str, OldNote] = field(default_factory=dict)


def read_places(source: Path, names: Names, report: Report) -> Places:
    """Return the rooms, with their ways; nothing is written yet."""
    places = Places()
    folder = source.joinpath(*LOCATIONS)
    for number, path in enumerate(notes_in(folder), 1):
        note = read_note(path, source, report)
        if note is None:
            continue
        title, room_id = note.title or path.stem, names.reserve(ROOM, path.stem)
        names.add_alias(ROOM, title, room_id)
        places.notes[room_id] = note
        places.rooms[room_id] = Room(
            room_id,
            _description(note, report),
            number=number,
            tags=("room",),
            title=title if title != room_id else "",
            aliases=tuple(dict.fromkeys(item.text.lower() for item in note.items("aliases"))),
            properties=kept_properties(note, known_keys("room")),
        )
    for room_id in places.rooms:
        _connect(places, room_id, names, report)
    return places


def write_places(vault: Vault, places: Places, source: Path, names: Names, report: Report) -> int:
    """Write rooms and what lies in them; return how many things there were. Raises: NoteError."""
    others = {
        path.stem: path for path in sorted(source.joinpath("world").rglob("*.md")) if LOCATIONS[1] not in path.parts
    }
    things = 0
    for room_id, room in places.rooms.items():
        save_entity(vault, room)
        for item in places.notes[room_id].items("contents"):
            name = next(iter(item.names), "")
            if not name or names.resolve(CHARACTER, name) or names.resolve(ROOM, name):
                continue  # where characters are is told by themselves
            if names.resolve(THING, name):
                report.problem(places.notes[room_id].source, item.line, f"{name} lies somewhere else already.")
                continue
            note = read_note(others[name], source, report) if name in others else None
            save_entity(vault, _thing(name, room_id, note, names))
            things += 1
    return things


def notes_in(folder: Path) -> list[Path]:
    """Return the notes of a folder, sorted; hidden files do not count."""
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path for path in found if path.suffix == ".md" and not path.name.startswith(".") and path.is_file())


def read_note(path: Path, source: Path, report: Report) -> OldNote | None:
    """Return a note, or None if it cannot be read, which is reported."""
    name = path.relative_to(source).as_posix()
    try:
        note, problem = read_old(path, name)
    except OSError as error:
        report.problem(name, 0, f"cannot be read: {error.strerror}.")
        return None
    report.problems += [problem] if problem else []
    return note


def kept_properties(note: OldNote, known: Container[str]) -> dict[str, str]:
    """Return all that a note says beyond what we have a place for; a name that means something to us gets `old_`."""
    given = {key: value for key, value in note.properties.items() if key not in _NOT_KEPT}
    given |= {key: item.text for key, item in note.listed_properties().items()}
    for section in ("flags", "components"):
        if items := [item.text for item in note.items(section)]:
            given[section] = ", ".join(items)
    return {f"old_{key}" if key in known else key: text for key, text in given.items()}


def _description(note: OldNote, report: Report) -> str:
    """Return the description with what else stands in the note: no word of it is lost."""
    for section in note.sections:
        if section and section not in _KNOWN_SECTIONS and note.text(section):
            line = note.sections[section][0].line - 1
            report.problem(note.source, line, f"nothing reads a section {section!r}; it is not taken.")
    return "\n\n".join(text for text in (note.text(""), note.text("description")) if text)


def _connect(places: Places, room_id: str, names: Names, report: Report) -> None:
    note = places.notes[room_id]
    for item in note.items("connections"):
        target = _target(note, item, names, report)
        if target:
            _add_exit(places, room_id, target, (), item, report)
            _add_exit(places, target, room_id, (), item, report)
    for item in note.items("exits"):
        target = _target(note, item, names, report)
        if target:
            _add_exit(places, room_id, target, item.names[1:], item, report)


def _target(note: OldNote, item: Item, names: Names, report: Report) -> str:
    wanted = next(iter(item.names), "")
    target = names.resolve(ROOM, wanted)
    if not target:
        report.problem(note.source, item.line, f"there is no room {wanted!r}, so no way leads there.")
    return target


def _add_exit(places: Places, room_id: str, target: str, aliases: Iterable[str], item: Item, report: Report) -> None:
    """Add a way that is named after where it leads; one that is there already is given the other names."""
    room, source = places.rooms[room_id], places.notes[room_id].source
    own = next((exit for exit in room.exits.values() if exit.room_id == target), None)
    name = own.name if own else places.rooms[target].name.lower()
    others = {one for exit in room.exits.values() if exit is not own for one in (exit.name, *exit.aliases)}
    if name in others:
        name = target.lower()
    wanted = dict.fromkeys([*(own.aliases if own else ()), *(alias.lower() for alias in aliases)])
    for alias in [alias for alias in wanted if alias in others]:
        report.problem(source, item.line, f"another way is called {alias!r} already; this one is {name!r}.")
    free = tuple(alias for alias in wanted if alias not in others and alias != name)
    room.exits[name] = Exit(name, target, free)


def _thing(name: str, room_id: str, note: OldNote | None, names: Names) -> Thing:
    thing_id = names.reserve(THING, name)
    return Thing(
        thing_id,
        room_id,
        "\n\n".join(text for text in (note.text(""), note.text("description")) if text) if note else "",
        tuple(dict.fromkeys(item.text.lower() for item in note.items("aliases"))) if note else (),
        title=name if name != thing_id else "",
        properties=kept_properties(note, known_keys("thing")) if note else {},
    )


def start_room(rooms: Mapping[str, Room]) -> str:
    """Return where newcomers should arrive: among the most rooms that all lead to each other, with the most ways out.

    Of several such rooms it is the first.
    """
    out = {room_id: {exit.room_id for exit in room.exits.values()} for room_id, room in rooms.items()}
    back: dict[str, set[str]] = {room_id: set() for room_id in rooms}
    for room_id, targets in out.items():
        for target in targets:
            back[target].add(room_id)
    sizes: dict[str, int] = {}
    for room_id in rooms:
        if room_id not in sizes:
            together = _reached(out, room_id) & _reached(back, room_id)
            sizes |= dict.fromkeys(together, len(together))
    return max(rooms, key=lambda room_id: (sizes[room_id], len(out[room_id])))


def _reached(ways: Mapping[str, set[str]], start: str) -> set[str]:
    reached, ahead = {start}, [start]
    while ahead:
        new = ways[ahead.pop()] - reached
        reached |= new
        ahead.extend(new)
    return reached
