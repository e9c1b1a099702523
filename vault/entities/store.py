"""Rooms, things and characters into their notes: what differs, for one that is new a new note, for one that is gone the
trash, from which it comes out again if just that comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from vault.entities.schema import (
    PEOPLE,
    ROOMS,
    THINGS,
    person_of,
    room_of,
    save_agent,
    save_person,
    save_room,
    save_thing,
    thing_of,
)
from vault.errors import NoteError
from vault.note import Note
from vault.vault import Vault
from world.edits import copy_entity
from world.entities import Character, Role, Room, Thing
from world.find import Entity
from world.undo import Ref
from world.world import World


@dataclass(frozen=True)
class _Kind:
    folder: str
    read: Callable[[Note, str], Any]
    save: Callable[[Vault, Any, Any], bool]


_KINDS = {
    "room": _Kind(ROOMS, room_of, save_room),
    "thing": _Kind(THINGS, thing_of, save_thing),
    "character": _Kind(PEOPLE, person_of, save_person),
}


class WorldNotes:
    """The notes of a world, of which `known` says what they said last: nobody's edits are written over."""

    def __init__(self, vault: Vault, world: World, known: KnownNotes) -> None:
        self._vault = vault
        self._world = world
        self._known = known
        self._saving: dict[Ref, list[Ref]] = {}

    def save(self, ref: Ref) -> None:
        """Bring the note of a room, thing or character, given as kind and id, up to the world. Raises: NoteError.

        A room that has no number gets one. A guest has no note, and an agent's is never put into the trash. At no
        moment does an exit in a note lead to a room without one: a world that is killed just then must start again.
        """
        if ref in self._saving:
            return
        if ref in self._known.unread and self._found(ref) is not None:
            source = f"{_KINDS[ref[0]].folder}/{ref[1]}.md"
            raise NoteError(f"{self._known.broken.get(source, source)} It is not written until it is mended.")
        waiting = self._saving[ref] = []
        try:
            for room_id in self._rooms_before(ref):
                self.save(("room", room_id))
            self._bring_up(ref)
        finally:
            del self._saving[ref]
        for other in waiting:
            self.save(other)

    def _bring_up(self, ref: Ref) -> None:
        subject = self._found(ref)
        match subject:
            case None:
                put_in_trash(self._vault, _KINDS[ref[0]].folder, ref[1])
                self._known.forget(ref)
                return
            case Character(is_agent=True):
                save_agent(self._vault, subject, self._known_as(ref))
            case Character(role=Role.GUEST) if not self._vault.exists(PEOPLE, f"{subject.name}.md"):
                return
            case Room():
                subject = self._without_exits_to_none(ref, subject)
                self._save(ref, subject)
            case _:
                self._save(ref, subject)
        self._known.note(ref, subject)

    def _rooms_before(self, ref: Ref) -> list[str]:
        """Return the rooms whose notes come first: the new ones to which this one leads, or that lead to one gone."""
        kind, room_id = ref
        if kind != "room":
            return []
        room = self._world.rooms.get(room_id)
        if room is None:
            return self._known.rooms_leading_to(room_id)
        return list(dict.fromkeys(exit.room_id for exit in room.exits.values() if self._is_new(exit.room_id)))

    def _is_new(self, room_id: str) -> bool:
        return room_id in self._world.rooms and self._known.of(("room", room_id)) is None

    def _without_exits_to_none(self, ref: Ref, room: Room) -> Room:
        """Return the room without exits to others that wait for its own note; they are written after those."""
        room.number = room.number or self._world.next_number()
        missing = {exit.room_id for exit in room.exits.values() if self._is_new(exit.room_id)} - {room.room_id}
        if not missing:
            return room
        for room_id in missing:
            self._saving["room", room_id].append(ref)
        return replace(room, exits={name: one for name, one in room.exits.items() if one.room_id not in missing})

    def number_rooms(self) -> list[Room]:
        """Give every room that has no number the next one, and return those rooms, whose notes are to be saved."""
        unread = self._known.unread  # whose notes may have a number
        rooms = [
            room for room in self._world.rooms.values() if not room.number and ("room", room.room_id) not in unread
        ]
        for room in rooms:
            room.number = self._world.next_number()
        return rooms

    def _save(self, ref: Ref, subject: Room | Thing | Character) -> None:
        kind, (_, entity_id) = _KINDS[ref[0]], ref
        is_there = self._vault.exists(kind.folder, f"{entity_id}.md")
        if not is_there and (put_by_as := self._put_by(kind, entity_id, subject)):
            take_from_trash(self._vault, kind.folder, put_by_as, entity_id)
        kind.save(self._vault, subject, self._known.of(ref) if is_there else None)

    def _put_by(self, kind: _Kind, entity_id: str, subject: Room | Thing | Character) -> str | None:
        """Return under which name something lies in the trash, if it is just this, wherever it was."""
        name = newest_in_trash(self._vault, kind.folder, entity_id)
        try:
            was = kind.read(self._vault.read(TRASH, kind.folder, f"{name}.md"), entity_id) if name else None
        except NoteError:
            return None
        return name if was is not None and _placeless(was) == _placeless(subject) else None

    def _known_as(self, ref: Ref) -> Character | None:
        known = self._known.of(ref)
        is_there = self._vault.exists("agents", ref[1], "agent.md")
        return known if is_there and isinstance(known, Character) else None

    def _found(self, ref: Ref) -> Room | Thing | Character | None:
        kind, entity_id = ref
        world = self._world
        tables: dict[str, Mapping[str, Room | Thing | Character]] = {
            "room": world.rooms,
            "thing": world.things,
            "character": world.characters,
        }
        return tables[kind].get(entity_id)


def _placeless(subject: Room | Thing | Character) -> Room | Thing | Character:
    match subject:
        case Thing():
            return replace(subject, place_id="")
        case Character():
            return replace(subject, room_id="", awake=False, role=Role.PLAYER, grants=frozenset())
        case _:
            return subject


class KnownNotes:
    """A copy of every subject as its note has it, by kind and id. Things are where their notes have them start out.

    `broken` are the notes that are not valid, by source, with why. `unread` are rooms whose notes are not
    text, or whose properties could not be read: they are not written until somebody has mended them.
    """

    def __init__(self, world: World | None = None) -> None:
        self._known: dict[Ref, Entity] = {}
        self.broken: dict[str, str] = {}
        self.unread: set[Ref] = set()
        if world:
            self.begin(world)

    def begin(self, world: World) -> None:
        """Take everything in a world that was just read to be as its note has it."""
        tables: Iterable[tuple[str, Iterable[tuple[str, Entity]]]] = (
            ("room", world.rooms.items()),
            ("thing", world.things.items()),
            ("character", world.characters.items()),
        )
        self._known = {(kind, key): copy_entity(one) for kind, table in tables for key, one in table}

    def of(self, ref: Ref) -> Entity | None:
        """Return what a note said, or None if there was none; not to be changed."""
        return self._known.get(ref)

    def read(self, ref: Ref, subject: Entity) -> None:
        """Keep what somebody's edit of a note says."""
        self.unread.discard(ref)
        self._known[ref] = copy_entity(subject)

    def note(self, ref: Ref, subject: Entity) -> None:
        """Keep that a note was written; where a thing starts out stays as it was, for that is never written again."""
        before, written = self._known.get(ref), copy_entity(subject)
        if isinstance(written, Thing) and isinstance(before, Thing):
            written.place_id = before.place_id
        self._known[ref] = written

    def rooms_leading_to(self, room_id: str) -> list[str]:
        """Return the other rooms in whose notes an exit leads to a room."""
        rooms = [one for one in self._known.values() if isinstance(one, Room) and one.room_id != room_id]
        return [one.room_id for one in rooms if any(exit.room_id == room_id for exit in one.exits.values())]

    def forget(self, ref: Ref) -> None:
        """Keep that there is no note any more."""
        self._known.pop(ref, None)


TRASH = ".trash"


def put_in_trash(vault: Vault, folder: str, name: str) -> str | None:
    """Put a note by; return under which name, or None if there was none. Raises: NoteError."""
    if not vault.exists(folder, f"{name}.md"):
        return None
    newest = max(_numbers(vault, folder, name), default=0)
    put_by_as = f"{name} {newest + 1}" if newest else name
    vault.rename((folder, f"{name}.md"), (TRASH, folder, f"{put_by_as}.md"))
    return put_by_as


def newest_in_trash(vault: Vault, folder: str, name: str) -> str | None:
    """Return under which name a note was put by last, or None."""
    newest = max(_numbers(vault, folder, name), default=0)
    return (f"{name} {newest}" if newest > 1 else name) if newest else None


def take_from_trash(vault: Vault, folder: str, put_by_as: str, name: str) -> None:
    """Put a note back in its place. Raises: NoteError."""
    vault.rename((TRASH, folder, f"{put_by_as}.md"), (folder, f"{name}.md"))


def _numbers(vault: Vault, folder: str, name: str) -> Iterator[int]:
    """Yield the numbers under which notes of a name were put by: 1 for the name alone, and no gap is filled."""
    for one in vault.names(f"{TRASH}/{folder}"):
        number = one.removeprefix(f"{name} ")
        if one == name:
            yield 1
        elif number != one and number.isdecimal() and number.isascii():
            yield int(number)
