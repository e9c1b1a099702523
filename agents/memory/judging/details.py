"""Rules on details: whether places, owners, things, numbers and times are those of the evidence."""

from __future__ import annotations

from collections.abc import Sequence

from agents.memory.english import DETERMINERS, LIGHT, MUTUAL, PREPOSITIONS, SAYING, TIMES, stem, stems
from agents.memory.judging.clauses import Clause
from agents.memory.judging.entities import UNCOUNTED
from agents.memory.judging.events import GIVING, counted, numbered
from agents.memory.judging.evidence import Evidence, Proposition
from agents.memory.judging.matching import (
    Claim,
    Fault,
    any_proposition,
    closest,
    display_names,
    has_same_verb,
    is_named,
    telling_verbs,
)
from agents.memory.judging.tokens import MARK, NAME, NUMBER, Token

_MOVING = stems("go walk leave carry bring take come run head move")
FACE_TO_FACE = SAYING | GIVING | stems("meet talk speak")


def wrong_place(claim: Claim, evidence: Evidence) -> Fault | None:
    clause = claim.clause
    for place in clause.places:
        there = evidence.places.get(place, set())
        if not there and (clause.subject or clause.names):
            return "wrong-place", f"no memory is of {place}."
        who, is_there = clause.subject, is_located(clause, place)
        is_met = who != evidence.agent and is_named(clause) and is_there and clause.verbs & FACE_TO_FACE
        if who and is_met and place not in evidence.present.get(who, {place}):
            return "wrong-place", f"no memory has {who} at {place}."
        if place not in evidence.rooms or not is_there or clause.verbs & _MOVING:
            continue
        for one in _beside(clause, place, evidence):
            if (seen := evidence.where.get(one)) and not seen & there:
                return "wrong-place", f"no memory has {one.lstrip('@')} at {place}."
    return None


def strange_thing(claim: Claim, evidence: Evidence) -> Fault | None:
    for at, thing in evidence.things.within(claim.clause.tokens, only_whole=True):
        if thing not in evidence.where and claim.clause.tokens[at].word not in evidence.vocabulary:
            return "wrong-thing", f"no memory tells of the {thing}."
    return None


def _beside(clause: Clause, place: str, evidence: Evidence) -> list[str]:
    """Return who and what is named with a place: in the same part of a list."""
    tokens = list(clause.tokens)
    at = next(at for at, token in enumerate(tokens) if token.value == place)
    marks = [number for number, token in enumerate(tokens) if token.kind == MARK]
    begin = max((number for number in marks if number < at), default=-1) + 1
    part = tokens[begin : min((number for number in marks if number > at), default=len(tokens))]
    return _named(part, evidence)


def is_located(clause: Clause, place: str) -> bool:
    """Return whether a clause says that it happened at a place, and not from where or whereto."""
    at = next(at for at, token in enumerate(clause.tokens) if token.value == place)
    words = [token.word for token in clause.tokens[:at] if token.word not in DETERMINERS]
    before = words[-1] if words else ""
    return before in ("in", "on", "at") or before not in PREPOSITIONS


def _named(tokens: Sequence[Token], evidence: Evidence) -> list[str]:
    explicit = {f"@{token.value}" for token in tokens if token.kind == NAME} - {f"@{evidence.agent}"}
    return sorted(explicit | {thing for _, thing in evidence.things.within(tokens)})


def wrong_number(claim: Claim, evidence: Evidence) -> Fault | None:
    pairs = _number_pairs(claim.clause)
    near = closest(claim.clause, evidence, any_proposition) if pairs else []
    same_action = [one for one in near if telling_verbs(claim.clause) & one.clause.verbs]
    exact = {pair for pair in pairs if pair[0] in TIMES or pair[0] == "at"} | set(numbered(claim.clause.tokens))
    for noun in sorted({noun for noun, _ in pairs}):
        said_numbers = {number for word, number in pairs if word == noun}
        told = _beside_noun(noun, same_action)
        if not told:
            told = _beside_noun(noun, near)
            said_numbers -= set() if (noun, min(said_numbers)) in exact else evidence.uncounted
        if told and said_numbers and not told & said_numbers:
            there = display_names(evidence, told)
            return (
                "wrong-number",
                f"the memories have {noun} {there} here, not {display_names(evidence, said_numbers)}.",
            )
    return None


def _beside_noun(noun: str, told: Sequence[Proposition]) -> set[str]:
    return {number for one in told for word, number in _number_pairs(one.clause) if word == noun}


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


def wrong_time(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether a number or a day stands in no line of the matter, while the lines of the matter have another."""
    clause = claim.clause
    numbers = _numbers(clause)
    topics = {item for item in clause.items - evidence.people - numbers if item not in LIGHT}
    for number in sorted(numbers):
        have = evidence.with_any([number])
        if any(item.startswith(f"{number}:") or item.endswith(f":{number[1:]}") for item in evidence.numbers):
            continue
        if number[1:] in UNCOUNTED | evidence.derived or any(topics & (one.items | one.around) for one in have):
            continue
        if any(clause.subject in (one.subject, one.speaker) for one in have):
            continue
        near = closest(claim.clause, evidence, any_proposition)
        others = [one for one in near if _numbers(one.clause) - {f"#{one}" for one in UNCOUNTED}]
        is_other = len(others) == len(near) or any(has_same_verb(clause, one) for one in others)
        if near and is_other and not any(number in _line_items(one, evidence) for one in near):
            return "wrong-number", f"the memories do not have {number.lstrip('#')} here: {near[0].clause.text!r}."
    return None


def _numbers(clause: Clause) -> set[str]:
    """Return the items of a clause that are numbers, days or months."""
    days = {token.value for token in clause.tokens if token.word in TIMES and token.written[0].isupper()}
    return days | {f"#{token.value}" for token in clause.tokens if token.kind == NUMBER}


def _line_items(one: Proposition, evidence: Evidence) -> set[str]:
    return {item for other in evidence.propositions if abs(other.line - one.line) < 2 for item in other.items}


def wrong_owner(claim: Claim, evidence: Evidence) -> Fault | None:
    given = {stem(thing.rpartition(" ")[2]) for thing in evidence.transfers}
    for owner, noun in claim.clause.owners:
        known = evidence.owners.get(noun, set())
        if noun in MUTUAL and any(owner in one.clause.names for one in evidence.with_any([noun])):
            continue
        if owner and known - {""} and owner not in known and noun not in LIGHT and noun not in given:
            told = display_names(evidence, known)
            return "wrong-person", f"the memories speak of {told} here, not of {display_names(evidence, [owner])}."
    return None
