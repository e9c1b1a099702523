"""Notes of the older layout as they are found, its rooms and what lies there, and the names that an import gives.

The notes are lines `key: value`, a `# Title`, `##` sections, and a table, written by hand and by a program that did not
know YAML, so nothing in them is refused: what is not of the form is text.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vault.entities.schema import known_keys, save_entity
from vault.vault import Vault
from world.entities import Exit, Room, Thing
from world.navigation import reachable
from world.sanitize import file_name_for, name_key

_KEY = re.compile(r"(?P<key>[A-Za-z_][\w .-]*?)\s*:(?:\s+(?P<value>.*))?\s*")
_PROPERTY = re.compile(r"[-*+] (?P<key>[^\s:][^:]*?)\s*:(?: (?P<value>.*))?")
_ITEM = re.compile(r"\s*[-*+]\s+(?P<text>.+?)\s*")
_LINK = re.compile(r"\[\[(?P<target>[^\]|#]+)(?:[#|][^\]]*)?\]\]")
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")


@dataclass(frozen=True)
class Item:
    """One line of a list: its text and its number in the file."""

    text: str
    line: int

    @property
    def names(self) -> list[str]:
        """The parts between the bars, links as their targets: `[[Hall]] | h | door` has three."""
        parts = (part.strip().strip("'\"`*").strip() for part in _BAR.split(_LINK.sub(r"\g<target>", self.text)))
        return [part for part in parts if part]


@dataclass
class OldNote:
    """One file. `source` is its path in its vault; `properties` and `lines` are those of the front matter."""

    source: str
    properties: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    title: str = ""
    sections: dict[str, list[Item]] = field(default_factory=dict)
    body: str = ""

    def text(self, section: str) -> str:
        """Return a section to the letter, without blank lines at its ends."""
        return "\n".join(item.text for item in self.sections.get(section.lower(), [])).strip("\n")

    @property
    def prose(self) -> str:
        """The text before the first section, and the description."""
        return "\n\n".join(text for text in (self.text(""), self.text("description")) if text)

    @property
    def aliases(self) -> tuple[str, ...]:
        """The section Aliases in lower case, each once."""
        return tuple(dict.fromkeys(item.text.lower() for item in self.items("aliases")))

    def items(self, section: str) -> Iterator[Item]:
        """Yield the list lines of a section, without their marks."""
        for item in self.sections.get(section.lower(), []):
            if match := _ITEM.fullmatch(item.text):
                yield Item(match["text"], item.line)

    def listed_properties(self) -> dict[str, Item]:
        """Return the section Properties; lines that are no property belong to the one above them."""
        found: dict[str, Item] = {}
        key = ""
        for item in self.sections.get("properties", []):
            match = _PROPERTY.fullmatch(item.text)
            if match:
                key = match["key"].strip("*` ")
                found[key] = Item(match["value"] or "", item.line)
            elif key:
                found[key] = Item(f"{found[key].text}\n{item.text}", found[key].line)
        return {key: Item(item.text.strip("\n"), item.line) for key, item in found.items()}


def read_old(path: Path, source: str) -> tuple[OldNote, str]:
    """Return a file and what is wrong with it as a file, or an empty string. Raises: OSError."""
    raw = path.read_bytes()
    try:
        text, problem = raw.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        text = raw.decode("utf-8", "replace")
        line = raw.count(b"\n", 0, error.start) + 1
        problem = f"{source}:{line}: not UTF-8 text; what could not be read stands there as \ufffd."
    return parse_old(text.replace("\r\n", "\n").replace("\r", "\n"), source), problem


def parse_old(text: str, source: str) -> OldNote:
    """Return what a file's text says."""
    lines = text.split("\n")
    note, start = OldNote(source), 0
    if lines[0].rstrip() == "---" and "---" in (rest := [line.rstrip() for line in lines[1:]]):
        start = rest.index("---") + 2
        _read_head(note, lines[1 : start - 1])
    body = list(enumerate(lines[start:], start + 1))
    while body and not body[0][1].strip():
        body.pop(0)
    if body and body[0][1].startswith("# "):
        note.title = body.pop(0)[1][2:].strip()
    section = note.sections.setdefault("", [])
    for number, line in body:
        if line.startswith("## "):
            section = note.sections.setdefault(line[3:].strip().lower(), [])
        else:
            section.append(Item(line, number))
    note.body = "\n".join(line for _, line in body).strip("\n")
    return note


def target_of(value: str) -> str:
    """Return the target of `[[Name]]`, `"[[Name|other]]"` or a plain name; empty if there is none."""
    match = _LINK.search(value)
    return (match["target"] if match else value.strip().strip("'\"[]")).strip()


def names_in(value: str) -> list[str]:
    """Return the names in a list, however it is written: links, or names between commas."""
    links = [match["target"].strip() for match in _LINK.finditer(value)]
    return links or [name for part in value.split(",") if (name := part.strip().strip("'\"[]").strip())]


def table_rows(note: OldNote) -> Iterator[tuple[list[str], int]]:
    """Yield the rows of every table in a note, heads included, as cells with links as their targets; and the line."""
    for items in note.sections.values():
        for item in items:
            row = item.text.strip()
            # A link in a table has its bar behind a backslash, or has none.
            cells = [cell.replace("\\|", "|").strip() for cell in _BAR.split(row.strip("|"))]
            if row.startswith("|") and not all(_RULE.fullmatch(cell) for cell in cells):
                yield [target_of(cell) for cell in cells], item.line


def _read_head(note: OldNote, lines: list[str]) -> None:
    key = ""
    for number, line in enumerate(lines, 2):
        item, match = _ITEM.fullmatch(line), _KEY.fullmatch(line)
        if match and not line[:1].isspace():
            key = match["key"]
            note.properties[key], note.lines[key] = _unquoted(match["value"] or ""), number
        elif key and item:
            before = note.properties[key]
            note.properties[key] = f"{before}, {_unquoted(item['text'])}" if before else _unquoted(item["text"])


def _unquoted(value: str) -> str:
    text = value.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


@dataclass
class Report:
    """`taken` says what is in the new vault, `problems` what is not, or not as it was, each with file and line."""

    taken: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def problem(self, source: str, line: int, text: str) -> None:
        """Note something that could not be taken as it was."""
        self.problems.append(f"{source}:{line}: {text}" if line else f"{source}: {text}")


@dataclass
class Names:
    """The names in the new vault. Rooms, things and characters share them, in any case of letters."""

    taken: dict[str, str] = field(default_factory=dict)
    _by_kind: dict[tuple[str, str], str] = field(default_factory=dict)

    def reserve(self, kind: str, name: str) -> str:
        """Return a free name for something of a kind, and remember it under its old one."""
        new = file_name_for(name, self.taken.values())
        self.taken[name_key(new)] = new
        self.add_alias(kind, name, new)
        return new

    def add_alias(self, kind: str, old: str, new: str) -> None:
        """Let something be found under another old name, unless something else of the kind is."""
        self._by_kind.setdefault((kind, name_key(old)), new)

    def resolve(self, kind: str, old: str) -> str:
        """Return the present name of something of a kind, or an empty string if there is no such thing."""
        return self._by_kind.get((kind, name_key(old)), "")


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
            aliases=note.aliases,
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
                continue  # their own notes say where characters are
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
    """Return the description with the rest of the text: no word of the note is lost."""
    for section in note.sections:
        if section and section not in _KNOWN_SECTIONS and note.text(section):
            line = note.sections[section][0].line - 1
            report.problem(note.source, line, f"nothing reads a section {section!r}; it is not taken.")
    return note.prose


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
        note.prose if note else "",
        note.aliases if note else (),
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
            together = reachable(out, room_id) & reachable(back, room_id)
            sizes |= dict.fromkeys(together, len(together))
    return max(rooms, key=lambda room_id: (sizes[room_id], len(out[room_id])))
