"""Modality and negation: what a clause tells as real, and what as asked, promised, thought, possible or denied."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from agents.memory.english import (
    AUXILIARIES,
    BASES,
    BE,
    DENIALS,
    FUNCTION_WORDS,
    IRREGULAR,
    MODALS,
    NOBODY,
    SUBJECT_PRONOUNS,
    is_negation,
    stems,
)
from agents.memory.judging.clauses import Clause
from agents.memory.judging.tokens import MARK, NAME, WORD, Token

_PERFECT = frozenset("have has had having".split())
_HEARING = stems("hear think believe suspect guess expect assume")
_CONDITIONS = frozenset({"if", "whether", "unless"})
_ORDERS = (BASES | frozenset("open keep ask follow do don't let".split())) - {"put", "cut", "read"}
_FUTURE = MODALS - {"to"}
_WISHING = stems("ask beg want wish hope plan mean intend offer promise refuse decline try need threaten")
"""Verbs that wish or plan: the act behind one of them need not have happened."""


def is_realized(clause: Clause, at: int) -> bool:
    """Return whether a verb of a clause tells a deed: not a state, the future, a request, an intention or a denial."""
    tokens = clause.tokens
    before = [token.word for token in tokens[max(0, at - 4) : at]]
    if clause.opening in ("if", "whether", "unless", "until", "before") or MODALS & set(before):
        return False
    if any(map(is_negation, before)) or any(word.endswith("'ll") for word in before):
        return False
    if any(token.value in _WISHING and token.word not in AUXILIARIES for token in tokens[:at]):
        return False  # she wants a letter written
    word = tokens[at].word
    is_past = word.endswith("ed") or (word in IRREGULAR and not word.endswith(("s", "ing")))
    return is_past or bool(_PERFECT & set(before))


def asserted_verbs(clause: Clause) -> frozenset[str]:
    """Return the stems of the verbs that a clause tells as real: none behind `to`, in an order or a question.

    What is denied counts as told.
    """
    first = max((at for at, token in enumerate(clause.tokens) if token.kind == MARK), default=0)
    places = [at for at in clause.verb_places if not _is_governed(clause.tokens, at)]
    if is_order(clause):
        places = [at for at in places if at > first > 1]  # write that the bridge is open
    elif is_nonfactual(clause):
        places = []
    return frozenset(clause.tokens[at].value for at in places)


def _is_governed(tokens: Sequence[Token], at: int) -> bool:
    before = [token.word for token in tokens[max(0, at - 3) : at]]
    if before[-2:] == ["used", "to"]:
        return False
    return bool(before) and (before[-1] == "to" or ("to" in before and before[-1].endswith("ly")))


def is_nonfactual(clause: Clause) -> bool:
    """Return whether a clause of somebody's words tells nothing real: a question, an order, a plan, a condition."""
    words = [token.word for token in clause.tokens if token.kind != MARK and token.written != "May"]
    is_asked = clause.is_asked or (words[0] in AUXILIARIES and bool(SUBJECT_PRONOUNS & set(words[1:3])))
    is_condition = clause.opening in _CONDITIONS
    return is_order(clause) or is_planned(clause) or is_asked or is_condition or "please" in words


def is_order(clause: Clause) -> bool:
    """Return whether a clause orders or asks for something, with or without the name of who is to do it."""
    words = [token.word for token in clause.tokens if token.kind != MARK]
    is_called = clause.tokens[0].kind == NAME and len(clause.tokens) > 1 and clause.tokens[1].kind == MARK
    return not clause.subject and bool(set(words[is_called : is_called + 1]) & _ORDERS)


def is_planned(clause: Clause) -> bool:
    """Return whether a clause tells what will, may, shall or was to be."""
    words = [token.word for token in clause.tokens if token.kind != MARK and token.written != "May"]
    if _FUTURE & set(words) or any(word.endswith("'ll") for word in words):
        return True
    return any(behind == "to" and (word in BE or word == "going") for word, behind in pairwise(words))


def is_hedged(sentence: Sequence[Clause]) -> bool:
    """Return whether a sentence denies or leaves open without a `not`: it may say either."""
    return any(clause.words & DENIALS for clause in sentence)


def is_hearsay(sentence: Sequence[Clause], agent: str) -> bool:
    """Return whether a sentence tells what somebody else than the agent has heard or thinks."""
    return any(clause.verbs & _HEARING and clause.subject not in (None, agent) for clause in sentence)


def denied(clause: Clause) -> frozenset[str]:
    """Return the stems of the words behind a `not` or `no`, and what nobody did."""
    words = [token.word for token in clause.tokens]
    places = [at for at, word in enumerate(words) if word in ("not", "never", "cannot", "no") or word.endswith("n't")]
    places = [at for at in places if words[at + 1 : at + 2] not in (["longer"], ["more"])]
    behind = ([one for one in clause.tokens[at + 1 : at + 4] if _tells(one)] for at in places)
    denied = {found[0].value for found in behind if found}
    return frozenset(denied | (clause.verbs if clause.words & NOBODY else set()))


def _tells(token: Token) -> bool:
    return token.kind == WORD and token.word not in FUNCTION_WORDS and not token.word.endswith("ly")
