"""Rooms, things, people and agents as notes: what each property, section and list of a note is a field of.

What a person may do stands with the account and never in a note. An agent has no account: its `agent.md` says it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from vault.agent_notes import KEYS as AGENT_KEYS
from vault.agent_notes import agent_of
from vault.errors import NoteError
from vault.front_matter import format_front_matter
from vault.note import Note, link_target, names_in, own_properties, reference, table_in, text_in, texts_in
from vault.note_editor import NoteText, entry_lines
from vault.trigger_notes import life_in
from vault.vault import Vault, check_name
from world.entities import Character, Detail, Exit, Role, Room, Thing
from world.sanitize import name_key

ROOMS = "rooms"
ROOM_KEYS = ("number", "title", "aliases", "tags")
"""The properties that mean something; the others are the builders' own."""


def room_names(vault: Vault) -> dict[str, str]:
    """Return the names of all rooms by what links may call them: case and the encoding of accents do not count."""
    names = vault.names(ROOMS)
    return {name_key(name): name for name in names} | {name: name for name in names}


def load_room(vault: Vault, name: str, known: Mapping[str, str] | None = None) -> Room:
    """Return the room of a note. `known` is of `room_names`; without it, exits may lead anywhere.

    Raises: NoteError if the note is not valid, or an exit leads to no room that is known; names file and line.
    """
    return room_of(vault.read(ROOMS, f"{name}.md"), name, known)


def room_of(note: Note, room_id: str, known: Mapping[str, str] | None = None) -> Room:
    """Return the room that a note describes; see `load_room`."""
    number = note.properties.get("number")
    life = life_in(note)
    return Room(
        room_id,
        note.section("").text,
        {exit.name: exit for exit in _read_exits(note, known)},
        {one.name: Detail(one.name, one.value, one.aliases) for one in note.entries("Details")},
        number if type(number) is int and number > 0 else 0,
        texts_in(note, "tags"),
        text_in(note, "title").strip(),
        names_in(note),
        own_properties(note, ROOM_KEYS),
        life.descriptions_by_day_part,
        life.ambient,
        life.triggers,
    )


def save_room(vault: Vault, room: Room, known: Room | None = None) -> bool:
    """Write what of a room is not as its note says, and nothing else; return whether anything was.

    With `known`, what the note said when it was read or written last, only that is written which differs from it: what
    somebody has edited meanwhile stays. What goes on by itself (moods, ambient lines, reactions) is never written.
    Raises: NoteError.
    """
    return save_note(vault, (ROOMS, f"{room.room_id}.md"), {}, lambda text: _change_room(text, room, known))


def _change_room(text: NoteText, room: Room, known: Room | None) -> None:
    was = known or room_of(text.note, room.room_id)
    if room.number != was.number:
        text.set_property("number", room.number or None)
    save_names(text, room, was)
    if room.tags != was.tags:
        text.set_property("tags", room.tags or None)
    save_own_properties(text, ROOM_KEYS, room.properties, was.properties)
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


def _read_exits(note: Note, known: Mapping[str, str] | None) -> Iterable[Exit]:
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


THINGS = "things"
THING_KEYS = ("at", "title", "article", "aliases", "container", "fixed", "tags")
"""The properties that mean something; the others are the builders' own."""

WRITING = "Writing"


def load_thing(vault: Vault, name: str) -> Thing:
    """Return the thing of a note, in the place where it starts out.

    Raises: NoteError if the note is not valid, naming file and line.
    """
    return thing_of(vault.read(THINGS, f"{name}.md"), name)


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
        own_properties(note, THING_KEYS),
        life_in(note).triggers,
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
    return save_note(vault, (THINGS, f"{thing.thing_id}.md"), new, lambda text: _change_thing(text, thing, known))


def _change_thing(text: NoteText, thing: Thing, known: Thing | None) -> None:
    was = known or thing_of(text.note, thing.thing_id)
    save_names(text, thing, was)
    if thing.article != was.article:
        text.set_property("article", thing.article or None)
    if thing.is_container != was.is_container:
        text.set_property("container", thing.is_container or None)
    if thing.fixed != was.fixed:
        text.set_property("fixed", thing.fixed or None)
    save_own_properties(text, THING_KEYS, thing.properties, was.properties)
    if thing.description != was.description:
        text.set_section("", thing.description)
    if thing.writing != was.writing:
        text.set_section(WRITING, thing.writing)


PEOPLE = "people"
PERSON_KEYS = ("aliases", "tags", "preferences", "room", "role", "grants")
"""The properties that mean something, or that nobody is to take for something that counts."""


def load_person(vault: Vault, name: str, start_room_id: str = "") -> Character:
    """Return the person of a note, asleep in the room where newcomers arrive.

    Raises: NoteError if the note is not valid, naming file and line.
    """
    return person_of(vault.read(PEOPLE, f"{name}.md"), name, start_room_id)


def person_of(note: Note, name: str, start_room_id: str = "") -> Character:
    """Return the person that a note describes."""
    return Character(
        name,
        start_room_id,
        note.section("").text,
        aliases=names_in(note),
        properties=own_properties(note, PERSON_KEYS),
        preferences=table_in(note, "preferences"),
    )


def save_person(vault: Vault, person: Character, known: Character | None = None) -> bool:
    """Write what of a person is not as its note says, and nothing else; return whether anything was.

    `known` is as in `save_room`. Raises: NoteError.
    """

    def change(text: NoteText) -> None:
        was = known or person_of(text.note, person.name)
        _change_character(text, person, was, PERSON_KEYS)
        if person.description != was.description:
            text.set_section("", person.description)

    return save_note(vault, (PEOPLE, f"{person.name}.md"), {"tags": ["person"]}, change)


def save_agent(vault: Vault, agent: Character, known: Character | None = None) -> bool:
    """Write what of an agent's looks, names and rights is not as its `agent.md` says, and nothing else.

    `known` is as in `save_room`. A new note says that the agent lives where it is. Raises: NoteError.
    """
    parts = ("agents", agent.name, "agent.md")

    def change(text: NoteText) -> None:
        was = known or agent_of(text.note, agent.name).character
        _change_character(text, agent, was, AGENT_KEYS)
        if agent.description != was.description:
            text.set_property("description", agent.description or None)
        if agent.role is not was.role:
            text.set_property("role", None if agent.role is Role.PLAYER else agent.role.name.lower())
        if agent.grants != was.grants:
            text.set_property("grants", sorted(agent.grants) or None)

    return save_note(vault, parts, {"room": agent.room_id and f"[[{agent.room_id}]]"}, change)


def _change_character(text: NoteText, now: Character, was: Character, known: tuple[str, ...]) -> None:
    save_aliases(text, now.aliases, was.aliases)
    save_own_properties(text, known, now.properties, was.properties)
    if now.preferences != was.preferences:
        text.set_property("preferences", now.preferences or None)


class Titled(Protocol):
    """What has a title and other names."""

    @property
    def title(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


def save_names(text: NoteText, now: Titled, was: Titled) -> None:
    """Write the title and the aliases, as far as they are not what they were."""
    if now.title != was.title:
        text.set_property("title", now.title or None)
    save_aliases(text, now.aliases, was.aliases)


def save_aliases(text: NoteText, now: tuple[str, ...], was: tuple[str, ...]) -> None:
    """Write the aliases if they are not what they were."""
    if now != was:
        text.set_property("aliases", now or None)


def save_own_properties(text: NoteText, known: Collection[str], now: Mapping[str, str], was: Mapping[str, str]) -> None:
    """Write the properties that builders set and that are not what they were; those known are not theirs."""
    for key in dict.fromkeys((*was, *now)):
        if key not in known and now.get(key) != was.get(key):
            text.set_property(key, now.get(key))


def save_note(vault: Vault, parts: tuple[str, ...], new: Mapping[str, Any], change: Callable[[NoteText], None]) -> bool:
    """Change a note, or a new one that begins with some properties; return whether anything had to be written.

    Raises: NoteError if it cannot be read or written.
    """
    before = vault.read_exact_if_there(*parts)
    if before is None:
        check_name(parts[1].removesuffix(".md"))
    empty = f"---\n{format_front_matter(dict(new))}---\n" if new else ""
    text = NoteText(empty if before is None else before, vault.source(vault.path(*parts)))
    change(text)
    if str(text) == before:
        return False
    vault.write_text(str(text), *parts)
    return True
