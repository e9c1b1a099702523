"""Which lines a clause retells, whose words it gives, and whether its places, things and numbers are theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from agents.memory.english import (
    BE,
    DETERMINERS,
    FUNCTION_WORDS,
    LIGHT,
    PREPOSITIONS,
    SAYING,
    TIMES,
    stems,
)
from agents.memory.judging.claims import MARK, NAME, NUMBER, UNCOUNTED, Token
from agents.memory.judging.clauses import Clause
from agents.memory.judging.evidence import (
    GIVING,
    Account,
    Proposition,
    counted,
    numbered,
    person_behind,
)

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


FACE_TO_FACE = SAYING | GIVING | stems("meet talk speak")


def wrong_place(said: Said, account: Account) -> Fault | None:
    clause = said.clause
    for place in clause.places:
        there = account.places.get(place, set())
        if not there and (clause.subject or clause.names):
            return "wrong-place", f"no memory is of {place}."
        who, is_there = clause.subject, _is_located(clause, place)
        is_met = who != account.agent and is_there and clause.verbs & FACE_TO_FACE
        if who and is_met and place not in account.present.get(who, {place}):
            return "wrong-place", f"no memory has {who} at {place}."
        if place not in account.rooms:
            continue
        for one in _beside(clause, place, account):
            if (seen := account.where.get(one)) and not seen & there:
                return "wrong-place", f"no memory has {one.lstrip('@')} at {place}."
    return None


def wrong_topic(said: Said, account: Account) -> Fault | None:
    """Return whether the lines have another name behind the same preposition: `in Carrow` for `in Marrow`."""
    pairs = _placed_names(said.clause, account)
    near = (
        [_placed_names(one.clause, account) for one in closest(said, account, any_proposition, HALF_COVERED)]
        if pairs
        else []
    )
    words = {word for word, _ in pairs}
    told = sorted(pair for found in near for pair in found if pair[0] in words)
    if told and not any(name == other for found in near for _, name in found for _, other in pairs):
        return "wrong-place", f"the memories have {' '.join(told[0])} here, not {' '.join(min(pairs))}."
    return None


def _placed_names(clause: Clause, account: Account) -> set[tuple[str, str]]:
    pairs = zip(clause.tokens, clause.tokens[1:], strict=False)
    return {
        (before.word, token.value)
        for before, token in pairs
        if token.kind == NAME and f"@{token.value}" not in account.people and before.word in ("in", "at", "from")
    }


def strange_thing(said: Said, account: Account) -> Fault | None:
    for at, thing in account.things.within(said.clause.tokens, only_whole=True):
        if thing not in account.where and said.clause.tokens[at].word not in account.vocabulary:
            return "wrong-thing", f"no memory tells of the {thing}."
    return None


def _beside(clause: Clause, place: str, account: Account) -> list[str]:
    """Return who and what is named with a place: in the same part of a list, or anywhere if it is the only place."""
    tokens = list(clause.tokens)
    at = next(at for at, token in enumerate(tokens) if token.value == place)
    marks = [number for number, token in enumerate(tokens) if token.kind == MARK]
    begin = max((number for number in marks if number < at), default=-1) + 1
    part = tokens[begin : min((number for number in marks if number > at), default=len(tokens))]
    is_everybodys = len(clause.places) == 1 and _is_located(clause, place)
    return _named(part, account) or (_named(tokens, account) if is_everybodys else [])


def _is_located(clause: Clause, place: str) -> bool:
    """Return whether a clause says that it happened at a place, and not from where or whereto."""
    at = next(at for at, token in enumerate(clause.tokens) if token.value == place)
    words = [token.word for token in clause.tokens[:at] if token.word not in DETERMINERS]
    before = words[-1] if words else ""
    return before in ("in", "on", "at") or before not in PREPOSITIONS


def _named(tokens: Sequence[Token], account: Account) -> list[str]:
    explicit = {f"@{token.value}" for token in tokens if token.kind == NAME} - {f"@{account.agent}"}
    return sorted(explicit | {thing for _, thing in account.things.within(tokens)})


def wrong_number(said: Said, account: Account) -> Fault | None:
    for count, noun in counted(said.clause.tokens):
        known = account.counts.get(noun)
        if known and not {count} & (known | account.uncounted | UNCOUNTED) and noun not in LIGHT:
            return "wrong-number", f"the memories have {called(account, known)} here, not {count}."
    pairs = _number_pairs(said.clause)
    near = [_number_pairs(one.clause) for one in closest(said, account, any_proposition)] if pairs else []
    exact = {pair for pair in pairs if pair[0] in TIMES or pair[0] == "at"} | set(numbered(said.clause.tokens))
    for noun in sorted({noun for noun, _ in pairs}):
        said_numbers = {number for word, number in pairs if word == noun}
        if (noun, min(said_numbers)) not in exact:
            said_numbers -= account.uncounted
        told = {number for found in near for word, number in found if word == noun}
        if told and said_numbers and not told & said_numbers:
            return (
                "wrong-number",
                f"the memories have {noun} {called(account, told)} here, not {called(account, said_numbers)}.",
            )
    return None


def _number_pairs(clause: Clause) -> set[tuple[str, str]]:
    """Return each word with the number that stands beside it: `gate 9`, `silver 40`, `at 7`, `may 3`."""
    pairs = {*numbered(clause.tokens), *((noun, count) for count, noun in counted(clause.tokens))}
    for at, token in enumerate(clause.tokens):
        if token.kind == NUMBER:
            behind = [one.word for one in clause.tokens[at + 1 : at + 3]]
            pairs |= {(word, token.value) for word in behind if word in TIMES}
            if at and clause.tokens[at - 1].word == "at":
                pairs.add(("at", token.value))
    return pairs
