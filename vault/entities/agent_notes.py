"""An agent's folder: `agent.md` with its settings and profile, its errands, and the plan of a day.

    ## Errands
    - [[Ink Yard]]: get ink bottle
    - [[Moss]]: talk
    - [[The Landing]]: give gauge slip to Eliza; done when not carrying gauge slip
    - [[Behind the Water]]

The link is the room or the person to go to; without one, the step can be done anywhere. `talk` is to say something to
the person. `plan.md` holds today's steps in the same form, with a box that is ticked when a step is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from config.settings import AgentSettings, MemorySettings
from config.validation import SettingsError, SourcedValue, closest_name, current_name, override, setting_names
from vault.atomic_write import Stamp, file_stamp
from vault.entities.schema import ERRANDS, REACTIONS, known_keys, read_fields
from vault.errors import NoteError
from vault.markdown import NoteLine, unescape, unescape_comments
from vault.note import Note, link
from vault.note_editor import NoteEditor
from vault.vault import Vault, check_name
from world.entities import Character

S = TypeVar("S")

KEYS = tuple(sorted(known_keys("character", is_agent=True)))
"""The properties that mean something; the others are the builders' own."""


@dataclass(frozen=True)
class AgentNote:
    """What stands in an agent's folder. `profile` is kept to the letter; `yesterday` is an example day, or empty.

    `fields` are those of its character, by name. `errands` are what it sets out to do each day, which are no part of
    the profile, as its table of triggers is none.
    """

    name: str
    fields: Mapping[str, Any]
    profile: str
    yesterday: str
    given: dict[str, SourcedValue]
    source: str
    errands: tuple[Errand, ...] = ()

    @property
    def character(self) -> Character:
        """A new character, asleep in the agent's room."""
        fields: dict[str, Any] = {k: dict(v) if isinstance(v, dict) else v for k, v in self.fields.items()}
        return Character(self.name, is_agent=True, **fields)

    def agent_settings(self, general: AgentSettings) -> AgentSettings:
        """Return the settings of config/agents.md with the agent's own. Raises: NoteError naming file and line."""
        return _with_own(self, general)

    def memory_settings(self, general: MemorySettings) -> MemorySettings:
        """Return the settings of config/memory_compaction.md with the agent's own. Raises: NoteError."""
        return _with_own(self, general)


def load_agent(vault: Vault, name: str) -> AgentNote:
    """Return what stands in an agent's folder.

    Raises: NoteError if `agent.md` is not valid or a setting in it is misspelt, naming file and line.
    """
    note = vault.read("agents", name, "agent.md")
    yesterday = vault.read("agents", name, "yesterday.md").body if vault.exists("agents", name, "yesterday.md") else ""
    return agent_of(note, name, yesterday)


def agent_of(note: Note, name: str, yesterday: str = "") -> AgentNote:
    """Return what an `agent.md` says; see `load_agent`."""
    for key, given in note.given.items():
        meant = "" if current_name(key) in KEYS else closest_name(key.lower().replace("-", "_"), KEYS)
        if meant:
            raise NoteError(f"{note.source}:{given.line}: unknown setting {key!r}; did you mean {meant!r}?")
    old = [key for key in note.typed if current_name(key) in KEYS]
    fields = read_fields("character", note, is_agent=True, known=old)
    return AgentNote(name, fields, profile_in(note), yesterday.strip("\n"), note.given, note.source, errands_in(note))


def _with_own(note: AgentNote, general: S) -> S:
    names = setting_names(type(general))
    try:
        return override(
            general, {key: given for key, given in note.given.items() if current_name(key) in names}, note.source
        )
    except SettingsError as error:
        raise NoteError(str(error)) from error


def create_agent(vault: Vault, name: str, room_id: str, profile: str) -> None:
    """Write the note of a new agent. Raises: NoteError, also if there is such a folder already."""
    if vault.exists("agents", check_name(name)):
        raise NoteError(f"agents/{name}: this folder is there already; move it away, or choose another name.")
    vault.write(Note("", {"room": link(room_id)}, profile), "agents", name, "agent.md")


def set_agent_property(vault: Vault, name: str, key: str, value: str | bool | int | None) -> None:
    """Give a property of an agent another value, or take it away with None; all else stays to the letter.

    Raises: NoteError if the note cannot be read or written.
    """
    parts = ("agents", name, "agent.md")
    text = NoteEditor(vault.read_exact(*parts), vault.source(vault.path(*parts)))
    text.set_property(key, value)
    vault.write_text(str(text), *parts)


PLAN = "plan.md"
TALK = "talk"

MAX_ERRANDS = 100

_LINE = re.compile(r"[ \t]*[-*+][ \t]+(?P<rest>.*)")
_BOX = re.compile(r"\[(?P<mark>[ xX])\][ \t]*")
_LINK = re.compile(r"\[\[(?P<target>[^\]|#]+)(?:[#|][^\]]*)?\]\][ \t]*:?[ \t]*")
_DONE_WHEN = "; done when "
_CONDITION = re.compile(r"(?P<not>not )?carrying (?P<thing>\S.*)")


@dataclass(frozen=True)
class Errand:
    """One step: the command to type (`do`), where (the name of a room or a person), and what makes it done.

    Empty, `do` asks only to be there, and `where` means anywhere. `done_when` is `carrying X` or `not carrying X`;
    if it is empty, the step is done once the command was.
    """

    do: str
    where: str = ""
    done_when: str = ""
    is_done: bool = False

    @property
    def thing(self) -> tuple[str, bool] | None:
        """The thing that `done_when` is about, and whether it has to be carried."""
        found = _CONDITION.fullmatch(self.done_when)
        return (found["thing"], not found["not"]) if found else None


def errands_in(note: Note) -> tuple[Errand, ...]:
    """Return the steps under `## Errands` of a note, in order. Raises: NoteError naming the line."""
    return _errands(note.section(ERRANDS).lines, note.source)


class PlanNote:
    """Today's plan of one agent, in its `plan.md`."""

    def __init__(self, vault: Vault, name: str) -> None:
        self._vault = vault
        self._parts = ("agents", name, PLAN)

    def stamp(self) -> Stamp:
        """Return the stamp of the file."""
        return file_stamp(self._vault.path(*self._parts))

    def read(self) -> tuple[str, tuple[Errand, ...]]:
        """Return the day of the plan and its steps. Raises: NoteError naming file and line."""
        note = self._vault.read(*self._parts)
        day = note.properties.get("day", "")
        return str(day), _errands(note.lines, note.source)

    def write(self, day: str, errands: Iterable[Errand]) -> None:
        """Replace the plan. Raises: NoteError if it cannot be written."""
        lines = "\n".join(format_errand(one) for one in errands)
        self._vault.write_text(f"---\nday: '{day}'\n---\n{lines}\n", *self._parts)


def format_errand(errand: Errand) -> str:
    """Return a step as a line with its box."""
    where = f"[[{errand.where}]]" if errand.where else ""
    step = ": ".join(part for part in (where, errand.do) if part)
    done_when = f"{_DONE_WHEN}{errand.done_when}" if errand.done_when else ""
    return f"- [{'x' if errand.is_done else ' '}] {step}{done_when}"


def _errands(lines: Iterable[NoteLine], source: str) -> tuple[Errand, ...]:
    items = [line for line in lines if line.counts and _LINE.fullmatch(line.text)]
    if len(items) > MAX_ERRANDS:
        number = items[MAX_ERRANDS].number
        raise NoteError(f"{source}:{number}: there are {len(items)} errands; {MAX_ERRANDS} are the most.")
    return tuple(_errand(unescape_comments(line.text), f"{source}:{line.number}") for line in items)


def _errand(line: str, place: str) -> Errand:
    match = _LINE.fullmatch(line)
    rest = match["rest"].strip() if match else ""
    box = _BOX.match(rest)
    rest = rest[box.end() :] if box else rest
    link = _LINK.match(rest)
    where = link["target"].strip() if link else ""
    do, _, done_when = (rest[link.end() :] if link else rest).partition(_DONE_WHEN)
    errand = Errand(" ".join(do.split()), where, done_when.strip(), bool(box and box["mark"] != " "))
    if not (errand.do or errand.where):
        raise NoteError(f"{place}: {line.strip()!r} names neither a place nor a command, as in '- [[Mill]]: get lamp'.")
    if errand.done_when and errand.thing is None:
        raise NoteError(
            f"{place}: 'done when {errand.done_when}' is not understood; write 'done when carrying lamp' "
            "or 'done when not carrying lamp'."
        )
    if errand.do.lower() == TALK and not errand.where:
        raise NoteError(f"{place}: 'talk' needs a person, as in '- [[Moss]]: talk'.")
    return errand


def profile_in(note: Note) -> str:
    """Return what the body of an agent's note says without its reactions, its errands and comments."""
    return unescape(line for line, is_table in _parted(note) if not is_table)


def without_reactions(note: Note) -> str:
    """Return the body of a note without its reactions and errands, to the letter."""
    return "\n".join(line.raw for line, is_table in _parted(note) if not is_table).strip("\n")


def only_reactions(note: Note) -> str:
    """Return what `without_reactions` leaves out."""
    return "\n".join(line.raw for line, is_table in _parted(note) if is_table).strip("\n")


def _parted(note: Note) -> Iterator[tuple[NoteLine, bool]]:
    """Yield each line of a body, and whether it is of the reactions or the errands, which the next heading ends."""
    is_table = False
    for line in note.lines:
        if 1 <= line.level <= 2:
            is_table = line.level == 2 and line.title.casefold() in (REACTIONS.casefold(), ERRANDS.casefold())
        yield line, is_table
