"""Rooms as notes: properties, a description, exits that link to other rooms, details, and what goes on by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vault.folder import Vault
from vault.note_text import NoteText, entry_lines
from vault.notes import Note, NoteError, link_target, reference
from vault.subjects.life_notes import life_in
from vault.subjects.subject_notes import (
    names_in,
    own_properties,
    save_names,
    save_note,
    save_own_properties,
    text_in,
    texts_in,
)
from world.entities import Detail, Exit, Room
from world.sanitize import name_key

FOLDER = "rooms"
KEYS = ("number", "title", "aliases", "tags")
"""The properties that mean something; the others are the builders' own."""


def room_names(vault: Vault) -> dict[str, str]:
    """Return the names of all rooms by what links may call them: case and the encoding of accents do not count."""
    names = vault.names(FOLDER)
    return {name_key(name): name for name in names} | {name: name for name in names}


def load_room(vault: Vault, name: str, known: Mapping[str, str] | None = None) -> Room:
    """Return the room of a note. `known` is of `room_names`; without it, exits may lead anywhere.

    Raises: NoteError if the note is not valid, or an exit leads to no room that is known; names file and line.
    """
    return room_of(vault.read(FOLDER, f"{name}.md"), name, known)


def room_of(note: Note, room_id: str, known: Mapping[str, str] | None = None) -> Room:
    """Return the room that a note describes; see `load_room`."""
    number = note.properties.get("number")
    life = life_in(note)
    return Room(
        room_id,
        note.section("").text,
        {exit.name: exit for exit in _exits(note, known)},
        {one.name: Detail(one.name, one.value, one.aliases) for one in note.entries("Details")},
        number if type(number) is int and number > 0 else 0,
        texts_in(note, "tags"),
        text_in(note, "title").strip(),
        names_in(note),
        own_properties(note, KEYS),
        life.moods,
        life.ambient,
        life.reactions,
    )


def save_room(vault: Vault, room: Room, known: Room | None = None) -> bool:
    """Write what of a room is not as its note says, and nothing else; return whether anything was.

    With `known`, what the note said when it was read or written last, only that is written which differs from it: what
    somebody has edited meanwhile stays. What goes on by itself (moods, ambient lines, reactions) is never written.
    Raises: NoteError.
    """
    return save_note(vault, (FOLDER, f"{room.room_id}.md"), {}, lambda text: _change(text, room, known))


def _change(text: NoteText, room: Room, known: Room | None) -> None:
    was = known or room_of(text.note, room.room_id)
    if room.number != was.number:
        text.set_property("number", room.number or None)
    save_names(text, room, was)
    if room.tags != was.tags:
        text.set_property("tags", room.tags or None)
    save_own_properties(text, KEYS, room.properties, was.properties)
    if room.description != was.description:
        text.set_section("", room.description)
    _change_exits(text, room.exits, was.exits)
    for name in changed_keys(room.details, was.details):
        detail = room.details.get(name)
        lines = entry_lines(name, detail.aliases, detail.description) if detail else None
        text.set_entry("Details", name, lines)


def _change_exits(text: NoteText, exits: Mapping[str, Exit], was: Mapping[str, Exit]) -> None:
    written = {entry.name: entry.value for entry in text.note.entries("Exits")}
    for name in changed_keys(exits, was):
        exit = exits.get(name)
        lines = None
        if exit:
            value = written.get(name, "")
            stays = name_key(link_target(value)) == name_key(exit.room_id)
            lines = entry_lines(name, exit.aliases, value if stays else reference(exit.room_id))
        text.set_entry("Exits", name, lines)


def changed_keys(now: Mapping[str, object], was: Mapping[str, object]) -> list[str]:
    """Return the keys whose values are not what they were, the gone ones first."""
    gone = [key for key in was if key not in now]
    return gone + [key for key, value in now.items() if was.get(key) != value]


def _exits(note: Note, known: Mapping[str, str] | None) -> Iterable[Exit]:
    seen: set[str] = set()
    for entry in note.entries("Exits"):
        place, target = f"{note.source}:{entry.line}", link_target(entry.value)
        room_id = target if known is None else known.get(target) or known.get(name_key(target))
        if room_id is None:
            raise NoteError(f"{place}: the exit {entry.name!r} leads to {target!r}, which has no note in rooms.")
        twice = seen & {entry.name, *entry.aliases}
        if twice:
            raise NoteError(f"{place}: two exits are called {', '.join(sorted(twice))}; give one another name.")
        seen |= {entry.name, *entry.aliases}
        yield Exit(entry.name, room_id, entry.aliases)
