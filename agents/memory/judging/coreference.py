"""Coreference: whom a pronoun stands for, as far as that is clear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from agents.memory.english import PREPOSITIONS
from agents.memory.judging.tokens import NAME, Token

THIRD_PERSONS = frozenset("he him his himself she her hers herself".split())
SOMEBODY = ""
"""The mark among the names for a person whose name is unknown."""


@dataclass
class Discourse:
    """Of whom there was talk last: `before` are those of the sentence before.

    `i` and `you` are who is meant by these words, None if nobody knows.
    """

    people: frozenset[str]
    i: str | None = None
    you: str | None = None
    before: list[str] = field(default_factory=list)


def resolved_persons(tokens: list[Token], named: list[str], discourse: Discourse) -> Iterator[str | None]:
    """Yield who is meant by each word: a name, or whom a pronoun stands for."""
    known = list(named)
    for at, token in enumerate(tokens):
        if is_person(tokens, at, discourse.people):
            known.append(token.value)
        yield token.value if token.kind == NAME else _meant(token.word, known, discourse)


def is_person(tokens: list[Token], at: int, people: frozenset[str]) -> bool:
    """Return whether a name may be that of a person: known as one, or not behind a preposition."""
    if tokens[at].kind != NAME:
        return False
    return tokens[at].value in people or not at or tokens[at - 1].word not in PREPOSITIONS


def _meant(word: str, named: list[str], discourse: Discourse) -> str | None:
    """Return who is meant by a pronoun; by one of the third person the only one whom it can mean."""
    if word in ("i", "me", "my", "mine", "myself", "i'm", "i've", "i'll", "i'd"):
        return discourse.i
    if word in ("you", "your", "yours", "yourself"):
        return discourse.you
    if word.partition("'")[0] not in THIRD_PERSONS:
        return None
    others = {*discourse.before, *named} - {discourse.i, discourse.you}
    return (min(others) or None) if len(others) == 1 else None
