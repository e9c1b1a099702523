"""Matching: whose words a claim gives, and which propositions of the evidence it retells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from agents.memory.english import BE, FUNCTION_WORDS, LIGHT, SAYING, stems
from agents.memory.judging.clauses import CONTENT_OPENINGS, Clause
from agents.memory.judging.events import person_behind
from agents.memory.judging.evidence import Evidence, Proposition
from agents.memory.judging.tokens import MARK, NAME

WHOLE, COVERED, HALF_COVERED = 0.9, 0.5, 0.35
"""The shares of a clause's content that a line has to tell in order to retell it."""

_NEAR = 0.7
_MIN_STRENGTH = 1.5
Fault = tuple[str, str]
"""A reason, and a sentence that says what is wrong."""

PERCEIVING = stems("see hear watch notice")
SPEECH_ACTS = stems(
    "thank offer invite complain apologise greet wonder demand request beg confess promise wish "
    "congratulate urge advise"
)
"""Verbs of what is done by words alone."""


@dataclass(frozen=True)
class Claim:
    """A clause of a summary. `speaker` is the person whose words it gives; None if there is none or it is unknown.

    `is_hedged` is true if its sentence denies or leaves open without a `not`, `is_open` if another clause of it does.
    `is_reported` is true if one of its clauses says that somebody says something. `it` is the thing that this word
    means.
    """

    clause: Clause
    speaker: str | None = None
    is_hedged: bool = False
    is_open: bool = False
    is_reported: bool = False
    it: str = ""


def attributed_claims(sentence: Sequence[Clause]) -> list[Claim]:
    """Return the clauses of a sentence with whose words they give."""
    found: list[Claim] = []
    speaker: str | None = None
    for clause in sentence:
        if by := _according_to(clause):
            found.append(Claim(clause, by))
            speaker = by
            continue
        at = next((at for at in clause.verb_places if _is_told(clause, at)), None)
        if at is None:
            if clause.opening in ("but", ";", "so") or (clause.opening == "and" and clause.subject):
                speaker = None
            found.append(Claim(clause, speaker))
            continue
        outer = speaker if clause.opening in CONTENT_OPENINGS else None
        speaker = _speaker(clause, at) or outer
        has_content = _has_content(clause, at)
        found.append(Claim(clause, speaker if has_content else None))
        if not has_content and clause is sentence[-1] and len(sentence) > 1:
            found = [replace(one, speaker=one.speaker or speaker) for one in found]
    return found


def _is_told(clause: Clause, at: int) -> bool:
    """Return whether a verb says that somebody says something, and not that they are to."""
    return clause.tokens[at].value in SAYING and not (at == 1 and clause.tokens[0].word == "to")


def _has_content(clause: Clause, at: int) -> bool:
    """Return whether a clause itself tells what was said, behind the verb and whom it was said to."""
    begin = at + 2 if at + 1 < len(clause.tokens) and clause.persons[at + 1] else at + 1
    return any(token.word not in FUNCTION_WORDS and token.kind != MARK for token in clause.tokens[begin:])


def _according_to(clause: Clause) -> str | None:
    for at, token in enumerate(clause.tokens[:-2]):
        if token.word == "according":
            return clause.persons[at + 2]
    return None


def _speaker(clause: Clause, at: int) -> str | None:
    if clause.passive:
        return person_behind(clause, ("by",), at)
    behind = clause.tokens[at + 1] if at + 1 < len(clause.tokens) else None
    if at == 0 and behind and behind.kind == NAME and not behind.owns and clause.tokens[at].word.endswith(("s", "id")):
        return behind.value  # says Tomas
    return clause.subject


def telling_verbs(clause: Clause) -> frozenset[str]:
    """Return the verbs of a clause that not everything has."""
    return frozenset(verb for verb in clause.verbs if verb not in LIGHT)


def has_same_verb(clause: Clause, one: Proposition) -> bool:
    """Return whether both have a verb in common that tells something, or neither need have any."""
    verbs = telling_verbs(clause) - SAYING
    if clause.verbs & SAYING and not verbs:
        return True
    if verbs:
        return bool(verbs & telling_verbs(one.clause))
    return bool(BE & clause.words or clause.verbs & one.clause.verbs)


def is_named(clause: Clause) -> bool:
    """Return whether a clause names its subject, and does not only mean it by a pronoun."""
    return any(token.value == clause.subject for token in clause.tokens)


def shares_topic(clause: Clause, one: Proposition) -> bool:
    """Return whether both speak of the same beside the verb, or a clause speaks of nothing else."""
    topics = topics_of(clause)
    return not topics or bool(topics & (one.items | one.around))


def topics_of(clause: Clause) -> set[str]:
    return {item for item in clause.items - clause.verbs if item not in LIGHT and item[0] not in "@%#"}


def _has_topic(clause: Clause, one: Proposition, evidence: Evidence) -> bool:
    """Return whether both have something that tells, but for people; or the same is done by the same to the same."""
    shared = clause.items & one.items
    if any(item not in LIGHT and item not in evidence.people for item in shared):
        return True
    others = shared & evidence.people - {f"@{clause.subject}", f"@{evidence.agent}"}
    return bool(others) and clause.subject == one.subject and bool(clause.verbs & one.clause.verbs)


def _strength(clause: Clause, one: Proposition, evidence: Evidence) -> float:
    """Return how many things say that a clause retells a proposition: half of one for light words and for people."""
    shared = clause.items & one.items - {f"@{clause.subject}", f"@{evidence.agent}"}
    light = sum(item in LIGHT or item in evidence.people for item in shared)
    around = sum(item not in LIGHT for item in clause.items & one.around - one.items)
    verbs = clause.verbs & one.clause.verbs
    same = bool(verbs - LIGHT) or (bool(verbs) and clause.subject is not None and clause.subject == one.subject)
    is_same = bool(BE & clause.words and BE & one.clause.words) and clause.subject is not None
    same = same or (is_same and clause.subject == one.subject)
    return len(shared) - 0.5 * light + 0.5 * around + 0.5 * same


def closest(
    clause: Clause, evidence: Evidence, keep: Callable[[Proposition], bool], covered: float = COVERED
) -> list[Proposition]:
    """Return the propositions that a clause retells, as far as can be told; none if nothing is near enough."""
    items = clause.items - evidence.people
    known = sum(evidence.worth(item) for item in items)
    rows = [
        (share, one)
        for share, one in evidence.closest(items)
        if keep(one) and _has_topic(clause, one, evidence) and _strength(clause, one, evidence) >= _MIN_STRENGTH
    ]
    if not rows or rows[0][0] < covered * known:
        return []
    return [one for share, one in rows if share >= _NEAR * rows[0][0]]


def any_proposition(one: Proposition) -> bool:
    """Keep every proposition."""
    return True


def is_telling(clause: Clause, one: Proposition, evidence: Evidence) -> bool:
    """Return whether what two clauses share tells enough although their verb may be that of anything."""
    shared = clause.items & one.items - {f"@{clause.subject}"} - LIGHT
    is_same = clause.verbs & one.clause.verbs
    if is_same and any(item[0] not in "@%#" and evidence.is_rare(item) for item in shared):
        return True
    is_same = is_same or (BE & clause.words and BE & one.clause.words)
    return len({item for item in shared if item[0] != "%"}) >= (2 if is_same else 3)


def display_names(evidence: Evidence, names: Iterable[str | None]) -> str:
    """Return names as an objection has them: the agent itself is `I`, as in the summary."""
    return " or ".join(sorted("I" if name == evidence.agent else name for name in names if name))
