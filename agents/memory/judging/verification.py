"""Verification: each claim of a summary is held against the evidence that tells most nearly the same.

Only what is clear on both sides counts against a summary; what the rules cannot read passes. They read English.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agents.memory.english import DENIALS, SAYING
from agents.memory.judging.actions import grave_event, never_met, wrong_action, wrong_transfer
from agents.memory.judging.clauses import read
from agents.memory.judging.coreference import Discourse
from agents.memory.judging.details import strange_thing, wrong_number, wrong_owner, wrong_place, wrong_time, wrong_topic
from agents.memory.judging.evidence import Evidence
from agents.memory.judging.matching import Claim, Fault, attributed_claims
from agents.memory.judging.persons import (
    self_as_other,
    swapped_persons,
    unknown_person,
    wrong_complement,
    wrong_object,
    wrong_partner,
    wrong_promise,
    wrong_speaker,
    wrong_speech_act,
    wrong_subject,
)
from agents.memory.judging.polarity import opposite, told_as_fact, wrong_denial, wrong_quantity


def claim_faults(text: str, evidence: Evidence) -> Iterator[Fault]:
    """Yield what a summary tells otherwise than its source: persons, places, numbers, denials and grave deeds."""
    for _, faults in faults_by_sentence(text, evidence):
        yield from faults


def faults_by_sentence(text: str, evidence: Evidence) -> Iterator[tuple[int, list[Fault]]]:
    """Yield for each sentence of a summary where it begins, and what it tells otherwise than its source."""
    it = ""
    discourse = Discourse(evidence.gazetteer.people, evidence.agent, genders=dict(evidence.genders))
    for sentence in read(text, evidence.gazetteer, discourse):
        words = {token.word for clause in sentence for token in clause.tokens}
        reported = any(clause.verbs & SAYING for clause in sentence)
        denials = [clause.is_negated for clause in sentence]
        faults: list[Fault] = []
        for claim in attributed_claims(sentence):
            others = sum(denials) > claim.clause.is_negated
            clear = replace(claim, is_hedged=bool(words & DENIALS), is_open=others, is_reported=reported, it=it)
            faults += _clause_faults(clear, evidence)
            named = [thing for _, thing in evidence.things.within(claim.clause.tokens)]
            it = named[-1] if named else it
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
    swapped_persons,
    wrong_partner,
    wrong_complement,
    wrong_object,
    wrong_denial,
    wrong_quantity,
    opposite,
    grave_event,
    wrong_owner,
    wrong_place,
    wrong_topic,
    strange_thing,
    wrong_number,
    wrong_time,
    told_as_fact,
)
