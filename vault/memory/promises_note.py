"""An agent's `promises.md`: what it has promised to tell or to hand over, in Markdown that people can edit.

    - [ ] 7 · Robin → Isaura: The weir leaks. ([[2026-11-21#^m129]])
    - [x] 8 · Robin → Moss: [thing:: brass lantern] Keep it for him. ([[2026-11-22#^m40]])
    - [ ] 9 · Nia → Isaura: [private:: Nia, Eliza] I shall be late. ([[2026-11-22#^m52]])

First comes who asked, then who is to be told; the link leads to the memory. A line typed by hand needs no more than
`- Robin → Isaura: The weir leaks.`; it is given the next number, and the day. A ticked line is done. A line that cannot
be read stays as it is, counts for nothing, and is named with what is wrong. All other text is people's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date

from vault.errors import NoteError
from vault.markdown import NoteLine, escape_words, one_line, unescape_words
from vault.memory.shared_file import check_length, join_lines, split_lines
from vault.note import parse_note
from vault.note_editor import NoteEditor
from world.sanitize import name_key

NAME = "promises.md"
OPENING = "What {agent} has promised. Edit it: what you write here counts, as `- who asked → whom to tell: words`.\n"
LAST = "last"
"""The property with the highest number that was ever given, so that none is given again."""

MAX_WORDS = 220
"""Maximum length of the words of a promise, and of the name of a thing, in characters."""

MAX_NUMBER = 999_999_999
MAX_PROMISES = 100
"""Number of lines of promises that a note may have; to read more would hold up the world."""

FORM = "- [ ] Robin → Isaura: The weir leaks."

_BULLET = re.compile(r"(?P<indent>\s*)[-*+] (?:\[(?P<box>[ xX])\] )?(?P<rest>.*\S)\s*")
_NAME = r"(?:\\.|[^\\:→·\[\]-]|-(?!>))+"
_HEAD = re.compile(
    rf"(?:(?P<number>[1-9][0-9]{{0,8}}) · )?(?P<asker>{_NAME})(?:→|->)(?P<target>{_NAME}):(?: (?P<words>.*))?"
)
_FIELD = re.compile(r"\s*\[(?P<key>thing|private)::(?P<value>(?:\\.|[^\]\\])*)\]")
_DETAILS = re.compile(
    r"\((?:(?P<day>\d{4}-\d\d-\d\d)(?:, (?=\[)|(?=\))))?"
    r"(?P<link>\[\[(?P<stem>[^\[\]|#]*)#\^m(?P<seq>[1-9][0-9]{0,14})(?:\|[^\[\]]*)?\]\])?\)",
    re.ASCII,
)
_STEM = re.compile(r"\d{4}-\d\d-\d\d(?!\d)", re.ASCII)
_NAME_MARK = re.compile(r"[\\<\[\]:,→·%#^*()]|-(?=>)")
_FIELD_MARK = re.compile(r"\[(?=(?:thing|private)::)")
_ESCAPED = re.compile(r"\\(.)")
_LISTED = re.compile(r"(?:\\.|[^\\,])+")


@dataclass(frozen=True)
class Promise:
    """What an agent has promised to tell somebody in somebody's words, or to hand over.

    `thing` is the name of what it keeps for the target, empty for words alone. `parties` are those who know of words
    that were whispered, empty if all may know. `seq` is the memory in which it was asked (0: written by hand), `day`
    the day of that, as in `2026-11-21`.
    """

    number: int
    asker: str
    target: str
    words: str
    thing: str = ""
    parties: tuple[str, ...] = ()
    seq: int = 0
    day: str = ""
    is_done: bool = False

    @property
    def pair(self) -> tuple[str, str]:
        """The keys of the two names."""
        return name_key(self.asker), name_key(self.target)


@dataclass(frozen=True)
class PromiseRow:
    """A promise as it stands in the note: the number of its line, its indentation, and the link to its memory."""

    promise: Promise
    line: int = 0
    indent: str = ""
    link: str = ""

    def text(self) -> str:
        """Return the line."""
        return self.indent + format_promise(self.promise, self.link)


def format_promise(promise: Promise, link: str = "") -> str:
    """Return the line of a promise. `link` is the link to its memory; the day stands beside one of another day."""
    number = f"{promise.number} · " if promise.number else ""
    names = f"{_escape_name(promise.asker)} → {_escape_name(promise.target)}"
    fields = {"thing": _escape_name(promise.thing), "private": ", ".join(map(_escape_name, promise.parties))}
    words = _FIELD_MARK.sub(r"\\\g<0>", escape_words(promise.words))
    day = "" if _day_of(link) == promise.day else promise.day
    details = ", ".join(part for part in (day, link) if part)
    parts = [f"- [{'x' if promise.is_done else ' '}] {number}{names}:"]
    parts += [f"[{key}:: {value}]" for key, value in fields.items() if value]
    return " ".join([*parts, *([words] if words else []), *([f"({details})"] if details else [])])


class PromisesNote:
    """The text of a note. A change rewrites the lines of some promises; all else stays to the letter.

    `faults` name the lines that cannot be read. `last` is the highest number that was ever given.
    Raises: NoteError if the text is no note, naming file and line.
    """

    def __init__(self, text: str, source: str) -> None:
        check_length(text, source)
        note = parse_note(text, source)
        self.text = text
        self._source = source
        last = note.properties.get(LAST, 0)
        if type(last) is not int or not 0 <= last <= MAX_NUMBER:
            at = f"{source}:{note.property_lines.get(LAST, 1)}"
            raise NoteError(f"{at}: {LAST} is {last!r}; expected the highest number of a promise, as in 7.")
        self.rows, self.faults = self._read(note.lines)
        self._end = self.rows[-1].line if self.rows else 0
        self.last = max([last, *(row.promise.number for row in self.rows)])

    @property
    def promises(self) -> tuple[Promise, ...]:
        """The promises, in the order of their lines. One without a number has 0."""
        return tuple(row.promise for row in self.rows)

    def parse(self, text: str) -> PromisesNote:
        """Return another text of the same note. Raises: NoteError."""
        return PromisesNote(text, self._source)

    def with_lost(self, before: PromisesNote) -> PromisesNote:
        """Return the note with the promises that were made since its editor read it.

        A line without a number that an older version still has keeps the number that it was given meanwhile.
        """
        unseen = [row for row in before.rows if row.promise.number > self.last]
        if not unseen:
            return self
        numbers = {row.promise.pair: row.promise.number for row in unseen}
        named, given = list[PromiseRow](), set[int]()
        for row in self.rows:
            number = numbers.pop(row.promise.pair, 0) if not row.promise.number else 0
            if number:
                given.add(number)
                named.append(replace(row, promise=replace(row.promise, number=number)))
        return self._rewrite(named, [row for row in unseen if row.promise.number not in given])

    def numbered(self, day: str, least: int = 1) -> PromisesNote:
        """Return the note with a number and a day for each promise that has none; numbers begin with `least`."""
        used = {row.promise.number for row in self.rows}
        highest, named = max(self.last, least - 1), list[PromiseRow]()
        for row in self.rows:
            promise = row.promise
            if not promise.number:
                highest = free_number(highest, used)
                used.add(highest)
            if not (promise.number and promise.day):
                whole = replace(promise, number=promise.number or highest, day=promise.day or day)
                named.append(replace(row, promise=whole))
        return self._rewrite(named) if named else self

    def changed(
        self, promises: Iterable[Promise], link: Callable[[int], str], gone: Collection[int] = ()
    ) -> PromisesNote:
        """Return the note with promises in place of those of their numbers, the new ones last, and without some.

        `link` gives the link to a memory's line in the journal. Raises: NoteError if it is too long then.
        """
        rows = {row.promise.number: row for row in self.rows}
        wanted = [promise for promise in promises if promise.number not in gone]
        known = [replace(rows[one.number], promise=one) for one in wanted if one.number in rows]
        new = [PromiseRow(one, link=link(one.seq) if one.seq else "") for one in wanted if one.number not in rows]
        lines = {rows[number].line for number in gone if number in rows}
        changes = [row for row in known if row.promise != rows[row.promise.number].promise]
        return self._rewrite(changes, new, lines) if changes or new or lines else self

    def _rewrite(
        self, rows: Collection[PromiseRow], new: Collection[PromiseRow] = (), gone: Collection[int] = ()
    ) -> PromisesNote:
        lines, end = split_lines(self.text)
        for row in rows:
            raw = lines[row.line - 1]
            lines[row.line - 1] = row.text() + raw[len(raw.rstrip("\r\n")) :]
        for number in gone:
            lines[number - 1] = ""
        more = [f"{row.text()}{end}" for row in new]
        after = {self._end: more if self._end else [end, *more]} if more else {}
        text = NoteEditor(join_lines(lines, after, end), self._source)
        last = max([self.last, *(row.promise.number for row in (*rows, *new))])
        if parse_note(str(text), self._source).properties.get(LAST) != last:
            text.set_property(LAST, last)
        return self.parse(str(text))

    def _read(self, lines: Iterable[NoteLine]) -> tuple[tuple[PromiseRow, ...], tuple[str, ...]]:
        rows, faults, numbers = list[PromiseRow](), list[str](), set[int]()
        for line in lines:
            bullet = _BULLET.fullmatch(line.text) if line.counts else None
            if not bullet:
                continue
            if len(rows) + len(faults) == MAX_PROMISES:
                raise NoteError(f"{self._source}:{line.number}: a promise too many; {MAX_PROMISES} are the most.")
            try:
                row = _row(line, bullet)
                if row.promise.number in numbers:
                    raise ValueError(f"the number {row.promise.number} stands above already; expected one without it")
            except ValueError as error:
                faults.append(f"{self._source}:{line.number}: {error}.")
                continue
            rows.append(row)
            numbers |= {row.promise.number} - {0}
        return tuple(rows), tuple(faults)


def free_number(highest: int, used: Collection[int]) -> int:
    """Return the number after the highest; after the last number of all, the lowest that is not used."""
    return highest + 1 if highest < MAX_NUMBER else next(one for one in range(1, MAX_NUMBER) if one not in used)


def _row(line: NoteLine, bullet: re.Match[str]) -> PromiseRow:
    """Return the promise of a line. Raises: ValueError with what is wrong and what would be right."""
    head = _HEAD.fullmatch(bullet["rest"])
    if line.comments:
        raise ValueError("a comment stands in the line of a promise; expected it in a line of its own")
    if not head:
        raise ValueError(f"{_shorten(line.raw)!r} is no promise; expected a line such as {FORM!r}")
    fields, rest = _fields(head["words"] or "")
    words, details = _split_details(rest)
    link = details.get("link") or ""
    promise = Promise(
        int(head["number"] or 0),
        _unescape_name(head["asker"]),
        _unescape_name(head["target"]),
        unescape_words(words),
        _unescape_name(fields.get("thing", "")),
        tuple(filter(None, (_unescape_name(one) for one in _LISTED.findall(fields.get("private", ""))))),
        int(details.get("seq") or 0),
        details.get("day") or _day_of(link),
        (bullet["box"] or " ") in "xX",
    )
    _check(promise)
    return PromiseRow(promise, line.number, bullet["indent"], link)


def _check(promise: Promise) -> None:
    if not (promise.asker and promise.target):
        raise ValueError(f"a name is missing; expected a line such as {FORM!r}")
    if not (promise.words or promise.thing):
        raise ValueError(f"it has no words; expected a line such as {FORM!r}")
    for what, text in (("words have", promise.words), ("name of the thing has", promise.thing)):
        if len(text) > MAX_WORDS:
            raise ValueError(f"the {what} {len(text)} characters; expected at most {MAX_WORDS}")
    if promise.day:
        try:
            date.fromisoformat(promise.day)
        except ValueError:
            raise ValueError(f"{promise.day!r} is no day; expected one such as '2026-11-21'") from None


def _fields(text: str) -> tuple[Mapping[str, str], str]:
    """Return the fields at the beginning of a text, and the rest."""
    fields: dict[str, str] = {}
    while (match := _FIELD.match(text)) and match["key"] not in fields:
        fields[match["key"]] = match["value"]
        text = text[match.end() :]
    return fields, text


def _split_details(text: str) -> tuple[str, Mapping[str, str]]:
    """Return the words of a text, and the day and the link behind them."""
    text = text.rstrip()
    at = text.rfind("(")
    match = _DETAILS.fullmatch(text, at) if at >= 0 else None
    if not match or not (match["day"] or match["link"]):
        return text, {}
    return text[:at], {key: value for key, value in match.groupdict().items() if value}


def _day_of(link: str) -> str:
    match = _STEM.match(link.removeprefix("[["))
    return match[0] if match else ""


def _escape_name(name: str) -> str:
    return _NAME_MARK.sub(r"\\\g<0>", one_line(name))


def _unescape_name(text: str) -> str:
    return one_line(_ESCAPED.sub(r"\1", text))


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_WORDS else f"{text[:MAX_WORDS]}…"
