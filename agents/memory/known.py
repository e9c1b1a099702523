"""The facts that an agent has, by subject: put in, renewed, ended, and let go of when there are too many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from vault.fact_line import COMMITMENTS, SECTIONS, Fact
from vault.memory_line import Memory

MOST_IN_A_SECTION = 500
MOST_ENDED = 20

ME = "I"
"""The agent itself, as the subject of what it has promised or asked for."""

Key = tuple[str, str, str]


@dataclass
class Known:
    """All facts, by their keys, after the memories up to `upto`; `place` is where the agent then was."""

    upto: int = 0
    place: str = ""
    facts: dict[Key, Fact] = field(default_factory=dict)

    def find(self, section: str, subject: str) -> Fact | None:
        """Return what is known of a person, place or thing, or None."""
        return self.facts.get(Fact(section, subject, "").key)

    def open(self) -> list[Fact]:
        """Return the promises and requests that are not settled, oldest first."""
        found = (fact for fact in self.facts.values() if fact.section in COMMITMENTS and not fact.closed)
        return sorted(found, key=lambda fact: (fact.since, fact.key))

    def put(self, fact: Fact) -> None:
        """Take in a fact in the place of the one with its key; a person's remark on that stays."""
        old = self.facts.get(fact.key)
        self.facts[fact.key] = replace(fact, remark=old.remark) if old and old.remark else fact
        if fact.closed or old is None:
            self._thin(fact.section)

    def renew(self, old: Fact, value: str, memory: Memory, count: int = 0) -> None:
        """Note that a memory bears a fact out, or has changed its value."""
        fact = replace(old, last=memory.seq, minute=minute_of(memory), count=count or old.count)
        if value != old.value:
            fact = replace(fact, value=value, since=memory.seq, was=old.value or old.was)
        self.put(fact)

    def end(self, fact: Fact, how: str, memory: Memory) -> None:
        """Settle a promise or request: `kept` or `withdrawn`."""
        self.put(replace(fact, closed=how, last=memory.seq, minute=minute_of(memory)))

    def _thin(self, section: str) -> None:
        """Let go of what was settled longest ago, and of what has had no sign for longest."""
        here = [fact for fact in self.facts.values() if fact.section == section]
        ended = sorted((fact for fact in here if fact.closed), key=_age)
        gone = ended[: max(0, len(ended) - MOST_ENDED)]
        still = sorted((fact for fact in here if not fact.closed and not fact.remark), key=_age)
        gone += still[: max(0, len(here) - len(ended) - MOST_IN_A_SECTION)]
        for fact in gone:
            del self.facts[fact.key]


def in_order(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return facts section by section, each oldest first."""
    return tuple(sorted(facts, key=lambda fact: (SECTIONS.index(fact.section), fact.since, fact.key)))


def minute_of(memory: Memory) -> int:
    """Return when a memory was made, in minutes since 1970 UTC."""
    return memory.at_ms // 60_000


def _age(fact: Fact) -> tuple[int, Key]:
    return fact.last, fact.key
