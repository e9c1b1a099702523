"""An agent's summaries on disk: the two in force, every short-term one ever accepted (a leaf), and the long-term
ones that were in force before."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from vault.drafts import Drafts
from vault.folder import Vault
from vault.notes import Note, NoteError, format_note

Stamps = tuple[tuple[int, int], ...]

LONGTERM = "longterm.md"
RECENT = "recent.md"
LAST_NUMBER = 10**15
"""No memory has a higher number: a line of a journal would not be read again with one."""

_LEAF = re.compile(r"recent-\d{8}-\d{6}-m\d+(?:-\d+)?\.md")
_FORMER = re.compile(r"longterm-\d{8}-\d{6}-m\d+(?:-\d+)?\.md")


@dataclass(frozen=True)
class Summary:
    """What stands for the memories numbered from `first` to `last`, both included.

    `quality` is `prose`, `extractive` or `fallback`; `scores` are the gate's; `tokens` counts the text;
    `sources` names the ranges and leaves that it was made from.
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

    @property
    def count(self) -> int:
        return self.last - self.first + 1

    @property
    def is_as_made(self) -> bool:
        """Whether it ends where what it was made from ends: nobody has typed its range, or changed it since."""
        return any(source.endswith((f"-{self.last}", " leaves")) for source in self.sources)


@dataclass(frozen=True)
class Ahead:
    """A publication on its way: the leaf's name, and drafts that replace summaries in force with this stamp."""

    leaf: str
    drafts: Drafts
    stamp: Stamps


class SummaryFolder:
    """The folder `summaries` of one agent."""

    def __init__(self, vault: Vault, agent_id: str) -> None:
        self._vault = vault
        self._parts = ("agents", agent_id, "summaries")

    def read(self, name: str) -> Summary | None:
        """Return a summary, or None if there is none. Raises: NoteError if it is not valid."""
        return _summary(self._vault.read(*self._parts, name)) if self._vault.exists(*self._parts, name) else None

    def stamp(self) -> Stamps:
        """Return sizes and times of the two summaries in force, to see whether somebody has edited them.

        One that is not there, or cannot be looked at, has (-1, -1).
        """
        return tuple(_stamp(self._vault.path(*self._parts, name)) for name in (LONGTERM, RECENT))

    def leaves(self) -> list[tuple[str, Summary]]:
        """Return the leaves with their file names, oldest range first; one that is not valid is left out."""
        return self._all(_LEAF)

    def leaf_names(self) -> list[str]:
        """Return the file names of all leaves, without reading them."""
        return [f"{name}.md" for name in self._vault.names("/".join(self._parts)) if _LEAF.fullmatch(f"{name}.md")]

    def leaf(self, name: str) -> Summary | None:
        """Return a leaf, or None if there is none by that name that is valid."""
        try:
            return self.read(name)
        except NoteError:
            return None

    def former(self) -> list[tuple[str, Summary]]:
        """Return the long-term summaries that were in force before, in the same way."""
        return self._all(_FORMER)

    def publish(self, longterm: Summary | None, recent: Summary) -> str:
        """Put a short-term summary in force, and a long-term one with it, after a leaf; return the leaf's name.

        What goes out of force is kept under another name: the long-term summary always, the short-term one if it was
        edited, as it is a leaf otherwise. A crash in between is settled by the ranges at the next start.
        Raises: NoteError; what was in force stays so.
        """
        leaf, pairs = self._to_publish(longterm, recent)
        self._write(pairs)
        return leaf

    def ahead(self, longterm: Summary | None, recent: Summary) -> Ahead:
        """Return the same publication, to be drafted in any thread before it is put in force. Raises: NoteError."""
        stamp = self.stamp()  # before anything is read
        leaf, pairs = self._to_publish(longterm, recent)
        return Ahead(leaf, self._vault.drafts(self._texts(pairs), "ahead"), stamp)

    def add_leaf(self, summary: Summary) -> str:
        """Keep a short-term summary as a leaf without putting it in force; return its name. Raises: NoteError."""
        leaf = self._free_name("recent", summary)
        self._write([(leaf, summary)])
        return leaf

    def replace(self, longterm: Summary | None, recent: Summary | None, at_ms: int) -> None:
        """Put summaries in force without a leaf, as a rebuilding or a rollback does. Raises: NoteError."""
        pairs = [*self._edited(at_ms), *self._kept_with(longterm), *([(RECENT, recent)] if recent else [])]
        if pairs:
            self._write(pairs)

    def keep(self, kind: str, summary: Summary, why: str) -> str:
        """Keep a summary that did not come into force; return its name. Raises: NoteError."""
        name = self._unused(f"{kind} ({why} {_moment(summary.made_ms)})")
        self._write([(name, summary)])
        return name

    def _to_publish(self, longterm: Summary | None, recent: Summary) -> tuple[str, list[tuple[str, Summary]]]:
        leaf = self._free_name("recent", recent)
        return leaf, [(leaf, recent), *self._edited(recent.made_ms), *self._kept_with(longterm), (RECENT, recent)]

    def _edited(self, at_ms: int) -> list[tuple[str, Summary]]:
        """Return the short-term summary in force as a leaf of its own if no leaf says what it says."""
        try:
            before = self.read(RECENT)
        except NoteError:
            return []
        if before is None:
            return []
        names = [name for name in self.leaf_names() if f"-m{before.last:06}" in name]
        leaves = map(self.leaf, sorted(names, key=lambda name: (len(name), name), reverse=True))  # newest first
        if any(leaf and (leaf.first, leaf.text) == (before.first, before.text) for leaf in leaves):
            return []
        edited = replace(before, made_ms=at_ms)
        return [(self._free_name("recent", edited), edited)]

    def _kept_with(self, longterm: Summary | None) -> list[tuple[str, Summary]]:
        if longterm is None:
            return []
        try:
            before = self.read(LONGTERM)
        except NoteError:
            before = None
        kept = [(self._free_name("longterm", before), before)] if before else []
        return [*kept, (LONGTERM, longterm)]

    def _all(self, pattern: re.Pattern[str]) -> list[tuple[str, Summary]]:
        found = []
        for name in self._vault.names("/".join(self._parts)):
            if pattern.fullmatch(f"{name}.md"):
                try:
                    summary = self.read(f"{name}.md")
                except NoteError:
                    continue
                found += [(f"{name}.md", summary)] if summary else []
        return sorted(found, key=lambda row: (row[1].first, row[1].last, row[1].generation, row[0]))

    def set_aside(self, name: str, why: str, at_ms: int) -> str:
        """Rename a summary that is not in force any more; return its new name, or nothing if it is not there.

        Raises: NoteError.
        """
        if not self._vault.exists(*self._parts, name):
            return ""
        aside = self._unused(f"{name.removesuffix('.md')} ({why} {_moment(at_ms)})")
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

    def _free_name(self, kind: str, summary: Summary) -> str:
        return self._unused(f"{kind}-{_moment(summary.made_ms)}-m{summary.last:06}")

    def _unused(self, stem: str) -> str:
        taken, name, part = set(self._vault.names("/".join(self._parts))), stem, 1
        while name in taken:
            part += 1
            name = f"{stem}-{part}"
        return f"{name}.md"


def _stamp(path: Path) -> tuple[int, int]:
    try:
        stat = path.stat()
    except OSError:
        return -1, -1
    return stat.st_size, stat.st_mtime_ns


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y%m%d-%H%M%S")


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
    }
    return format_note(properties, summary.text)


def _summary(note: Note) -> Summary:
    covers = note.properties.get("covers")
    first, last = covers if isinstance(covers, list) and len(covers) == 2 else (None, None)
    if type(first) is not int or type(last) is not int or not 1 <= first <= last <= LAST_NUMBER:
        line = note.property_lines.get("covers", 1)
        raise NoteError(
            f"{note.source}:{line}: covers is {covers!r}; expected the first and last memory, as in [1, 65]."
        )
    properties = note.properties
    scores, sources = properties.get("scores"), properties.get("sources")
    return Summary(
        first,
        last,
        note.body.strip(),
        _whole(properties.get("generation")),
        str(properties.get("quality") or "prose"),
        str(properties.get("model") or ""),
        _whole(properties.get("tokens")),
        _milliseconds(properties.get("made")),
        tuple(map(str, sources)) if isinstance(sources, list) else (),
        {str(k): v for k, v in scores.items() if isinstance(v, int | float)} if isinstance(scores, dict) else {},
    )


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _milliseconds(value: object) -> int:
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
        return round(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() * 1000)
    except ValueError:
        return 0
