"""Things as notes: where one starts out, what it is called, a description, and what is written on it."""

from __future__ import annotations

from collections.abc import Sequence

from vault.folder import Vault
from vault.note_text import NoteText
from vault.notes import Note, link_target, reference
from vault.subjects.life_notes import life_in
from vault.subjects.subject_notes import names_in, own_properties, save_names, save_note, save_own_properties, text_in
from world.entities import Thing

FOLDER = "things"
KEYS = ("at", "title", "article", "aliases", "container", "fixed", "tags")
"""The properties that mean something; the others are the builders' own."""

WRITING = "Writing"


def load_thing(vault: Vault, name: str) -> Thing:
    """Return the thing of a note, in the place where it starts out.

    Raises: NoteError if the note is not valid, naming file and line.
    """
    return thing_of(vault.read(FOLDER, f"{name}.md"), name)


def thing_of(note: Note, thing_id: str) -> Thing:
    """Return the thing that a note describes."""
    return Thing(
        thing_id,
        link_target(note.properties.get("at")),
        note.section("").text,
        names_in(note),
        text_in(note, "title").strip(),
        text_in(note, "article").strip(),
        note.section(WRITING).text,
        note.properties.get("container") is True,
        note.properties.get("fixed") is True,
        own_properties(note, KEYS),
        life_in(note).reactions,
    )


def inside_itself(thing_id: str, around: Sequence[str], line: int = 0) -> str:
    """Return what is wrong with a note by which a thing is in what is in it; `around` is what it would be in."""
    notes = ", ".join(f"things/{one}.md" for one in around if one != thing_id)
    place = f"things/{thing_id}.md:{line}" if line else f"things/{thing_id}.md"
    return f"{place}: {thing_id!r} would be inside itself ({notes or 'by its own note'}); put one of them elsewhere."


def save_thing(vault: Vault, thing: Thing, known: Thing | None = None) -> bool:
    """Write what of a thing is not as its note says, and nothing else; return whether anything was.

    `known` is as in `save_room`. Where it is now is not written, for the note says where it starts out; a new note says
    so of where it is. Raises: NoteError.
    """
    new = {"at": reference(thing.place_id), "tags": ["thing"]}
    return save_note(vault, (FOLDER, f"{thing.thing_id}.md"), new, lambda text: _change(text, thing, known))


def _change(text: NoteText, thing: Thing, known: Thing | None) -> None:
    was = known or thing_of(text.note, thing.thing_id)
    save_names(text, thing, was)
    if thing.article != was.article:
        text.set_property("article", thing.article or None)
    if thing.is_container != was.is_container:
        text.set_property("container", thing.is_container or None)
    if thing.fixed != was.fixed:
        text.set_property("fixed", thing.fixed or None)
    save_own_properties(text, KEYS, thing.properties, was.properties)
    if thing.description != was.description:
        text.set_section("", thing.description)
    if thing.writing != was.writing:
        text.set_section(WRITING, thing.writing)
