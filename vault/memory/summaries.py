"""An agent's summaries on disk: the two in force, every short-term one ever accepted (a leaf), and the long-term
ones that were in force before."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from vault.atomic_write import Drafts, Stamp, file_stamp
from vault.errors import NoteError
from vault.memory.memory_line import Range, RangeSet, partition_fault
from vault.note import Note, format_note
from vault.vault import Vault

Stamps = tuple[Stamp, ...]

LONGTERM = "longterm.md"
RECENT = "recent.md"
MAX_NUMBER = 10**15
"""No memory has a higher number: a line of a journal would not be read again with one."""
BY_HAND = "by-hand"
"""Stands for the checksum of a text that nobody made but a person."""
FORMER_LENGTH = "characters"
"""The score by which an extract that somebody had edited was known before there were checksums."""

_KEPT = re.compile(r"((?:recent|longterm)-\d{8}-\d{6}-m(\d{1,15})(?:-\d+)?)\.md", re.ASCII)
_HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
_TITLE = r"\1"


@dataclass(frozen=True)
class SummaryPart:
    """The text for some of the memories of a summary file; the only part of a file has no name."""

    name: str
    memories: RangeSet
    text: str


@dataclass(frozen=True)
class Summary:
    """The summary of the memories numbered from `first` to `last`, both included.

    `quality` is `prose`, `extractive` or `fallback`; `scores` are the gate's; `tokens` counts the text; `sources` names
    its source ranges and leaves. `checksum` is that of the generated text. If it descends from a long-term summary that
    a person edited, `edited_from` is the checksum of that one. `contents` has the memories of each part of the text, by
    its heading; empty for a text in one part. One file holds all parts, so that one rename puts all of them in force.
    """

    first: int
    last: int
    text: str
    generation: int = 0
    quality: str = "prose"
    model: str = ""
    tokens: int = 0
    made_ms: int = 0
    sources: tuple[str, ...] = ()
    scores: dict[str, float] = field(default_factory=dict)
    checksum: str = ""
    edited_from: str = ""
    contents: tuple[tuple[str, RangeSet], ...] = ()

    def __post_init__(self) -> None:
        if not self.checksum:
            object.__setattr__(self, "checksum", checksum_of(self.text))

    @property
    def is_edited(self) -> bool:
        """True if a person has changed the text since it was made, or has written all of it."""
        return self.checksum != checksum_of(self.text)

    @property
    def hand(self) -> str:
        """The checksum of the person's text that this one is or was made from; empty if there is none."""
        return checksum_of(self.text) if self.is_edited else self.edited_from

    @property
    def parts(self) -> tuple[SummaryPart, ...]:
        """The parts, a partition of all that it covers; only one if the headings of `contents` are not in the text."""
        texts = _under_headings(self.text, [name for name, _ in self.contents])
        if not texts:
            return (SummaryPart("", RangeSet.of(Range(self.first, self.last)), self.text),)
        return tuple(SummaryPart(name, memories, texts[name]) for name, memories in self.contents)

    @property
    def is_as_made(self) -> bool:
        """True if its range ends where its sources end: nobody has typed the range, or changed it since."""
        return any(source.endswith((f"-{self.last}", f" leaves to {self.last}")) for source in self.sources)


def text_of_parts(parts: Sequence[SummaryPart]) -> str:
    """Return the text of a summary file with some parts: each under its name as a heading."""
    return "\n\n".join(f"## {part.name}\n{_HEADING.sub(_TITLE, part.text).strip()}" for part in parts)


def _under_headings(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return the text under each heading; empty unless the headings are exactly these."""
    before, *pieces = _HEADING.split(f"\n{text}")
    found = dict(zip(map(str.strip, pieces[::2]), map(str.strip, pieces[1::2]), strict=True))
    is_whole = len(pieces) == 2 * len(found) and not before.strip() and sorted(found) == sorted(names)
    return found if is_whole else {}


def checksum_of(text: str) -> str:
    """Return the checksum of a text's words; white space does not count, as editors change it by themselves."""
    words = " ".join(text.split()).encode("utf-8", "surrogatepass")
    return f"sha256-{hashlib.sha256(words).hexdigest()[:16]}"


@dataclass(frozen=True)
class PendingPublication:
    """A publication on its way: the leaf's name, if it has one, and drafts that replace summaries with this stamp."""

    leaf: str
    drafts: Drafts
    stamp: Stamps


class SummaryEdited(NoteError):
    """Somebody edited a summary at the moment in which another was to take its place; the edit stands."""


class SummaryFolder:
    """The folder `summaries` of one agent."""

    def __init__(self, vault: Vault, agent_id: str) -> None:
        self._vault = vault
        self._parts = ("agents", agent_id, "summaries")

    def read(self, name: str) -> Summary | None:
        """Return a summary, or None if there is none. Raises: NoteError if it is not valid."""
        return _summary(self._vault.read(*self._parts, name)) if self._vault.exists(*self._parts, name) else None

    def stamp(self) -> Stamps:
        """Return the stamps of the two summaries in force, to see whether somebody has edited them."""
        return tuple(file_stamp(self._vault.path(*self._parts, name)) for name in (LONGTERM, RECENT))

    def leaves(self) -> list[tuple[str, Summary]]:
        """Return the leaves with their file names, oldest range first; one that is not valid is left out."""
        return self._read_all("recent")

    def leaf_names(self) -> list[str]:
        """Return the file names of all leaves by the last memory that each covers, without reading them."""
        return self._kept("recent")

    def former_names(self) -> list[str]:
        """Return the file names of the long-term summaries that were in force before, in the same way."""
        return self._kept("longterm")

    def _kept(self, kind: str, mark: str = "") -> list[str]:
        """Return the names of the kept files of a kind, those with a mark, by the last memory that each covers."""
        names = [name for name in self._names() if name.startswith(f"{kind}-") and mark in name]
        found = sorted((int(match[2]), match[1]) for match in map(_KEPT.fullmatch, names) if match)
        return [f"{stem}.md" for _, stem in found]

    def _names(self) -> list[str]:
        try:
            return os.listdir(self._vault.path(*self._parts))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def last_seq(self) -> int:
        """Return the highest number that the name of a summary bears; 0 if none bears one."""
        return max(map(covered_by_name, self._names()), default=0)

    def leaf(self, name: str) -> Summary | None:
        """Return a leaf or a former long-term summary, or None if there is none by that name that is valid."""
        try:
            return self.read(name)
        except NoteError:
            return None

    def former(self) -> list[tuple[str, Summary]]:
        """Return the long-term summaries that were in force before, in the same way."""
        return self._read_all("longterm")

    def in_force_at(self, end_ms: int) -> tuple[Summary | None, Summary | None]:
        """Return the long-term and the short-term summary that were made last before a time, as far as files tell.

        Their names say when they were made, to the second; what was rolled back meanwhile they do not say.
        Raises: NoteError if the folder cannot be read.
        """
        now = self.leaf(LONGTERM)
        longterm = now if now and now.made_ms < end_ms else self._made_before("longterm", end_ms)
        return longterm, self._made_before("recent", end_ms)

    def _made_before(self, kind: str, end_ms: int) -> Summary | None:
        """Return the one of the kept summaries of a kind that was made last before a time."""
        name = next(self._newest_first(kind, _moment(end_ms)), None)
        return self.leaf(name) if name else None

    def newest_leaf_names(self, most: int) -> list[str]:
        """Return the file names of so many of the leaves that were made last, newest first, without reading them."""
        return list(islice(self._newest_first("recent"), most))

    def _newest_first(self, kind: str, end: str = "~") -> Iterator[str]:
        """Return the names of the kept files of a kind that were made before a time, the one made last first."""
        made = [name.removesuffix(".md") for name in self._names() if f"{kind}-" <= name < f"{kind}-{end}"]
        return filter(_KEPT.fullmatch, (f"{stem}.md" for stem in sorted(made, reverse=True)))

    def prepare(
        self, longterm: Summary | None, recent: Summary | None, at_ms: int, has_leaf: bool = True
    ) -> PendingPublication:
        """Return drafts that put summaries in force, a short-term one after a leaf of its own if that `has_leaf`.

        What goes out of force is kept under another name: the long-term summary always, the short-term one if it was
        edited, as it is a leaf otherwise. A crash in between is settled by the ranges at the next start. The drafts
        may be written in any thread. Raises: NoteError.
        """
        stamp, taken = self.stamp(), set[str]()  # the stamp before anything is read
        leaf = self._free_name("recent", recent, taken) if recent and has_leaf else ""
        pairs = [(leaf, recent)] if recent and leaf else []
        pairs += [*self._unsaved_edit(at_ms, taken), *self._with_backup(longterm, taken)]
        pairs += [(RECENT, recent)] if recent else []
        return PendingPublication(leaf, self._vault.drafts(self._texts(pairs)), stamp)

    def publish(self, longterm: Summary | None, recent: Summary | None, at_ms: int = 0, has_leaf: bool = True) -> str:
        """Write the drafts of `prepare` and put them in force at once; return the leaf's name, if there is one.

        Raises: NoteError, Edited if somebody edits a summary in force meanwhile; what was in force stays so.
        """
        ahead = self.prepare(longterm, recent, at_ms, has_leaf)
        ahead.drafts.write(parents=True)
        if self.stamp() != ahead.stamp:
            ahead.drafts.discard()
            raise SummaryEdited(
                f"{self._vault.source(self._vault.path(*self._parts))}: a summary was edited meanwhile."
            )
        ahead.drafts.commit()
        return ahead.leaf

    def add_leaf(self, summary: Summary) -> str:
        """Keep a short-term summary as a leaf without putting it in force; return its name. Raises: NoteError."""
        return self._add("recent", summary)

    def add_former(self, summary: Summary) -> str:
        """Keep a long-term summary in the same way. Raises: NoteError."""
        return self._add("longterm", summary)

    def keep(self, kind: str, summary: Summary, why: str) -> str:
        """Keep a summary that did not come into force; return its name. Raises: NoteError."""
        name = self._unused(f"{kind} ({why} {_moment(summary.made_ms)})", set())
        self._write([(name, summary)])
        return name

    def _add(self, kind: str, summary: Summary) -> str:
        name = self._free_name(kind, summary, set())
        self._write([(name, summary)])
        return name

    def _unsaved_edit(self, at_ms: int, taken: set[str]) -> list[tuple[str, Summary]]:
        """Return the short-term summary in force as a leaf of its own if no leaf says what it says."""
        before = self.leaf(RECENT)
        if before is None:
            return []
        names = self._kept("recent", f"-m{before.last:06}")
        leaves = map(self.leaf, sorted(names, key=lambda name: (len(name), name), reverse=True))  # newest first
        if any(leaf and (leaf.first, leaf.text) == (before.first, before.text) for leaf in leaves):
            return []
        edited = replace(before, made_ms=at_ms)
        return [(self._free_name("recent", edited, taken), edited)]

    def _with_backup(self, longterm: Summary | None, taken: set[str]) -> list[tuple[str, Summary]]:
        if longterm is None:
            return []
        before = self.leaf(LONGTERM)
        kept = [(self._free_name("longterm", before, taken), before)] if before else []
        return [*kept, (LONGTERM, longterm)]

    def _read_all(self, kind: str) -> list[tuple[str, Summary]]:
        found = [(name, summary) for name in self._kept(kind) if (summary := self.leaf(name))]
        return sorted(found, key=lambda row: (row[1].first, row[1].last, row[1].generation, row[0]))

    def set_aside(self, name: str, why: str, at_ms: int) -> str:
        """Rename a summary that is not in force any more; return its new name, or nothing if it is not there.

        Raises: NoteError.
        """
        if not self._vault.exists(*self._parts, name):
            return ""
        aside = self._unused(f"{name.removesuffix('.md')} ({why} {_moment(at_ms)})", set())
        path = self._vault.path(*self._parts, name)
        try:
            self._vault.disk.replace(path, self._vault.path(*self._parts, aside))
        except OSError as error:
            raise NoteError(f"{self._vault.source(path)}: cannot be renamed: {error.strerror}.") from error
        return aside

    def _write(self, pairs: list[tuple[str, Summary]]) -> None:
        self._vault.write_together(self._texts(pairs))

    def _texts(self, pairs: list[tuple[str, Summary]]) -> list[tuple[str, str]]:
        return [(_text(summary), "/".join((*self._parts, name))) for name, summary in pairs]

    def _free_name(self, kind: str, summary: Summary, taken: set[str]) -> str:
        return self._unused(f"{kind}-{_moment(summary.made_ms)}-m{summary.last:06}", taken)

    def _unused(self, stem: str, taken: set[str]) -> str:
        """Return a name that no file has and that is not `taken`; from then on it is."""
        name, part = stem, 1
        while name in taken or self._vault.exists(*self._parts, f"{name}.md"):
            part += 1
            name = f"{stem}-{part}"
        taken.add(name)
        return f"{name}.md"


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y%m%d-%H%M%S")


def covered_by_name(name: str) -> int:
    """Return the last memory that a kept summary covers, as its file name says; 0 if it says none."""
    return int(found[2]) if (found := _KEPT.fullmatch(name)) else 0


def _text(summary: Summary) -> str:
    properties = {
        "covers": [summary.first, summary.last],
        "generation": summary.generation,
        "made": datetime.fromtimestamp(summary.made_ms / 1000, UTC).isoformat(timespec="milliseconds"),
        "model": summary.model,
        "quality": summary.quality,
        "tokens": summary.tokens,
        "sources": list(summary.sources),
        "scores": dict(summary.scores),
        "checksum": summary.checksum,
    }
    properties |= {"edited_from": summary.edited_from} if summary.edited_from else {}
    properties |= {"contents": {name: str(memories) for name, memories in summary.contents}} if summary.contents else {}
    return format_note(properties, summary.text)


def _summary(note: Note) -> Summary:
    covers = note.properties.get("covers")
    first, last = covers if isinstance(covers, list) and len(covers) == 2 else (None, None)
    if type(first) is not int or type(last) is not int or not 1 <= first <= last <= MAX_NUMBER:
        line = note.property_lines.get("covers", 1)
        raise NoteError(
            f"{note.source}:{line}: covers is {covers!r}; expected the first and last memory, as in [1, 65]."
        )
    properties, text = note.properties, note.body.strip()
    scores, sources = properties.get("scores"), properties.get("sources")
    return Summary(
        first,
        last,
        text,
        _int_or_zero(properties.get("generation")),
        str(properties.get("quality") or "prose"),
        str(properties.get("model") or ""),
        _int_or_zero(properties.get("tokens")),
        _milliseconds(properties.get("made")),
        tuple(map(str, sources)) if isinstance(sources, list) else (),
        {str(k): v for k, v in scores.items() if isinstance(v, int | float)} if isinstance(scores, dict) else {},
        _checksum(properties, text),
        str(properties.get("edited_from") or ""),
        _contents(properties.get("contents"), Range(first, last)),
    )


def _contents(value: object, covers: Range) -> tuple[tuple[str, RangeSet], ...]:
    """Return what the parts of a text cover; nothing, for a text in one part, unless that is a partition."""
    try:
        found = tuple((str(name), RangeSet.parse(str(one))) for name, one in value.items())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return ()
    return () if partition_fault([memories for _, memories in found], covers) else found


def _checksum(properties: dict[str, Any], text: str) -> str:
    """Return the checksum of the text as it was made; what has none is from a time before there were any, or a hand."""
    if found := properties.get("checksum"):
        return str(found)
    if not properties.get("sources"):
        return BY_HAND
    scores = properties.get("scores")
    length = scores.get(FORMER_LENGTH) if isinstance(scores, dict) else None
    return checksum_of(text) if length in (None, len(text)) else BY_HAND


def _int_or_zero(value: object) -> int:
    return value if isinstance(value, int) else 0


def _milliseconds(value: object) -> int:
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
        return round(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() * 1000)
    except ValueError:
        return 0
