"""The entity store: loads the world from notes, saves entities, and keeps the merge base.

`rooms`, `things` and `people` are written by hand or when something in them changes; where things and characters are
now is saved in `world/whereabouts.md`, so that no note that somebody edits is ever written to because somebody moved.
What is new gets a new note. What is gone goes to the trash, from which it comes out again if just that comes back.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from config.settings import WorldSettings
from vault.entities.agent_notes import load_agent
from vault.entities.schema import (
    FOLDERS,
    containment_fault,
    entity_of,
    load_person,
    load_room,
    load_thing,
    note_path,
    save_entity,
)
from vault.errors import NoteError
from vault.findings import Overlay, collect_errors
from vault.locations_log import LocationsLog
from vault.lore import load_lore
from vault.message_notes import load_wording
from vault.note import with_plain_ends
from vault.vault import Vault, agent_names
from world.edits import same_content
from world.entities import Character, Entity, Ref, Role, Room, Thing, copy_entity
from world.errors import WorldError
from world.sanitize import name_key
from world.world import World

log = logging.getLogger(__name__)

T = TypeVar("T")


def load_world(vault: Vault, settings: WorldSettings, known: MergeBase | None = None) -> World:
    """Return the world that the vault's notes describe, with everyone where they were last.

    Everyone is asleep. A room whose note is not valid is open with what can be read of it; a thing, person or agent
    is left out then, and so is what has the name of something else. All this is logged, with file, line and remedy.
    `known` takes in what each note says, where things start out included, and which notes are not valid.
    Raises: NoteError if there is no room at all, or none that is the start room.
    """
    known = known or MergeBase()
    rooms = _rooms(vault, known)
    taken = {name_key(room.room_id): f"rooms/{room.room_id}.md" for room in rooms}
    valid = partial(_valid, taken=taken, broken=known.broken)
    agents = list(valid("agents/{}/agent.md", lambda name: load_agent(vault, name).character, agent_names(vault)))
    people = list(
        valid("people/{}.md", lambda name: load_person(vault, name, settings.start_room), vault.names("people"))
    )
    things = list(valid("things/{}.md", lambda name: load_thing(vault, name), vault.names("things")))
    try:
        world = World(rooms, things, [*agents, *people], settings.start_room, load_wording(vault, is_strict=False))
    except WorldError as error:
        raise NoteError(f"config/world.md: {error}") from error
    world.crowd, world.lore = settings.crowd, load_lore(vault)
    known.reset(world)
    LocationsLog(vault, world).restore()
    _untangle(world, known)
    return world


def _rooms(vault: Vault, known: MergeBase) -> list[Room]:
    names: dict[str, str] = {}
    for name in vault.names("rooms"):
        first = names.setdefault(name_key(name), name)
        if first != name:
            _leave_out(f"rooms/{name}.md: {_same_name(name, f'rooms/{first}.md')}", known.broken)
    links = names | {name: name for name in names.values()}
    return [_room(vault, name, links, known) for name in names.values()]


def _room(vault: Vault, name: str, links: Mapping[str, str], known: MergeBase) -> Room:
    try:
        return load_room(vault, name, links)
    except NoteError as error:
        known.broken[f"rooms/{name}.md"] = str(error)
        found = load_partial_room(vault, name, links)
    for fault in found.faults:
        log.warning("%s The room is open without it; once the note is valid, all of it counts.", fault)
    if not found.may_be_written:
        known.unread.add(("room", name))
    return found.room


def _valid(
    source: str, load: Callable[[str], T], names: Iterable[str], taken: dict[str, str], broken: dict[str, str]
) -> Iterator[T]:
    for name in names:
        place = source.format(name)
        other = taken.setdefault(name_key(name), place)
        try:
            if other != place:
                raise NoteError(f"{place}: {_same_name(name, other)}")
            yield load(name)
        except NoteError as error:
            _leave_out(str(error), broken, place)


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
    faults: dict[str, None] = {}
    for part in (None, text, _without_front_matter(text)):
        overlay = Overlay(vault)
        if part is not None:
            overlay.show(source, part)
        faults |= {str(fault): None for fault in collect_errors(overlay, lambda vault: load_room(vault, name, known))}
        try:
            return PartialRoom(load_room(overlay, name, known), tuple(faults), part is None)
        except NoteError:
            continue
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


TRASH = ".trash"


class EntityStore:
    """The notes of a world. `base` says what they said last, so that nobody's edits are written over."""

    def __init__(self, vault: Vault, world: World, base: MergeBase) -> None:
        self._vault = vault
        self._world = world
        self._base = base
        self._saving: dict[Ref, list[Ref]] = {}

    def save(self, ref: Ref) -> None:
        """Bring the note of a room, thing or character, given as kind and id, up to the world. Raises: NoteError.

        A room that has no number gets one. A guest has no note, and an agent's is never put into the trash. At no
        moment does an exit in a note lead to a room without one: a world that is killed just then must start again.
        """
        if ref in self._saving:
            return
        if ref in self._base.unread and self._world.get(ref) is not None:
            source = f"{FOLDERS[ref[0]]}/{ref[1]}.md"
            raise NoteError(f"{self._base.broken.get(source, source)} It is not written until it is valid.")
        waiting = self._saving[ref] = []
        try:
            for room_id in self._rooms_before(ref):
                self.save(("room", room_id))
            self._save(ref)
        finally:
            del self._saving[ref]
        for other in waiting:
            self.save(other)

    def number_rooms(self) -> list[Room]:
        """Give every room that has no number the next one, and return those rooms, whose notes are to be saved."""
        unread = self._base.unread  # whose notes may have a number
        rooms = [room for room in self._world.rooms.values() if not room.number and room.ref not in unread]
        for room in rooms:
            room.number = self._world.next_number()
        return rooms

    def _save(self, ref: Ref) -> None:
        entity = self._world.get(ref)
        if entity is None:
            move_to_trash(self._vault, FOLDERS[ref[0]], ref[1])
            self._base.drop(ref)
            return
        is_there = self._vault.exists(*note_path(entity))
        if isinstance(entity, Character) and entity.role is Role.GUEST and not (entity.is_agent or is_there):
            return
        if isinstance(entity, Room):
            entity = self._without_exits_to_none(entity)
        if not is_there and not entity.is_agent and (name := self._name_in_trash(entity)):
            take_from_trash(self._vault, FOLDERS[entity.kind], name, entity.id)
        save_entity(self._vault, entity, self._base.get(ref) if is_there else None)
        self._base.set_written(entity)

    def _rooms_before(self, ref: Ref) -> list[str]:
        """Return the ids of rooms to save before this one, so that no exit on disk ever points to a missing note."""
        kind, room_id = ref
        if kind != "room":
            return []
        room = self._world.rooms.get(room_id)
        if room is None:
            return self._base.rooms_leading_to(room_id)
        return list(dict.fromkeys(exit.room_id for exit in room.exits.values() if self._is_new(exit.room_id)))

    def _is_new(self, room_id: str) -> bool:
        return room_id in self._world.rooms and self._base.get(("room", room_id)) is None

    def _without_exits_to_none(self, room: Room) -> Room:
        """Return the room without exits to others that wait for its own note; they are written after those."""
        room.number = room.number or self._world.next_number()
        missing = {exit.room_id for exit in room.exits.values() if self._is_new(exit.room_id)} - {room.room_id}
        if not missing:
            return room
        for room_id in missing:
            self._saving["room", room_id].append(room.ref)
        return replace(room, exits={name: one for name, one in room.exits.items() if one.room_id not in missing})

    def _name_in_trash(self, entity: Entity) -> str | None:
        """Return under which name something lies in the trash, if it is just this, wherever it was."""
        folder = FOLDERS[entity.kind]
        name = newest_in_trash(self._vault, folder, entity.id)
        try:
            was = entity_of(self._vault.read(TRASH, folder, f"{name}.md"), entity.ref) if name else None
        except NoteError:
            return None
        return name if was is not None and same_content(was, entity) else None


class MergeBase:
    """The common base of a three-way merge: a copy of every room, thing and character as its note said last.

    Saving writes only what the world has changed since, reloading applies only what the note has. Things are where
    their notes have them start out. `broken` are the notes that are not valid, by source, with why. `unread` are rooms
    whose notes are not text, or whose properties could not be read: they are not written until somebody has mended
    them.
    """

    def __init__(self, world: World | None = None) -> None:
        self._entities: dict[Ref, Entity] = {}
        self.broken: dict[str, str] = {}
        self.unread: set[Ref] = set()
        if world:
            self.reset(world)

    def reset(self, world: World) -> None:
        """Take everything in a world that was just read to be as its note has it."""
        self._entities = {one.ref: copy_entity(one) for one in world.entities()}

    def get(self, ref: Ref) -> Entity | None:
        """Return what a note said, or None if there was none; not to be changed."""
        return self._entities.get(ref)

    def set(self, entity: Entity) -> None:
        """Keep what somebody's edit of a note says."""
        self.unread.discard(entity.ref)
        self._entities[entity.ref] = copy_entity(entity)

    def set_written(self, entity: Entity) -> None:
        """Keep that a note was written; where a thing starts out stays as it was, for that is never written again."""
        before, written = self._entities.get(entity.ref), copy_entity(entity)
        if isinstance(written, Thing) and isinstance(before, Thing):
            written.place_id = before.place_id
        self._entities[entity.ref] = written

    def rooms_leading_to(self, room_id: str) -> list[str]:
        """Return the other rooms in whose notes an exit leads to a room."""
        rooms = [one for one in self._entities.values() if isinstance(one, Room) and one.room_id != room_id]
        return [one.room_id for one in rooms if any(exit.room_id == room_id for exit in one.exits.values())]

    def drop(self, ref: Ref) -> None:
        """Keep that there is no note any more."""
        self._entities.pop(ref, None)


def move_to_trash(vault: Vault, folder: str, name: str) -> str | None:
    """Put a note by; return under which name, or None if there was none. Raises: NoteError."""
    if not vault.exists(folder, f"{name}.md"):
        return None
    newest = max(_numbers(vault, folder, name), default=0)
    trash_name = f"{name} {newest + 1}" if newest else name
    vault.rename((folder, f"{name}.md"), (TRASH, folder, f"{trash_name}.md"))
    return trash_name


def newest_in_trash(vault: Vault, folder: str, name: str) -> str | None:
    """Return under which name a note was put by last, or None."""
    newest = max(_numbers(vault, folder, name), default=0)
    return (f"{name} {newest}" if newest > 1 else name) if newest else None


def take_from_trash(vault: Vault, folder: str, trash_name: str, name: str) -> None:
    """Put a note back in its place. Raises: NoteError."""
    vault.rename((TRASH, folder, f"{trash_name}.md"), (folder, f"{name}.md"))


def _numbers(vault: Vault, folder: str, name: str) -> Iterator[int]:
    """Yield the numbers under which notes of a name were put by: 1 for the name alone, and no gap is filled."""
    for one in vault.names(f"{TRASH}/{folder}"):
        number = one.removeprefix(f"{name} ")
        if one == name:
            yield 1
        elif number != one and number.isdecimal() and number.isascii():
            yield int(number)
