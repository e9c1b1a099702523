"""The evidence: what the source tells, who said and did what, where, and to whom what was given."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from agents.memory.english import LIGHT, SAYING, stem
from agents.memory.facts.extraction import utterance_in
from agents.memory.facts.narration_parser import ENGLISH, NarrationParser
from agents.memory.facts.store import ME
from agents.memory.judging.clauses import Clause, Discourse, read
from agents.memory.judging.entities import derived_numbers, folded, plain, words_of
from agents.memory.judging.events import (
    DROP,
    GIVE,
    TAKE,
    Event,
    Things,
    Transfer,
    asserted_verbs,
    counted,
    event_in,
    is_nonfactual,
    transfers_of,
)
from agents.memory.judging.tokens import NUMBER, Gazetteer
from vault.markdown import LINE_BREAK
from vault.memory.memory_line import Memory
from world.parsing import parse_line

_LIGHT_WORTH = 0.3
_MOST_LISTED = 64
"""Maximum number of propositions with an item that still tells them apart."""

_MOST_RARE = 4
"""Maximum number of propositions with an item that tells much."""


@dataclass(frozen=True)
class Line:
    """One line of the source. `speaker` is empty if nothing is said in it, `hearer` None if nobody knows.

    `event` is what the world tells in it, if it tells an act.
    """

    text: str
    speaker: str = ""
    hearer: str | None = None
    place: str = ""
    people: tuple[str, ...] = ()
    event: Event | None = None


@dataclass(frozen=True)
class Proposition:
    """A clause of the source.

    `speaker` says it, None if unknown; `people` are all who are about. `answers` are those who speak next after a
    question. `around` is the content of the whole sentence, and `meant` the thing that `it` means. `is_nonfactual`
    is true if it tells nothing that was done: a question, a wish, an order, a promise, a condition. `is_quoted` is true
    if its speaker tells it as somebody's words. `asserted` are the verbs that it tells as real.
    """

    clause: Clause
    speaker: str | None
    line: int
    people: frozenset[str]
    answers: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()
    meant: frozenset[str] = frozenset()
    is_nonfactual: bool = False
    is_quoted: bool = False
    asserted: frozenset[str] = frozenset()

    @cached_property
    def items(self) -> frozenset[str]:
        """The items that the clause is about, with the thing that `it` means."""
        return self.clause.items | self.meant

    @property
    def subject(self) -> str | None:
        return self.clause.subject


class Evidence:
    """The content of all lines, indexed by subject. The work grows linearly with their length.

    Nothing is read at first: `read_on` reads line by line, so that others can go on in between.
    """

    def __init__(
        self, lines: Sequence[Line], gazetteer: Gazetteer, agent: str, things: Things, rooms: Iterable[str] = ()
    ) -> None:
        self.gazetteer, self.agent, self.things, self.rooms = gazetteer, agent, things, frozenset(rooms)
        self.people = {f"@{person}" for person in gazetteer.people}
        self.vocabulary: set[str] = set()
        self.uncounted: set[str] = set()
        self.lines = lines
        self.derived = derived_numbers(line.text for line in lines)
        self.propositions: list[Proposition] = []
        self.transfers: dict[str, set[Transfer]] = defaultdict(set)
        self.owners: dict[str, set[str]] = defaultdict(set)
        self.places: dict[str, set[int]] = defaultdict(set)
        self.present: dict[str, set[str]] = defaultdict(set)
        self.where: dict[str, set[int]] = defaultdict(set)
        self.is_whole = all(line.place for line in lines)
        self.events: list[Event] = []
        self._discourses: dict[str, Discourse] = {}
        self._index: dict[str, list[int]] = defaultdict(list)
        self._read = 0

    def read_on(self) -> Iterator[None]:
        """Read the lines that are not read yet, and yield after each."""
        while self._read < len(self.lines):
            known = len(self.propositions)
            self._take(self._read, self.lines[self._read])
            self._read += 1
            for number, one in enumerate(self.propositions[known:], known):
                for item in one.items:
                    self._index[item].append(number)
            yield

    def _take(self, number: int, line: Line) -> None:
        found = (self.gazetteer.canonical(person) for person in (*line.people, line.speaker, self.agent))
        people = frozenset(person for person in found if person)
        if line.event:
            self._witness(line.event)
        self._locate(number, line, people)
        before = frozenset[str]()
        for sentence in read(line.text, self.gazetteer, self._discourse_of(line)):
            self._take_sentence(number, sentence, people, before)
            things = frozenset(stem(word) for word in self._thing_words(sentence))
            around = frozenset(item for clause in sentence for item in clause.items)
            done = frozenset(verb for clause in sentence for verb in clause.verbs)
            rest = frozenset(item for item in around - done - LIGHT if item[0] not in "@%#")
            before = things or rest

    def _locate(self, number: int, line: Line, people: frozenset[str]) -> None:
        """Note who is where in a line."""
        self.vocabulary |= {word for person in people for word in folded(person).split()}
        for person in people - {self.agent}:
            self.where[f"@{person}"].add(number)
        if line.place:
            self.places[line.place].add(number)
            for person in people:
                self.present[person].add(line.place)

    def _discourse_of(self, line: Line) -> Discourse:
        """Return the state of the talk before a line: the people talked about, the speaker and the hearer."""
        who = self.gazetteer.canonical(line.speaker) if line.speaker else self.agent
        discourse = self._discourses.setdefault(who or "", Discourse(self.gazetteer.people))
        discourse.i, discourse.you, discourse.before = who, line.hearer if line.speaker else self.agent, []
        return discourse

    def _take_sentence(
        self, number: int, sentence: list[Clause], people: frozenset[str], before: frozenset[str]
    ) -> None:
        """Take up the propositions of a sentence; `before` is what `it` means."""
        line = self.lines[number]
        speaker = self.gazetteer.canonical(line.speaker) if line.speaker else None
        people |= {name for clause in sentence for name in clause.names}
        around = frozenset(item for clause in sentence for item in clause.items)
        answers, is_quoted = self._answering(number), False
        is_told = bool(line.speaker) or line.text.startswith(_THINKING)
        for clause in sentence:
            meant = before if "it" in clause.words else frozenset[str]()
            is_meant = is_told and is_nonfactual(clause)
            one = Proposition(clause, speaker, number, people, answers, around, meant, is_meant, is_quoted)
            asserted = asserted_verbs(clause) if is_told else clause.verbs
            self.propositions.append(replace(one, asserted=asserted))
            is_quoted = is_quoted or bool(clause.verbs & SAYING)
            self._note(number, clause)

    def _witness(self, event: Event) -> None:
        """Take up an event of the world, with the names as clauses have them."""
        actor, other = self.gazetteer.canonical(event.actor) or "", self.gazetteer.canonical(event.other) or ""
        self.events.append(replace(event, actor=actor, other=other))
        if event.kind == GIVE:
            self.transfers[event.thing].add(Transfer(actor or None, other or None, event.thing))

    def _note(self, number: int, clause: Clause) -> None:
        for owner, noun in clause.owners:
            self.owners[noun].add(owner)
        numbers = {token.value for token in clause.tokens if token.kind == NUMBER}
        self.uncounted |= numbers - {number for number, _ in counted(clause.tokens)}
        self.vocabulary |= {word for token in clause.tokens for word in folded(token.written).split()}
        for place in clause.places:
            self.places[place].add(number)
        for name in clause.names:
            self.where[f"@{name}"].add(number)
        for _, thing in self.things.within(clause.tokens):
            self.where[thing].add(number)
        if self.lines[number].event is None and not is_nonfactual(clause):
            for transfer in transfers_of(clause, self.things, is_certain=False):
                self.transfers[transfer.thing].add(transfer)

    def _thing_words(self, sentence: Sequence[Clause]) -> Iterator[str]:
        for clause in sentence:
            for _, thing in self.things.within(clause.tokens):
                yield from folded(plain(thing)).split()

    def _answering(self, number: int) -> frozenset[str]:
        """Return who speaks next after a question: a summary may give the question as what they said."""
        if "?" not in self.lines[number].text:
            return frozenset()
        return frozenset(line.speaker for line in self.lines[number + 1 : number + 3] if line.speaker)

    def is_rare(self, item: str) -> bool:
        """Return whether so few propositions have an item that it tells them from the others."""
        return len(self._index.get(item, ())) <= _MOST_RARE

    @cached_property
    def numbers(self) -> list[str]:
        """All numbers of the lines, as items."""
        return [item for item in self._index if item[0] == "#"]

    def worth(self, item: str) -> float:
        """Return how much an item tells: the rarer, the more; nothing if the source does not have it."""
        count = len(self._index.get(item, ()))
        rarity = math.log(1 + (len(self.propositions) + 1) / count) if count else 0.0
        return rarity * _LIGHT_WORTH if item in LIGHT else rarity

    def closest(self, items: Iterable[str]) -> list[tuple[float, Proposition]]:
        """Return the propositions that share items, with how much they share, most first."""
        shares: dict[int, float] = defaultdict(float)
        for item in items:
            listed, worth = self._index.get(item, ()), self.worth(item)
            for number in listed if len(listed) <= _MOST_LISTED else ():
                shares[number] += worth
        found = [(share, self.propositions[number]) for number, share in shares.items()]
        return sorted(found, key=lambda row: -row[0])

    def has(self, item: str) -> bool:
        """Return whether the source has an item at all."""
        return item in self._index

    def with_any(self, items: Iterable[str]) -> list[Proposition]:
        """Return all propositions that have one of some items."""
        return [self.propositions[number] for item in items for number in self._index.get(item, ())]


_THINKING = "I think "
_TO_ME = frozenset({"says_to_you", "tells_you", "whispers_to_you"})
ANSWERED = frozenset("give get take drop put go use read write follow".split())
"""Commands whose result is a memory of its own: what was typed alone tells nothing."""


@lru_cache(maxsize=4)
def evidence_of(
    memories: tuple[Memory, ...],
    previous: tuple[str, ...],
    roster: frozenset[str],
    agent: str,
    reading: NarrationParser = ENGLISH,
) -> Evidence:
    """Return memories and earlier summaries as the evidence for a summary by `agent`, as far as it is read by now.

    The last ones are kept, since a summary is judged more than once.
    """
    people = {person for memory in memories for person in memory.people} | ({agent} if agent else set())
    rooms = {memory.room for memory in memories if memory.room}
    names = {name for name in roster if name[:1].isupper() and name not in people | rooms}
    lines = [line for memory in memories if (line := _line(memory, people, agent, reading))]
    lines += [Line(text) for text in previous]
    led_to = {place for line in lines if line.event for place in line.event.places}
    places = rooms | led_to | {name for name in names if " " in name}
    known = people | names - places
    gazetteer = Gazetteer(known, places, [line.text for line in lines], _told_names(lines, known | places))
    things = {name for name in roster if name[:1].islower()}
    things |= {line.event.thing for line in lines if line.event and line.event.kind in (GIVE, TAKE, DROP)} - {""}
    evidence = Evidence(lines, gazetteer, agent, Things(things), rooms)
    for memory in memories:
        if memory.refused or memory.kind == "acted":
            evidence.vocabulary |= words_of(memory.text)  # a summary may give what was tried in vain as that
    return evidence


_NAME = r"(?P<name>[^\W\d_a-z][^\W\d_A-Z]+)(?=\W*(?:$|[.,!?;)]| and\b| from\b))"
_SAYS_NAME = re.compile(
    rf"(?i:\bmy name(?:['’]s| is)|(?:^|[.!?] )(?:please |just )?call me|(?:^|[.!?,] )I(?:['’]m| am)) {_NAME}"
)
_IS_CALLED = re.compile(
    r"\b(?P<who>[^\W\d_a-z]\w+) (?:(?:says|said|told \w+) that (?:he|she|they|(?P=who)) (?:is|are)|is|is called|\() ?"
    rf"{_NAME}"
)
"""How somebody tells their name, and how a summary tells it of them: "Guest7 is Robin and sells hats."."""


def _told_names(lines: Sequence[Line], known: Set[str]) -> dict[str, str]:
    """Return the people by the names that they have told of themselves, if nobody else is known by them."""
    told: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        if line.speaker:
            found = [(match["name"], line.speaker) for match in _SAYS_NAME.finditer(line.text)]
        else:
            found = [(match["name"], match["who"]) for match in _IS_CALLED.finditer(line.text)]
        for name, who in found:
            told[name].add(who)
    return {name: min(whom) for name, whom in told.items() if len(whom) == 1 and whom <= known and name not in known}


def _line(memory: Memory, people: set[str], agent: str, reading: NarrationParser) -> Line | None:
    text = memory.text.replace(LINE_BREAK, "\n")
    if memory.refused:
        return None
    if spoken := utterance_in(memory, reading, people):
        speaker = agent if spoken.speaker == ME else spoken.speaker
        return Line(
            spoken.text, speaker, _hearer(memory, speaker, spoken.text, agent, reading), memory.room, memory.people
        )
    if memory.kind == "acted":
        line = parse_line(memory.text)
        return None if line.verb in ANSWERED else Line(f"I {text}", "", agent, memory.room, memory.people)
    return Line(text, "", agent, memory.room, memory.people, event_in(memory, agent, reading))


def _hearer(memory: Memory, speaker: str, text: str, agent: str, reading: NarrationParser) -> str | None:
    """Return to whom somebody speaks: whom they name, or the agent if the sentence says so; None if nobody knows."""
    sentence_event = reading.event_in(memory.text, speaker) if speaker != agent else None
    if sentence_event and sentence_event.name in _TO_ME:
        return agent
    if sentence_event and "to" in sentence_event.values:
        return sentence_event.values["to"]
    if agent and agent in text and speaker != agent:
        return agent
    return None
