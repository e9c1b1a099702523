"""Checks world and settings: dangling exits and links, duplicate ids and numbers, unreachable rooms, sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from config.profiles import THINKER, ModelProfile, legacy_thinker
from config.settings import SETTINGS_BY_NOTE, AgentSettings, MemorySettings, WorldSettings
from config.validation import OLD_NAMES, SourcedValue, is_open, setting_names
from vault.board_note import BOARD, parse_board
from vault.config_notes import Settings, load_settings, load_text, settings_in
from vault.copies import Copies, copy_fault, number_fault, numbered_copies
from vault.entities.agent_notes import load_agent
from vault.entities.lines_note import read_lines
from vault.entities.schema import KINDS as KIND_BY_FOLDER
from vault.entities.schema import entity_of, room_names
from vault.errors import NoteError
from vault.findings import Finding, Fix, Overlay, collect_errors, finding_of
from vault.locations_log import GONE, GUEST, LINE, LOCATIONS, LocationsLog
from vault.lore import FOLDER as LORE
from vault.lore import load_entry
from vault.markdown import unclosed
from vault.message_notes import WHOLE, load_wording
from vault.note import Entry, Note, heading_faults, link_target
from vault.sync_copies import original_of
from vault.vault import Vault, agent_names
from world.navigation import reachable
from world.parsing import suggestions
from world.sanitize import name_key

WORLD = "config/world.md"

_FENCE = re.compile(rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n")
_LAST_NUMBER = re.compile(r"- last room number: \d+\s*")


Notes = dict[str, Note]
"""The notes of a folder by the names of what they describe; what is faulty in them is left out."""


def check_world(vault: Vault) -> Iterator[Finding]:
    """Yield the faults of rooms, things, people and agents, and of their places."""
    sources = [f"{folder}/{name}.md" for folder in NAMED for name in vault.names(folder)]
    sources += [f"agents/{name}/agent.md" for name in agent_names(vault)]
    overlay, found = Overlay(vault), {folder: Notes() for folder in (*NAMED, "agents")}
    for source in sources:
        yield from collect_errors(overlay, lambda vault, source=source: _read(vault, source))  # type: ignore[misc]
        if not overlay.is_hidden(source):
            note = found[source.partition("/")[0]][_name(source)] = overlay.read(source)
            for number, mark in unclosed(note.lines):
                yield Finding(source, number, f"nothing closes {mark!r}, so it counts as text; close it.", True)
            yield from (Finding(source, number, fault, True) for number, fault in heading_faults(note))
    yield from _copies(vault)
    yield from _duplicate_names(sources)
    start_room, start_line = _start_room(vault)
    yield from _numbers(vault, found["rooms"], start_room)
    yield from _exits(vault, found["rooms"], start_room, start_line)
    yield from _places(vault, found)
    yield from _whereabouts(vault)
    yield from _lore(vault)
    if vault.exists(*BOARD):
        yield from collect_errors(Overlay(vault), lambda vault: parse_board(vault.read(*BOARD)))


def _read(vault: Vault, source: str) -> None:
    """Read a note as a start does. Raises: NoteError. What an agent's note may say is checked with the settings."""
    note, folder = vault.read(source), source.partition("/")[0]
    if folder in KIND_BY_FOLDER:
        entity_of(note, (KIND_BY_FOLDER[folder], _name(source)))


def _copies(vault: Vault) -> Iterator[Finding]:
    for folder in (*NAMED, LORE, "config", "templates", "text"):
        for name in vault.sync_copies(folder):
            what = "is named like a sync copy or backup, so nothing reads it; take from it what you need and delete it."
            yield Finding(f"{folder}/{name}.md", 0, what, True)
    known = LocationsLog.names(vault)
    for folder in (*NAMED, LORE, "agents"):
        copies = Copies(vault, folder, known)
        for name in agent_names(vault) if folder == "agents" else vault.names(folder):
            if fault := copies.fault(name):
                yield finding_of(NoteError(fault))
    for folder in ("config", "text"):
        names = frozenset(vault.names(folder))
        for name in names:
            if original := original_of(name, names):
                yield finding_of(NoteError(copy_fault(f"{folder}/{name}.md", f"{folder}/{original}.md")))


def _name(source: str) -> str:
    return source.split("/")[1].removesuffix(".md")


def _duplicate_names(sources: list[str]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for source in sources:
        name = _name(source)
        other = first.setdefault(name_key(name), source)
        if other != source and other.rpartition("/")[0] != source.rpartition("/")[0]:
            what = f"{name!r} is the name of {other} too; everything in a world has a name of its own. Rename one."
            yield Finding(source, 0, what)


def _numbers(vault: Vault, rooms: Notes, start_room: str) -> Iterator[Finding]:
    numbers = {name: note.properties.get("number") for name, note in rooms.items()}
    ways = {name: {target for _, target in exits} for name, exits in _targets(vault, rooms).items()}
    whole = {name: number for name, number in numbers.items() if type(number) is int}
    copies = numbered_copies(vault, whole, ways, start_room)
    first: dict[int, str] = {}
    without: list[str] = []
    for note in rooms.values():
        number, line = note.properties.get("number"), note.property_lines.get("number", 1)
        if number is None:
            without.append(note.source)
        elif type(number) is not int or number < 1:
            yield Finding(note.source, line, f"number is {number!r}; expected a whole number from 1 on.")
        elif original := copies.get(_name(note.source)):
            yield finding_of(NoteError(number_fault(_name(note.source), original)))
        elif number in first:
            what = f"number {number} is that of {first[number]} too; give this room {_free(first)}."
            yield Finding(note.source, line, what)
        else:
            first[number] = note.source
    for number, source in enumerate(without, _free(first)):
        what = "it has no number, by which maps and renamings know a room; write number: "
        yield Finding(source, 1, f"{what}{number}", fix=Fix(f"was given number {number}", _numbering(number)))


def _free(taken: Mapping[int, str]) -> int:
    return max(taken, default=0) + 1


def _numbering(number: int) -> Callable[[bytes], bytes]:
    line = f"number: {number}\n".encode()

    def change(raw: bytes) -> bytes:
        fence = _FENCE.match(raw)
        return raw[: fence.end()] + line + raw[fence.end() :] if fence else b"---\n" + line + b"---\n" + raw

    return change


def _targets(vault: Vault, rooms: Notes) -> dict[str, list[tuple[Entry, str]]]:
    """Return the exits of each room with the names of the rooms that they lead to, empty where there is none."""
    known = room_names(vault)
    return {
        name: [(entry, known.get(name_key(link_target(entry.value)), "")) for entry in note.entries("Exits")]
        for name, note in rooms.items()
    }


def _exits(vault: Vault, rooms: Notes, start_room: str, start_line: int) -> Iterator[Finding]:
    known, exits = room_names(vault), _targets(vault, rooms)
    ways = {name: {target for _, target in found} for name, found in exits.items()}
    for name, found in exits.items():
        source = rooms[name].source
        for entry, target in found:
            if not target:
                wanted = link_target(entry.value)
                what = f"the exit {entry.name!r} leads to {wanted!r}, which has no note in rooms; "
                yield Finding(source, entry.line, what + _suggest(wanted, known.values()))
            elif target in rooms and name not in ways[target]:
                what = f"the exit {entry.name!r} has no way back: {target} has no exit to {name}."
                yield Finding(source, entry.line, what, True)
    for name in sorted(set(rooms) - reachable(ways, start_room)) if start_room in rooms else ():
        yield Finding(rooms[name].source, 0, f"no way leads here from the start room, {start_room}.", True)
    if start_room not in known.values():
        what = f"the start room {start_room!r} has no note in rooms; {_suggest(start_room, known.values())}"
        yield Finding(WORLD, start_line, what)


def _places(vault: Vault, found: Mapping[str, Notes]) -> Iterator[Finding]:
    rooms, things = frozenset(vault.names("rooms")), found["things"]
    holders = rooms.union(vault.names("things"), vault.names("people"), agent_names(vault))
    for name, note in things.items():
        yield from _place(note, "at", holders, "is no room, person or thing")
        if name in _holding(name, things):
            line = note.property_lines.get("at", 1)
            yield Finding(note.source, line, f"{name} is inside itself; put it, or what it is in, somewhere else.")
    for note in found["agents"].values():
        yield from _place(note, "room", rooms, "has no note in rooms")


def _lore(vault: Vault) -> Iterator[Finding]:
    names = frozenset((*agent_names(vault), *vault.names("people")))
    keys = {name_key(name) for name in names}
    for title in vault.names(LORE):
        overlay = Overlay(vault)
        yield from collect_errors(overlay, lambda vault, title=title: load_entry(vault, title))  # type: ignore[misc]
        source = f"{LORE}/{title}.md"
        if overlay.is_hidden(source):
            continue
        note = overlay.read(source)
        for name in sorted(load_entry(overlay, title).known_to):
            if name_key(name) not in keys:
                what = f"known_to names {name!r}, who is no agent and no person; {_suggest(name, names)}"
                yield Finding(source, note.property_lines.get("known_to", 1), what)


def _place(note: Note, key: str, places: frozenset[str], nothing: str) -> Iterator[Finding]:
    target, line = link_target(note.properties.get(key)), note.property_lines.get(key, 1)
    if not target:
        yield Finding(note.source, line, f"nothing says where it is; write {key}: '[[A Room]]'.")
    elif target not in places:
        yield Finding(note.source, line, f"{key} is {target!r}, which {nothing}; {_suggest(target, places)}")


def _holding(name: str, things: Mapping[str, Note]) -> list[str]:
    """Return the things that contain a thing, from the nearest on."""
    within: list[str] = []
    place = link_target(things[name].properties.get("at"))
    while place in things and place not in within:
        within.append(place)
        place = link_target(things[place].properties.get("at"))
    return within


def _whereabouts(vault: Vault) -> Iterator[Finding]:
    """Yield the faults in the list of places, in which the last line about somebody or something counts."""
    overlay, source = Overlay(vault), "/".join(LOCATIONS)
    if not vault.exists(source):
        return
    yield from collect_errors(overlay, lambda vault: vault.read_text(source))
    if overlay.is_hidden(source):
        return
    rooms, characters = frozenset(vault.names("rooms")), frozenset([*agent_names(vault), *vault.names("people")])
    known = characters.union(vault.names("things"))
    last: dict[str, tuple[int, tuple[str, str]]] = {}
    for number, line in enumerate(overlay.read_text(source).split("\n"), 1):
        if match := LINE.fullmatch(line):
            place, home = "" if match["place"] == GONE else link_target(match["place"]), link_target(match["home"])
            last[link_target(match["name"])] = number, (place, home)
        elif line.lstrip().startswith("- ") and not _LAST_NUMBER.fullmatch(line):
            what = f"{line.strip()!r} is not of the form '- [[name]]: [[place]]'; nothing reads it."
            yield Finding(source, number, what)
    for name, (number, places) in last.items():
        gone = [one for one in (name, *places) if places[0] and one and one not in rooms | known]
        if gone and not GUEST.fullmatch(gone[0]):
            what = f"{gone[0]} has no note; its place and contents are kept until it is back, or @prune lets it go."
            yield Finding(source, number, what, True)


def _suggest(name: str, known: Iterable[str]) -> str:
    close = suggestions(name, known, 1)
    return f"did you mean {close[0]!r}?" if close else "make it, or write another."


def _start_room(vault: Vault) -> tuple[str, int]:
    """Return the start room and the line that names it, though other lines of its note be faulty; 0 if none does."""
    overlay = Overlay(vault)
    if vault.exists(WORLD):
        list(collect_errors(overlay, lambda vault: settings_in(vault.read(WORLD))))
    given = _settings_or_none(overlay, WORLD).get("start_room", SourcedValue(None))
    return (WorldSettings().start_room if given.value is None else str(given.value)), given.line


def check_settings(vault: Vault) -> Iterator[Finding]:
    """Yield the faults of `config`, of the settings in `agent.md`, and of `text`."""
    overlay = Overlay(vault)
    yield from collect_errors(overlay, load_settings)
    for name, kind in SETTINGS_BY_NOTE.items():
        source = f"config/{name}.md"
        if not overlay.is_hidden(source) and vault.exists(source):
            known = (*setting_names(kind), *(OLD_NAMES.values() if is_open(kind) else ()))
            yield from _deprecated_names(source, _settings_or_none(overlay, source), known)
    if settings := _load_or_none(overlay):
        yield from _contexts(settings)
    for name in agent_names(vault):
        yield from _agent(vault, name)
    yield from collect_errors(Overlay(vault), load_wording)
    for name in WHOLE:
        yield from collect_errors(Overlay(vault), lambda vault, name=name: load_text(vault, name))  # type: ignore[misc]


def _agent(vault: Vault, name: str) -> Iterator[Finding]:
    def load(vault: Vault) -> None:
        note = load_agent(vault, name)
        note.agent_settings(AgentSettings())
        note.memory_settings(MemorySettings())

    overlay, source = Overlay(vault), f"agents/{name}/agent.md"
    yield from collect_errors(overlay, load)
    faults = list[NoteError]()
    yield from collect_errors(overlay, lambda vault: faults.extend(read_lines(vault, name)[1]))
    yield from map(finding_of, faults)
    if not overlay.is_hidden(source):
        known = (*setting_names(AgentSettings), *setting_names(MemorySettings))
        yield from _deprecated_names(source, overlay.read(source).sourced_properties, known)


def _load_or_none(vault: Vault) -> Settings | None:
    try:
        return load_settings(vault)
    except NoteError:  # found before
        return None


def _contexts(settings: Settings) -> Iterator[Finding]:
    """Yield profiles that want a context of their own of a model in Ollama that others use: it counts for none."""
    thinker = settings.profiles.get(THINKER, ModelProfile(THINKER)).inherit_from(legacy_thinker(settings.models))
    sizes: dict[tuple[str, str], tuple[str, int]] = {}
    for profile in (thinker, *(one.inherit_from(thinker) for one in settings.profiles.values() if one.name != THINKER)):
        said = profile.settings
        if said.api != "ollama":
            continue
        for place in (one.strip().rstrip("/") for one in said.endpoints.split(",")):
            first, size = sizes.setdefault((place, said.model), (profile.name, said.num_ctx))
            if size != said.num_ctx:
                text = f"num_ctx of {profile.name} is {said.num_ctx}, of {first} {size}; they use one model in Ollama"
                advice = f"which would be loaded again at each change, so {size} counts for both."
                yield Finding(profile.source, 0, f"{text}, {advice}", True)


def _settings_or_none(vault: Vault, source: str) -> Mapping[str, SourcedValue]:
    try:
        return settings_in(vault.read(source))
    except NoteError:  # found before, more than once in one note
        return {}


def _deprecated_names(source: str, given: Mapping[str, SourcedValue], known: tuple[str, ...]) -> Iterator[Finding]:
    for key, one in given.items():
        if key in OLD_NAMES and OLD_NAMES[key] in known:
            yield Finding(source, one.line, f"{key} is called {OLD_NAMES[key]} now; rename it.", True)


NAMED = ("rooms", "things", "people")
"""The folders whose notes are named after what they describe."""
