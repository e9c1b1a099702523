"""What an agent's files say, read by rules of their own and without a line of the code under test."""

from __future__ import annotations

import re
from pathlib import Path

_NUMBERED = re.compile(r".* \^m([1-9]\d*)")
_COVERS = re.compile(r"\A---\n(?:[^\n]*\n)*?covers:\n- (\d+)\n- (\d+)\n(?:[^\n]*\n)*?---\n(.*)\Z", re.DOTALL)
_DAY = re.compile(r"\d{4}-\d\d-\d\d(-\d+)?")


def journal_files(agent: Path) -> list[Path]:
    """Return the files of the journal, oldest first."""
    found = [path for path in agent.glob("journal/*.md") if _DAY.fullmatch(path.stem)]
    return sorted(found, key=lambda path: (path.stem[:10], int(path.stem[11:] or 1)))


def lines(agent: Path) -> dict[int, str]:
    """Return every numbered journal line by its number; none may be there twice."""
    found: dict[int, str] = {}
    for path in journal_files(agent):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if match := _NUMBERED.fullmatch(line):
                assert int(match[1]) not in found, f"memory {match[1]} stands in the journal twice: {line}"
                found[int(match[1])] = line
    return found


def summary(agent: Path, name: str) -> tuple[int, int, str] | None:
    """Return first, last and text of `recent` or `longterm`; None if it is not there or is not valid."""
    path = agent / "summaries" / f"{name}.md"
    match = _COVERS.match(path.read_text(encoding="utf-8")) if path.exists() else None
    is_valid = match and 1 <= int(match[1]) <= int(match[2])
    return (int(match[1]), int(match[2]), match[3].strip()) if match and is_valid else None


def boundaries(agent: Path) -> tuple[int, int]:
    """Return a and b: how far the long-term summary in force goes, and how far the short-term one after it."""
    longterm, recent = summary(agent, "longterm"), summary(agent, "recent")
    a = longterm[1] if longterm and longterm[0] == 1 else 0
    return a, recent[1] if recent and recent[0] == a + 1 else a
