"""Places, things and numbers of a summary, held against the lines that it retells."""

from __future__ import annotations

from collections.abc import Sequence

from agents.memory.judging.account import (
    GIVING,
    Account,
    counted,
    numbered,
)
from agents.memory.judging.claims import UNCOUNTED
from agents.memory.judging.clauses import Clause
from agents.memory.judging.english import (
    DETERMINERS,
    LIGHT,
    PREPOSITIONS,
    SAYING,
    TIMES,
    stems,
)
from agents.memory.judging.matching import HALF_COVERED, Fault, Said, any_proposition, called, closest
from agents.memory.judging.tokens import MARK, NAME, NUMBER, Token

FACE_TO_FACE = SAYING | GIVING | stems("meet talk speak")


def wrong_place(said: Said, account: Account) -> Fault | None:
    clause = said.clause
    for place in clause.places:
        there = account.places.get(place, set())
        if not there and (clause.subject or clause.names):
            return "wrong-place", f"no memory is of {place}."
        who, is_there = clause.subject, _is_located(clause, place)
        is_met = who != account.agent and is_there and clause.verbs & FACE_TO_FACE
        if who and is_met and place not in account.present.get(who, {place}):
            return "wrong-place", f"no memory has {who} at {place}."
        if place not in account.rooms:
            continue
        for one in _beside(clause, place, account):
            if (seen := account.where.get(one)) and not seen & there:
                return "wrong-place", f"no memory has {one.lstrip('@')} at {place}."
    return None


def wrong_topic(said: Said, account: Account) -> Fault | None:
    """Return whether the lines have another name behind the same preposition: `in Carrow` for `in Marrow`."""
    pairs = _placed_names(said.clause, account)
    near = (
        [_placed_names(one.clause, account) for one in closest(said, account, any_proposition, HALF_COVERED)]
        if pairs
        else []
    )
    words = {word for word, _ in pairs}
    told = sorted(pair for found in near for pair in found if pair[0] in words)
    if told and not any(name == other for found in near for _, name in found for _, other in pairs):
        return "wrong-place", f"the memories have {' '.join(told[0])} here, not {' '.join(min(pairs))}."
    return None


def _placed_names(clause: Clause, account: Account) -> set[tuple[str, str]]:
    pairs = zip(clause.tokens, clause.tokens[1:], strict=False)
    return {
        (before.word, token.value)
        for before, token in pairs
        if token.kind == NAME and f"@{token.value}" not in account.people and before.word in ("in", "at", "from")
    }


def strange_thing(said: Said, account: Account) -> Fault | None:
    for at, thing in account.things.within(said.clause.tokens, only_whole=True):
        if thing not in account.where and said.clause.tokens[at].word not in account.vocabulary:
            return "wrong-thing", f"no memory tells of the {thing}."
    return None


def _beside(clause: Clause, place: str, account: Account) -> list[str]:
    """Return who and what is named with a place: in the same part of a list, or anywhere if it is the only place."""
    tokens = list(clause.tokens)
    at = next(at for at, token in enumerate(tokens) if token.value == place)
    marks = [number for number, token in enumerate(tokens) if token.kind == MARK]
    begin = max((number for number in marks if number < at), default=-1) + 1
    part = tokens[begin : min((number for number in marks if number > at), default=len(tokens))]
    is_everybodys = len(clause.places) == 1 and _is_located(clause, place)
    return _named(part, account) or (_named(tokens, account) if is_everybodys else [])


def _is_located(clause: Clause, place: str) -> bool:
    """Return whether a clause says that it happened at a place, and not from where or whereto."""
    at = next(at for at, token in enumerate(clause.tokens) if token.value == place)
    words = [token.word for token in clause.tokens[:at] if token.word not in DETERMINERS]
    before = words[-1] if words else ""
    return before in ("in", "on", "at") or before not in PREPOSITIONS


def _named(tokens: Sequence[Token], account: Account) -> list[str]:
    explicit = {f"@{token.value}" for token in tokens if token.kind == NAME} - {f"@{account.agent}"}
    return sorted(explicit | {thing for _, thing in account.things.within(tokens)})


def wrong_number(said: Said, account: Account) -> Fault | None:
    for count, noun in counted(said.clause.tokens):
        known = account.counts.get(noun)
        if known and not {count} & (known | account.uncounted | UNCOUNTED) and noun not in LIGHT:
            return "wrong-number", f"the memories have {called(account, known)} here, not {count}."
    pairs = _number_pairs(said.clause)
    near = [_number_pairs(one.clause) for one in closest(said, account, any_proposition)] if pairs else []
    exact = {pair for pair in pairs if pair[0] in TIMES or pair[0] == "at"} | set(numbered(said.clause.tokens))
    for noun in sorted({noun for noun, _ in pairs}):
        said_numbers = {number for word, number in pairs if word == noun}
        if (noun, min(said_numbers)) not in exact:
            said_numbers -= account.uncounted
        told = {number for found in near for word, number in found if word == noun}
        if told and said_numbers and not told & said_numbers:
            return (
                "wrong-number",
                f"the memories have {noun} {called(account, told)} here, not {called(account, said_numbers)}.",
            )
    return None


def _number_pairs(clause: Clause) -> set[tuple[str, str]]:
    """Return each word with the number that stands beside it: `gate 9`, `silver 40`, `at 7`, `may 3`."""
    pairs = {*numbered(clause.tokens), *((noun, count) for count, noun in counted(clause.tokens))}
    for at, token in enumerate(clause.tokens):
        if token.kind == NUMBER:
            behind = [one.word for one in clause.tokens[at + 1 : at + 3]]
            pairs |= {(word, token.value) for word in behind if word in TIMES}
            if at and clause.tokens[at - 1].word == "at":
                pairs.add(("at", token.value))
    return pairs
