"""Reloads edited notes of rooms, things and people into a running world; an invalid note changes nothing.

A room whose note has another name but the same number was renamed: who and what is in it comes along. Of many edits
the rest of the world need not wait for the last: `apply_in_steps` applies them a note at a time, and exits lead
somewhere after each. Each note is read once, and again only if the world has written into it meanwhile.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from vault.entities.schema import KINDS, containment_fault, person_of, room_names, room_of, thing_of
from vault.entities.store import MergeBase
from vault.errors import NoteError
from vault.note import Note, link_target
from vault.vault import Vault
from vault.watch import Changes
from world.edits import merge, remove_character, remove_room, remove_thing, rename_room, same_content
from world.entities import Character, Entity, Exit, Ref, Room, Thing
from world.events import EntityChanged, Event, Moved
from world.sanitize import name_key
from world.world import World

T = TypeVar("T")


@dataclass
class ReloadResult:
    """The outcome of a reload: sentences for admins, and events to publish."""

    messages: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


@dataclass
class _EditedRooms:
    """The rooms of one reload by the sources of their notes, as far as these are valid.

    `base` is what each note was known to say when it was read. `notes` have been read already. `written` are the rooms
    with their exits as their notes have them, where another room was renamed.
    """

    names: Mapping[str, str]
    renamed: Mapping[str, str]
    notes: dict[str, Note]
    rooms: dict[str, Room] = field(default_factory=dict)
    written: dict[str, Room] = field(default_factory=dict)
    base: dict[str, Entity | None] = field(default_factory=dict)


class EntityReloader:
    """Keeps a world as its notes are edited.

    `broken` are the notes that are not valid, by source, with why; they are read again at every scan, for what was
    wrong may have been another note.
    """

    def __init__(self, vault: Vault, world: World, base: MergeBase) -> None:
        self.broken = {source: why for source, why in base.broken.items() if _ref(source)}
        self._vault = vault
        self._world = world
        self._base = base
        self._by_folder = {"people": self._reload_person, "things": self._reload_thing}

    def apply_in_steps(self, changes: Changes) -> Generator[None, None, ReloadResult]:
        """Apply what has changed among rooms, things and people; between the steps anything may happen in the world."""
        result, notes = ReloadResult(), dict[str, Note]()
        gone = [source for source in changes.gone if _ref(source)]
        for source in gone:
            self.broken.pop(source, None)
        edited = [source for source in dict.fromkeys((*changes.changed, *self.broken)) if _ref(source)]
        changed = [source for source in edited if self._vault.exists(*source.split("/"))]
        rooms = [source for source in changed if source.startswith("rooms/")]
        missing = [*gone, *changes.missing]
        renamed = self._rename_rooms(missing, rooms, notes, result) if missing else {}
        yield from self._reload_rooms(rooms, renamed, notes, result)
        for source in changed:
            if reload := self._by_folder.get(source.partition("/")[0]):
                yield
                try:
                    reload(source, result)
                except NoteError as error:
                    self._refuse(source, str(error), result)
        for source in gone:
            if not (source.startswith("rooms/") and _name(source) in renamed):
                self._remove(source, result)
        return result

    def _rename_rooms(
        self, gone: Iterable[str], changed: Iterable[str], notes: dict[str, Note], result: ReloadResult
    ) -> dict[str, str]:
        """Rename the rooms whose notes have another name now; return the new ids by the old ones."""
        numbers: dict[int, list[str]] = {}
        for source in changed:
            if _name(source) not in self._world.rooms:
                numbers.setdefault(self._number(source, notes), []).append(_name(source))
        found: dict[str, str] = {}
        for source in gone:
            room = self._world.rooms.get(_name(source)) if source.startswith("rooms/") else None
            fitting = numbers.get(room.number, []) if room and room.number else []
            if len(fitting) == 1 and self._world.id_ignoring_case(fitting[0]) in (None, _name(source)):
                found[_name(source)] = fitting[0]
        for old, new in found.items():
            result.events += rename_room(self._world, old, new)
            was = self._base.get(("room", old))
            self._base.drop(("room", old))
            if isinstance(was, Room):
                self._base.set(replace(was, room_id=new))
            result.messages.append(f"rooms/{new}.md: was {old} before; everything in it came along.")
        return found

    def _number(self, source: str, notes: dict[str, Note]) -> int:
        try:
            number = notes.setdefault(source, self._vault.read(*source.split("/"))).properties.get("number")
        except NoteError:
            return 0
        return number if type(number) is int else 0

    def _reload_rooms(
        self, sources: list[str], renamed: Mapping[str, str], notes: dict[str, Note], result: ReloadResult
    ) -> Generator[None, None, None]:
        names = room_names(self._vault) if sources else {}
        names |= {name_key(old): new for old, new in renamed.items() if name_key(old) not in names}
        edited, rooms = _EditedRooms(names, renamed, notes), self._world.rooms
        for source in sources:
            yield
            self._read_room(source, edited, result)
        for source in sources:
            self._read_room(source, edited, result)
        for source, why in broken_exits(edited.rooms, rooms).items():
            del edited.rooms[source]
            self._refuse(source, why, result)
        parts = {source: ReloadResult() for source in edited.rooms}
        old = [source for source, room in edited.rooms.items() if room.id in rooms]
        for source in [source for source, room in edited.rooms.items() if room.id not in rooms]:
            # Those that are new come all at once, for they may lead to each other.
            self._adopt(source, edited.rooms[source], parts[source], edited.written[source])
        for source in old:
            yield
            self._read_room(source, edited, result)
            room = edited.rooms.get(source)
            if room is None or room.id not in rooms:  # it was removed meanwhile, or is not valid any more
                continue
            if closed := broken_exits({source: room}, rooms):
                self._refuse(source, closed[source], parts[source])
            else:
                self._adopt(source, room, parts[source], edited.written[source])
        for part in parts.values():
            result.messages += part.messages
            result.events += part.events

    def _read_room(self, source: str, edited: _EditedRooms, result: ReloadResult) -> None:
        """Read the note of a room, unless it was read and the world has written nothing newer into it since."""
        base = self._base.get(("room", _name(source)))
        if source in edited.base:
            if edited.base[source] is base:
                return
            edited.notes.pop(source, None)
        edited.base[source] = base
        edited.rooms.pop(source, None)
        try:
            note = edited.notes.pop(source, None) or self._vault.read(*source.split("/"))
            room = room_of(note, _name(source), edited.names)
            self._check_free(source, room.ref)
        except NoteError as error:
            self._refuse(source, str(error), result)
        else:
            edited.rooms[source] = room
            edited.written[source] = _as_written(room, note, edited.renamed) if edited.renamed else room

    def _reload_person(self, source: str, result: ReloadResult) -> None:
        person = person_of(self._vault.read(*source.split("/")), _name(source), self._world.start_room_id)
        self._check_free(source, person.ref)
        self._adopt(source, person, result)

    def _reload_thing(self, source: str, result: ReloadResult) -> None:
        name, note, world = _name(source), self._vault.read(*source.split("/")), self._world
        self._check_free(source, ("thing", name))
        thing, was = thing_of(note, name), self._base.get(("thing", name))
        is_as_before = isinstance(was, Thing) and was.place_id == thing.place_id
        line = note.property_lines.get("at", 1)
        if not is_as_before and not any(
            thing.place_id in table for table in (world.rooms, world.characters, world.things)
        ):
            raise NoteError(f"{source}:{line}: at is {thing.place_id!r}, which is not a room, person or thing.")
        around = world.containers_around(thing.place_id)
        if not is_as_before and name in (thing.place_id, *around):
            raise NoteError(containment_fault(name, around, line))
        self._adopt(source, thing, result)

    def _adopt(self, source: str, now: Entity, result: ReloadResult, written: Entity | None = None) -> None:
        """Put what a note says into force; `written` is the same with its links to the letter."""
        current, was = self._world.get(now.ref), self._base.get(now.ref)
        self._base.set(written or now)
        self.broken.pop(source, None)
        if current is None:
            self._world.put(now)
            result.messages.append(f"{source}: loaded, as it is new.")
            if isinstance(now, Room) and not now.number:
                result.events.append(EntityChanged("", *now.ref))  # to be given one
            return
        # A room keeps its number when its note has lost it: maps of clients know the room by it.
        lost = False
        if isinstance(now, Room) and isinstance(current, Room) and not now.number:
            now, lost = replace(now, number=current.number), True
        moved = isinstance(now, Thing) and isinstance(was, Thing) and self._move(now, was, result)
        if not merge(current, was or current, now) and not moved and not lost:
            return  # we have written it ourselves, or it says the same in other words
        result.messages.append(f"{source}: reloaded.")
        if lost or not same_content(current, written or now):
            result.events.append(EntityChanged("", *now.ref))  # what is newer in the world is written into it as well

    def _move(self, now: Thing, was: Thing, result: ReloadResult) -> bool:
        """Move a thing whose note says another place than before; return whether it had to."""
        thing = self._world.things[now.thing_id]
        if now.place_id == was.place_id or now.place_id == thing.place_id:
            return False
        thing.place_id = now.place_id
        result.events.append(Moved("", thing.thing_id))
        return True

    def _remove(self, source: str, result: ReloadResult) -> None:
        ref, world = _ref(source), self._world
        one = world.get(ref) if ref else None
        if ref is None or one is None:
            return
        if one.id == world.start_room_id and isinstance(one, Room):
            what = "the start room cannot go; put the note back, or name another in config/world.md first."
            result.messages.append(f"{source}: {what}")
            return
        self._base.drop(ref)
        match one:
            case Room():
                result.events += remove_room(world, one.room_id)
                start = world.rooms[world.start_room_id].name
                what = f"is gone; who and what was in it is in {start}, and no exit leads there."
            case Thing():
                result.events += remove_thing(world, one.thing_id)
                what = "is gone, and so is the thing."
            case Character(awake=True):
                result.events.append(EntityChanged("", *ref))
                what = f"{one.name} is here, so the note is written again."
            case Character():
                result.events += remove_character(world, one.character_id)
                what = f"is gone; {one.name} starts over when they come back."
        result.messages.append(f"{source}: {what}")

    def _refuse(self, source: str, why: str, result: ReloadResult) -> None:
        if self.broken.get(source) != why:
            ref = _ref(source)
            stays = "What it said before still counts." if ref and self._world.get(ref) else "Left out."
            result.messages.append(f"{why} {stays}")
        self.broken[source] = why

    def _check_free(self, source: str, ref: Ref) -> None:
        """Raises: NoteError if something else in the world has the name."""
        other = None if self._world.get(ref) is not None else self._world.id_ignoring_case(ref[1])
        if other is not None:
            raise NoteError(f"{source}: {ref[1]!r} is the name of something else, {other!r}; give it one of its own.")


def run_steps(steps: Generator[None, None, T]) -> T:
    """Take all steps at once and return what comes of them."""
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            result: T = ended.value
            return result


def broken_exits(read: Mapping[str, Room], rooms: Mapping[str, Room]) -> dict[str, str]:
    """Return which of the rooms that were read lead to one that is not valid itself, by source, with why.

    One that is refused for this is not valid either, unless it is in the world already. Each exit is looked at once.
    """
    new = {room.room_id for room in read.values() if room.room_id not in rooms}
    leading: dict[str, list[tuple[str, Exit]]] = {}
    for source, room in read.items():
        for exit in room.exits.values():
            if exit.room_id not in rooms:
                leading.setdefault(exit.room_id, []).append((source, exit))
    refused: dict[str, str] = {}
    ahead = [room_id for room_id in leading if room_id not in new]
    while ahead:
        for source, exit in leading.pop(ahead.pop(), ()):
            if source in refused:
                continue
            refused[source] = f"{source}: the exit {exit.name!r} leads to {exit.room_id!r}, whose note is not valid."
            if read[source].room_id in new:
                ahead.append(read[source].room_id)
    return refused


def _as_written(room: Room, note: Note, renamed: Mapping[str, str]) -> Room:
    """Return a room with its exits as its note has them: under the old name where it was not changed with it."""
    targets = {entry.name: link_target(entry.value) for entry in note.entries("Exits")}
    olds = {name_key(old): old for old in renamed}
    exits = {
        name: Exit(name, olds.get(name_key(targets[name]), exit.room_id), exit.aliases)
        for name, exit in room.exits.items()
    }
    return replace(room, exits=exits)


def _ref(source: str) -> Ref | None:
    """Return the kind and the id of what a note is of; None if it is of no room, thing or person."""
    folder, _, name = source.partition("/")
    return (KINDS[folder], name.removesuffix(".md")) if folder in KINDS and "/" not in name else None


def _name(source: str) -> str:
    return source.rpartition("/")[2].removesuffix(".md")
