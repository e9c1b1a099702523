"""An agent's knowledge: facts by section and subject, and the relevant ones as text, within a budget of tokens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from agents.memory.facts.speech_acts import content_words, secret_weight
from vault.memory.facts_note import (
    COMMITMENTS,
    CONFIDED,
    LESSONS,
    PEOPLE,
    PLACES,
    PROMISES,
    REQUESTS,
    SECTIONS,
    THINGS,
    Fact,
)
from vault.memory.memory_line import Memory
from world.entities import Character
from world.world import World

MAX_FACTS_IN_A_SECTION = 250
MAX_ENDED = 20

ME = "I"
"""The agent itself, as the subject of what it has promised or asked for."""

Key = tuple[str, str, str]

MOST_PASSED_OVER = 8

_SAID = {PROMISES: "promised", REQUESTS: "asked", LESSONS: "told me to remember", CONFIDED: "confided"}
_GOAL = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?P<goal>\S.*)")
_HEADING = re.compile(r"#{1,6}\s+(?P<title>\S.*)")


@dataclass
class FactStore:
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
        """Return the fact about a person, place or thing, or None."""
        return self.facts.get(Fact(section, subject, "").key)

    def people(self) -> Iterator[str]:
        """Yield the names of the people that it knows."""
        return (fact.subject for fact in self.facts.values() if fact.section == PEOPLE)

    def open(self) -> list[Fact]:
        """Return the promises and requests that are not settled, oldest first."""
        found = (fact for fact in self.facts.values() if fact.section in COMMITMENTS and not fact.closed)
        return sorted(found, key=lambda fact: (fact.since, fact.key))

    def put(self, fact: Fact) -> None:
        """Replace the fact with the same key; a person's remark on it stays."""
        old = self.facts.get(fact.key)
        if old:
            fact = replace(fact, remark=old.remark) if old.remark else fact
            self.drop(old)
        self.facts[fact.key] = fact
        (self._ended if fact.closed else self._open)[fact.section] += 1
        self._thin(fact.section)

    def drop(self, fact: Fact) -> None:
        """Remove a fact."""
        del self.facts[fact.key]
        (self._ended if fact.closed else self._open)[fact.section] -= 1

    def renew(self, old: Fact, value: str, memory: Memory, count: int = 0) -> None:
        """Note that a memory confirms a fact, or changes its value."""
        fact = replace(old, last=memory.seq, minute=minute_of(memory), count=count or old.count)
        if value != old.value:
            fact = replace(fact, value=value, since=memory.seq, was=old.value or old.was)
        self.put(fact)

    def end(self, fact: Fact, how: str, memory: Memory) -> None:
        """Settle a promise or request: `kept` or `withdrawn`."""
        self.put(replace(fact, closed=how, last=memory.seq, minute=minute_of(memory)))

    def _thin(self, section: str) -> None:
        """Evict the oldest settled fact, else the one confirmed longest ago; never one that a person edited.

        Of secrets, the least important one goes."""
        for counts, most in ((self._ended, MAX_ENDED), (self._open, MAX_FACTS_IN_A_SECTION)):
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
        """Return the confided fact that matters least, the oldest of equals."""
        told = (f for f in self.facts.values() if f.section == CONFIDED and f.last)
        return min(told, key=lambda fact: (secret_weight(fact.value), _age(fact)), default=None)


def in_order(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return facts section by section, each oldest first."""
    return tuple(sorted(facts, key=lambda fact: (SECTIONS.index(fact.section), fact.since, fact.key)))


def minute_of(memory: Memory) -> int:
    """Return when a memory was made, in minutes since 1970 UTC."""
    return memory.at_ms // 60_000


def _age(fact: Fact) -> tuple[int, Key]:
    return fact.last, fact.key


def fact_text(fact: Fact, counted: bool = True) -> str:
    """Return a fact as a sentence that stays true: things that move have their time with them.

    `counted` is whether it says how often somebody was met or a place was visited.
    """
    if fact.section in _SAID:
        settled = f" ({fact.closed})" if fact.closed else ""
        said = "noted for myself" if fact.section == LESSONS and fact.subject == ME else _SAID[fact.section]
        return f'{fact.subject} {said}: "{fact.value}"{settled}'
    when, often = _moment(fact.minute), "once" if fact.count == 1 else f"{fact.count} times"
    told = {
        PEOPLE: f"{fact.value} at {when}" + (f", met {often}" if counted else ""),
        PLACES: f"{fact.value} {often}" if counted else fact.value,
        THINGS: f"{fact.value} since {when}",
    }[fact.section]
    by_hand = not fact.minute
    parts = [fact.remark, (fact.value if by_hand else told) if fact.value else ""]
    return f"{fact.subject}: {'; '.join(part for part in parts if part) or 'I do not know where'}."


def stated_words(facts: Iterable[Fact]) -> frozenset[str]:
    """Return what was promised, asked for, to be remembered or confided, and by whom: a summary may speak of it."""
    return frozenset(f"{fact.subject}: {fact.value}" for fact in facts if fact.section in _SAID)


def rank_by_relevance(facts: Iterable[Fact], company: frozenset[str], place: str) -> list[Fact]:
    """Return facts, those first that matter most to who is present and where; what is settled is left out."""
    return sorted(
        (fact for fact in facts if not fact.closed and (fact.value or fact.remark)),
        key=lambda fact: (-_weight(fact, company, place), -fact.last, fact.key),
    )


def matching(facts: Iterable[Fact], query: str) -> list[Fact]:
    """Return the facts that speak of a query, best first; all of them, in their order, for an empty one."""
    wanted = content_words(query)
    if not wanted:
        return list(facts)
    scored = [(_overlap(fact, wanted), fact) for fact in facts]
    return [fact for score, fact in sorted(scored, key=lambda row: (-row[0], -row[1].last, row[1].key)) if score]


def fit_budget(lines: Sequence[str], count_tokens: Callable[[str], int], budget_tokens: int) -> list[str]:
    """Return the first lines that fit a budget together; a few that are too long are passed over."""
    kept: list[str] = []
    passed_over = 0
    for line in lines:
        if count_tokens("\n".join([*kept, line])) <= budget_tokens:
            kept.append(line)
        elif (passed_over := passed_over + 1) > MOST_PASSED_OVER:
            break
    return kept


def goals_in(profile: str) -> tuple[str, ...]:
    """Return the list lines, or else the lines, under a heading `Goals` in a profile."""
    goals: list[str] = []
    inside = False
    for line in profile.split("\n"):
        heading = _HEADING.fullmatch(line)
        if heading:
            inside = heading["title"].rstrip().rstrip("#").rstrip().casefold() == "goals"
        elif inside and line.strip():
            bullet = _GOAL.fullmatch(line.rstrip())
            goals.append(bullet["goal"] if bullet else line.strip())
    return tuple(goals)


def _weight(fact: Fact, company: frozenset[str], place: str) -> int:
    names = {fact.subject, fact.value.removesuffix(" has it")} & company
    words = fact.section in _SAID and any(name.casefold() in content_words(fact.value) for name in company)
    here = fact.subject == place or (bool(place) and fact.value.endswith(place))
    mine = fact.subject == ME or fact.value == "I have it"
    said = (1 if fact.section == CONFIDED else 3) + 2 * secret_weight(fact.value) if fact.section in _SAID else 0
    return 4 * bool(names or words) + 2 * here + 2 * mine + said + 2 * bool(fact.remark)


def _overlap(fact: Fact, wanted: frozenset[str]) -> int:
    subject, rest = content_words(fact.subject), content_words(f"{fact.value} {fact.remark} {fact.section}")
    return 3 * len(subject & wanted) + len(rest & wanted)


def _moment(minute: int) -> str:
    return datetime.fromtimestamp(minute * 60, UTC).strftime("%Y-%m-%d %H:%M")


def override_with_observation(facts: Iterable[Fact], world: World, actor: Character) -> list[Fact]:
    """Return facts as they are true now of whatever the actor can see: its things, this place and who is here.

    What is elsewhere stays as it was last known; what is at hand and not known of yet comes in front.
    """
    here = {one.name: one for one in world.occupants(actor.room_id) if one is not actor}
    places = {actor.character_id: "I have it", actor.room_id: f"it lies in {actor.room_id}"}
    places |= {one.character_id: f"{one.name} has it" for one in here.values()}
    own = [thing for thing in world.things.values() if thing.place_id in (actor.character_id, actor.room_id)]
    true = {thing.name.casefold(): places.get(thing.place_id, "") for thing in world.things.values()}
    facts = list(facts)
    known = {fact.subject.casefold() for fact in facts if fact.section == THINGS}
    found = [Fact(THINGS, one.name, places[one.place_id]) for one in own if one.name.casefold() not in known]
    for fact in facts:
        if fact.section == THINGS:
            now = true.get(fact.subject.casefold(), "")
            visible = now in (places[actor.character_id], places[actor.room_id])
            if visible and now != fact.value:
                fact = replace(fact, value=now, was=fact.value, since=0, minute=0)
            elif not visible and fact.value in places.values() and now != fact.value:
                fact = replace(fact, value="", was=fact.value)
        elif fact.section == PEOPLE and fact.subject in here:
            fact = replace(fact, value=f"last seen in {actor.room_id}")
        found.append(fact)
    return found
