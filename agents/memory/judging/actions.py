"""Rules on actions: whether an action told as done agrees with the events that the world has told."""

from __future__ import annotations

from agents.memory.english import stem, stems
from agents.memory.judging.clauses import Clause
from agents.memory.judging.details import is_located
from agents.memory.judging.events import GIVE, TAKE, Action, Transfer, actions_of, transfers_of
from agents.memory.judging.evidence import Evidence
from agents.memory.judging.matching import Claim, Fault, display_names, is_named, shares_topic
from agents.memory.judging.modality import is_realized

TRADING = stems("sell buy trade")
GRAVE_EVENTS = (
    (stems("die drown"), stems("die drown"), True),
    (stems("kill murder stab poison"), stems("kill murder stab poison die"), True),
    (stems("steal rob"), stems("steal rob theft thief"), True),
    (stems("marry wed"), stems("marry wed wife husband bride"), False),
    (TRADING, stems("sell buy trade sale pay price cost owe penny silver coin"), False),
)
"""Grave events: their stems, the stems in a line that bear them out, and whether the line has to be about the doer."""


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
        match action.kind:
            case "go":
                fault = _wrong_way(action, evidence)
            case "find" | "follow":
                continue
            case _:
                fault = _wrong_handling(action, evidence)
        if fault:
            return fault
    return None


def _wrong_way(action: Action, evidence: Evidence) -> Fault | None:
    seen = evidence.where[f"@{action.actor}"]
    known = evidence.visited[action.actor] | {place for place, lines in evidence.places.items() if lines & seen}
    if action.place not in known:
        return (
            "wrong-place",
            f"no memory has {display_names(evidence, [action.actor])} going to {action.place} or coming from there.",
        )
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
    for kind, signs, is_personal in GRAVE_EVENTS:
        if not said_stems & kind:
            continue
        told = evidence.with_any(signs)
        if kind == TRADING and any(is_realized(clause, at) for at in clause.verb_places):
            told = [one for one in told if one.asserted and shares_topic(clause, one)]
        if not told:
            return "invented-event", "no memory tells of such an act."
        who = clause.subject if is_named(clause) else None
        if is_personal and who and not any(who in one.clause.names or who == one.subject for one in told):
            return "invented-event", f"no memory tells this of {display_names(evidence, [who])}."
    return None
