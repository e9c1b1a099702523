"""`lines.md` in an agent's folder: the lines that its author wrote for it, for when no model speaks for the agent.

    **how are you; how do you do**: Damp. It suits me. | Wet, thank you.

    ## On meeting
    - Ah. Mind the pots.

Left of the colon stands what somebody may say, in several wordings; right of it the answers, with ` | ` between them.
Below the headings of `Heading` each list line is a line to say. All other text is for those who read the note.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from vault.errors import NoteError
from vault.markdown import unescape_comments
from vault.vault import Vault
from world.message_catalog import variables
from world.parsing import join_and, suggestions
from world.sanitize import clean_line

log = logging.getLogger(__name__)

STEM = "lines"
NAME = f"{STEM}.md"
OLD_NAME = "voice.md"

MAX_ENTRIES = 500
MAX_LISTED = 100
"""Maximum number of lines below one heading."""

MAX_WORDINGS = 30
MAX_ANSWERS = 30
MAX_LINE_CHARACTERS = 200
"""Maximum length of an answer, of a wording and of a line below a heading, in characters."""

EXAMPLE = "**how are you; how do you do**: Damp. It suits me. | Wet, thank you."


class Heading(StrEnum):
    """The headings below which list lines count, as they are written."""

    ON_MEETING = "On meeting"
    FOR_A_GIFT = "For a gift"
    UNASKED = "Unasked"
    PARTING = "Parting"
    LOST_FOR_WORDS = "Lost for words"


_HEADINGS = {heading.casefold(): heading for heading in Heading}
_BEGINS_ENTRY = re.compile(r"\s*(?:[-*+]\s+)?\*\*")
_ENTRY = re.compile(r"\s*(?:[-*+]\s+)?\*\*(?P<heard>[^*]+?)(?:\*\*\s*[:：]|[:：]\s*\*\*)(?P<answers>.*)")
_ITEM = re.compile(r"\s*[-*+]\s+(?P<line>.*)")
_BETWEEN_WORDINGS = re.compile("[;；]")
_BAR = re.compile(r"(?<=\s)[|｜]|[|｜](?=\s|$)|^[|｜]")
"""A bar as `world.parsing` reads it: behind it a private reason would begin, so no line to say has one."""

_ELLIPSES = ("…", "...")


@dataclass(frozen=True)
class Entry:
    """Something that people say, in one or several wordings, and the answers to it."""

    heard: tuple[str, ...]
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Lines:
    """All lines of an agent's author, in the order of the note."""

    entries: tuple[Entry, ...] = ()
    on_meeting: tuple[str, ...] = ()
    for_a_gift: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    parting: tuple[str, ...] = ()
    lost_for_words: tuple[str, ...] = ()

    def below(self, heading: Heading) -> tuple[str, ...]:
        """Return the lines below a heading."""
        match heading:
            case Heading.ON_MEETING:
                return self.on_meeting
            case Heading.FOR_A_GIFT:
                return self.for_a_gift
            case Heading.UNASKED:
                return self.unasked
            case Heading.PARTING:
                return self.parting
            case Heading.LOST_FOR_WORDS:
                return self.lost_for_words


def load_lines(vault: Vault, name: str) -> Lines:
    """Return the lines of an agent; none without the note. What is not valid is logged and left out."""
    try:
        lines, faults = read_lines(vault, name)
    except NoteError as error:
        lines, faults = Lines(), [error]
    for fault in faults:
        log.warning("left out: %s", fault)
    return lines


def read_lines(vault: Vault, name: str) -> tuple[Lines, list[NoteError]]:
    """Return the lines of an agent, and what is wrong with other lines. Raises: NoteError if the note is no text."""
    old = list(_old_note(vault, name))
    if not vault.exists("agents", name, NAME):
        return Lines(), old
    note = vault.read("agents", name, NAME)
    reader = _Reader()
    for line in note.lines:
        try:
            if line.title:
                reader.read_heading(line.title)
            elif line.counts:
                reader.read_line(unescape_comments(line.text))
        except ValueError as error:
            reader.faults.append(NoteError(f"{note.source}:{line.number}: {error}"))
    return reader.lines(), [*old, *reader.faults]


def _old_note(vault: Vault, name: str) -> Iterator[NoteError]:
    if vault.exists("agents", name, OLD_NAME):
        yield NoteError(
            f"agents/{name}/{OLD_NAME}:1: this note is not read any more; its lines belong into {NAME} beside it, "
            "each with whole wordings before the colon and none that begins with …."
        )


class _Reader:
    """Collects the entries and listed lines of a note, line by line. Its `read_` methods raise ValueError."""

    def __init__(self) -> None:
        self.faults: list[NoteError] = []
        self._entries: list[Entry] = []
        self._listed: dict[Heading, list[str]] = {heading: [] for heading in Heading}
        self._heading: Heading | None = None

    def lines(self) -> Lines:
        listed = {heading: tuple(lines) for heading, lines in self._listed.items()}
        return Lines(tuple(self._entries), *(listed[heading] for heading in Heading))

    def read_heading(self, title: str) -> None:
        self._heading = _HEADINGS.get(title.strip().casefold())
        close = suggestions(title, [heading.value for heading in Heading], 1)
        if self._heading is None and close:
            raise ValueError(f"the heading {title!r} is none of this note; did you mean {close[0]!r}?")

    def read_line(self, text: str) -> None:
        if _BEGINS_ENTRY.match(text):
            if len(self._entries) == MAX_ENTRIES:
                raise ValueError(f"this is entry {MAX_ENTRIES + 1}; {MAX_ENTRIES} are read. Take some out.")
            self._entries.append(_entry(text))
        elif self._heading and (match := _ITEM.fullmatch(text)):
            listed = self._listed[self._heading]
            lines = _lines_to_say(match["line"])
            if len(listed) + len(lines) > MAX_LISTED:
                raise ValueError(f"below {self._heading.value!r} stand more than {MAX_LISTED} lines. Take some out.")
            listed += lines


def _entry(text: str) -> Entry:
    match = _ENTRY.fullmatch(text)
    wordings = _BETWEEN_WORDINGS.split(match["heard"]) if match else []
    heard = tuple(clean for wording in wordings if (clean := clean_line(wording).strip()))
    answers = _lines_to_say(match["answers"]) if match else ()
    if not heard or not answers:
        raise ValueError(f"expected what somebody says and what is answered, as {EXAMPLE}")
    for wording in heard:
        if wording.startswith(_ELLIPSES) or not any(map(str.isalnum, wording)):
            raise ValueError(f"{wording!r} is no whole wording; expected what somebody says, as {EXAMPLE}")
        if len(wording) > MAX_LINE_CHARACTERS:
            raise ValueError(_too_long("a wording", wording))
    if len(heard) > MAX_WORDINGS or len(answers) > MAX_ANSWERS:
        raise ValueError(
            f"{len(heard)} wordings and {len(answers)} answers; expected at most {MAX_WORDINGS} and {MAX_ANSWERS}. "
            "Make several entries of it."
        )
    return Entry(heard, answers)


def _lines_to_say(text: str) -> tuple[str, ...]:
    """Return the lines between the bars of a text. Raises: ValueError if one cannot be said."""
    lines = tuple(clean for part in _BAR.split(text) if (clean := clean_line(part).strip()))
    for line in lines:
        if len(line) > MAX_LINE_CHARACTERS:
            raise ValueError(_too_long("a line", line))
        if names := sorted(variables(line)):
            gaps = join_and([f"{{{name}}}" for name in names])
            raise ValueError(f"nothing is filled in for {gaps}; write the line as the agent says it.")
    return lines


def _too_long(what: str, text: str) -> str:
    return f"{what} has {len(text)} characters; expected at most {MAX_LINE_CHARACTERS}."
