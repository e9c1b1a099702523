"""Rules on order: whether one thing happened before another, by the lines that tell of each."""

from __future__ import annotations

from collections.abc import Sequence

from agents.memory.english import stems
from agents.memory.judging.clauses import Clause
from agents.memory.judging.events import DROP, GIVE, TAKE, actions_of, transfers_of
from agents.memory.judging.evidence import Evidence
from agents.memory.judging.matching import Claim, Fault

_MEETING = stems("meet talk speak see visit join encounter")


def wrong_order(sentence: Sequence[Claim], evidence: Evidence) -> Fault | None:
    """Return whether a sentence has something before or after another that all lines have the other way round."""
    for at, claim in enumerate(sentence):
        opening = claim.clause.opening
        if opening not in ("before", "after") or not evidence.is_whole:
            continue
        behind = [one for one in sentence[at + 1 :] if one.clause.opening in ("", ",") and one.clause.subject]
        for other in (sentence[at - 1 : at] if at else behind)[:1]:
            own, main = _lines_of(claim.clause, evidence), _lines_of(other.clause, evidence)
            first, second = (main, own) if opening == "before" else (own, main)
            if first and second and min(first) > max(second):
                return "wrong-order", f"{other.clause.text!r} did not come {opening} {claim.clause.text!r}."
    return None


def _lines_of(clause: Clause, evidence: Evidence) -> set[int]:
    """Return the lines in which the world tells of what a clause tells; none if that is not clear."""
    if clause.is_negated:
        return set()
    gifts = transfers_of(clause, evidence.things)
    acts = [one for one in actions_of(clause, evidence.things) if one.kind in (TAKE, DROP)]
    found = set[int]()
    for number, event in evidence.events_by_line:
        is_gift = event.kind == GIVE and any(
            one.thing == event.thing and one.receiver in (None, event.other) and one.giver in (None, event.actor)
            for one in gifts
        )
        if is_gift or any((one.kind, one.actor, one.thing) == (event.kind, event.actor, event.thing) for one in acts):
            found.add(number)
    if not found and clause.verbs & _MEETING and clause.subject == evidence.agent:
        met = clause.names - {evidence.agent}
        return {at for at, line in enumerate(evidence.lines) if len(met) == 1 and met <= {*line.people}}
    return found
