"""A note of bullets that an agent and people edit together, such as `people/Robin.md` and `insights.md`.

    - I lost my dog near the weir yesterday. ([[2026-11-22#^m43]])
    - **private** · Robin · Eliza: The red book is under my bed. ([[2026-11-22#^m61]])

The property `written` marks each line that the agent wrote. A line without its mark is a person's: it stays to the
letter. A mark without its line says that a person has changed or deleted that line, which is never written again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from vault.errors import NoteError
from vault.markdown import NoteLine, escape_words, unescape_words
from vault.memory.shared_file import SharedFile, check_length, join_lines, split_lines
from vault.note import parse_note
from vault.note_editor import NoteEditor
from vault.vault import Vault

WRITTEN = "written"
MAX_MARKS = 256

_BULLET = re.compile(r"\s*[-*+] (?P<text>.*\S)\s*")
_LINK = r"\[\[[^\[\]|#]*#\^m[1-9]\d{0,14}\]\]"
_STATEMENT = re.compile(
    rf"(?:\*\*(?P<label>(?:\\.|[^\\])+?)\*\*(?P<tags>(?: · (?:\\.|[^\\·:])+)*): ?)?(?P<words>.*?)"
    rf"(?:\s*\((?P<links>{_LINK}(?:, {_LINK})*)\))?"
)
_TARGET = re.compile(r"\[\[(?P<day>\d{4}-\d\d-\d\d)?[^#]*#\^m(?P<seq>\d+)\]\]")
_MARK = re.compile(r"m(\d{1,15})-[0-9a-f]{8}")


@dataclass(frozen=True)
class Statement:
    """The statement of one bullet.

    `label` says what it is, as `private`, or the person that an opinion is about. `tags` stand behind it: who knows of
    it, or whose word it is. `evidence` are the numbers of the memories that bear it out, `day` the day of the first, as
    in `2026-11-22`. `written` is the line in the note to the letter, `number` its number there; otherwise empty and 0.
    """

    words: str
    label: str = ""
    tags: tuple[str, ...] = ()
    evidence: tuple[int, ...] = ()
    day: str = ""
    by_hand: bool = False
    written: str = field(default="", compare=False)
    number: int = field(default=0, compare=False)

    def line(self, link: Callable[[int], str]) -> str:
        """Return the bullet's line. `link` gives the link to a memory's line in the journal."""
        tags = "".join(f" · {escape_words(tag).replace(':', ';')}" for tag in self.tags)
        head = f"**{escape_words(self.label)}**{tags}: " if self.label else ""
        links = ", ".join(link(seq) for seq in self.evidence)
        return f"- {head}{escape_words(self.words)}{f' ({links})' if links else ''}"


@dataclass(frozen=True)
class Change:
    """Lines that go and lines that come at the end of a section, which is made if there is none.

    `are_facts` says that a person who changes or deletes one of the new lines denies the memory that it links to.
    """

    section: str
    gone: Sequence[str] = ()
    new: Sequence[str] = ()
    are_facts: bool = False


class BulletNote:
    """The text of a note. A change of one bullet or property makes another note; all else stays to the letter.

    Raises: NoteError if the text is no such note, naming file and line.
    """

    def __init__(self, text: str, source: str) -> None:
        check_length(text, source)
        note = parse_note(text, source)
        self.text = text
        self.properties = note.properties
        self._source = source
        self._marks = _marks(note.properties.get(WRITTEN), f"{source}:{note.property_lines.get(WRITTEN, 1)}")
        self._sections: dict[str, list[Statement]] = {}
        self._ends: dict[str, int] = {}
        self._read(note.lines)

    @property
    def deleted(self) -> frozenset[int]:
        """The memories of facts whose lines a person has changed or deleted."""
        present = {_hash(one.written) for found in self._sections.values() for one in found}
        return frozenset(int(mark[1:-9]) for mark in self._marks if mark[-8:] not in present) - {0}

    def statements(self, section: str) -> list[Statement]:
        """Return the statements of the bullets of a section, in their order."""
        rows = (found for title, found in self._sections.items() if title.casefold() == section.casefold())
        return [one for found in rows for one in found]

    def own_lines(self) -> list[tuple[str, str]]:
        """Return the lines that the agent wrote and nobody has changed, each with its section."""
        return [(section, line) for section, line, _ in self._own()]

    def knows(self, line: str) -> bool:
        """Return whether the agent has written this line before; it may have been deleted since."""
        return any(mark[-8:] == _hash(line) for mark in self._marks)

    def parse(self, text: str) -> BulletNote:
        """Return another text of the same note. Raises: NoteError."""
        return BulletNote(text, self._source)

    def with_lost(self, before: BulletNote) -> BulletNote:
        """Return the note with the lines that its editor cannot have known, and has not deleted therefore."""
        lost = [Change(section, new=[line]) for section, line in before.own_lines() if not self.knows(line)]
        return self.apply(lost) if lost else self

    def apply(self, changes: Iterable[Change], properties: Mapping[str, str | int] | None = None) -> BulletNote:
        """Return the note with some lines less and others more, and with other values of properties.

        Only lines that the agent wrote are taken out: one that a person has changed stays.
        """
        lines, end = split_lines(self.text)
        own = {_hash(line): number for _, line, number in self._own()}
        marks, after = list(self._marks), dict[int, list[str]]()
        for change in changes:
            gone = own.keys() & {_hash(line) for line in change.gone}
            for key in gone:
                lines[own[key] - 1] = ""
            new = {_hash(line): f"{line}{end}" for line in change.new}
            place = self._ends.get(change.section.casefold(), 0)
            after.setdefault(place, []).extend([] if place or not new else [end, f"## {change.section}{end}"])
            after[place] += new.values()
            marks = [mark for mark in marks if mark[-8:] not in gone | new.keys()]
            marks += [_mark(line, change.are_facts) for line in change.new]
        text = NoteEditor(join_lines(lines, after, end), self._source)
        for key, value in {WRITTEN: marks[-MAX_MARKS:], **(properties or {})}.items():
            if self.properties.get(key) != value:
                text.set_property(key, value)
        return BulletNote(str(text), self._source)

    def _own(self) -> list[tuple[str, str, int]]:
        rows = [(section, one) for section, found in self._sections.items() for one in found]
        return [(section, one.written, one.number) for section, one in rows if not one.by_hand]

    def _read(self, lines: Iterable[NoteLine]) -> None:
        title, known = "", {mark[-8:] for mark in self._marks}
        for line in lines:
            if line.level == 2:
                title = line.title
            if line.raw.strip() and (line.level == 2) == (title.casefold() not in self._ends):
                self._ends[title.casefold()] = line.number
            if line.counts and (bullet := _BULLET.fullmatch(line.text)):
                statement = _statement(bullet["text"], line, _hash(line.raw) not in known)
                self._sections.setdefault(title, []).append(statement)


def _statement(text: str, line: NoteLine, by_hand: bool) -> Statement:
    match = _STATEMENT.fullmatch(text)
    assert match is not None  # every part of the pattern is optional
    targets = _TARGET.findall(match["links"] or "")
    return Statement(
        unescape_words(match["words"]),
        unescape_words(match["label"] or ""),
        tuple(unescape_words(tag) for tag in (match["tags"] or "").split(" · ")[1:]),
        tuple(int(seq) for _, seq in targets),
        targets[0][0] if targets else "",
        by_hand,
        line.raw.strip(),
        line.number,
    )


def _hash(line: str) -> str:
    return hashlib.sha256(line.strip().encode()).hexdigest()[:8]


def _marks(value: object, where: str) -> list[str]:
    marks = value if isinstance(value, list) else [] if value is None else [value]
    for mark in marks:
        if not (isinstance(mark, str) and _MARK.fullmatch(mark)):
            raise NoteError(f"{where}: {WRITTEN} has {mark!r}; expected marks such as m43-0a1b2c3d, or nothing.")
    return list(marks)


def _mark(line: str, is_fact: bool) -> str:
    links = _TARGET.findall(line) if is_fact else []
    return f"m{links[0][1] if links else 0}-{_hash(line)}"


class BulletFile(SharedFile[BulletNote]):
    """One note of bullets. `opening` is the text of a new file."""

    def __init__(
        self,
        vault: Vault,
        path: tuple[str, ...],
        opening: str,
        on_trouble: Callable[[str], None],
        is_kept: bool = True,
    ) -> None:
        super().__init__(vault, path, BulletNote(opening, "/".join(path)), on_trouble, is_kept)

    def change(self, changes: Sequence[Change], properties: Mapping[str, str | int] | None = None) -> None:
        """Change the note and write it. What cannot be written now is in force all the same, and written later."""
        self.reload_if_changed()
        self.replace(self.note.apply(changes, properties))
