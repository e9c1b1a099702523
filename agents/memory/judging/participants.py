"""Rules on participants: who spoke, who did what to whom, and who owns what."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from agents.memory.english import BE, DENIALS, LIGHT, MUTUAL, SAYING, stem, stems
from agents.memory.judging.clauses import Clause
from agents.memory.judging.entities import folded
from agents.memory.judging.events import (
    GIVE,
    TAKE,
    Action,
    Event,
    actions_of,
    is_realized,
    main_verb,
    person_behind,
    transfers_of,
)
from agents.memory.judging.evidence import Evidence, Proposition
from agents.memory.judging.matching import (
    PERCEIVING,
    Claim,
    Fault,
    any_proposition,
    closest,
    display_names,
    has_same_verb,
    is_located,
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
    """Return a fault if the agent is said to do something to itself, as if its name were somebody else's."""
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
    """Return a fault if the lines have another person or thing that an act was done to."""
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
    """Return a fault if a clause has two people the other way round than every line that has what it tells."""
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


TRADING = stems("sell buy trade")
GRAVE_EVENTS = (
    (stems("die drown"), stems("die drown")),
    (stems("kill murder stab poison"), stems("kill murder stab poison die")),
    (stems("steal rob"), stems("steal rob theft thief")),
    (stems("marry wed"), stems("marry wed wife husband bride")),
    (TRADING, stems("sell buy trade sale pay price cost owe penny silver coin")),
)
"""Grave events, and what in a line bears them out."""


def wrong_transfer(claim: Claim, evidence: Evidence) -> Fault | None:
    for one in transfers_of(claim.clause, evidence.things, it=claim.it):
        events = evidence.transfers.get(one.thing, set())
        if any(one.agrees(other) for other in events):
            given = [event for event in evidence.events if (event.kind, event.thing) == (GIVE, one.thing)]
            if fault := _wrong_place_of(given, claim.clause, evidence):
                return fault
            continue
        if events:
            told = min(events, key=lambda event: (event.giver is None, event.receiver is None, str(event)))
            who = display_names(evidence, [told.giver]) or "somebody"
            whom = "me" if told.receiver == evidence.agent else told.receiver or "somebody"
            return "wrong-person", f"in the memories {who} gave the {one.thing} to {whom}."
        if one.giver and one.receiver:
            giver = display_names(evidence, [one.giver])
            return "invented-event", f"no memory tells that {giver} gave the {one.thing} to {one.receiver}."
    return None


def _wrong_place_of(events: Sequence[Event], clause: Clause, evidence: Evidence) -> Fault | None:
    """Return a fault if a clause puts events in a room where none of them was."""
    places = {place for place in clause.places if is_located(clause, place)} & evidence.rooms
    if events and len(places) == 1 and not any(places & one.places for one in events):
        return "wrong-place", f"the memories do not have the {events[0].thing} at {min(places)} here."
    return None


def wrong_action(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return a fault if the world tells an act of a clause of somebody else, or not at all."""
    if claim.speaker or claim.is_hedged or not evidence.is_whole:
        return None
    for action in actions_of(claim.clause, evidence.things):
        if fault := _wrong_handling(action, claim.clause, evidence):
            return fault
    return None


def _wrong_handling(action: Action, clause: Clause, evidence: Evidence) -> Fault | None:
    events = [one for one in evidence.events if one.thing == action.thing]
    did = [one for one in events if (one.kind, one.actor) == (action.kind, action.actor)]
    did += [one for one in events if action.kind == TAKE and one.kind == GIVE and one.other == action.actor]
    if fault := _wrong_place_of(did, clause, evidence):
        return fault
    if did or _speaks_of(action, evidence):
        return None
    others, who = {one.actor for one in events if one.kind == action.kind}, display_names(evidence, [action.actor])
    if others:
        return "wrong-person", f"{display_names(evidence, others)} did this with the {action.thing}, not {who}."
    return "invented-event", f"no memory has {who} doing this with the {action.thing}."


def _speaks_of(action: Action, evidence: Evidence) -> bool:
    told = evidence.with_any({stem(action.thing.rpartition(" ")[2])})
    told = [one for one in told if one.subject == action.actor and evidence.lines[one.line].speaker]
    return any(action.actor != evidence.agent or one.speaker != evidence.agent for one in told)


def grave_event(claim: Claim, evidence: Evidence) -> Fault | None:
    clause = claim.clause
    if clause.is_negated or claim.is_open or claim.is_hedged:
        return None
    said_stems = {clause.tokens[at].value for at in clause.verb_places}
    said_stems |= {token.value for token in clause.tokens if token.word == "dead"}
    for kind, signs in GRAVE_EVENTS:
        if not said_stems & kind:
            continue
        told = evidence.with_any(signs)
        if kind == TRADING and any(is_realized(clause, at) for at in clause.verb_places):
            told = [one for one in told if one.asserted and shares_topic(clause, one)]
        if not told:
            return "invented-event", "no memory tells of such an act."
    return None


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


RULES = (
    unknown_person,
    self_as_other,
    wrong_transfer,
    wrong_action,
    wrong_speaker,
    wrong_subject,
    swapped_persons,
    wrong_object,
    grave_event,
    wrong_owner,
)
