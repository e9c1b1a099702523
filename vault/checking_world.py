"""Faults in the places of a world: exits and links to nothing, ids and numbers given twice, what cannot be reached."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from vault.agent_notes import agent_names
from vault.board_note import BOARD, parse_board
from vault.checking_files import NAMED
from vault.finding import Finding, Mend, Overlay, every_fault
from vault.folder import Vault
from vault.notes import Entry, Note, link_target
from vault.whereabouts import LINE, WHEREABOUTS
from world.matching import suggestions

_FENCE = re.compile(rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n")


@dataclass
class _Notes:
    """The notes that describe the world, by source; what is faulty in them is left out."""

    notes: dict[str, Note]

    def named(self, folder: str) -> dict[str, Note]:
        """Return the notes of a folder by the names of what they describe."""
        parts = {source: source.split("/") for source in self.notes}
        return {p[1].removesuffix(".md"): self.notes[source] for source, p in parts.items() if p[0] == folder}


def check_world(vault: Vault, start_room: str) -> Iterator[Finding]:
    """Yield what is wrong with rooms, things, people and agents, and with where they are said to be."""
    sources = [f"{folder}/{name}.md" for folder in NAMED for name in vault.names(folder)]
    sources += [f"agents/{name}/agent.md" for name in agent_names(vault)]
    overlay, notes = Overlay(vault), dict[str, Note]()
    for source in sources:
        yield from every_fault(overlay, lambda vault, source=source: _read(vault, source))  # type: ignore[misc]
        if not overlay.is_hidden(source):
            notes[source] = overlay.read(source)
    found = _Notes(notes)
    yield from _twice(sources)
    yield from _numbers(found)
    yield from _exits(vault, found, start_room)
    yield from _places(vault, found)
    yield from _whereabouts(vault)
    yield from every_fault(Overlay(vault), lambda vault: parse_board(vault.read(*BOARD)) if vault.exists(*BOARD) else 0)


def _read(vault: Vault, source: str) -> None:
    if vault.exists(source):
        note = vault.read(source)
        for section in ("Exits", "Details") if source.startswith("rooms/") else ():
            list(note.entries(section))


def _twice(sources: list[str]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for source in sources:
        name = source.split("/")[1].removesuffix(".md")
        other = first.setdefault(name.casefold(), source)
        if other != source and other.rpartition("/")[0] != source.rpartition("/")[0]:
            what = f"{name!r} is the name of {other} too; everything in a world has a name of its own. Rename one."
            yield Finding(source, 0, what)


def _numbers(found: _Notes) -> Iterator[Finding]:
    first: dict[int, str] = {}
    without: list[str] = []
    for note in found.named("rooms").values():
        number, line = note.properties.get("number"), note.property_lines.get("number", 1)
        if number is None:
            without.append(note.source)
        elif type(number) is not int or number < 1:
            yield Finding(note.source, line, f"number is {number!r}; expected a whole number from 1 on.")
        elif number in first:
            what = f"number {number} is that of {first[number]} too; give this room {_free(first)}."
            yield Finding(note.source, line, what)
        else:
            first[number] = note.source
    for number, source in enumerate(without, _free(first)):
        what = "it has no number, by which maps and renamings know a room; write number: "
        yield Finding(source, 1, f"{what}{number}", mend=Mend(f"was given number {number}", _numbering(number)))


def _free(taken: Mapping[int, str]) -> int:
    return max(taken, default=0) + 1


def _numbering(number: int) -> Callable[[bytes], bytes]:
    line = f"number: {number}\n".encode()

    def change(raw: bytes) -> bytes:
        fence = _FENCE.match(raw)
        return raw[: fence.end()] + line + raw[fence.end() :] if fence else b"---\n" + line + b"---\n" + raw

    return change


def _exits(vault: Vault, found: _Notes, start_room: str) -> Iterator[Finding]:
    rooms, existing = found.named("rooms"), vault.names("rooms")
    ways: dict[str, set[str]] = {}
    for name, note in rooms.items():
        seen: dict[str, int] = {}
        for entry in note.entries("Exits"):
            target = link_target(entry.value)
            ways.setdefault(name, set()).add(target)
            if target not in existing:
                what = f"the exit {entry.name!r} leads to {target!r}, which has no note in rooms; "
                yield Finding(note.source, entry.line, what + _meant(target, existing))
            yield from _called_twice(note, entry, seen)
    for name, note in rooms.items():
        for entry in note.entries("Exits"):
            target = link_target(entry.value)
            if target in rooms and name not in ways.get(target, set()):
                what = f"the exit {entry.name!r} has no way back: {target} has no exit to {name}."
                yield Finding(note.source, entry.line, what, True)
    for name in sorted(set(rooms) - _reached(start_room, ways)) if start_room in rooms else ():
        yield Finding(rooms[name].source, 0, f"no way leads here from the start room, {start_room}.", True)
    if start_room not in existing:
        what = f"the start room {start_room!r} has no note in rooms; {_meant(start_room, existing)}"
        yield Finding("config/world.md", _line_of(vault, "config/world.md", "start_room"), what)


def _called_twice(note: Note, entry: Entry, seen: dict[str, int]) -> Iterator[Finding]:
    for called in dict.fromkeys((entry.name, *entry.aliases)):
        line = seen.setdefault(called, entry.line)
        if line != entry.line:
            what = f"two exits are called {called!r}, this one and that in line {line}; give one another name."
            yield Finding(note.source, entry.line, what)


def _reached(start: str, ways: Mapping[str, set[str]]) -> set[str]:
    reached, ahead = {start}, [start]
    while ahead:
        new = ways.get(ahead.pop(), set()) - reached
        reached |= new
        ahead.extend(new)
    return reached


def _places(vault: Vault, found: _Notes) -> Iterator[Finding]:
    rooms, things, agents = vault.names("rooms"), vault.names("things"), agent_names(vault)
    holders = [*rooms, *things, *agents, *vault.names("people")]
    for name, note in found.named("things").items():
        yield from _place(note, "at", holders, "is no room, person or thing")
        if name in _holding(name, found.named("things")):
            line = note.property_lines.get("at", 1)
            yield Finding(note.source, line, f"{name} is inside itself; put it, or what it is in, somewhere else.")
    for note in found.named("agents").values():
        yield from _place(note, "room", rooms, "has no note in rooms")
    for note in found.named("people").values():
        if "room" in note.properties:
            yield from _place(note, "room", rooms, "has no note in rooms")


def _place(note: Note, key: str, places: list[str], nothing: str) -> Iterator[Finding]:
    target, line = link_target(note.properties.get(key)), note.property_lines.get(key, 1)
    if not target:
        yield Finding(note.source, line, f"nothing says where it is; write {key}: '[[A Room]]'.")
    elif target not in places:
        yield Finding(note.source, line, f"{key} is {target!r}, which {nothing}; {_meant(target, places)}")


def _holding(name: str, things: Mapping[str, Note]) -> list[str]:
    """Return what a thing is in, from the nearest on, as far as these are things."""
    within: list[str] = []
    place = link_target(things[name].properties.get("at"))
    while place in things and place not in within:
        within.append(place)
        place = link_target(things[place].properties.get("at"))
    return within


def _whereabouts(vault: Vault) -> Iterator[Finding]:
    overlay, source = Overlay(vault), "/".join(WHEREABOUTS)
    if not vault.exists(source):
        return
    yield from every_fault(overlay, lambda vault: vault.read(source) if vault.exists(source) else None)
    if overlay.is_hidden(source):
        return
    rooms, things = vault.names("rooms"), vault.names("things")
    characters = [*agent_names(vault), *vault.names("people")]
    text = vault.read_text(source)
    for number, line in enumerate(text.split("\n"), 1):
        match = LINE.fullmatch(line)
        if not match and line.startswith("- "):
            what = f"{line.strip()!r} is not of the form '- [[name]]: [[place]]'; nothing reads it."
            yield Finding(source, number, what)
    lines = {link_target(m["name"]): m for line in text.split("\n") if (m := LINE.fullmatch(line))}
    for name, match in lines.items():  # the last about each
        place, number = link_target(match["place"]), text.split("\n").index(match[0]) + 1
        if name not in (*characters, *things):
            gone = name
        elif place not in (rooms if name in characters else (*rooms, *characters, *things)):
            gone = place
        else:
            continue
        what = f"{gone} is no more; the line can go."
        yield Finding(source, number, what, mend=Mend(f"freed of the line of {gone}", _without(match[0])))


def _without(line: str) -> Callable[[bytes], bytes]:
    wanted = line.strip().encode()

    def change(raw: bytes) -> bytes:
        return b"".join(one for one in raw.splitlines(keepends=True) if one.strip() != wanted)

    return change


def _meant(name: str, known: list[str]) -> str:
    close = suggestions(name, known, 1)
    return f"did you mean {close[0]!r}?" if close else "make it, or write another."


def _line_of(vault: Vault, source: str, key: str) -> int:
    overlay = Overlay(vault)
    list(every_fault(overlay, lambda vault: vault.read(source).settings() if vault.exists(source) else None))
    if overlay.is_hidden(source) or not vault.exists(source):
        return 0
    given = overlay.read(source).settings().get(key)
    return given.line if given else 0
