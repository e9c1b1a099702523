"""An agent's `facts.md`: what it knows by rule, in Markdown that a person can edit and whose edits count."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vault.blocks import Line
from vault.drafts import encoded
from vault.folder import Vault
from vault.notes import Note, NoteError, format_note
from vault.remembered.fact_line import FORM, PIN_LINK, SECTIONS, Fact, escaped, format_fact, parse_fact, unescaped

Stamp = tuple[int, int]

PINNED, GOALS = "Pinned", "Goals"
NAME = "facts.md"
OPENING = (
    "What {name} knows, kept by rule from the journal. Edit it: what you write here counts. "
    "Bullets under Pinned are told word for word, always."
)

_BULLET = re.compile(r"\s*[-*+] (?P<text>.*)")
_OWN_KEYS = ("upto", "place", "marked")
_FROM_PROFILE = " ([[agent]])"


@dataclass(frozen=True)
class Pin:
    """Words that are always told, and the number of the memory that they are (0: none)."""

    text: str
    seq: int = 0


@dataclass(frozen=True)
class FactsFile:
    """What stands in `facts.md`: all that was learnt from the memories up to `upto`.

    `place` is where the agent then was, `marked` the memories whose `#pinned` has been taken in. `more` and `prose` are
    the properties and the text by section that a person has added; they stay as they are.
    """

    upto: int = 0
    place: str = ""
    marked: tuple[int, ...] = ()
    pins: tuple[Pin, ...] = ()
    facts: tuple[Fact, ...] = ()
    goals: tuple[str, ...] = ()
    prose: dict[str, str] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)


class FactsNote:
    """The file of one agent. `stamp` tells whether somebody else has written it since."""

    def __init__(self, vault: Vault, agent_id: str) -> None:
        self._vault = vault
        self._agent_id = agent_id
        self._folder = ("agents", agent_id)

    def stamp(self) -> Stamp:
        """Return size and time of the file; (-1, -1) if it is not there."""
        try:
            return _stamp(self._vault.path(*self._folder, NAME))
        except OSError:
            return -1, -1

    def read(self) -> FactsFile | None:
        """Return what the file says, or None if there is none. Raises: NoteError naming file and line."""
        if not self._vault.exists(*self._folder, NAME):
            return None
        return parse_facts(self._vault.read(*self._folder, NAME))

    def text(self, found: FactsFile, link: Callable[[int], str], goals: tuple[str, ...] = ()) -> str:
        """Return the file's text; `goals` are the profile's."""
        return format_facts(found, self._agent_id, link, goals)

    def write(self, text: str, expected: Stamp) -> Stamp | None:
        """Replace the file, if its stamp is the one expected; return its new stamp, or None if it was not replaced.

        It may be called in any thread, not in two at once. Raises: NoteError if it cannot be written.
        """
        path = self._vault.file(*self._folder, NAME)
        draft, raw = path.with_name(f".{NAME}.draft"), encoded(text, self._vault.source(path))
        try:
            # Its folder is there, or somebody has taken the agent away, and is not to get a part of it back.
            with suppress(FileNotFoundError):
                self._vault.disk.begin_draft(draft, path)
            self._vault.disk.write_draft(draft, raw, True)
            if self.stamp() != expected:  # as late as can be, so that an edit has no time to slip in between
                draft.unlink()
                return None
            stamp = _stamp(draft)  # of the file by then, an edit might follow at once
            self._vault.disk.replace(draft, path)
            self._vault.force_soon(path)
        except OSError as error:
            with suppress(OSError):
                draft.unlink()
            raise NoteError(f"{self._vault.source(path)}: cannot be written: {error.strerror}.") from error
        return stamp

    def keep_aside(self, text: str, moment: str) -> str:
        """Keep a version that was overwritten; return its name. Raises: NoteError."""
        stem, part = f"facts (conflict {moment})", 1
        name = f"{stem}.md"
        while self._vault.exists(*self._folder, name):
            part += 1
            name = f"{stem}-{part}.md"
        self._vault.write_text(text, *self._folder, name)
        return name


def parse_facts(note: Note) -> FactsFile:
    """Return what a note says. Raises: NoteError at a line that is not of the form, naming file and line."""
    facts: dict[tuple[str, str, str], Fact] = {}
    prose: dict[str, list[str]] = {"": []}
    bullets: dict[str, list[str]] = {PINNED: [], GOALS: []}
    name = ""
    for line in note.lines:
        if line.level == 2:
            name = _section(note, line, prose)
            continue
        bullet = _BULLET.fullmatch(line.text) if line.counts else None
        if not bullet or (name not in SECTIONS and name not in bullets):
            prose[name].append(line.raw)
            continue
        prose[name] += line.comments
        if name in bullets:
            bullets[name] += [bullet["text"].strip()] if bullet["text"].strip() else []
        elif fact := parse_fact(bullet[0], name):
            facts[fact.key] = fact
        else:
            raise NoteError(f"{note.source}:{line.number}: {line.raw.strip()!r} is not of the form {FORM!r}.")
    pins = dict.fromkeys(_pin(text) for text in bullets[PINNED])
    return FactsFile(
        _number(note, "upto"),
        str(note.properties.get("place") or ""),
        tuple(_numbers(note, "marked")),
        tuple(pin for pin in pins if pin.text),
        tuple(facts.values()),
        tuple(unescaped(text) for text in bullets[GOALS] if not text.endswith(_FROM_PROFILE)),
        {name: text for name, lines in prose.items() if (text := "\n".join(lines).strip("\n"))},
        {key: value for key, value in note.properties.items() if key not in _OWN_KEYS},
    )


def format_facts(found: FactsFile, name: str, link: Callable[[int], str], goals: tuple[str, ...] = ()) -> str:
    """Return the text of the file."""
    properties = {"upto": found.upto, "place": found.place, "marked": list(found.marked), **found.more}
    opening = found.prose.get("") or OPENING.format(name=name)
    pins = [f"- {escaped(pin.text)}{f' ({link(pin.seq)})' if pin.seq else ''}" for pin in found.pins]
    bullets = {
        PINNED: pins,
        **{one: [format_fact(fact, link) for fact in found.facts if fact.section == one] for one in SECTIONS},
        GOALS: [*(f"- {escaped(goal)}{_FROM_PROFILE}" for goal in goals), *(f"- {escaped(g)}" for g in found.goals)],
    }
    others = [one for one in found.prose if one and one not in bullets]
    parts = [opening]
    for section in (*bullets, *others):
        text = "\n".join([*filter(None, [found.prose.get(section, "")]), *bullets.get(section, [])])
        parts += [f"## {section}\n{text}".rstrip()] if text or section == PINNED else []
    return format_note(properties, "\n\n".join(parts))


def _stamp(path: Path) -> Stamp:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns


def _section(note: Note, heading: Line, prose: dict[str, list[str]]) -> str:
    """Begin a section and return its name, as we write it. Raises: NoteError if it stands there twice."""
    known = {one.casefold(): one for one in (*prose, *SECTIONS, PINNED, GOALS)}
    name = known.get(heading.title.casefold(), heading.title)
    if name in prose:
        raise NoteError(f"{note.source}:{heading.number}: the heading {name!r} stands there twice; make them one.")
    prose[name] = []
    return name


def _pin(text: str) -> Pin:
    link = PIN_LINK.search(text)
    words = text[: link.start()] if link else text
    return Pin(unescaped(words), int(link[1]) if link else 0)


def _number(note: Note, key: str) -> int:
    value = note.properties.get(key, 0)
    if type(value) is not int or value < 0:
        line = note.property_lines.get(key, 1)
        raise NoteError(f"{note.source}:{line}: {key} is {value!r}; expected the number of a memory, as in 129.")
    return value


def _numbers(note: Note, key: str) -> Iterator[int]:
    values = note.properties.get(key) or []
    for value in values if isinstance(values, list) else [values]:
        if type(value) is not int or value < 1:
            line = note.property_lines.get(key, 1)
            raise NoteError(f"{note.source}:{line}: {key} has {value!r}; expected numbers of memories, as in [12, 40].")
        yield value
