"""The entity store: saves rooms, things and characters in their notes.

`rooms`, `things` and `people` are written by hand or when something in them changes; where things and characters are
now is saved in `world/whereabouts.md`, so that no note that somebody edits is ever written to because somebody moved.
What is new gets a new note. What is gone goes to the trash, from which it comes out again if just that comes back.

A note is written only if its file says what it was last known to say. Otherwise somebody has edited it, or is doing so
just now: then the edit is taken in first.
"""

from __future__ import annotations

from vault.entities.merge_base import MergeBase, source_of
from vault.entities.schema import FOLDERS, agent_character, entity_of, note_text
from vault.errors import NoteEditedError, NoteError
from vault.note import parse_note
from vault.trash import TRASH, keep_version, move_to_trash, newest_in_trash, take_from_trash
from vault.vault import Vault
from world.edits import same_content
from world.entities import Character, Entity, Ref, Role, Room
from world.world import World


class NoteBusy(NoteError):
    """A note cannot be written now, for somebody is editing it; once the edit counts, it can."""


class EntityStore:
    """The notes of a world. `base` says what they said last, so that nobody's edits are written over."""

    def __init__(self, vault: Vault, world: World, base: MergeBase) -> None:
        self._vault = vault
        self._world = world
        self._base = base

    def save(self, ref: Ref) -> None:
        """Bring the note of a room, thing or character, given as kind and id, up to the world.

        A room that has no number gets one. A guest has no note, and an agent's is never put into the trash.
        Raises: NoteError if the note cannot be written; NoteBusy if it has an edit that does not count yet.
        """
        entity = self._world.get(ref)
        if entity is None:
            self._remove(ref)
            return
        source = source_of(entity)
        if ref in self._base.unread:
            raise NoteError(f"{self._base.broken.get(source, source)} It is not written until it is valid.")
        text = self._vault.read_exact_or_none(source)
        if isinstance(entity, Character) and entity.role is Role.GUEST and not (entity.is_agent or text is not None):
            return
        if isinstance(entity, Room):
            entity.number = entity.number or self._world.next_number()
        if text is None and source not in self._base.texts:
            text = self._text_in_trash(entity)
        self._check_settled(entity, text)
        written = note_text(entity, text, self._base.get(ref) if text is not None else None)
        if written != text:
            self._write(written, source, text)
        self._base.set_written(entity, written)

    def keep_aside(self, ref: Ref) -> str:
        """Write the note of something, as it is in the world, into the trash; return where. Raises: NoteError."""
        entity = self._world.get(ref)
        return keep_version(self._vault, source_of(entity), self._base.own_text(entity)) if entity else ""

    def number_rooms(self) -> list[Room]:
        """Give every room that has no number the next one, and return those rooms, whose notes are to be saved."""
        unread = self._base.unread  # whose notes may have a number
        rooms = [room for room in self._world.rooms.values() if not room.number and room.ref not in unread]
        for room in rooms:
            room.number = self._world.next_number()
        return rooms

    def _check_settled(self, entity: Entity, text: str | None) -> None:
        """Raises: NoteBusy if a note is not what it was when it was last read or written."""
        source = source_of(entity)
        known = self._base.texts.get(source)
        if known is None and text is not None and self._base.get(entity.ref) is None:
            note = parse_note(text, source)
            was = agent_character(note, entity.id) if entity.is_agent else entity_of(note, entity.ref)
            if same_content(was, entity):  # it was written by another part of the program
                self._base.set(was, text)
                return
        if text != known:
            self._base.busy.add(source)
            raise NoteBusy(f"{source}: is being edited; what has changed in the world is written when the edit counts.")

    def _write(self, written: str, source: str, was: str | None) -> None:
        """Raises: NoteError if the note cannot be written; NoteBusy if it was edited since it was read."""
        try:
            self._vault.write_text(written, source, was=was)
        except NoteEditedError as error:
            self._base.busy.add(source)
            raise NoteBusy(str(error)) from error

    def _remove(self, ref: Ref) -> None:
        kind, entity_id = ref
        if entity_id not in self._world.hidden.places:  # whose note is gone already; if it is there, it comes back
            move_to_trash(self._vault, FOLDERS[kind], entity_id)
        self._base.drop(ref, f"{FOLDERS[kind]}/{entity_id}.md")

    def _text_in_trash(self, entity: Entity) -> str | None:
        """Put a note back from the trash if it is just this, wherever it was; return its text."""
        folder = FOLDERS[entity.kind]
        name = None if entity.is_agent else newest_in_trash(self._vault, folder, entity.id)
        try:
            note = self._vault.read(TRASH, folder, f"{name}.md") if name else None
            was = entity_of(note, entity.ref) if note else None
        except NoteError:
            return None
        if name is None or note is None or was is None or not same_content(was, entity):
            return None
        take_from_trash(self._vault, folder, name, entity.id)
        self._base.set(was, note.text)
        return note.text
