"""Rules on actions: whether an action told as done agrees with the events that the world has told."""

from __future__ import annotations

from agents.memory.english import stem, stems
from agents.memory.judging.clauses import Clause
from agents.memory.judging.details import is_located
from agents.memory.judging.events import GIVE, TAKE, Action, Transfer, actions_of, transfers_of
from agents.memory.judging.evidence import Evidence
from agents.memory.judging.matching import Claim, Fault, display_names, shares_topic
from agents.memory.judging.modality import is_realized

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
            if fault := _wrong_place_of_gift(one, claim.clause, evidence):
                return fault
            continue
        if one.giver is None and one.receiver is None:
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


def _wrong_place_of_gift(gift: Transfer, clause: Clause, evidence: Evidence) -> Fault | None:
    places = {place for place in clause.places if is_located(clause, place)} & evidence.rooms
    given = [one for one in evidence.events if one.kind == GIVE and one.thing == gift.thing]
    if given and len(places) == 1 and not any(places & one.places for one in given):
        return "wrong-place", f"in the memories the {gift.thing} was not given at {min(places)}."
    return None


def wrong_action(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether the world would have told an act of a clause, and has told it of somebody else, or not at all."""
    if claim.speaker or claim.is_hedged or not evidence.is_whole:
        return None
    for action in actions_of(claim.clause, evidence.things):
        if fault := _wrong_handling(action, evidence):
            return fault
    return None


def _wrong_handling(action: Action, evidence: Evidence) -> Fault | None:
    events = [one for one in evidence.events if one.thing == action.thing]
    did = [one for one in events if (one.kind, one.actor) == (action.kind, action.actor)]
    did += [one for one in events if action.kind == TAKE and one.kind == GIVE and one.other == action.actor]
    if did and action.place in evidence.rooms and not any(action.place in one.places for one in did):
        return "wrong-place", f"the memories do not have the {action.thing} at {action.place} here."
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
