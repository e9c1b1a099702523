"""Rules on negation and modality: what is denied, and what was only asked, promised, meant or possible."""

from __future__ import annotations

from agents.memory.english import BE, LIGHT, QUANTIFIERS, SAYING
from agents.memory.judging.clauses import CONTENT_OPENINGS, Clause
from agents.memory.judging.events import actions_of, transfers_of
from agents.memory.judging.evidence import Evidence, Proposition
from agents.memory.judging.matching import (
    SPEECH_ACTS,
    Claim,
    Fault,
    closest,
    shares_topic,
    telling_verbs,
    topics_of,
)
from agents.memory.judging.modality import denied, is_realized

_BOUNDS = frozenset("until till only without most least longer than".split())
_ASKING = CONTENT_OPENINGS - {"that", "when", "where"} | {"who", "which"}
_ANYTHING = frozenset("anything anybody anyone nothing nobody it".split())


def told_as_fact(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return a fault if something is told as done that the lines only ask for, promise or intend."""
    clause = claim.clause
    if claim.is_reported or claim.is_hedged or claim.is_open or clause.is_negated or clause.opening in _ASKING:
        return None
    verbs = {clause.tokens[at].value for at in clause.verb_places if is_realized(clause, at)} - SAYING - SPEECH_ACTS
    if clause.subject is None:
        verbs -= LIGHT
    if transfers_of(clause, evidence.things, it=claim.it) or any(True for _ in actions_of(clause, evidence.things)):
        return None
    for verb in sorted(verbs):
        told = [one for one in _with_verb(verb, clause, evidence) if _is_of_matter(clause, verb, one, evidence)]
        if told and not any(verb in one.asserted for one in told):
            return "invented-event", f"the memories do not have this as done: {told[0].clause.text!r}."
    return None


def _with_verb(verb: str, clause: Clause, evidence: Evidence) -> list[Proposition]:
    """Return the propositions with a verb whose subject may be that of a clause."""
    told = [one for one in evidence.with_any([verb]) if verb in one.clause.verbs]
    return [one for one in told if {None, clause.subject} & {clause.subject and one.subject, *one.clause.names}]


def _is_of_matter(clause: Clause, verb: str, one: Proposition, evidence: Evidence) -> bool:
    """Return whether a proposition with the same verb is of the same matter as a clause."""
    own = {verb, f"@{clause.subject}", f"@{evidence.agent}"}
    topics = {item for item in clause.items - own if item not in LIGHT and evidence.has(item)}
    is_rare = verb not in LIGHT and evidence.is_rare(verb)
    is_telling = clause.subject is not None and clause.subject in (one.subject, *one.clause.names)
    return bool(topics & (one.items | one.around)) or (is_rare and is_telling)


def disputed_as_fact(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return a fault if something is told as so that one person says and the person meant denies."""
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
