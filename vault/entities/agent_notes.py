"""An agent's folder: `agent.md` with settings and persona (profile), errands, the plan of a day, and notes.

    ## Errands
    - [[Ink Yard]]: get ink bottle
    - [[Moss]]: talk
    - [[The Landing]]: give gauge slip to Eliza; done when not carrying gauge slip
    - [[Behind the Water]]

The link is the room or the person to go to; without one, the step can be done anywhere. `talk` is to say something to
the person. `plan.md` holds today's steps in the same form, with a box that is ticked when a step is done.

Notes such as `agents/Eliza/notes/Plan.md`, profiles and descriptions are written by people and agents, and may be
edited by hand. What is overwritten is kept with the moment at which it was: notes in the folder `former` beside them,
profiles and descriptions in `history`. None of it is deleted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from config.settings import AgentSettings, MemorySettings
from config.validation import SettingsError, SourcedValue, closest_name, current_name, override, setting_names
from vault.atomic_write import Stamp, file_stamp
from vault.entities.lines_note import Lines, load_lines
from vault.entities.schema import ERRANDS, REACTIONS, known_keys, read_fields
from vault.errors import NoteError
from vault.markdown import NoteLine, escape_section, unescape, unescape_comments, unescape_section
from vault.note import Note, link, section_title
from vault.note_editor import NoteEditor
from vault.vault import Vault, check_name
from world.entities import Character

S = TypeVar("S")

KEYS = tuple(sorted(known_keys("character", is_agent=True)))
"""The properties that mean something; the others are the builders' own."""

PLAN = "plan.md"
TALK = "talk"
MAX_ERRANDS = 100
_LINE = re.compile(r"[ \t]*[-*+][ \t]+(?P<rest>.*)")
_BOX = re.compile(r"\[(?P<mark>[ xX])\][ \t]*")
_LINK = re.compile(r"\[\[(?P<target>[^\]|#]+)(?:[#|][^\]]*)?\]\][ \t]*:?[ \t]*")
_DONE_WHEN = "; done when "
_CONDITION = re.compile(r"(?P<not>not )?carrying (?P<thing>\S.*)")
FORMER = "former"
HISTORY = "history"
PROFILE, DESCRIPTION = "profile", "description"
_BRACES = str.maketrans("{}", "()")
_BRACKETS = re.compile(r"[\[\]]{2,}")


@dataclass(frozen=True)
class AgentNote:
    """The content of an agent's folder. `profile` is kept to the letter; `yesterday` is an example day, or empty.

    `fields` are those of its character, by name. `errands` are what it sets out to do each day, which are no part of
    the profile, as its table of triggers is none. `lines` are
    what it says when no model speaks for it. `text` is the file `agent.md`.
    """

    name: str
    fields: Mapping[str, Any]
    profile: str
    yesterday: str
    given: dict[str, SourcedValue]
    source: str
    errands: tuple[Errand, ...] = ()
    lines: Lines = field(default_factory=Lines)
    text: str = ""

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
    """Return the content of an agent's folder.

    Raises: NoteError if `agent.md` is not valid or a setting in it is misspelt, naming file and line.
    """
    note = vault.read("agents", name, "agent.md")
    yesterday = vault.read("agents", name, "yesterday.md").body if vault.exists("agents", name, "yesterday.md") else ""
    return replace(agent_of(note, name, yesterday), lines=load_lines(vault, name))


def agent_of(note: Note, name: str, yesterday: str = "") -> AgentNote:
    """Return what an `agent.md` says; see `load_agent`."""
    for key, given in note.sourced_properties.items():
        meant = "" if current_name(key) in KEYS else closest_name(key.lower().replace("-", "_"), KEYS)
        if meant:
            raise NoteError(f"{note.source}:{given.line}: unknown setting {key!r}; did you mean {meant!r}?")
    old = [key for key in note.typed if current_name(key) in KEYS]
    fields = read_fields("character", note, is_agent=True, known=old)
    day, errands = yesterday.strip("\n"), errands_in(note)
    return AgentNote(name, fields, profile_in(note), day, note.sourced_properties, note.source, errands, text=note.text)


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
    before = vault.read_to_change(*parts)
    text = NoteEditor(before, vault.source(vault.path(*parts)))
    text.set_property(key, value)
    vault.write_text(str(text), *parts, was=before)


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
    return unescape(line for line, is_table in _split_body(note) if not is_table)


def without_reactions(note: Note) -> str:
    """Return the body of a note without its reactions and errands, to the letter."""
    return "\n".join(line.raw for line, is_table in _split_body(note) if not is_table).strip("\n")


def only_reactions(note: Note) -> str:
    """Return what `without_reactions` leaves out."""
    return "\n".join(line.raw for line, is_table in _split_body(note) if is_table).strip("\n")


def _split_body(note: Note) -> Iterator[tuple[NoteLine, bool]]:
    """Yield each line of a body, and whether it is of the reactions or the errands, which the next heading ends."""
    is_table = False
    for line in note.lines:
        if (title := section_title(line)) or line.level == 1:
            is_table = title.casefold() in (REACTIONS.casefold(), ERRANDS.casefold())
        yield line, is_table


class PersonalNotes:
    """The notes of everyone, by owner and title. A title means the same note in whatever case it is typed."""

    def __init__(self, vault: Vault, now_ms: Callable[[], int]) -> None:
        self._vault = vault
        self._now_ms = now_ms

    def titles(self, owner: Character) -> list[str]:
        """Return the titles of somebody's notes, sorted."""
        return self._vault.names("/".join((*personal_folder(owner), "notes")))

    def title_of(self, owner: Character, wanted: str) -> str:
        """Return the title as it is written on the note that is meant; empty if there is none."""
        key = _key(wanted)
        return next((title for title in self.titles(owner) if _key(title) == key), "")

    def read(self, owner: Character, title: str) -> str:
        """Return the text of a note. Raises: NoteError if it cannot be read."""
        return unescape_section(self._vault.read(*_path(owner, title)).body)

    def add(self, owner: Character, title: str, text: str) -> None:
        """Write a note, or add a line to one that is there. Raises: NoteError, also for a title that no file can have.

        What was there before stays to the letter.
        """
        known = self.title_of(owner, title)
        if not known:
            self._begin(owner, title, text)
            return
        before = self._vault.read_to_change(*_path(owner, known))
        self._vault.write_text(f"{before.rstrip()}\n{escape_section(text)}\n", *_path(owner, known), was=before)

    def overwrite(self, owner: Character, title: str, text: str) -> str:
        """Give a note that is there another text; return where the old one is kept. Raises: NoteError."""
        before = self._vault.read_to_change(*_path(owner, title))
        kept = save_former(self._vault, before, (*personal_folder(owner), "notes", FORMER), title, self._now_ms())
        self._begin(owner, title, text)
        return kept

    def _begin(self, owner: Character, title: str, text: str) -> None:
        note = Note("", {"by": link(owner.name)}, escape_section(text))
        self._vault.write(note, *_path(owner, check_name(title)))


def note_text(vault: Vault, agent_id: str, title: str) -> str:
    """Return the text of a note of an agent. Raises: NoteError if it cannot be read."""
    return unescape_section(vault.read("agents", agent_id, "notes", f"{title}.md").body)


def personal_folder(owner: Character) -> tuple[str, str]:
    """Return the folder in which somebody's own files are."""
    return ("agents" if owner.is_agent else "people"), check_name(owner.character_id)


def save_former(vault: Vault, text: str, folder: tuple[str, ...], title: str, at_ms: int) -> str:
    """Keep what a file said in a folder, under its title and the moment; return the file's name. Raises: NoteError."""
    moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    stem, number = f"{title} {moment:%Y%m%d-%H%M%S}", 1
    name = f"{stem}.md"
    while vault.exists(*folder, name):
        number += 1
        name = f"{stem}-{number:02}.md"
    vault.write_text(text, *folder, name)
    return name


def _path(owner: Character, title: str) -> tuple[str, ...]:
    return (*personal_folder(owner), "notes", f"{title}.md")


def _key(title: str) -> str:
    return unicodedata.normalize("NFC", title).casefold().strip()


class ProfileHistory:
    """Profiles and descriptions, and their former versions."""

    def __init__(self, vault: Vault, now_ms: Callable[[], int]) -> None:
        self._vault = vault
        self._now_ms = now_ms

    def set_profile(self, agent: Character, profile: str) -> None:
        """Give an agent another profile; its settings and its reactions stay to the letter. Raises: NoteError."""
        self._write(agent, escape_section(strip_markup(profile)))

    def undo_profile(self, agent: Character) -> bool:
        """Put an agent's last former profile back, which keeps the one of now; return whether there was one."""
        newest = self._newest(agent, PROFILE)
        if not newest:
            return False
        former = self._vault.read(*personal_folder(agent), HISTORY, newest)
        self._write(agent, without_reactions(former))
        return True

    def set_description(self, character: Character, description: str) -> str:
        """Keep how somebody looked until now, and return the new description as it will do.

        An agent's is in its note then; a person's is saved when it is announced. Raises: NoteError.
        """
        self._keep(character, DESCRIPTION, character.description)
        description = strip_markup(description)
        if character.is_agent:
            set_agent_property(self._vault, character.name, "description", description or None)
        return description

    def former_description(self, character: Character) -> str | None:
        """Return how somebody looked before the last change; None if nothing was ever changed. Raises: NoteError."""
        newest = self._newest(character, DESCRIPTION)
        return self._vault.read_text(*personal_folder(character), HISTORY, newest) if newest else None

    def set_interval(self, agent: Character, seconds: str) -> None:
        """Write how often an agent thinks into its note; all else stays to the letter. Raises: NoteError."""
        set_agent_property(self._vault, agent.name, "think_seconds", seconds)

    def _write(self, agent: Character, profile: str) -> None:
        parts = (*personal_folder(agent), "agent.md")
        before = self._vault.read_to_change(*parts)
        text = NoteEditor(before, self._vault.source(self._vault.path(*parts)))
        text.set_body("\n\n".join(part for part in (profile, only_reactions(text.note)) if part))
        agent_of(text.note, agent.name)  # what could not be loaded again is not written either
        self._keep(agent, PROFILE, before)
        self._vault.write_text(str(text), *parts, was=before)

    def _keep(self, character: Character, title: str, text: str) -> None:
        save_former(self._vault, text, (*personal_folder(character), HISTORY), title, self._now_ms())

    def _newest(self, character: Character, title: str) -> str:
        names = self._vault.names("/".join((*personal_folder(character), HISTORY)))
        found = [name for name in names if name.startswith(f"{title} ")]
        return f"{found[-1]}.md" if found else ""


def strip_markup(text: str) -> str:
    """Return prose in which nothing is a link or a slot of a template."""
    return _BRACKETS.sub("", text).translate(_BRACES)
