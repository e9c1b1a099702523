"""People and agents as notes: what they look like, what else they are called, and how they like it.

What a person may do stands with the account and never in a note. An agent has no account: its `agent.md` says it.
"""

from __future__ import annotations

from vault.agent_notes import KEYS as AGENT_KEYS
from vault.agent_notes import agent_of
from vault.folder import Vault
from vault.note_text import NoteText
from vault.notes import Note
from vault.subjects.subject_notes import (
    names_in,
    own_properties,
    save_aliases,
    save_note,
    save_own_properties,
    table_in,
)
from world.entities import Character, Role

FOLDER = "people"
KEYS = ("aliases", "tags", "preferences", "room", "role", "grants")
"""The properties that mean something, or that nobody is to take for something that counts."""


def load_person(vault: Vault, name: str, start_room_id: str = "") -> Character:
    """Return the person of a note, asleep in the room where newcomers arrive.

    Raises: NoteError if the note is not valid, naming file and line.
    """
    return person_of(vault.read(FOLDER, f"{name}.md"), name, start_room_id)


def person_of(note: Note, name: str, start_room_id: str = "") -> Character:
    """Return the person that a note describes."""
    return Character(
        name,
        start_room_id,
        note.section("").text,
        aliases=names_in(note),
        properties=own_properties(note, KEYS),
        preferences=table_in(note, "preferences"),
    )


def save_person(vault: Vault, person: Character, known: Character | None = None) -> bool:
    """Write what of a person is not as its note says, and nothing else; return whether anything was.

    `known` is as in `save_room`. Raises: NoteError.
    """

    def change(text: NoteText) -> None:
        was = known or person_of(text.note, person.name)
        _change(text, person, was, KEYS)
        if person.description != was.description:
            text.set_section("", person.description)

    return save_note(vault, (FOLDER, f"{person.name}.md"), {"tags": ["person"]}, change)


def save_agent(vault: Vault, agent: Character, known: Character | None = None) -> bool:
    """Write what of an agent's looks, names and rights is not as its `agent.md` says, and nothing else.

    `known` is as in `save_room`. A new note says that the agent lives where it is. Raises: NoteError.
    """
    parts = ("agents", agent.name, "agent.md")

    def change(text: NoteText) -> None:
        was = known or agent_of(text.note, agent.name).character
        _change(text, agent, was, AGENT_KEYS)
        if agent.description != was.description:
            text.set_property("description", agent.description or None)
        if agent.role is not was.role:
            text.set_property("role", None if agent.role is Role.PLAYER else agent.role.name.lower())
        if agent.grants != was.grants:
            text.set_property("grants", sorted(agent.grants) or None)

    return save_note(vault, parts, {"room": agent.room_id and f"[[{agent.room_id}]]"}, change)


def _change(text: NoteText, now: Character, was: Character, known: tuple[str, ...]) -> None:
    save_aliases(text, now.aliases, was.aliases)
    save_own_properties(text, known, now.properties, was.properties)
    if now.preferences != was.preferences:
        text.set_property("preferences", now.preferences or None)
