"""Rooms, things and characters into their notes: what differs, for one that is new a new note, for one that is gone
the trash, from which it comes out again if just that comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from vault.folder import Vault
from vault.notes import Note, NoteError
from vault.subjects.character_notes import FOLDER as PEOPLE
from vault.subjects.character_notes import person_of, save_agent, save_person
from vault.subjects.known_notes import KnownNotes
from vault.subjects.room_notes import FOLDER as ROOMS
from vault.subjects.room_notes import room_of, save_room
from vault.subjects.thing_notes import FOLDER as THINGS
from vault.subjects.thing_notes import save_thing, thing_of
from vault.subjects.trash import TRASH, newest_in_trash, put_in_trash, take_from_trash
from world.entities import Character, Role, Room, Thing
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
        kind, (_, subject_id) = _KINDS[ref[0]], ref
        is_there = self._vault.exists(kind.folder, f"{subject_id}.md")
        if not is_there and (put_by_as := self._put_by(kind, subject_id, subject)):
            take_from_trash(self._vault, kind.folder, put_by_as, subject_id)
        kind.save(self._vault, subject, self._known.of(ref) if is_there else None)

    def _put_by(self, kind: _Kind, subject_id: str, subject: Room | Thing | Character) -> str | None:
        """Return under which name something lies in the trash, if it is just this, wherever it was."""
        name = newest_in_trash(self._vault, kind.folder, subject_id)
        try:
            was = kind.read(self._vault.read(TRASH, kind.folder, f"{name}.md"), subject_id) if name else None
        except NoteError:
            return None
        return name if was is not None and _placeless(was) == _placeless(subject) else None

    def _known_as(self, ref: Ref) -> Character | None:
        known = self._known.of(ref)
        is_there = self._vault.exists("agents", ref[1], "agent.md")
        return known if is_there and isinstance(known, Character) else None

    def _found(self, ref: Ref) -> Room | Thing | Character | None:
        kind, subject_id = ref
        world = self._world
        tables: dict[str, Mapping[str, Room | Thing | Character]] = {
            "room": world.rooms,
            "thing": world.things,
            "character": world.characters,
        }
        return tables[kind].get(subject_id)


def _placeless(subject: Room | Thing | Character) -> Room | Thing | Character:
    match subject:
        case Thing():
            return replace(subject, place_id="")
        case Character():
            return replace(subject, room_id="", awake=False, role=Role.PLAYER, grants=frozenset())
        case _:
            return subject
