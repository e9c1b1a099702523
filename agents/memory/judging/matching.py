"""Matching: the speaker of a claim, and the propositions of the evidence that it retells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agents.memory.english import BE, DETERMINERS, LIGHT, PREPOSITIONS, SAYING, stems
from agents.memory.judging.clauses import CONTENT_OPENINGS, Clause
from agents.memory.judging.events import person_behind
from agents.memory.judging.evidence import Evidence, Proposition
from agents.memory.judging.tokens import NAME

COVERED = 0.5
"""The share of a clause's content that a line has to tell in order to retell it."""

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


def telling_verbs(clause: Clause) -> frozenset[str]:
    """Return the verbs of a clause that not everything has."""
    return frozenset(verb for verb in clause.verbs if verb not in LIGHT)


def has_same_verb(clause: Clause, one: Proposition) -> bool:
    """Return whether both have a verb in common that tells something, or neither need have any."""
    verbs = telling_verbs(clause) - SAYING
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


def _strength(clause: Clause, one: Proposition, evidence: Evidence) -> float:
    """Return how many things say that a clause retells a proposition: half of one for light words and for people."""
    shared = clause.items & one.items - {f"@{clause.subject}", f"@{evidence.agent}"}
    light = sum(item in LIGHT or item in evidence.people for item in shared)
    verbs = clause.verbs & one.clause.verbs
    same = bool(verbs - LIGHT) or (bool(verbs) and clause.subject is not None and clause.subject == one.subject)
    is_same = bool(BE & clause.words and BE & one.clause.words) and clause.subject is not None
    same = same or (is_same and clause.subject == one.subject)
    return len(shared) - 0.5 * light + 0.5 * same


def closest(clause: Clause, evidence: Evidence, keep: Callable[[Proposition], bool]) -> list[Proposition]:
    """Return the propositions that a clause retells, as far as words show; none if nothing is near enough."""
    items = clause.items - evidence.people
    known = sum(evidence.worth(item) for item in items)
    rows = [
        (share, one)
        for share, one in evidence.closest(items)
        if keep(one) and _strength(clause, one, evidence) >= _MIN_STRENGTH
    ]
    if not rows or rows[0][0] < COVERED * known:
        return []
    return [one for share, one in rows if share >= _NEAR * rows[0][0]]


def any_proposition(one: Proposition) -> bool:
    """Keep every proposition."""
    return True


def display_names(evidence: Evidence, names: Iterable[str | None]) -> str:
    """Return names as an objection has them: the agent itself is `I`, as in the summary."""
    return " or ".join(sorted("I" if name == evidence.agent else name for name in names if name))


def is_located(clause: Clause, place: str) -> bool:
    """Return whether a clause says that it happened at a place, and not a way from it or to it."""
    at = next(at for at, token in enumerate(clause.tokens) if token.value == place)
    words = [token.word for token in clause.tokens[:at] if token.word not in DETERMINERS]
    before = words[-1] if words else ""
    return before in ("in", "on", "at") or before not in PREPOSITIONS


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
