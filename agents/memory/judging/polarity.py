"""Rules on negation and modality: what is denied, and what was only asked, promised, meant or possible."""

from __future__ import annotations

from agents.memory.english import LIGHT, NOBODY, OPPOSITES, QUANTIFIERS, SAYING, SUBJECT_PRONOUNS
from agents.memory.judging.clauses import Clause
from agents.memory.judging.events import denied, is_realized
from agents.memory.judging.evidence import Evidence, Proposition
from agents.memory.judging.matching import (
    COVERED,
    HALF_COVERED,
    PERCEIVING,
    SPEECH_ACTS,
    WHOLE,
    Claim,
    Fault,
    closest,
    shares_topic,
)


def opposite(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether somebody is said to be or do the opposite of what the lines have, and never that."""
    clause, who = claim.clause, claim.clause.subject
    if who is None or clause.is_negated or claim.is_hedged or claim.is_open:
        return None
    for words, others in OPPOSITES:
        told = [
            one for one in evidence.with_any(others) if one.subject == who and evidence.lines[one.line].event is None
        ]
        told = [one for one in told if claim.speaker in (None, one.speaker)]
        same = [one for one in evidence.with_any(words) if one.subject in (None, who)]
        if clause.items & words and told and not same and not any(one.clause.is_negated for one in told):
            return "negation", f"the memories have the opposite: {told[0].clause.text!r}."
    return None


def told_as_fact(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether something is told as done that the lines only have as asked for, promised or meant."""
    clause = claim.clause
    if clause.subject is None or claim.is_reported or claim.is_hedged or claim.is_open or clause.is_negated:
        return None
    verbs = {clause.tokens[at].value for at in clause.verb_places if is_realized(clause, at)} - SAYING - SPEECH_ACTS
    topics = {item for item in clause.items - evidence.people if item not in verbs and item not in LIGHT}
    known = {item for item in topics if evidence.has(item)}
    for verb in sorted(verbs):
        told = [
            one
            for one in evidence.with_any([verb])
            if verb in one.clause.verbs and one.subject in (None, clause.subject) and known & (one.items | one.around)
        ]
        if told and all(one.is_nonfactual for one in told):
            return "invented-event", f"the memories do not have this as done: {told[0].clause.text!r}."
    return None


def wrong_denial(claim: Claim, evidence: Evidence) -> Fault | None:
    clause = claim.clause
    if claim.is_hedged or (claim.is_open and not clause.is_negated):
        return None
    verbs = denied(clause) if clause.is_negated else clause.verbs - SAYING
    if not verbs or clause.words & {"until", "till", "only"}:
        return None

    was_done = not claim.is_reported and any(is_realized(clause, at) for at in clause.verb_places)

    def fits(one: Proposition) -> bool:
        if one.is_quoted or (one.is_nonfactual and was_done):
            return False
        is_speaker = claim.speaker is None or one.speaker in (None, claim.speaker)
        is_verb = bool(verbs & (one.items if clause.is_negated else one.clause.verbs))
        return is_verb and is_speaker and (clause.subject is None or one.subject in (None, clause.subject))

    is_anybodys = clause.subject is None and claim.speaker is None and not clause.words & QUANTIFIERS
    if is_anybodys and (clause.is_negated or not clause.words & SUBJECT_PRONOUNS):
        return None
    covered = WHOLE if is_anybodys else HALF_COVERED if claim.speaker else COVERED
    near = [one for one in closest(clause, evidence, fits, covered) if shares_topic(clause, one)]
    own = [one for one in near if clause.subject and clause.subject in (one.speaker, *one.clause.names)]
    near = own or near
    if near and all(_is_contrary(clause, one.clause) for one in near):
        how = "say the contrary" if clause.is_negated else "deny this"
        return "negation", f"the memories {how}: {near[0].clause.text!r}."
    return None


def wrong_quantity(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether everybody or somebody does what the lines say of nobody, or the other way round."""
    clause = claim.clause
    if claim.is_hedged or not clause.words & QUANTIFIERS:
        return None
    for verb in sorted(clause.verbs - SAYING - PERCEIVING):
        told = [
            one
            for one in evidence.with_any([verb])
            if verb in one.clause.verbs and claim.speaker in (None, one.speaker) and one.clause.words & QUANTIFIERS
        ]
        if told and all(bool(one.clause.words & NOBODY) != bool(clause.words & NOBODY) for one in told):
            return "negation", f"the memories say the contrary: {told[0].clause.text!r}."
    return None


def _is_contrary(clause: Clause, other: Clause) -> bool:
    return clause.is_negated != other.is_negated and bool(denied(clause) or denied(other))
