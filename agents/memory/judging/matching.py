"""Which lines of the source a clause of a summary retells, and whose words it says that it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from agents.memory.judging.account import (
    Account,
    Proposition,
    person_behind,
)
from agents.memory.judging.clauses import Clause
from agents.memory.judging.english import (
    BE,
    FUNCTION_WORDS,
    LIGHT,
    SAYING,
)
from agents.memory.judging.tokens import MARK, NAME

Fault = tuple[str, str]
_NEAR = 0.7
WHOLE, COVERED, HALF_COVERED = 0.9, 0.5, 0.35
_MIN_STRENGTH = 1.5
_CONTENT_OPENINGS = frozenset("that whether if how why what where when".split())


@dataclass(frozen=True)
class Said:
    """A clause of a summary. `speaker` is whose words it gives, None if it gives nobody's or nobody knows whose.

    `is_hedged` if its sentence denies or leaves open without a `not`, `is_open` if another clause of it has one.
    """

    clause: Clause
    speaker: str | None = None
    is_hedged: bool = False
    is_open: bool = False


def attributed(sentence: Sequence[Clause]) -> list[Said]:
    """Return the clauses of a sentence with whose words they give."""
    found: list[Said] = []
    speaker: str | None = None
    for clause in sentence:
        if by := _according_to(clause):
            found.append(Said(clause, by))
            speaker = by
            continue
        at = next((at for at in clause.verb_places if clause.tokens[at].value in SAYING), None)
        if at is None:
            if clause.opening in ("but", ";", "so") or (clause.opening == "and" and clause.subject):
                speaker = None
            found.append(Said(clause, speaker))
            continue
        outer = speaker if clause.opening in _CONTENT_OPENINGS else None
        speaker = _speaker(clause, at) or outer
        has_content = _has_content(clause, at)
        found.append(Said(clause, speaker if has_content else None))
        if not has_content and clause is sentence[-1] and len(sentence) > 1:
            found = [replace(one, speaker=one.speaker or speaker) for one in found]
    return found


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


def shared_topics(clause: Clause, one: Proposition, account: Account) -> set[str]:
    """Return what tells something and stands in both, but for people."""
    return {item for item in clause.items & one.items if item not in LIGHT and item not in account.people}


def _strength(clause: Clause, one: Proposition, account: Account) -> float:
    """Return how many things say that a clause retells a proposition: half of one for light words and for people."""
    shared = clause.items & one.items - {f"@{clause.subject}", f"@{account.agent}"}
    light = sum(item in LIGHT or item in account.people for item in shared)
    around = sum(item not in LIGHT for item in clause.items & one.around - one.items)
    same = clause.subject is not None and clause.subject == one.subject and bool(clause.verbs & one.clause.verbs)
    return len(shared) - 0.5 * light + 0.5 * around + 0.5 * same


def closest(
    said: Said, account: Account, keep: Callable[[Proposition], bool], covered: float = COVERED
) -> list[Proposition]:
    """Return the propositions that a clause retells, as far as can be told; none if nothing is near enough."""
    clause = said.clause
    items = clause.items - account.people
    known = sum(account.worth(item) for item in items)
    rows = [
        (share, one)
        for share, one in account.closest(items)
        if keep(one) and shared_topics(clause, one, account) and _strength(clause, one, account) >= _MIN_STRENGTH
    ]
    if not rows or rows[0][0] < covered * known:
        return []
    return [one for share, one in rows if share >= _NEAR * rows[0][0]]


def any_proposition(one: Proposition) -> bool:
    """Keep every proposition."""
    return True


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


def called(account: Account, names: Iterable[str | None]) -> str:
    """Return names as an objection has them: the agent itself is `I`, as in the summary."""
    return " or ".join(sorted("I" if name == account.agent else name for name in names if name))
