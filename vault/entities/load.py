"""Loads the world from its notes."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from config.settings import WorldSettings
from vault.copies import Copies, note_source, number_fault, numbered_copies
from vault.entities.agent_notes import load_agent
from vault.entities.merge_base import MergeBase
from vault.entities.schema import containment_fault, load_room, person_of, room_of, thing_of
from vault.errors import NoteError
from vault.findings import Overlay, collect_errors
from vault.locations_log import LocationsLog
from vault.lore import load_lore
from vault.message_notes import load_wording
from vault.note import heading_faults, with_plain_ends, without_conflicts
from vault.vault import Vault, agent_names
from world.entities import Entity, Exit, Room
from world.errors import WorldError
from world.sanitize import name_key
from world.world import World

log = logging.getLogger(__name__)


def load_world(vault: Vault, settings: WorldSettings, known: MergeBase | None = None) -> World:
    """Return the world that the vault's notes describe, with everyone where they were last.

    Everyone is asleep. A room whose note is not valid is open with what can be read of it; a thing, person or agent
    is left out then, and so is what has the name of something else, and sync copies. All this is logged, with file,
    line and remedy. `known` takes in what each note says, where things start out included, and which are not valid.
    Raises: NoteError if there is no room at all, or none that is the start room.
    """
    notes = _Notes(vault, settings, known or MergeBase())
    rooms = notes.rooms()
    try:
        agents, people = list(notes.load("agents", agent_names(vault))), list(notes.load("people"))
        things = list(notes.load("things"))
        world = World(rooms, things, [*agents, *people], settings.start_room, load_wording(vault, is_strict=False))
    except WorldError as error:
        raise NoteError(f"config/world.md: {error}") from error
    world.crowd, world.lore = settings.crowd, load_lore(vault)
    notes.known.reset(world)
    for room, exit in world.closed_exits_to():
        log.warning("%s", closed_exit_message(room, exit))
    locations = LocationsLog(vault, world)
    locations.restore()
    _untangle(world, notes.known)
    return world


def closed_exit_message(room: Room, exit: Exit) -> str:
    """Return what there is to say of an exit to a room without a note."""
    where = f"rooms/{room.room_id}.md: the exit {exit.name!r} leads to {exit.room_id!r}"
    return f"{where}, which has no note in rooms; it is closed until there is one."


class _Notes:
    """The notes of a world that is being loaded, and why some of them are not."""

    def __init__(self, vault: Vault, settings: WorldSettings, known: MergeBase) -> None:
        self.known = known
        self._vault = vault
        self._start_room = settings.start_room
        self._places = LocationsLog.names(vault)
        self._taken: dict[str, str] = {}

    def rooms(self) -> list[Room]:
        """Return every room; one whose note is not valid without the faulty lines."""
        copies = Copies(self._vault, "rooms")
        names = [name for name in self._vault.names("rooms") if self._is_free("rooms", name, copies)]
        links = {name_key(name): name for name in names} | {name: name for name in names}
        rooms = {name: self._room(name, links) for name in names}
        numbers = {name: room.number for name, room in rooms.items()}
        ways = {name: [exit.room_id for exit in room.exits.values()] for name, room in rooms.items()}
        for name, original in numbered_copies(self._vault, numbers, ways, self._start_room).items():
            del rooms[name], self._taken[name_key(name)]
            self.known.texts.pop(note_source("rooms", name), None)
            _leave_out(number_fault(name, original), self.known.broken)
        return list(rooms.values())

    def load(self, folder: str, names: list[str] | None = None) -> Iterator[Any]:
        """Yield every thing, person or agent whose note is valid."""
        copies = Copies(self._vault, folder, self._places)
        for name in self._vault.names(folder) if names is None else names:
            source = note_source(folder, name)
            try:
                if self._is_free(folder, name, copies):
                    yield self._entity(folder, name, source)
            except NoteError as error:
                _leave_out(str(error), self.known.broken, source)

    def _entity(self, folder: str, name: str, source: str) -> Entity:
        if folder == "agents":
            note = load_agent(self._vault, name)
            self.known.texts[source] = note.text
            return note.character
        text = self._vault.read(source)
        self.known.texts[source] = text.text
        return thing_of(text, name) if folder == "things" else person_of(text, name, self._start_room)

    def _room(self, name: str, links: Mapping[str, str]) -> Room:
        source = f"rooms/{name}.md"
        try:
            note = self._vault.read(source)
            room, self.known.texts[source] = room_of(note, name, links), note.text
        except NoteError as error:
            self.known.broken[source] = str(error)
            found = load_partial_room(self._vault, name, links)
        else:
            for line, fault in heading_faults(note):
                log.warning("%s:%d: %s", source, line, fault)
            return room
        for fault in found.faults:
            log.warning("%s The room is open without it; once the note is valid, all of it counts.", fault)
        if found.may_be_written:
            self.known.texts[source] = self._vault.read_exact(source)
        else:
            self.known.unread.add(("room", name))
        return found.room

    def _is_free(self, folder: str, name: str, copies: Copies) -> bool:
        """Return whether a note is to be loaded: it is no copy, and nothing else has its name. Say why not."""
        source = note_source(folder, name)
        other = self._taken.setdefault(name_key(name), source)
        fault = copies.fault(name) or (f"{source}: {_same_name(name, other)}" if other != source else "")
        if fault:
            _leave_out(fault, self.known.broken, source)
            if other == source:
                del self._taken[name_key(name)]
        return not fault


def _leave_out(why: str, broken: dict[str, str], source: str = "") -> None:
    broken[source or why.partition(": ")[0]] = why
    log.warning("left out: %s", why)


def _same_name(name: str, other: str) -> str:
    return f"{name!r} is the name of {other} too; everything in a world has a name of its own. Rename one."


def _untangle(world: World, known: MergeBase) -> None:
    """Take a thing that is inside itself, which no one could ever find, into the start room."""
    for thing in world.things.values():
        around = world.containers_around(thing.place_id)
        if thing.thing_id in around:
            why = containment_fault(thing.thing_id, around)
            thing.place_id = world.start_room_id
            known.broken[f"things/{thing.thing_id}.md"] = why
            log.warning("%s Until then it is in %s.", why, world.start_room_id)


_FENCE = re.compile(r"---[ \t]*")


@dataclass(frozen=True)
class PartialRoom:
    """A room, and what in its note is left out of it, with file and line.

    A note that is not text in UTF-8, or whose properties cannot be read, `may_be_written` by nobody but a person.
    """

    room: Room
    faults: tuple[str, ...]
    may_be_written: bool


def load_partial_room(vault: Vault, name: str, known: Mapping[str, str]) -> PartialRoom:
    """Return a room without the lines of its note that are not valid; one without anything if it has no other.

    `known` is of `room_names`.
    """
    source = f"rooms/{name}.md"
    text = vault.read_lossy(source)
    whole = without_conflicts(text)
    faults: dict[str, None] = {}
    for part in (None, whole, _without_front_matter(whole)):
        overlay = Overlay(vault)
        if part is not None:
            overlay.show(source, part)
        faults |= {str(fault): None for fault in collect_errors(overlay, lambda vault: load_room(vault, name, known))}
        try:
            room = load_room(overlay, name, known)
        except NoteError:
            continue
        if part is not None or whole == text:
            return PartialRoom(room, tuple(faults), part is None)
    return PartialRoom(Room(name), tuple(faults), False)


def _without_front_matter(text: str) -> str:
    """Return a text whose front matter is blank lines; if nothing ends it, it ends at the first blank line."""
    lines = with_plain_ends(text).removeprefix("\ufeff").split("\n")
    if not _FENCE.fullmatch(lines[0]):
        return text
    fences = (index for index, line in enumerate(lines) if index and _FENCE.fullmatch(line))
    blanks = (index for index, line in enumerate(lines) if not line.strip())
    end = next(fences, None) or next(blanks, len(lines) - 1)
    return "\n".join([""] * (end + 1) + lines[end + 1 :])
