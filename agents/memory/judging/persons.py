"""Rules on persons: who spoke, who did something, and to, for or with whom."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from agents.memory.english import BE, DENIALS, LIGHT, SAYING, stem, stems
from agents.memory.judging.clauses import Clause
from agents.memory.judging.entities import folded
from agents.memory.judging.events import actions_of, main_verb, person_behind
from agents.memory.judging.evidence import Evidence, Proposition
from agents.memory.judging.matching import (
    PERCEIVING,
    Claim,
    Fault,
    any_proposition,
    closest,
    display_names,
    has_same_verb,
    is_named,
    shares_topic,
    telling_verbs,
    topics_of,
)
from agents.memory.judging.tokens import MARK, NAME

HELPING = stems("help let make")
ASKING = frozenset("what who whom why how where when".split())
_CONDITIONAL = frozenset("would might".split())
_PRONOUNS = frozenset("it them they him her he she that this we us one".split())


def unknown_person(claim: Claim, evidence: Evidence) -> Fault | None:
    who = claim.clause.subject
    if who and who != evidence.agent and not {folded(part) for part in who.split()} & evidence.vocabulary:
        return "wrong-person", f"no memory tells of {who}."
    return None


def self_as_other(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether the agent is said to do something to itself, as if its name were somebody else's."""
    tokens = claim.clause.tokens
    named = [at for at, token in enumerate(tokens) if (token.kind, token.value) == (NAME, evidence.agent)]
    for at, own in product(named, [at for at, token in enumerate(tokens) if token.word in ("i", "me")]):
        between = tokens[min(at, own) + 1 : max(at, own)]
        is_action = any(one.value in claim.clause.verbs and one.word not in BE for one in between)
        if is_action and not tokens[at].owns and MARK not in [one.kind for one in between]:
            return "wrong-person", f"{evidence.agent} is who tells this, and nobody else: {claim.clause.text!r}."
    return None


def wrong_speaker(claim: Claim, evidence: Evidence) -> Fault | None:
    if claim.speaker is None or claim.is_hedged:
        return None
    near = closest(claim.clause, evidence, any_proposition)
    speakers = {one.speaker for one in near}
    if not near or None in speakers or claim.speaker in speakers.union(*(one.answers for one in near)):
        return None
    return (
        "wrong-person",
        f"{display_names(evidence, speakers)} said this, not {display_names(evidence, [claim.speaker])}.",
    )


def _actor_of(claim: Claim) -> str | None:
    if claim.clause.passive:
        return person_behind(claim.clause, ("by",))
    return claim.clause.subject


def wrong_subject(claim: Claim, evidence: Evidence) -> Fault | None:
    clause, actor = claim.clause, _actor_of(claim)
    if actor is None or clause.words & (DENIALS | _CONDITIONAL) or clause.verbs & (SAYING | HELPING):
        return None
    if (clause.verbs & PERCEIVING and actor == evidence.agent) or (
        not claim.speaker and any(True for _ in actions_of(clause, evidence.things))
    ):
        return None
    is_vague = not telling_verbs(clause) or clause.words & _PRONOUNS or clause.opening in ASKING
    if not topics_of(clause) and is_vague:
        return None

    def fits(one: Proposition) -> bool:
        is_same = has_same_verb(clause, one) and one.clause.is_negated == clause.is_negated
        return is_same and shares_topic(clause, one)

    near = closest(claim.clause, evidence, fits)
    if clause.passive and any(actor in one.clause.names for one in near):
        return None
    actors = {one.subject for one in near}
    is_own = not is_named(clause) and any(actor == one.speaker for one in near)
    if not near or None in actors or actor in actors or is_own:
        return None
    return "wrong-person", f"{display_names(evidence, actors)} did this, not {display_names(evidence, [actor])}."


def wrong_object(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whom or what an act is said to have been done to, if the lines have another."""
    clause = claim.clause
    if clause.subject is None or clause.passive:
        return None
    verbs = telling_verbs(clause)
    near = [
        one for one in evidence.with_any(verbs) if verbs & one.clause.verbs and one.subject in (None, clause.subject)
    ]
    if not near or any(one.subject is None or one.clause.words & _PRONOUNS for one in near):
        return None
    others = {token.value for token in clause.tokens if token.kind == NAME} - {clause.subject, evidence.agent}
    told = [one.clause.names - {clause.subject} for one in near]
    if others and all(told) and not any(others & (names | one.people) for names, one in zip(told, near, strict=True)):
        return (
            "wrong-person",
            f"the memories have {display_names(evidence, told[0])} here, not {display_names(evidence, others)}.",
        )
    owned = _owned(clause, evidence)
    same = [_owned(one.clause, evidence) for one in near]
    words = {stem(word) for name in owned for word in name.split()}
    if owned and any(same) and not any(words & one.items for one in near):
        return "wrong-thing", f"the memories have no {display_names(evidence, owned)} here: {near[0].clause.text!r}."
    return None


def _owned(clause: Clause, evidence: Evidence) -> set[str]:
    """Return the things in a clause, and what is said to be somebody's in it."""
    things = {thing for _, thing in evidence.things.within(clause.tokens)}
    return things or {noun for _, noun in clause.owners if noun not in LIGHT}


def swapped_persons(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether a clause has two people the other way round than every line that has what it tells."""
    clause, who = claim.clause, claim.clause.subject
    if who is None or clause.passive or person_behind(clause, ("with", "by")):
        return None
    main = main_verb(clause)
    near = closest(claim.clause, evidence, lambda one: evidence.agent not in (one.subject, one.speaker))
    near = [one for one in near if main and main in (main_verb(one.clause), *(one.items - one.clause.verbs))]
    if _is_mirrored(clause, near):
        return "wrong-person", f"the memories have it the other way round: {near[0].clause.text!r}."
    return None


def _is_mirrored(clause: Clause, told: Sequence[Proposition]) -> bool:
    who, others = clause.subject, clause.names - {clause.subject}
    return bool(told) and all(one.subject in others and one.subject != who and who in one.clause.names for one in told)
