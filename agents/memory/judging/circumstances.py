"""Rules on circumstances: where, when, how many, and whether it was done, denied, meant or only asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from agents.memory.english import BE, LIGHT, QUANTIFIERS, SAYING, TIMES, stems
from agents.memory.judging.clauses import Clause
from agents.memory.judging.entities import UNCOUNTED
from agents.memory.judging.events import GIVING, actions_of, counted, denied, is_realized, numbered, transfers_of
from agents.memory.judging.evidence import Evidence, Proposition
from agents.memory.judging.matching import (
    SPEECH_ACTS,
    Claim,
    Fault,
    any_proposition,
    closest,
    display_names,
    is_located,
    is_named,
    shares_topic,
    telling_verbs,
    topics_of,
)
from agents.memory.judging.tokens import MARK, NAME, NUMBER, Token

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
        if place not in evidence.rooms or not is_there:
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


def _named(tokens: Sequence[Token], evidence: Evidence) -> list[str]:
    explicit = {f"@{token.value}" for token in tokens if token.kind == NAME} - {f"@{evidence.agent}"}
    return sorted(explicit | {thing for _, thing in evidence.things.within(tokens)})


def wrong_number(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return a fault if a word has another number beside it than in the lines of the matter: `gate 9`, `40 silver`."""
    numbers = _number_pairs(claim.clause)
    near = closest(claim.clause, evidence, any_proposition) if numbers else []
    for noun, said in sorted(numbers.items()):
        told = set[str]().union(*(_number_pairs(one.clause).get(noun, ()) for one in near))
        if (noun, min(said)) not in numbered(claim.clause.tokens):
            said = said - evidence.uncounted
        if told and said and not told & said:
            there = display_names(evidence, told)
            return "wrong-number", f"the memories have {noun} {there} here, not {display_names(evidence, said)}."
    return None


def _number_pairs(clause: Clause) -> dict[str, set[str]]:
    """Return the numbers beside each word."""
    found: dict[str, set[str]] = defaultdict(set)
    for noun, number in (*numbered(clause.tokens), *((noun, count) for count, noun in counted(clause.tokens))):
        found[noun].add(number)
    return found


def wrong_time(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return a fault if no line of the matter has a number or a day, while these have another."""
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
        if others and not any(number in _line_items(one, evidence) for one in near):
            return "wrong-number", f"the memories do not have {number.lstrip('#')} here: {near[0].clause.text!r}."
    return None


def _numbers(clause: Clause) -> set[str]:
    """Return the items of a clause that are numbers, days or months."""
    days = {token.value for token in clause.tokens if token.word in TIMES and token.written[0].isupper()}
    return days | {f"#{token.value}" for token in clause.tokens if token.kind == NUMBER}


def _line_items(one: Proposition, evidence: Evidence) -> set[str]:
    return {item for other in evidence.propositions if abs(other.line - one.line) < 2 for item in other.items}


_BOUNDS = frozenset("until till only without most least longer than".split())
_ANYTHING = frozenset("anything anybody anyone nothing nobody it".split())


def told_as_fact(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return a fault if a clause gives something as done that the lines only ask for, promise or intend."""
    clause = claim.clause
    if claim.is_reported or claim.is_hedged or claim.is_open or clause.is_negated:
        return None
    verbs = {clause.tokens[at].value for at in clause.verb_places if is_realized(clause, at)} - SAYING - SPEECH_ACTS
    if clause.subject is None:
        verbs -= LIGHT
    if transfers_of(clause, evidence.things, it=claim.it) or any(True for _ in actions_of(clause, evidence.things)):
        return None
    for verb in sorted(verbs):
        told = [one for one in evidence.with_any([verb]) if verb in one.clause.verbs]
        told = [one for one in told if _is_of_matter(clause, verb, one, evidence)]
        if told and not any(verb in one.asserted for one in told):
            return "invented-event", f"the memories do not have this as done: {told[0].clause.text!r}."
    return None


def _is_of_matter(clause: Clause, verb: str, one: Proposition, evidence: Evidence) -> bool:
    """Return whether a proposition with the same verb is of the same matter as a clause."""
    own = {verb, f"@{clause.subject}", f"@{evidence.agent}"}
    topics = {item for item in clause.items - own if item not in LIGHT and evidence.has(item)}
    is_rare = verb not in LIGHT and evidence.is_rare(verb)
    is_telling = clause.subject is not None and clause.subject in (one.subject, *one.clause.names)
    return bool(topics & (one.items | one.around)) or (is_rare and is_telling)


def disputed_as_fact(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return a fault if a clause gives something as so that one person says and the person meant denies."""
    clause, who = claim.clause, claim.clause.subject
    if claim.is_reported or claim.is_hedged or claim.is_open or clause.is_negated or who in (None, evidence.agent):
        return None
    for verb in sorted(clause.verbs):
        told = [one for one in evidence.with_any([verb]) if verb in one.clause.verbs and one.subject == who]
        told = [one for one in told if verb not in LIGHT or (topics_of(clause) and shares_topic(clause, one))]
        denials = [one for one in told if one.clause.is_negated and one.speaker == who and _is_same(clause, one)]
        others = [one for one in told if not one.clause.is_negated]
        if denials and all(one.speaker not in (None, who, evidence.agent) for one in others):
            return "negation", f"somebody denies this: {denials[0].clause.text!r}."
    return None


def _is_same(clause: Clause, one: Proposition) -> bool:
    is_anything = bool(one.clause.words & _ANYTHING) and clause.subject is not None and clause.subject == one.subject
    return shares_topic(clause, one) or is_anything


def wrong_denial(claim: Claim, evidence: Evidence) -> Fault | None:
    clause = claim.clause
    if claim.is_hedged or (claim.is_open and not clause.is_negated):
        return None
    verbs = denied(clause) if clause.is_negated else clause.verbs - SAYING or clause.verbs
    if not telling_verbs(clause) and BE & clause.words:
        verbs |= topics_of(clause)
    if not verbs or clause.words & _BOUNDS:
        return None

    was_done = not claim.is_reported and any(is_realized(clause, at) for at in clause.verb_places)

    def fits(one: Proposition) -> bool:
        if one.is_quoted or one.clause.words & _BOUNDS or (one.is_nonfactual and was_done):
            return False
        is_seen = evidence.lines[one.line].event is not None
        is_speaker = claim.speaker is None or one.speaker == claim.speaker or (one.speaker is None and not is_seen)
        return (
            bool(verbs & one.items) and is_speaker and (clause.subject is None or one.subject in (None, clause.subject))
        )

    if clause.subject is None and claim.speaker is None and not clause.words & QUANTIFIERS:
        return None
    near = [one for one in closest(clause, evidence, fits) if _is_same(clause, one)]
    if near and all(_is_contrary(clause, one.clause) for one in near):
        how = "say the contrary" if clause.is_negated else "deny this"
        return "negation", f"the memories {how}: {near[0].clause.text!r}."
    return None


def _is_contrary(clause: Clause, other: Clause) -> bool:
    return clause.is_negated != other.is_negated and bool(denied(clause) or denied(other))


RULES = (wrong_denial, wrong_place, strange_thing, wrong_number, wrong_time, told_as_fact, disputed_as_fact)
