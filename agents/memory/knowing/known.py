"""The facts that an agent has, by subject: put in, renewed, ended, and let go of when there are too many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from agents.memory.knowing.confided import weight_of_telling
from vault.memory.facts_note import COMMITMENTS, CONFIDED, PEOPLE, SECTIONS, Fact
from vault.memory.memory_line import Memory

MOST_IN_A_SECTION = 250
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

    def __post_init__(self) -> None:
        # In the order of their last signs, in which `put` keeps them.
        self.facts = {fact.key: fact for fact in sorted(self.facts.values(), key=_age)}
        self._ended = Counter(fact.section for fact in self.facts.values() if fact.closed)
        self._open = Counter(fact.section for fact in self.facts.values() if not fact.closed)

    def find(self, section: str, subject: str) -> Fact | None:
        """Return what is known of a person, place or thing, or None."""
        return self.facts.get(Fact(section, subject, "").key)

    def people(self) -> Iterator[str]:
        """Yield the names of those who are known."""
        return (fact.subject for fact in self.facts.values() if fact.section == PEOPLE)

    def open(self) -> list[Fact]:
        """Return the promises and requests that are not settled, oldest first."""
        found = (fact for fact in self.facts.values() if fact.section in COMMITMENTS and not fact.closed)
        return sorted(found, key=lambda fact: (fact.since, fact.key))

    def put(self, fact: Fact) -> None:
        """Take in a fact in the place of the one with its key; a person's remark on that stays."""
        old = self.facts.get(fact.key)
        if old:
            fact = replace(fact, remark=old.remark) if old.remark else fact
            self.drop(old)
        self.facts[fact.key] = fact
        (self._ended if fact.closed else self._open)[fact.section] += 1
        self._thin(fact.section)

    def drop(self, fact: Fact) -> None:
        """Let go of a fact."""
        del self.facts[fact.key]
        (self._ended if fact.closed else self._open)[fact.section] -= 1

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
        """Let go of what was settled longest ago, or has had no sign for longest; never of a person's words.

        Of what was confided goes what matters least."""
        for counts, most in ((self._ended, MOST_ENDED), (self._open, MOST_IN_A_SECTION)):
            if counts[section] > most and (oldest := self._oldest(section, ended=counts is self._ended)):
                self.drop(oldest)

    def _oldest(self, section: str, ended: bool) -> Fact | None:
        if section == CONFIDED:
            return self._idlest()
        found: Fact | None = None
        for fact in self.facts.values():
            if found and fact.last > found.last:
                break
            if fact.section == section and bool(fact.closed) == ended and fact.last and not fact.remark:
                found = min(found, fact, key=_age) if found else fact
        return found

    def _idlest(self) -> Fact | None:
        """Return what was confided that matters least, of that the oldest."""
        told = (f for f in self.facts.values() if f.section == CONFIDED and f.last)
        return min(told, key=lambda fact: (weight_of_telling(fact.value), _age(fact)), default=None)


def in_order(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return facts section by section, each oldest first."""
    return tuple(sorted(facts, key=lambda fact: (SECTIONS.index(fact.section), fact.since, fact.key)))


def minute_of(memory: Memory) -> int:
    """Return when a memory was made, in minutes since 1970 UTC."""
    return memory.at_ms // 60_000


def _age(fact: Fact) -> tuple[int, Key]:
    return fact.last, fact.key
