"""What the lines tell that were summarised: who said and did what, where, and to whom what was given."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from agents.memory.english import FUNCTION_WORDS, LIGHT, MODALS, OBJECT_PRONOUNS, stem, stems
from agents.memory.facts.extraction import utterance_in
from agents.memory.facts.narration_parser import ENGLISH, NarrationParser, ParsedEvent
from agents.memory.facts.store import ME
from agents.memory.judging.claims import NAME, NUMBER, WORD, Cast, Token, folded, plain
from agents.memory.judging.clauses import Clause, is_negation, read
from vault.markdown import LINE_BREAK
from vault.memory.memory_line import Memory
from world.parsing import parse_line

GIVING = stems("give hand pass return lend bring present")
TAKING = stems("get receive have had take accept borrow")
_COME, _GO = stem("come"), stem("go")
_LIGHT_WORTH = 0.3
_AROUND = 0.5
"""What an item of the same sentence counts beside one of the clause itself."""

_MOST_LISTED = 64
"""An item that more propositions have than so many tells none of them from the others."""

_SKIPPED_BEHIND_VERB = frozenset("back over on".split())


@dataclass(frozen=True)
class Line:
    """One line of the source. `speaker` is empty if nothing is said in it, `hearer` None if nobody knows.

    `given` is the giver, the receiver and the thing where the line tells of a gift.
    """

    text: str
    speaker: str = ""
    hearer: str | None = None
    place: str = ""
    people: tuple[str, ...] = ()
    given: tuple[str, str, str] | None = None


@dataclass(frozen=True)
class Transfer:
    """Somebody gave somebody a thing. Who is not named is None."""

    giver: str | None
    receiver: str | None
    thing: str

    def agrees(self, other: Transfer) -> bool:
        """Return whether both may tell of the same gift."""
        pairs = ((self.giver, other.giver), (self.receiver, other.receiver), (self.thing, other.thing))
        return all(one is None or two is None or one == two for one, two in pairs)


@dataclass(frozen=True)
class Proposition:
    """A clause of the source. `speaker` is who says it, None if nobody knows; `people` are all who are about.

    `answers` are those who speak next after a question, `around` is what the whole sentence is about,
    `meant` what `it` stands for.
    """

    clause: Clause
    speaker: str | None
    line: int
    people: frozenset[str]
    answers: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()
    meant: frozenset[str] = frozenset()

    @cached_property
    def items(self) -> frozenset[str]:
        """What it is about, with what `it` stands for."""
        return self.clause.items | self.meant

    @property
    def subject(self) -> str | None:
        return self.clause.subject


class Things:
    """The things of a world by their words: the whole name counts first, then its last word."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_last: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        for name in sorted(set(names)):
            words = tuple(stem(word) for word in folded(plain(name)).split())
            if words:
                self._by_last[words[-1]].append((words, name))

    def within(self, tokens: Sequence[Token], only_whole: bool = False) -> list[tuple[int, str]]:
        """Return where things are named, and which; what may be several things is none of them."""
        stems_of = [stem(token.word) for token in tokens]
        whole, heads, covered = list[tuple[int, str]](), list[tuple[int, str]](), set[int]()
        for at, last in enumerate(stems_of):
            rows = self._by_last.get(last, ())
            named = [
                (words, name) for words, name in rows if tuple(stems_of[max(0, at + 1 - len(words)) : at + 1]) == words
            ]
            if named:
                whole.append((at, named[0][1]))
                covered.update(range(at + 1 - len(named[0][0]), at + 1))
            elif len(rows) == 1:
                heads.append((at, rows[0][1]))
        return whole if only_whole else sorted(whole + [row for row in heads if row[0] not in covered])


class Account:
    """All that lines tell, by what it is about. The work grows with their length and no faster."""

    def __init__(
        self, lines: Sequence[Line], cast: Cast, agent: str, things: Things, rooms: Iterable[str] = ()
    ) -> None:
        self.cast, self.agent, self.things, self.rooms = cast, agent, things, frozenset(rooms)
        self.people = {f"@{person}" for person in cast.people}
        self.vocabulary: set[str] = set()
        self.uncounted: set[str] = set()
        self.lines = lines
        self.propositions: list[Proposition] = []
        self.transfers: dict[str, set[Transfer]] = defaultdict(set)
        self.owners: dict[str, set[str]] = defaultdict(set)
        self.counts: dict[str, set[str]] = defaultdict(set)
        self.places: dict[str, set[int]] = defaultdict(set)
        self.present: dict[str, set[str]] = defaultdict(set)
        self.where: dict[str, set[int]] = defaultdict(set)
        for number, line in enumerate(lines):
            self._take(number, line)
        self._index: dict[str, list[int]] = defaultdict(list)
        self._around: dict[str, list[int]] = defaultdict(list)
        for number, one in enumerate(self.propositions):
            for item in one.items:
                self._index[item].append(number)
            for item in one.around - one.items:
                self._around[item].append(number)

    def _take(self, number: int, line: Line) -> None:
        speaker = self.cast.canonical(line.speaker) if line.speaker else None
        who = speaker if line.speaker else self.agent
        you = line.hearer if line.speaker else self.agent
        found = (self.cast.canonical(person) for person in (*line.people, line.speaker, self.agent))
        people = frozenset(person for person in found if person)
        answers = self._answering(number)
        if line.given:
            giver, receiver, thing = line.given
            self.transfers[thing].add(Transfer(self.cast.canonical(giver), self.cast.canonical(receiver), thing))
        self.vocabulary |= {word for person in people for word in folded(person).split()}
        for person in people - {self.agent}:
            self.where[f"@{person}"].add(number)
        if line.place:
            self.places[line.place].add(number)
            for person in people:
                self.present[person].add(line.place)
        before = frozenset[str]()
        for sentence in read(line.text, self.cast, who, you):
            named = frozenset(name for clause in sentence for name in clause.names)
            around = frozenset(item for clause in sentence for item in clause.items)
            for clause in sentence:
                meant = before if "it" in clause.words else frozenset[str]()
                self.propositions.append(Proposition(clause, speaker, number, people | named, answers, around, meant))
                self._note(number, clause)
            before = frozenset(stem(word) for word in self._thing_words(sentence))

    def _note(self, number: int, clause: Clause) -> None:
        for owner, noun in clause.owners:
            self.owners[noun].add(owner)
        numbers = dict(counted(clause.tokens))
        for count, noun in numbers.items():
            self.counts[noun].add(count)
        self.uncounted |= {token.value for token in clause.tokens if token.kind == NUMBER} - set(numbers)
        self.vocabulary |= {word for token in clause.tokens for word in folded(token.written).split()}
        for place in clause.places:
            self.places[place].add(number)
        for name in clause.names:
            self.where[f"@{name}"].add(number)
        for _, thing in self.things.within(clause.tokens):
            self.where[thing].add(number)
        if not self.lines[number].given:
            for transfer in transfers_of(clause, self.things, is_certain=False):
                self.transfers[transfer.thing].add(transfer)

    def _thing_words(self, sentence: Sequence[Clause]) -> Iterator[str]:
        for clause in sentence:
            for _, thing in self.things.within(clause.tokens):
                yield from folded(plain(thing)).split()

    def _answering(self, number: int) -> frozenset[str]:
        """Return who speaks next after a question: what was asked may be told as what they said."""
        if "?" not in self.lines[number].text:
            return frozenset()
        return frozenset(line.speaker for line in self.lines[number + 1 : number + 3] if line.speaker)

    def worth(self, item: str) -> float:
        """Return how much an item tells: the rarer, the more; nothing if the source does not have it."""
        count = len(self._index.get(item, ()))
        return (
            0.0 if not count else (0.3 if item in LIGHT else 1.0) * math.log(1 + (len(self.propositions) + 1) / count)
        )

    def closest(self, items: Iterable[str]) -> list[tuple[float, Proposition]]:
        """Return the propositions that share items, with how much they share, most first."""
        shares: dict[int, float] = defaultdict(float)
        worths: Mapping[str, float] = {item: self.worth(item) for item in items}
        for item, worth in worths.items():
            for listed, part in ((self._index.get(item, ()), worth), (self._around.get(item, ()), worth * _AROUND)):
                for number in listed if len(listed) <= _MOST_LISTED else ():
                    shares[number] += part
        found = [(share, self.propositions[number]) for number, share in shares.items()]
        return sorted(found, key=lambda row: -row[0])

    def has(self, item: str) -> bool:
        """Return whether the source has an item at all."""
        return item in self._index

    def with_any(self, items: Iterable[str]) -> list[Proposition]:
        """Return all propositions that have one of some items."""
        return [self.propositions[number] for item in items for number in self._index.get(item, ())]


def counted(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Yield each number with the stem of what is counted by it, the word behind it."""
    for token, behind in pairwise(tokens):
        if token.kind == NUMBER and behind.kind == WORD and behind.word not in FUNCTION_WORDS:
            yield token.value, behind.value


def numbered(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Yield each stem with the number behind it, as in `gate nine`."""
    for token, behind in pairwise(tokens):
        if behind.kind == NUMBER and token.kind == WORD and token.word not in FUNCTION_WORDS:
            yield token.value, behind.value


def transfers_of(clause: Clause, things: Things, is_certain: bool = True) -> list[Transfer]:
    """Return what a clause tells of gifts; with `is_certain`, nothing that was only meant, asked or denied."""
    tokens = clause.tokens
    for at in clause.verb_places:
        verb = tokens[at].value
        before = [token.word for token in tokens[max(0, at - 3) : at]]
        if is_certain and (
            clause.opening in ("if", "whether") or MODALS & set(before) or any(map(is_negation, before))
        ):
            continue
        if found := _transfers(clause, things, verb, at):
            return found
    return []


def _transfers(clause: Clause, things: Things, verb: str, at: int) -> list[Transfer]:
    tokens, giver, receiver = clause.tokens, clause.subject, None
    if at and tokens[at - 1].kind == NAME and not tokens[at - 1].owns:
        giver = tokens[at - 1].value  # I saw Ana give it away
    if verb in GIVING and clause.passive:
        giver, receiver = person_behind(clause, ("by", "from")), clause.subject or person_behind(clause, ("to",))
    elif verb in GIVING:
        receiver = _indirect(clause, at)
    elif verb in TAKING and (giver := person_behind(clause, ("from",))):
        receiver = clause.subject
    elif verb == _COME and (giver := person_behind(clause, ("from",))):
        receiver = person_behind(clause, ("to",))
    elif verb == _GO and (receiver := person_behind(clause, ("to",))):
        giver = None
    else:
        return []
    if verb in (_COME, _GO) and clause.subject:
        return []
    found = []
    for place, thing in things.within(tokens):
        if verb not in (_COME, _GO) or place < at:
            to = person_behind(clause, ("to",), place) if verb in GIVING and not clause.passive else None
            found.append(Transfer(giver, to or receiver, thing))
    return [one for one in found if one.giver or one.receiver]


def _indirect(clause: Clause, at: int) -> str | None:
    """Return to whom something is given: the person right behind the verb, or behind `to`."""
    behind = at + 1
    while behind < len(clause.tokens) and clause.tokens[behind].word in _SKIPPED_BEHIND_VERB:
        behind += 1
    if behind < len(clause.tokens):
        token = clause.tokens[behind]
        if (
            token.word in OBJECT_PRONOUNS
            or token.word == "you"
            or (clause.persons[behind] and not token.owns and token.kind != WORD)
        ):
            return clause.persons[behind]
    return person_behind(clause, ("to",), at)


def person_behind(clause: Clause, prepositions: Sequence[str], start: int = 0) -> str | None:
    """Return who is named first behind one of some prepositions, as of a place in a clause; None if nobody is."""
    for at in range(start, len(clause.tokens) - 1):
        if clause.tokens[at].word in prepositions and not clause.tokens[at + 1].owns and clause.persons[at + 1]:
            return clause.persons[at + 1] if clause.tokens[at + 1].word not in ("my", "your", "her", "his") else None
    return None


_OWN_DEEDS = ("narration.you_give",)
_TO_ME = frozenset({"says_to_you", "tells_you", "whispers_to_you"})
_UNSEEN = frozenset("give get take drop put go use read write follow".split())
"""Commands whose result is a memory of its own: what was typed alone tells nothing."""


@lru_cache(maxsize=4)
def account_of(
    memories: tuple[Memory, ...],
    previous: tuple[str, ...],
    roster: frozenset[str],
    agent: str,
    reading: NarrationParser = ENGLISH,
) -> Account:
    """Return what memories and earlier summaries tell, to hold a summary by `agent` against.

    The last ones are kept, since a summary is judged more than once.
    """
    people = {person for memory in memories for person in memory.people} | ({agent} if agent else set())
    rooms = {memory.room for memory in memories if memory.room}
    names = {name for name in roster if name[:1].isupper() and name not in people | rooms}
    places = rooms | {name for name in names if " " in name}
    lines = [line for memory in memories if (line := _line(memory, people, agent, reading))]
    lines += [Line(text) for text in previous]
    cast = Cast(people | (names - places), places, [line.text for line in lines])
    things = {name for name in roster if name[:1].islower()} | {line.given[2] for line in lines if line.given}
    return Account(lines, cast, agent, Things(things), rooms)


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
        return None if line.verb in _UNSEEN else Line(f"I {text}", "", agent, memory.room, memory.people)
    return Line(text, "", agent, memory.room, memory.people, _given(memory, agent, reading))


def _hearer(memory: Memory, speaker: str, text: str, agent: str, reading: NarrationParser) -> str | None:
    """Return to whom somebody speaks: whom they name, or the agent if the sentence says so; None if nobody knows."""
    deed = reading.deed(memory.text, speaker) if speaker != agent else None
    if deed and deed.name in _TO_ME:
        return agent
    if deed and "to" in deed.values:
        return deed.values["to"]
    if agent and agent in text and speaker != agent:
        return agent
    return None


def _given(memory: Memory, agent: str, reading: NarrationParser) -> tuple[str, str, str] | None:
    deed: ParsedEvent | None = None
    if memory.kind == "result":
        deed = reading.own(_OWN_DEEDS, memory.text)
        return (agent, deed.values["to"], deed.values["thing"]) if deed else None
    deed = reading.deed(memory.text, memory.people[0]) if memory.people else None
    match deed:
        case ParsedEvent(name="gives_you", values={"thing": thing}):
            return memory.people[0], agent, thing
        case ParsedEvent(name="gives", values={"thing": thing, "to": to}):
            return memory.people[0], to, thing
        case _:
            return None
