"""Sound and faulty summaries with what they were made from, read from the YAML files beside this one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agents.memory.summary_verifier import Source
from tests.rows import rows_in
from vault.memory.memory_line import Memory, parse_line

FOLDER = Path(__file__).parent
TUNING, ONCE_UNSEEN, HELD_BACK = HALVES = ("tuning", "once held back", "held back")
PLAYED = "judged_summaries.yaml"
JOURNALS = {
    PLAYED: TUNING,
    "judged_elsewhere.yaml": TUNING,
    "judged_once_unseen.yaml": ONCE_UNSEEN,
    "held_back_summaries.yaml": HELD_BACK,
}
WHO = re.compile(r"(?P<who>[^\W\d_a-z].*?) (?:says|whispers|arrives|leaves|gives|wakes|barks|drops|grins|laughs)\b")


@dataclass(frozen=True)
class Genuine:
    """A summary that should be accepted. `half` is `tuning`, `held out` or `written later`."""

    half: str
    text: str
    source: Source


@dataclass(frozen=True)
class Faulty:
    """A summary that must be refused, among others for `reason`."""

    kind: str
    reason: str
    text: str
    source: Source


@dataclass(frozen=True)
class Judged:
    """A summary of a journal that the project wrote. `fault` says what is wrong with it; empty if it is sound.

    `half` is one of `HALVES`. `wrong` are the numbers of the faulty sentences from 1; empty if unknown.
    """

    journal: str
    half: str
    fault: str
    text: str
    source: Source
    wrong: tuple[int, ...] = ()


def judged_summaries(*halves: str) -> list[Judged]:
    """Return the sound and faulty summaries of journals of some halves, of all if none is named, in file order."""
    return [one for name, half in JOURNALS.items() if half in (halves or HALVES) for one in summaries_in(name)]


def summaries_in(name: str) -> Iterator[Judged]:
    """Yield the sound and faulty summaries of the journals of one file; those of `PLAYED` were played, not written."""
    half = JOURNALS[name]
    table: dict[str, Any] = rows_in(FOLDER / name)
    for journal in table["journals"]:
        source = _journal_source(journal, table["roster"])
        for text in journal["sound"]:
            yield Judged(journal["name"], half, "", text.strip(), source)
        for fault in journal["faulty"]:
            wrong = tuple(fault.get("wrong", table["wrong"]))
            yield Judged(journal["name"], half, fault["kind"], fault["text"].strip(), source, wrong)


def estimated_tokens(text: str) -> int:
    """Return four characters a token, as good as any tokenizer for comparing sizes."""
    return -(-len(text) // 4)


def genuine() -> list[Genuine]:
    """Return the genuine summaries, in the order of the file."""
    logs: list[dict[str, Any]] = rows_in(FOLDER / "genuine_summaries.yaml")
    return [Genuine(log["half"], text.strip(), _source(log)) for log in logs for text in log["summaries"]]


def faulty() -> list[Faulty]:
    """Return the faulty summaries; what a fault says of `source` replaces what is said for all."""
    table: dict[str, Any] = rows_in(FOLDER / "faulty_summaries.yaml")
    return [
        Faulty(fault["kind"], fault["reason"], fault["text"], _source(table["source"] | fault.get("source", {})))
        for fault in table["faults"]
    ]


def sound() -> tuple[str, Source]:
    """Return a sound summary of what the faulty ones were made from."""
    table: dict[str, Any] = rows_in(FOLDER / "faulty_summaries.yaml")
    return table["sound"], _source(table["source"])


def _journal_source(journal: dict[str, Any], roster: list[str]) -> Source:
    parsed = (parse_line(line, str(journal["day"])) for line in journal["journal"].splitlines())
    memories = tuple(memory for memory in parsed if memory)
    return Source(memories, (), frozenset([*roster, *journal["guests"]]), journal["agent"])


def _source(log: dict[str, Any]) -> Source:
    noon_ms = int(datetime.fromisoformat(str(log["day"])).replace(hour=12, tzinfo=UTC).timestamp()) * 1000
    lines = log["log"].splitlines()
    return Source(
        memories=tuple(_memory(seq, noon_ms + seq * 7_000, line) for seq, line in enumerate(lines, 1)),
        previous=tuple(text.strip() for text in log.get("previous", [])),
        roster=frozenset(log.get("roster", [])),
        name=log["agent"],
        prompt=log.get("prompt", ""),
        cap_tokens=log.get("cap_tokens", 300),
        first_person=log.get("first_person", True),
    )


def _memory(seq: int, at_ms: int, line: str) -> Memory:
    kind, room, text = line.split(" · ", 2)
    who = WHO.match(text) if kind == "observed" else None
    return Memory(seq, at_ms, kind, room, text, (who["who"],) if who else ())
