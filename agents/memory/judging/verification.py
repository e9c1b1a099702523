"""The summary verifier: each claim of a summary is held against the evidence that tells most nearly the same.

Only what is clear on both sides counts against a summary; what the rules cannot read passes. They read English. The
verdict on the whole is in `agents.memory.gate`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agents.memory.english import SAYING
from agents.memory.judging.actions import grave_event, never_met, wrong_action, wrong_transfer
from agents.memory.judging.clauses import read
from agents.memory.judging.coreference import Discourse
from agents.memory.judging.details import (
    strange_thing,
    wrong_day,
    wrong_number,
    wrong_owner,
    wrong_place,
    wrong_time,
    wrong_topic,
    wrong_unit,
)
from agents.memory.judging.evidence import Evidence
from agents.memory.judging.matching import Claim, Fault, attributed_claims
from agents.memory.judging.modality import is_hearsay, is_hedged
from agents.memory.judging.order import wrong_order
from agents.memory.judging.persons import (
    self_as_other,
    swapped_persons,
    unknown_person,
    unnamed_actor,
    wrong_addressee,
    wrong_complement,
    wrong_object,
    wrong_partner,
    wrong_promise,
    wrong_relation,
    wrong_speaker,
    wrong_speech_act,
    wrong_subject,
)
from agents.memory.judging.polarity import (
    asked_as_fact,
    disputed_as_fact,
    opposite,
    rumour_as_fact,
    told_as_fact,
    wrong_denial,
    wrong_quantity,
)


def claim_faults(text: str, evidence: Evidence) -> Iterator[Fault]:
    """Yield the faults of a summary against its source: persons, places, numbers, denials and grave acts."""
    for _, faults in faults_by_sentence(text, evidence):
        yield from faults


def faults_by_sentence(text: str, evidence: Evidence) -> Iterator[tuple[int, list[Fault]]]:
    """Yield for each sentence of a summary where it begins, and what it tells otherwise than its source."""
    it = ""
    discourse = Discourse(evidence.gazetteer.people, evidence.agent, genders=dict(evidence.genders))
    for sentence in read(text, evidence.gazetteer, discourse):
        reported = any(clause.verbs & SAYING for clause in sentence)
        denials = [clause.is_negated for clause in sentence]
        hedged = is_hedged(sentence) or is_hearsay(sentence, evidence.agent)
        faults: list[Fault] = []
        claims = attributed_claims(sentence)
        for claim in claims:
            others = sum(denials) > claim.clause.is_negated
            clear = replace(claim, is_hedged=hedged, is_open=others, is_reported=reported, it=it)
            faults += _clause_faults(clear, evidence)
            named = [thing for _, thing in evidence.things.within(claim.clause.tokens)]
            it = named[-1] if named else it
        if not faults and (late := wrong_order(claims, evidence)):
            faults.append(late)
        yield min(clause.start for clause in sentence), faults


def _clause_faults(claim: Claim, evidence: Evidence) -> Iterator[Fault]:
    for rule in RULES:
        if why := rule(claim, evidence):
            reason, detail = why
            yield reason, f"{claim.clause.text!r}: {detail}"
            return


RULES = (
    unknown_person,
    self_as_other,
    wrong_transfer,
    wrong_action,
    never_met,
    wrong_speaker,
    wrong_speech_act,
    wrong_promise,
    wrong_subject,
    unnamed_actor,
    wrong_addressee,
    swapped_persons,
    wrong_partner,
    wrong_complement,
    wrong_object,
    wrong_denial,
    wrong_quantity,
    opposite,
    grave_event,
    wrong_owner,
    wrong_relation,
    wrong_place,
    wrong_topic,
    strange_thing,
    wrong_number,
    wrong_time,
    wrong_unit,
    wrong_day,
    told_as_fact,
    rumour_as_fact,
    asked_as_fact,
    disputed_as_fact,
)
