"""The note schema of rooms, things, people and agents: how each field is read and written.

Which field stands where is declared with it in `world.entities`. What a person may do stands with the account and
never in a note. An agent has no account: its `agent.md` says it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from config.settings import ROLES, AgentSettings, MemorySettings
from config.validation import setting_names
from vault.errors import NoteError
from vault.front_matter import format_front_matter
from vault.markdown import unescape_line
from vault.note import Note, link_or_name, link_target, own_properties, table_in, text_in, texts_in
from vault.note_editor import NoteEditor, entry_lines
from vault.vault import Vault, check_name
from world.entities import (
    FIELDS,
    Character,
    Codec,
    Detail,
    Entity,
    Entries,
    Exit,
    Property,
    Ref,
    Role,
    Room,
    Section,
    Table,
    Thing,
    noted_value,
)
from world.errors import WorldError
from world.game_time import DAY_PARTS
from world.sanitize import name_key
from world.triggers import Trigger, parse_trigger

FOLDERS = {"room": "rooms", "thing": "things", "character": "people"}
KINDS = {folder: kind for kind, folder in FOLDERS.items()}
"""The folder of each kind, and the kind of each folder; agents have folders of their own."""

ACCOUNT_FIELDS = ("room", "role", "grants")
"""The properties of an agent's note that nobody is to take for something that counts in a person's."""

Form = tuple[Callable[[Note, str], Any], Callable[[Any], Any]]
Rooms = Mapping[str, str]
"""The names of rooms by what links may call them, see `room_names`."""


def _as_it_is(value: Any) -> Any:
    return value or None


def _number_in(note: Note, key: str) -> int:
    number = note.properties.get(key)
    return number if type(number) is int and number > 0 else 0


def _role_in(note: Note, key: str) -> Role:
    """Raises: NoteError if the role is none of those there are."""
    given = text_in(note, key).strip().lower() or "player"
    if given not in ROLES:
        line = note.property_lines.get(key, 1)
        raise NoteError(f"{note.source}:{line}: {key} is {given!r}; expected one of {', '.join(ROLES)}.")
    return Role[given.upper()]


FORMS: Mapping[str, Form] = {
    "text": (lambda note, key: text_in(note, key).strip(), _as_it_is),
    "long text": (text_in, _as_it_is),
    "list": (texts_in, _as_it_is),
    "names": (lambda note, key: tuple(name.lower() for name in texts_in(note, key)), _as_it_is),
    "verbs": (
        lambda note, key: frozenset(verb.lower() for verb in texts_in(note, key)),
        lambda verbs: sorted(verbs) or None,
    ),
    "table": (table_in, _as_it_is),
    "flag": (lambda note, key: note.properties.get(key) is True, _as_it_is),
    "number": (_number_in, _as_it_is),
    "link": (lambda note, key: link_target(note.properties.get(key)), lambda name: name and link_or_name(name)),
    "role": (_role_in, lambda role: None if role is Role.PLAYER else role.name.lower()),
}
"""How a property of each form is read from a note, and what is written for its value; None takes it away."""


@cache
def known_keys(kind: str, is_agent: bool = False) -> frozenset[str]:
    """Return the properties that mean something in a note; the others are the builders' own."""
    codecs = [stored.codec_of(is_agent) for stored in FIELDS[kind].values()]
    keys = {codec.key for codec in codecs if isinstance(codec, Property)} - {"*"} | {"tags"}
    if is_agent:
        keys |= {*setting_names(AgentSettings), *setting_names(MemorySettings)}
    elif kind == "character":
        keys |= {*ACCOUNT_FIELDS}
    return frozenset(keys)


def read_fields(
    kind: str, note: Note, is_agent: bool = False, rooms: Rooms | None = None, known: Collection[str] = ()
) -> dict[str, Any]:
    """Return the fields of a room, thing or character as its note has them, by name.

    `known` are more properties that are no builder's own. Raises: NoteError naming file and line.
    """
    keys = known_keys(kind, is_agent)
    keys = keys.union(known) if known else keys
    fields: dict[str, Any] = {}
    for name, codec in _codecs(kind, is_agent):
        match codec:
            case Property(key="*"):
                fields[name] = own_properties(note, keys)
            case Property(key=key, form=form):
                fields[name] = FORMS[form][0](note, key)
            case Section(form="by day part"):
                fields[name] = descriptions_in(note)
            case Section(title=title, form="list"):
                fields[name] = ambient_in(note, title)
            case Section(title=title):
                fields[name] = note.section(title).text
            case Entries(title="Exits"):
                fields[name] = {exit.name: exit for exit in _read_exits(note, rooms)}
            case Entries(title=title):
                fields[name] = {one.name: Detail(one.name, one.value, one.aliases) for one in note.entries(title)}
            case Table():
                fields[name] = tuple(trigger for trigger, _ in triggers_in(note))
    return fields


@cache
def _codecs(kind: str, is_agent: bool) -> tuple[tuple[str, Codec], ...]:
    """Return the fields that a note has, by name and in order."""
    rows = ((name, stored.codec_of(is_agent)) for name, stored in FIELDS[kind].items())
    return tuple((name, codec) for name, codec in rows if codec)


def _read_exits(note: Note, rooms: Rooms | None) -> Iterable[Exit]:
    seen: set[str] = set()
    for entry in note.entries("Exits"):
        place, target = f"{note.source}:{entry.line}", link_target(entry.value)
        room_id = (rooms and (rooms.get(target) or rooms.get(name_key(target)))) or target
        if not room_id:
            raise NoteError(f"{place}: the exit {entry.name!r} leads nowhere; write '- **{entry.name}**: [[A Room]]'.")
        twice = seen & {entry.name, *entry.aliases}
        if twice:
            raise NoteError(f"{place}: two exits are called {', '.join(sorted(twice))}; give one another name.")
        seen |= {entry.name, *entry.aliases}
        yield Exit(entry.name, room_id, entry.aliases)


def write_fields(text: NoteEditor, entity: Entity, was: Entity) -> None:
    """Change in a note what of a room, thing or character is not what it was; what agents alone have comes last."""
    keys = known_keys(entity.kind, entity.is_agent)
    rows = ((name, stored, stored.codec_of(entity.is_agent)) for name, stored in FIELDS[entity.kind].items())
    for name, stored, codec in sorted(rows, key=lambda row: row[1].codec != row[2]):
        now, before = noted_value(entity, name), noted_value(was, name)
        if codec and stored.is_saved and now != before:
            _write(text, codec, now, before, keys)


def _write(text: NoteEditor, codec: Codec, now: Any, was: Any, keys: Collection[str]) -> None:
    match codec:
        case Property(key="*"):
            for key in dict.fromkeys((*was, *now)):
                if key not in keys and now.get(key) != was.get(key):
                    text.set_property(key, now.get(key))
        case Property(key=key, form=form):
            text.set_property(key, FORMS[form][1](now))
        case Section(title=title):
            text.set_section(title, now)
        case Entries(title="Exits"):
            _write_exits(text, now, was)
        case Entries(title=title):
            for name in _changed_keys(now, was):
                one = now.get(name)
                text.set_entry(title, name, entry_lines(name, one.aliases, one.description) if one else None)
        case Table():
            raise NotImplementedError("tables are written by people alone")


def _write_exits(text: NoteEditor, exits: Mapping[str, Exit], was: Mapping[str, Exit]) -> None:
    written = {entry.name: entry.value for entry in text.note.entries("Exits")}
    for name in _changed_keys(exits, was):
        exit = exits.get(name)
        lines = None
        if exit:
            value = written.get(name, "")
            stays = name_key(link_target(value)) == name_key(exit.room_id)
            lines = entry_lines(name, exit.aliases, value if stays else link_or_name(exit.room_id))
        text.set_entry("Exits", name, lines)


def _changed_keys(now: Mapping[str, object], was: Mapping[str, object]) -> list[str]:
    """Return the keys whose values are not what they were, the gone ones first."""
    gone = [key for key in was if key not in now]
    return gone + [key for key, value in now.items() if was.get(key) != value]


def room_names(vault: Vault) -> dict[str, str]:
    """Return the names of all rooms by what links may call them: case and the encoding of accents do not count."""
    names = vault.names("rooms")
    return {name_key(name): name for name in names} | {name: name for name in names}


def room_of(note: Note, room_id: str, rooms: Rooms | None = None) -> Room:
    """Return the room that a note describes. `rooms` is of `room_names`; by it, links find rooms in any case.

    An exit may lead to a room that has no note; it is closed then. Raises: NoteError naming file and line.
    """
    return Room(room_id, **read_fields("room", note, rooms=rooms))


def thing_of(note: Note, thing_id: str) -> Thing:
    """Return the thing that a note describes, in the place where it starts out. Raises: NoteError."""
    return Thing(thing_id, **read_fields("thing", note))


def person_of(note: Note, name: str, start_room_id: str = "") -> Character:
    """Return the person that a note describes, asleep in the room where newcomers arrive. Raises: NoteError."""
    return Character(name, start_room_id, **read_fields("character", note))


def entity_of(note: Note, ref: Ref) -> Entity:
    """Return the room, thing or person of a kind and an id that a note describes. Raises: NoteError."""
    kind, name = ref
    match kind:
        case "room":
            return room_of(note, name)
        case "thing":
            return thing_of(note, name)
        case _:
            return person_of(note, name)


def agent_character(note: Note, name: str) -> Character:
    """Return the character of an agent as its `agent.md` describes it, asleep. Raises: NoteError."""
    return Character(name, is_agent=True, **read_fields("character", note, is_agent=True))


def load_room(vault: Vault, name: str, rooms: Rooms | None = None) -> Room:
    """Return the room of a note, see `room_of`. Raises: NoteError."""
    return room_of(vault.read("rooms", f"{name}.md"), name, rooms)


def note_path(entity: Entity) -> tuple[str, ...]:
    """Return where the note of a room, thing or character is."""
    if entity.is_agent:
        return "agents", entity.id, "agent.md"
    return FOLDERS[entity.kind], f"{entity.id}.md"


def save_entity(vault: Vault, entity: Entity) -> bool:
    """Write what of a room, thing or character is not as its note says, and nothing else; return whether anything was.

    Raises: NoteError if the note cannot be read or written.
    """
    source = "/".join(note_path(entity))
    before = vault.read_exact_or_none(source)
    text = note_text(entity, before)
    if text == before:
        return False
    vault.write_text(text, source)
    return True


def note_text(entity: Entity, before: str | None, known: Entity | None = None) -> str:
    """Return the note of a room, thing or character, with what of it is not as the note said before; None: it is new.

    With `known`, what the note said when it was read or written last, only that is changed which differs from it: what
    somebody has edited meanwhile stays. Where something is now is not written, for the note says where it starts out;
    a new note says so of where it is. What goes on by itself is never written.
    Raises: NoteError if the note is not valid, or no file can have the name.
    """
    parts = note_path(entity)
    if before is None:
        check_name(parts[1].removesuffix(".md"))
    editor = NoteEditor(_new_note(entity) if before is None else before, "/".join(parts))
    was = known or (agent_character(editor.note, entity.id) if entity.is_agent else entity_of(editor.note, entity.ref))
    write_fields(editor, entity, was)
    return str(editor)


def _new_note(entity: Entity) -> str:
    """Return what a new note begins with: where it starts out, and what kind of note it is."""
    table = FIELDS[entity.kind].items()
    links = ((name, stored.codec_of(entity.is_agent)) for name, stored in table if not stored.is_saved)
    new: dict[str, Any] = {
        codec.key: FORMS[codec.form][1](getattr(entity, name)) for name, codec in links if isinstance(codec, Property)
    }
    if not entity.is_agent and not isinstance(entity, Room):
        new["tags"] = ["thing" if isinstance(entity, Thing) else "person"]
    return f"---\n{format_front_matter(new)}---\n" if new else ""


def containment_fault(thing_id: str, around: Sequence[str], line: int = 0) -> str:
    """Return what is wrong with a note by which a thing is in what is in it; `around` is what it would be in."""
    notes = ", ".join(f"things/{one}.md" for one in around if one != thing_id)
    place = f"things/{thing_id}.md:{line}" if line else f"things/{thing_id}.md"
    return f"{place}: {thing_id!r} would be inside itself ({notes or 'by its own note'}); put one of them elsewhere."


REACTIONS, ERRANDS = "Reactions", "Errands"
COLUMNS = ("on", "when", "do")


def descriptions_in(note: Note) -> dict[str, str]:
    """Return what is added to a description in a part of the day, by part. Raises: NoteError."""
    return {part: text for part in DAY_PARTS if (text := note.section(part).text)}


def ambient_in(note: Note, title: str) -> tuple[str, ...]:
    """Return the list lines of a section. Raises: NoteError."""
    lines = (unescape_line(line.text).strip() for line in note.section(title).lines if line.counts)
    return tuple(line[2:].strip() for line in lines if line[:2] in ("- ", "* ", "+ "))


def triggers_in(note: Note) -> Iterator[tuple[Trigger, int]]:
    r"""Yield each trigger of a note and its line: the rows of the table under `## Reactions`.

    A bar inside a cell is written `\|`. Raises: NoteError at a row that is none.
    """
    for row in note.rows(REACTIONS):
        if [cell.lower() for cell in row.cells] == list(COLUMNS):
            continue
        place = f"{note.source}:{row.line}"
        if len(row.cells) != len(COLUMNS):
            raise NoteError(f"{place}: {row.text!r} has {len(row.cells)} cells; it needs three: on, when, do.")
        try:
            yield parse_trigger(*row.cells), row.line
        except WorldError as error:
            raise NoteError(f"{place}: {error}.") from error
