"""Coreference: whom a pronoun stands for, as far as that is clear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from agents.memory.english import PREPOSITIONS
from agents.memory.judging.tokens import NAME, Token

GENDERS = {"he": "m", "him": "m", "his": "m", "himself": "m", "she": "f", "her": "f", "hers": "f", "herself": "f"}
SOMEBODY = ""
"""The mark among the names for a person whose name is unknown."""


@dataclass
class Discourse:
    """The people talked about last, and the gender of each, as far as pronouns have shown it.

    `i` and `you` are the people meant by these words, None if unknown. `before` are the people of the sentence before,
    `earlier` those of the speech before that, and `tellers` those whose words are being told.
    """

    people: frozenset[str]
    i: str | None = None
    you: str | None = None
    before: list[str] = field(default_factory=list)
    earlier: list[str] = field(default_factory=list)
    genders: dict[str, str] = field(default_factory=dict)
    tellers: set[str | None] = field(default_factory=set)


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
    gender = GENDERS.get(word.partition("'")[0])
    if gender is None:
        return None
    others: set[str] = set()
    for names in ([*discourse.before, *named], discourse.earlier):
        fitting = {name for name in names if discourse.genders.get(name) in (None, gender)}
        others = others or fitting - {discourse.i, discourse.you}
    if len(others) > 1 and len(others & discourse.tellers) == 1:
        return next(iter(others & discourse.tellers))
    if len(others) != 1:
        return None
    (name,) = others
    if name and name in named:
        discourse.genders.setdefault(name, gender)
    return name or None
