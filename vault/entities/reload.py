"""Taking edits of rooms, things and people into a running world; a note that is not valid changes nothing.

A room whose note has another name but the same number was renamed: who and what is in it comes along. Of many edits
the rest of the world need not wait for the last: `steps` takes them in a note at a time, and exits lead somewhere
after each.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from vault.entities.schema import inside_itself, person_of, room_names, room_of, thing_of
from vault.entities.store import KnownNotes
from vault.errors import NoteError
from vault.note import Note, link_target
from vault.vault import Vault
from vault.watch import Changes
from world.edits import add_entity, merge, remove_character, remove_room, remove_thing, rename_room, same_content
from world.entities import Character, Exit, Room, Thing
from world.events import EntityChanged, Event, Moved
from world.find import Entity
from world.sanitize import name_key
from world.undo import Ref
from world.world import World

T = TypeVar("T")

KINDS = {"rooms": "room", "things": "thing", "people": "character"}


@dataclass
class Taken:
    """What came of a look: sentences for admins, events to be published, and the notes that are not valid, with why."""

    told: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)


class WorldReload:
    """Keeps a world as its notes are edited.

    `broken` are the notes that are not valid, by source, with why; they are read again at every look, for what was
    wrong may have been another note.
    """

    def __init__(self, vault: Vault, world: World, known: KnownNotes) -> None:
        self.broken = {source: why for source, why in known.broken.items() if _kind(source)}
        self._vault = vault
        self._world = world
        self._known = known

    def take_in(self, changes: Changes) -> Taken:
        """Take in what has changed, as far as it is rooms, things and people."""
        return finished(self.steps(changes))

    def steps(self, changes: Changes) -> Generator[None, None, Taken]:
        """Do the same in steps, between which anything else may happen in the world."""
        taken = Taken()
        gone = [source for source in changes.gone if _kind(source)]
        changed = dict.fromkeys(source for source in (*changes.changed, *self.broken) if _kind(source))
        for source in gone:
            self.broken.pop(source, None)
        changed = {source: None for source in changed if self._vault.exists(*source.split("/"))}
        rooms = [source for source in changed if source.startswith("rooms/")]
        renamed = self._renamings([s for s in (*gone, *changes.missing) if s.startswith("rooms/")], rooms)
        for old, new in renamed.items():
            taken.events += rename_room(self._world, old, new)
            self._known_as(old, new)
            taken.told.append(f"rooms/{new}.md: was {old} before; everything in it came along.")
        yield from self._take_rooms(rooms, renamed, taken)
        for source in changed:
            if not source.startswith("rooms/"):
                yield
                self._guarded(source, taken, lambda source=source: self._take(source, taken))  # type: ignore[misc]
        for source in gone:
            if _name(source) not in renamed or not source.startswith("rooms/"):
                self._lose(source, taken)
        taken.broken = dict(self.broken)
        return taken

    def _renamings(self, gone: list[str], changed: list[str]) -> dict[str, str]:
        """Return the new ids of rooms that were renamed, by the old ones."""
        numbers: dict[int, list[str]] = {}
        for source in changed:
            if _name(source) not in self._world.rooms:
                number = self._number(source)
                numbers.setdefault(number, []).append(_name(source))
        found: dict[str, str] = {}
        for source in gone:
            room = self._world.rooms.get(_name(source))
            fitting = numbers.get(room.number, []) if room and room.number else []
            if len(fitting) == 1 and self._world.id_like(fitting[0]) in (None, _name(source)):
                found[_name(source)] = fitting[0]
        return found

    def _number(self, source: str) -> int:
        try:
            number = self._vault.read(*source.split("/")).properties.get("number")
        except NoteError:
            return 0
        return number if type(number) is int else 0

    def _known_as(self, old: str, new: str) -> None:
        was = self._known.of(("room", old))
        self._known.forget(("room", old))
        if isinstance(was, Room):
            self._known.read(("room", new), replace(was, room_id=new))

    def _take_rooms(self, sources: list[str], renamed: Mapping[str, str], taken: Taken) -> Generator[None, None, None]:
        names = room_names(self._vault) if sources else {}
        names |= {name_key(old): new for old, new in renamed.items() if name_key(old) not in names}
        read: dict[str, Room] = {}
        written: dict[str, Room] = {}
        before: dict[str, Entity | None] = {}

        def read_note(source: str) -> None:
            note = self._vault.read(*source.split("/"))
            room = room_of(note, _name(source), names)
            self._check_free(source, room.room_id)
            read[source], written[source] = room, _as_written(room, note, renamed)

        def load(source: str) -> None:
            if source in before and self._known_of(source) is before[source]:
                return
            before[source] = self._known_of(source)
            read.pop(source, None)  # what was read before the world wrote something newer into the note
            self._guarded(source, taken, lambda: read_note(source))

        for source in sources:
            yield
            load(source)
        for source in sources:
            load(source)
        for source, why in leading_nowhere(read, self._world.rooms).items():
            del read[source]
            self._refuse(source, why, taken)
        parts = {source: Taken() for source in read}
        old = [source for source, room in read.items() if room.room_id in self._world.rooms]
        for source in [source for source, room in read.items() if room.room_id not in self._world.rooms]:
            # Those that are new come all at once, for they may lead to each other.
            self._adopt(source, read[source], parts[source], written[source])
        for source in old:
            yield
            load(source)
            if source in read and read[source].room_id in self._world.rooms:  # else somebody has removed it meanwhile
                self._adopt_if_open(source, read[source], written[source], parts[source])
        for part in parts.values():
            taken.told += part.told
            taken.events += part.events

    def _adopt_if_open(self, source: str, room: Room, written: Room, taken: Taken) -> None:
        """Adopt a room whose exits still lead somewhere."""
        if any(exit.room_id not in self._world.rooms for exit in room.exits.values()):
            self._refuse(source, leading_nowhere({source: room}, self._world.rooms)[source], taken)
        else:
            self._adopt(source, room, taken, written)

    def _known_of(self, source: str) -> Entity | None:
        return self._known.of((_kind(source), _name(source)))

    def _take(self, source: str, taken: Taken) -> None:
        name, note = _name(source), self._vault.read(*source.split("/"))
        self._check_free(source, name)
        if source.startswith("people/"):
            self._adopt(source, person_of(note, name, self._world.start_room_id), taken)
            return
        thing = thing_of(note, name)
        was = self._known.of(("thing", name))
        is_as_before = isinstance(was, Thing) and was.place_id == thing.place_id
        places, line = (self._world.rooms, self._world.characters, self._world.things), note.property_lines.get("at", 1)
        if not is_as_before and not any(thing.place_id in table for table in places):
            raise NoteError(f"{source}:{line}: at is {thing.place_id!r}, which is no room, person or thing.")
        around = self._world.containers_around(thing.place_id)
        if not is_as_before and name in (thing.place_id, *around):
            raise NoteError(inside_itself(name, around, line))
        self._adopt(source, thing, taken)

    def _adopt(self, source: str, now: Entity, taken: Taken, written: Entity | None = None) -> None:
        """Put what a note says into force; `written` is the same with its links to the letter."""
        ref = (_kind(source), _name(source))
        current, was = self._found(ref), self._known.of(ref)
        self._known.read(ref, written or now)
        self.broken.pop(source, None)
        if current is None:
            add_entity(self._world, now)
            taken.told.append(f"{source}: taken in, as it is new.")
            taken.events += (
                [EntityChanged("", *ref)] if isinstance(now, Room) and not now.number else []
            )  # to be given one
            return
        # A room keeps its number when its note has lost it: maps of clients know the room by it.
        lost = False
        if isinstance(now, Room) and isinstance(current, Room) and not now.number:
            now, lost = replace(now, number=current.number), True
        moved = isinstance(now, Thing) and isinstance(was, Thing) and self._put_elsewhere(now, was, taken)
        if not merge(current, was or current, now) and not moved and not lost:
            return  # we have written it ourselves, or it says the same in other words
        taken.told.append(f"{source}: taken in.")
        if lost or not same_content(current, written or now):
            taken.events.append(EntityChanged("", *ref))  # what is newer in the world is written into it as well

    def _put_elsewhere(self, now: Thing, was: Thing, taken: Taken) -> bool:
        """Move a thing whose note says another place than before; return whether it had to."""
        thing = self._world.things[now.thing_id]
        if now.place_id == was.place_id or now.place_id == thing.place_id:
            return False
        thing.place_id = now.place_id
        taken.events.append(Moved("", thing.thing_id))
        return True

    def _lose(self, source: str, taken: Taken) -> None:
        ref = (_kind(source), _name(source))
        one, world = self._found(ref), self._world
        if one is None:
            return
        if isinstance(one, Room) and one.room_id == world.start_room_id:
            what = "the start room cannot go; put the note back, or name another in config/world.md first."
            taken.told.append(f"{source}: {what}")
            return
        self._known.forget(ref)
        match one:
            case Room():
                taken.events += remove_room(world, one.room_id)
                start = world.rooms[world.start_room_id].name
                taken.told.append(f"{source}: is gone; who and what was in it is in {start}, and no exit leads there.")
            case Thing():
                taken.events += remove_thing(world, one.thing_id)
                taken.told.append(f"{source}: is gone, and so is the thing.")
            case Character(awake=True):
                taken.events.append(EntityChanged("", *ref))
                taken.told.append(f"{source}: {one.name} is here, so the note is written again.")
            case Character():
                taken.events += remove_character(world, one.character_id)
                taken.told.append(f"{source}: is gone; {one.name} begins anew when they come back.")

    def _guarded(self, source: str, taken: Taken, read: Callable[[], None]) -> None:
        try:
            read()
        except NoteError as error:
            self._refuse(source, str(error), taken)

    def _refuse(self, source: str, why: str, taken: Taken) -> None:
        if self.broken.get(source) != why:
            stays = "What it said before still counts." if self._found((_kind(source), _name(source))) else "Left out."
            taken.told.append(f"{why} {stays}")
        self.broken[source] = why

    def _check_free(self, source: str, name: str) -> None:
        """Raises: NoteError if something else in the world has the name."""
        if self._found((_kind(source), name)) is not None:
            return
        other = self._world.id_like(name)
        if other is not None:
            raise NoteError(f"{source}: {name!r} is the name of something else, {other!r}; give it one of its own.")

    def _found(self, ref: Ref) -> Entity | None:
        kind, key = ref
        world = self._world
        tables: dict[str, Mapping[str, Entity]] = {
            "room": world.rooms,
            "thing": world.things,
            "character": world.characters,
        }
        return tables[kind].get(key)


def finished(steps: Generator[None, None, T]) -> T:
    """Take all steps at once and return what comes of them."""
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            result: T = ended.value
            return result


def leading_nowhere(read: Mapping[str, Room], rooms: Mapping[str, Room]) -> dict[str, str]:
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
    if not renamed:
        return room
    targets = {entry.name: link_target(entry.value) for entry in note.entries("Exits")}
    olds = {name_key(old): old for old in renamed}
    exits = {
        name: Exit(name, olds.get(name_key(targets[name]), exit.room_id), exit.aliases)
        for name, exit in room.exits.items()
    }
    return replace(room, exits=exits)


def _kind(source: str) -> str:
    folder, _, rest = source.partition("/")
    return KINDS.get(folder, "") if "/" not in rest else ""


def _name(source: str) -> str:
    return source.rpartition("/")[2].removesuffix(".md")
