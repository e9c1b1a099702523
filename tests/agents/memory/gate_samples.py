"""Sound and faulty summaries with what they were made from, read from the YAML files beside this one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from agents.memory.gate import Source
from tests.rows import rows_in
from vault.memory.memory_line import Memory, parse_line

FOLDER = Path(__file__).parent
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

    `is_more` is so for those that were written while the verifier was tuned.
    """

    journal: str
    fault: str
    text: str
    source: Source
    is_more: bool = False

    @property
    def half(self) -> str:
        """`held back` if the verifier was not tuned on it, which a checksum of its text decides, else `tuning`."""
        is_held_back = not self.is_more and sha256(self.text.encode()).digest()[0] % 2 == 0
        return "held back" if is_held_back else "tuning"


def judged_summaries() -> list[Judged]:
    """Return the sound and faulty summaries of journals, in the order of the file."""
    table: dict[str, Any] = rows_in(FOLDER / "judged_summaries.yaml")
    found = []
    for journal in table["journals"]:
        source = _journal_source(journal, table["roster"])
        for key in ("", "more_"):
            rows = [("", text) for text in journal[f"{key}sound"] or ()]
            rows += [(fault["kind"], fault["text"]) for fault in journal[f"{key}faulty"] or ()]
            found += [Judged(journal["name"], kind, text.strip(), source, bool(key)) for kind, text in rows]
    return found


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
