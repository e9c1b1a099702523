"""An agent's summaries on disk: the two in force, and every short-term one ever accepted (a leaf)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime

from vault.folder import Vault
from vault.notes import Note, NoteError, format_note

LONGTERM = "longterm.md"
RECENT = "recent.md"

_LEAF = re.compile(r"recent-\d{8}-\d{6}-m\d+(?:-\d+)?\.md")


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


class SummaryFolder:
    """The folder `summaries` of one agent."""

    def __init__(self, vault: Vault, agent_id: str) -> None:
        self._vault = vault
        self._parts = ("agents", agent_id, "summaries")

    def read(self, name: str) -> Summary | None:
        """Return a summary, or None if there is none. Raises: NoteError if it is not valid."""
        return _summary(self._vault.read(*self._parts, name)) if self._vault.exists(*self._parts, name) else None

    def stamp(self) -> tuple[tuple[int, int], ...]:
        """Return sizes and times of the two summaries in force, to see whether somebody has edited them."""
        paths = [self._vault.path(*self._parts, name) for name in (LONGTERM, RECENT)]
        return tuple((stat.st_size, stat.st_mtime_ns) for stat in (p.stat() for p in paths if p.exists()))

    def leaves(self) -> list[tuple[str, Summary]]:
        """Return the leaves with their file names, oldest range first; one that is not valid is left out."""
        found = []
        for name in self._vault.names("/".join(self._parts)):
            if _LEAF.fullmatch(f"{name}.md"):
                try:
                    summary = self.read(f"{name}.md")
                except NoteError:
                    continue
                found += [(f"{name}.md", summary)] if summary else []
        return sorted(found, key=lambda row: (row[1].first, row[1].generation, row[0]))

    def publish(self, longterm: Summary | None, recent: Summary) -> str:
        """Put a short-term summary in force, and a long-term one with it, after a leaf; return the leaf's name.

        A crash in between is settled by the ranges at the next start. Raises: NoteError; what was in force stays so.
        """
        leaf = self._free_name(recent)
        both = [(RECENT, recent)] if longterm is None else [(LONGTERM, longterm), (RECENT, recent)]
        self._write([(leaf, recent), *both])
        return leaf

    def replace(self, longterm: Summary | None, recent: Summary | None) -> None:
        """Put summaries in force without a leaf, as a rebuilding or a rollback does. Raises: NoteError."""
        pairs = [(name, s) for name, s in ((LONGTERM, longterm), (RECENT, recent)) if s]
        if pairs:
            self._write(pairs)

    def set_aside(self, name: str, why: str, at_ms: int) -> str:
        """Rename a summary that is not in force any more; return its new name. Raises: NoteError."""
        aside = f"{name.removesuffix('.md')} ({why} {_moment(at_ms)}).md"
        path = self._vault.path(*self._parts, name)
        try:
            self._vault.disk.replace(path, self._vault.path(*self._parts, aside))
        except OSError as error:
            raise NoteError(f"{self._vault.source(path)}: cannot be renamed: {error.strerror}.") from error
        return aside

    def _write(self, pairs: list[tuple[str, Summary]]) -> None:
        self._vault.write_together([(_text(summary), "/".join((*self._parts, name))) for name, summary in pairs])

    def _free_name(self, recent: Summary) -> str:
        name = f"recent-{_moment(recent.made_ms)}-m{recent.last:06}"
        part = 1
        while self._vault.exists(*self._parts, f"{name}{f'-{part}' * (part > 1)}.md"):
            part += 1
        return f"{name}{f'-{part}' * (part > 1)}.md"


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
    if type(first) is not int or type(last) is not int or not 1 <= first <= last:
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
