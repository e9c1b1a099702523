"""An agent's `facts.md`: facts found by rule, in Markdown that people can edit.

    - **Moss**: my brother · last seen in The Weir (seen 2026-11-21 20:35; 4 times; since [[2026-11-21#^m100]];
      last [[2026-11-21#^m129]]; before: last seen in The Mill)
    - [ ] **Moss**: I will bring you the lantern. (seen 2026-11-21 20:35; since [[2026-11-21#^m40]])

What is said is escaped, so that none of it can pass for a detail, a link or a second subject.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from vault.atomic_write import Stamp, encode_utf8, file_stamp
from vault.errors import NoteError
from vault.markdown import NoteLine, escape_words, unescape_words
from vault.note import Note, format_note
from vault.vault import Vault

PEOPLE, PLACES, THINGS = "People", "Places", "Things"
PROMISES, REQUESTS, LESSONS, CONFIDED = "Promises", "Requests", "To remember", "Confided"
SECTIONS = (PEOPLE, PLACES, THINGS, PROMISES, REQUESTS, LESSONS, CONFIDED)
COMMITMENTS = (PROMISES, REQUESTS)
TELLABLE = (LESSONS, CONFIDED)
BEEN_THERE = "I have been there"
FORM = "- **name**: what is known"
PIN_LINK = re.compile(r"(?<!\s)\s*\(\[\[[^\[\]#|]*#\^m([1-9]\d{0,15})\]\]\)\s*\Z")

_PHRASES = {
    PEOPLE: r"last seen in .+",
    PLACES: re.escape(BEEN_THERE),
    THINGS: r"(?:I have it|\S.* has it|it lies in .+)",
}
_LINE = re.compile(
    r"\s*[-*+] (?:\[(?P<box>[ xX])\] )?\*\*(?P<subject>(?:\\.|[^\\])+?)\*\*:(?: ?(?P<value>.*?))??"
    r"(?: \((?P<details>seen \d{4}-\d\d-\d\d \d\d:\d\d.*)\))?"
)
_DETAIL = re.compile(
    r"seen (?P<seen>\d{4}-\d\d-\d\d \d\d:\d\d)(?:; (?P<count>\d{1,9}) times)?"
    r"(?:; since \[\[[^\]]*\^m(?P<since>\d{1,16})\]\])?(?:; last \[\[[^\]]*\^m(?P<last>\d{1,16})\]\])?"
    r"(?:; (?P<closed>kept|withdrawn|done))?(?:; before: (?P<was>.*))?"
)


@dataclass(frozen=True)
class Fact:
    """A fact about one subject.

    `since` is the memory that gave it this value, `last` the newest that bears it out (0: written by hand); `minute` is
    the time of `last`, in minutes since 1970 UTC; `was` is the value before. `remark` is a person's addition. `closed`
    is empty while it holds; a promise ends `kept`, `withdrawn` or `done`.
    """

    section: str
    subject: str
    value: str
    since: int = 0
    last: int = 0
    minute: int = 0
    count: int = 1
    was: str = ""
    closed: str = ""
    remark: str = ""

    @cached_property
    def key(self) -> tuple[str, str, str]:
        """The key that tells it from other facts: its section and subject, for words also the words."""
        by_words = self.section not in _PHRASES
        return self.section, self.subject.casefold(), self.value.casefold() if by_words else ""


def format_fact(fact: Fact, link: Callable[[int], str]) -> str:
    """Return a fact's line. `link` gives the link to a memory's line in the journal."""
    box = f"[{'x' if fact.closed else ' '}] " if fact.section in COMMITMENTS else ""
    value = " · ".join(escape_words(part) for part in (fact.remark, fact.value) if part)
    line = f"- {box}**{escape_words(fact.subject)}**: {value}".rstrip()
    details = [f"seen {_moment(fact.minute)}"]
    details += [f"{fact.count} times"] * (fact.count != 1)
    details += [f"since {link(fact.since)}"] * bool(fact.since)
    details += [f"last {link(fact.last)}"] * (fact.last not in (0, fact.since))
    details += [fact.closed] * bool(fact.closed)
    details += [f"before: {escape_words(fact.was)}"] * bool(fact.was)
    by_hand = not (fact.since or fact.last or fact.minute)
    return line if by_hand and len(details) == 1 else f"{line} ({'; '.join(details)})"


def parse_fact(line: str, section: str) -> Fact | None:
    """Return the fact of a line in a section, or None if it is not of the form."""
    match = _LINE.fullmatch(line.rstrip())
    if not match:
        return None
    found = _DETAIL.fullmatch(match["details"] or "")
    if match["details"] and not found:
        return None
    details = found.groupdict() if found else {}
    remark, value = _split(match["value"] or "", section)
    ticked = "done" if (match["box"] or " ") in "xX" else ""
    since = int(details.get("since") or 0)
    return Fact(
        section,
        unescape_words(match["subject"]),
        value,
        since,
        int(details.get("last") or since),
        _minute(details.get("seen")),
        int(details.get("count") or 1),
        unescape_words(details.get("was") or ""),
        (details.get("closed") or ticked) if ticked else "",
        remark,
    )


def _split(value: str, section: str) -> tuple[str, str]:
    """Return a person's remark and the registry's own words; only the latter change with what happens."""
    if section not in _PHRASES:
        return "", unescape_words(value)
    remark, bar, phrase = value.rpartition(" · ")
    if re.fullmatch(_PHRASES[section], unescape_words(phrase)):
        return (unescape_words(remark) if bar else ""), unescape_words(phrase)
    return unescape_words(value), ""


def _moment(minute: int) -> str:
    return datetime.fromtimestamp(minute * 60, UTC).strftime("%Y-%m-%d %H:%M")


def _minute(text: str | None) -> int:
    try:
        return int(datetime.fromisoformat(text or "1970-01-01").replace(tzinfo=UTC).timestamp()) // 60
    except ValueError:
        return 0


PINNED, GOALS = "Pinned", "Goals"
NAME = "facts.md"
OPENING = (
    "What {name} knows, kept by rule from the journal. Edit it: what you write here counts. "
    "Bullets under Pinned are shown word for word, always."
)

_BULLET = re.compile(r"\s*[-*+] (?P<text>.*)")
_OWN_KEYS = ("upto", "place", "marked")
_FROM_PROFILE = " ([[agent]])"


@dataclass(frozen=True)
class Pin:
    """Words that every prompt has, and the number of the memory that they are (0: none)."""

    text: str
    seq: int = 0


@dataclass(frozen=True)
class FactsFile:
    """The content of `facts.md`: all facts from the memories up to `upto`.

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
        """Return the stamp of the file."""
        return file_stamp(self._vault.path(*self._folder, NAME))

    def read(self) -> FactsFile | None:
        """Return the content of the file, or None if there is none. Raises: NoteError naming file and line."""
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
        draft, raw = path.with_name(f".{NAME}.draft"), encode_utf8(text, self._vault.source(path))
        try:
            # Its folder is there, or somebody has taken the agent away, and is not to get a part of it back.
            with suppress(FileNotFoundError):
                self._vault.disk.begin_draft(draft, path)
            self._vault.disk.write_draft(draft, raw, True)
            if self.stamp() != expected:  # as late as can be, so that an edit has no time to slip in between
                draft.unlink()
                return None
            stamp = file_stamp(draft)  # of the file by then, an edit might follow at once
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
    """Return the content of a note. Raises: NoteError at a line that is not of the form, naming file and line."""
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
        tuple(unescape_words(text) for text in bullets[GOALS] if not text.endswith(_FROM_PROFILE)),
        {name: text for name, lines in prose.items() if (text := "\n".join(lines).strip("\n"))},
        {key: value for key, value in note.properties.items() if key not in _OWN_KEYS},
    )


def format_facts(found: FactsFile, name: str, link: Callable[[int], str], goals: tuple[str, ...] = ()) -> str:
    """Return the text of the file."""
    properties = {"upto": found.upto, "place": found.place, "marked": list(found.marked), **found.more}
    opening = found.prose.get("") or OPENING.format(name=name)
    pins = [f"- {escape_words(pin.text)}{f' ({link(pin.seq)})' if pin.seq else ''}" for pin in found.pins]
    bullets = {
        PINNED: pins,
        **{one: [format_fact(fact, link) for fact in found.facts if fact.section == one] for one in SECTIONS},
        GOALS: [
            *(f"- {escape_words(goal)}{_FROM_PROFILE}" for goal in goals),
            *(f"- {escape_words(g)}" for g in found.goals),
        ],
    }
    others = [one for one in found.prose if one and one not in bullets]
    parts = [opening]
    for section in (*bullets, *others):
        text = "\n".join([*filter(None, [found.prose.get(section, "")]), *bullets.get(section, [])])
        parts += [f"## {section}\n{text}".rstrip()] if text or section == PINNED else []
    return format_note(properties, "\n\n".join(parts))


def _section(note: Note, heading: NoteLine, prose: dict[str, list[str]]) -> str:
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
    return Pin(unescape_words(words), int(link[1]) if link else 0)


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
