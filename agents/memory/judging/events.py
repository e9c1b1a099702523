"""Events that the world itself tells, and acts that a clause tells: as real, or only as asked, promised or denied.

An event is read from the narration's own sentence, in any language of the world: who did it to whom is exact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from agents.memory.english import (
    AUXILIARIES,
    BASES,
    BE,
    DENIALS,
    FUNCTION_WORDS,
    IRREGULAR,
    LIGHT,
    MODALS,
    NOBODY,
    OBJECT_PRONOUNS,
    PREPOSITIONS,
    SUBJECT_PRONOUNS,
    is_negation,
    stem,
    stems,
)
from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.judging.clauses import Clause
from agents.memory.judging.entities import folded, plain
from agents.memory.judging.tokens import MARK, NAME, NUMBER, WORD, Token
from vault.memory.memory_line import Memory

_PERFECT = frozenset("have has had having".split())
_HEARING = stems("hear think believe suspect guess expect assume")
_CONDITIONS = frozenset({"if", "whether", "unless"})
_ORDERS = (BASES | frozenset("open keep ask follow do don't let".split())) - {"put", "cut", "read"}
_FUTURE = MODALS - {"to"}
_WISHING = stems("ask beg want wish hope plan mean intend offer promise refuse decline try need threaten")
"""Verbs that wish or plan: the act behind one of them need not have happened."""


def is_realized(clause: Clause, at: int) -> bool:
    """Return whether a verb of a clause tells a deed: not a state, the future, a request, an intention or a denial."""
    tokens = clause.tokens
    before = [token.word for token in tokens[max(0, at - 4) : at]]
    if clause.opening in ("if", "whether", "unless", "until", "before") or MODALS & set(before):
        return False
    if any(map(is_negation, before)) or any(word.endswith("'ll") for word in before):
        return False
    if any(token.value in _WISHING and token.word not in AUXILIARIES for token in tokens[:at]):
        return False  # she wants a letter written
    word = tokens[at].word
    is_past = word.endswith("ed") or (word in IRREGULAR and not word.endswith(("s", "ing")))
    return is_past or bool(_PERFECT & set(before))


def asserted_verbs(clause: Clause) -> frozenset[str]:
    """Return the stems of the verbs that a clause tells as real: none behind `to`, in an order or a question.

    What is denied counts as told.
    """
    first = max((at for at, token in enumerate(clause.tokens) if token.kind == MARK), default=0)
    places = [at for at in clause.verb_places if not _is_governed(clause.tokens, at)]
    if is_order(clause):
        places = [at for at in places if at > first > 1]  # write that the bridge is open
    elif is_nonfactual(clause):
        places = []
    return frozenset(clause.tokens[at].value for at in places)


def _is_governed(tokens: Sequence[Token], at: int) -> bool:
    before = [token.word for token in tokens[max(0, at - 3) : at]]
    if before[-2:] == ["used", "to"]:
        return False
    return bool(before) and (before[-1] == "to" or ("to" in before and before[-1].endswith("ly")))


def is_nonfactual(clause: Clause) -> bool:
    """Return whether a clause of somebody's words tells nothing real: a question, an order, a plan, a condition."""
    words = [token.word for token in clause.tokens if token.kind != MARK and token.written != "May"]
    is_asked = clause.is_asked or (words[0] in AUXILIARIES and bool(SUBJECT_PRONOUNS & set(words[1:3])))
    is_condition = clause.opening in _CONDITIONS
    return is_order(clause) or is_planned(clause) or is_asked or is_condition or "please" in words


def is_order(clause: Clause) -> bool:
    """Return whether a clause orders or asks for something, with or without the name of who is to do it."""
    words = [token.word for token in clause.tokens if token.kind != MARK]
    is_called = clause.tokens[0].kind == NAME and len(clause.tokens) > 1 and clause.tokens[1].kind == MARK
    return not clause.subject and bool(set(words[is_called : is_called + 1]) & _ORDERS)


def is_planned(clause: Clause) -> bool:
    """Return whether a clause tells what will, may, shall or was to be."""
    words = [token.word for token in clause.tokens if token.kind != MARK and token.written != "May"]
    if _FUTURE & set(words) or any(word.endswith("'ll") for word in words):
        return True
    return any(behind == "to" and (word in BE or word == "going") for word, behind in pairwise(words))


def is_hedged(sentence: Sequence[Clause]) -> bool:
    """Return whether a sentence denies or leaves open without a `not`: it may say either."""
    return any(clause.words & DENIALS for clause in sentence)


def is_hearsay(sentence: Sequence[Clause], agent: str) -> bool:
    """Return whether a sentence tells what somebody else than the agent has heard or thinks."""
    return any(clause.verbs & _HEARING and clause.subject not in (None, agent) for clause in sentence)


def denied(clause: Clause) -> frozenset[str]:
    """Return the stems of the words behind a `not` or `no`, and what nobody did."""
    words = [token.word for token in clause.tokens]
    places = [at for at, word in enumerate(words) if word in ("not", "never", "cannot", "no") or word.endswith("n't")]
    places = [at for at in places if words[at + 1 : at + 2] not in (["longer"], ["more"])]
    behind = ([one for one in clause.tokens[at + 1 : at + 4] if _tells(one)] for at in places)
    denied = {found[0].value for found in behind if found}
    return frozenset(denied | (clause.verbs if clause.words & NOBODY else set()))


def _tells(token: Token) -> bool:
    return token.kind == WORD and token.word not in FUNCTION_WORDS and not token.word.endswith("ly")


GIVING = stems("give hand pass return lend bring present")
TAKING = stems("get receive have had take accept borrow")
GIVE, TAKE, DROP, GO = "give take drop go".split()
_OWN_EVENTS = {
    "you_give": GIVE,
    "you_take_from": TAKE,
    "you_take": TAKE,
    "you_put_in": DROP,
    "you_drop": DROP,
    "you_go_along": GO,
    "you_go": GO,
}
"""Acts of the agent, by the sentence that tells each. The first sentence that fits counts."""

_OWN_SENTENCES = [f"narration.{name}" for name in _OWN_EVENTS]

_EVENTS = _OWN_EVENTS | {
    "gives_you": GIVE,
    "gives": GIVE,
    "takes": TAKE,
    "takes_from": TAKE,
    "drops": DROP,
    "puts_in": DROP,
    "leaves": GO,
    "arrives": GO,
}
"""These and the acts of others, by the sentence that tells each."""


@dataclass(frozen=True)
class Event:
    """An act that the world has narrated: who did it, with what, to whom, and where.

    For somebody who goes, `places` are the places that they leave and enter.
    """

    kind: str
    actor: str
    thing: str = ""
    other: str = ""
    places: frozenset[str] = frozenset()


def event_in(memory: Memory, agent: str, reading: NarrationParser) -> Event | None:
    """Return the event that the world tells in a memory of `agent`; None if it is not one of the world's acts."""
    if memory.kind == "result":
        told, actor = reading.sentence_in(_OWN_SENTENCES, memory.text), agent
    elif memory.people:
        told, actor = reading.event_in(memory.text, memory.people[0]), memory.people[0]
    else:
        return None
    if told is None or told.name not in _EVENTS:
        return None
    other = agent if told.name == "gives_you" else told.values.get("to", "")
    places = frozenset({memory.room, told.values.get("room", "")} - {""})
    return Event(_EVENTS[told.name], actor, told.values.get("thing", ""), other, places)


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


class Things:
    """The things of a world by their words: the whole name counts first, then its last word."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_last: dict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        for name in sorted(set(names)):
            words = tuple(stem(word) for word in folded(plain(name)).split())
            if words:
                self._by_last[words[-1]].append((words, name))

    def within(self, tokens: Sequence[Token], only_whole: bool = False) -> list[tuple[int, str]]:
        """Return the position and the name of each thing in a text; a word that fits several things counts for none."""
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


def transfers_of(clause: Clause, things: Things, is_certain: bool = True, it: str = "") -> list[Transfer]:
    """Return the gifts that a clause tells; with `is_certain`, none that was only meant, asked or denied.

    `it` is the thing that is meant by this word.
    """
    tokens = clause.tokens
    for at in clause.verb_places:
        verb = tokens[at].value
        before = [token.word for token in tokens[max(0, at - 3) : at]]
        if is_certain and (
            clause.opening in ("if", "whether") or MODALS & set(before) or any(map(is_negation, before))
        ):
            continue
        if found := _transfers(clause, things, verb, at, it):
            return found
    return []


def _transfers(clause: Clause, things: Things, verb: str, at: int, it: str) -> list[Transfer]:
    tokens, receiver = clause.tokens, None
    is_seen = at > 0 and tokens[at - 1].kind == NAME and not tokens[at - 1].owns
    actor = giver = tokens[at - 1].value if is_seen else clause.subject  # I saw Ana give it away
    if verb in GIVING and clause.passive:
        giver, receiver = person_behind(clause, ("by", "from")), clause.subject or person_behind(clause, ("to",))
    elif verb in GIVING:
        receiver = _indirect(clause, at)
    elif verb in TAKING and (giver := person_behind(clause, ("from",))):
        receiver = actor
    else:
        return []
    found = []
    rows = things.within(tokens) or [(here, it) for here, token in enumerate(tokens) if it and token.word == "it"]
    for place, thing in rows:
        to = person_behind(clause, ("to",), place) if verb in GIVING and not clause.passive else None
        found.append(Transfer(giver, to or receiver, thing))
    return [one for one in found if one.giver or one.receiver]


def _indirect(clause: Clause, at: int) -> str | None:
    """Return to whom something is given: the person right behind the verb, or behind `to`."""
    behind = at + 1
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
            return clause.persons[at + 1]
    return None


_ACTION_VERBS = {
    **dict.fromkeys(stems("take fetch grab collect pick get"), TAKE),
    **dict.fromkeys(stems("drop put lay"), DROP),
}


@dataclass(frozen=True)
class Action:
    """An act that a clause tells as done to a thing."""

    kind: str
    actor: str
    thing: str


def actions_of(clause: Clause, things: Things) -> Iterator[Action]:
    """Yield the acts of a clause that the world would have narrated: things taken and put down."""
    for at in clause.verb_places:
        action = _ACTION_VERBS.get(clause.tokens[at].value, "")
        actor = _actor(clause, at)
        if action and actor and is_realized(clause, at):
            yield from _actions(clause, at, action, actor, things)


def _actor(clause: Clause, at: int) -> str | None:
    if clause.passive:
        return person_behind(clause, ("by",))
    before = clause.tokens[at - 1] if at else None
    return before.value if before and before.kind == NAME and not before.owns else clause.subject


def _actions(clause: Clause, at: int, action: str, actor: str, things: Things) -> Iterator[Action]:
    tokens = clause.tokens
    end = next((other for other in clause.verb_places if other > at), len(tokens))
    named = dict(things.within(tokens))
    begin = 0 if clause.passive else at + 1
    first = next((here for here in range(begin, end) if tokens[here].word in PREPOSITIONS), end)
    for here in range(begin, first):
        if here in named and tokens[here].kind == WORD:
            yield Action(action, actor, named[here])


def main_verb(clause: Clause) -> str:
    """Return the stem of the first verb that tells something, else of the first; empty if there is none."""
    verbs = [clause.tokens[at].value for at in clause.verb_places if clause.tokens[at].word not in AUXILIARIES]
    return next((verb for verb in verbs if verb not in LIGHT), verbs[0] if verbs else "")
