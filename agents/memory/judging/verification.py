"""The summary verifier: each claim of a summary is held against the evidence that tells most nearly the same.

Only what is clear on both sides counts against a summary; what the rules cannot read passes. They read English. The
verdict on the whole is in `agents.memory.gate`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.memory.english import SAYING
from agents.memory.judging.circumstances import (
    disputed_as_fact,
    strange_thing,
    told_as_fact,
    wrong_denial,
    wrong_number,
    wrong_place,
    wrong_time,
)
from agents.memory.judging.clauses import CONTENT_OPENINGS, Clause, Discourse, read
from agents.memory.judging.events import person_behind
from agents.memory.judging.evidence import Evidence
from agents.memory.judging.matching import Claim, Fault
from agents.memory.judging.modality import is_hearsay, is_hedged
from agents.memory.judging.participants import (
    grave_event,
    self_as_other,
    swapped_persons,
    unknown_person,
    wrong_action,
    wrong_object,
    wrong_owner,
    wrong_speaker,
    wrong_subject,
    wrong_transfer,
)
from agents.memory.judging.tokens import NAME

RULES = (
    unknown_person,
    self_as_other,
    wrong_transfer,
    wrong_action,
    wrong_speaker,
    wrong_subject,
    swapped_persons,
    wrong_object,
    wrong_denial,
    grave_event,
    wrong_owner,
    wrong_place,
    strange_thing,
    wrong_number,
    wrong_time,
    told_as_fact,
    disputed_as_fact,
)


def claim_faults(text: str, evidence: Evidence) -> Iterator[Fault]:
    """Yield the faults of a summary against its source: persons, places, numbers, denials and grave acts."""
    for _, faults in faults_by_sentence(text, evidence):
        yield from faults


def faults_by_sentence(text: str, evidence: Evidence) -> Iterator[tuple[int, list[Fault]]]:
    """Yield for each sentence of a summary where it begins, and what it tells otherwise than its source."""
    it = ""
    discourse = Discourse(evidence.gazetteer.people, evidence.agent)
    for sentence in read(text, evidence.gazetteer, discourse):
        reported = any(clause.verbs & SAYING for clause in sentence)
        denials = [clause.is_negated for clause in sentence]
        hedged = is_hedged(sentence) or is_hearsay(sentence, evidence.agent)
        faults: list[Fault] = []
        for claim in attributed_claims(sentence):
            others = sum(denials) > claim.clause.is_negated
            clear = replace(claim, is_hedged=hedged, is_open=others, is_reported=reported, it=it)
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


def attributed_claims(sentence: Sequence[Clause]) -> list[Claim]:
    """Return the clauses of a sentence with whose words they give."""
    found: list[Claim] = []
    speaker: str | None = None
    for clause in sentence:
        at = next((at for at in clause.verb_places if _is_told(clause, at)), None)
        if at is None:
            if clause.opening in ("but", ";", "so") or (clause.opening == "and" and clause.subject):
                speaker = None
            found.append(Claim(clause, speaker))
            continue
        outer = speaker if clause.opening in CONTENT_OPENINGS else None
        speaker = _speaker(clause, at) or outer
        found.append(Claim(clause, speaker))
    return found


def _is_told(clause: Clause, at: int) -> bool:
    """Return whether a verb says that somebody says something, and not that they are to."""
    return clause.tokens[at].value in SAYING and not (at == 1 and clause.tokens[0].word == "to")


def _speaker(clause: Clause, at: int) -> str | None:
    if clause.passive:
        return person_behind(clause, ("by",), at)
    behind = clause.tokens[at + 1] if at + 1 < len(clause.tokens) else None
    if at == 0 and behind and behind.kind == NAME and not behind.owns and clause.tokens[at].word.endswith(("s", "id")):
        return behind.value  # says Tomas
    return clause.subject
