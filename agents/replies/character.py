"""Whether words are in character: the agent's own, and not an assistant's, somebody else's or the narrator's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from agents.replies.similarity import Shingles, shingles
from world.matching import has_phrase, is_named
from world.message_catalog import Wording

SHORTEST_NARRATION = 12
"""Shorter narration, in characters, may well be spoken: Moss nods."""

SHORTEST_PART = 3
"""So many words are more than a greeting that is given back."""

_WORD = re.compile(r"[^\W_]+")

FIRST_PERSON = frozenset({"i", "i've", "i'm", "my"})
CLAIMED = 0.5
"""Who says so many of the pairs of words of what the other told, a first person among them, takes it for its own."""


@dataclass(frozen=True)
class Around:
    """Whom and what the words must not come from.

    `others` are the names of everybody else, `narration` is what the agent read that nobody said, `told` is what the
    other has told of themselves, and `heard` what they have just said.
    """

    others: Collection[str] = ()
    narration: Sequence[str] = ()
    told: Sequence[str] = ()
    heard: str = ""


def is_out_of_character(words: str, name: str, around: Around, wording: Wording) -> bool:
    """Return whether the agent called `name` would not say this. The phrases stand in `text/talk.md`."""
    if is_assistant_talk(words, wording) or narrates(words, around.narration) or claims_as_own(words, around.told):
        return True
    if is_part_of(words, around.heard):
        return True
    return swaps_persons(words, name, around.others, wording)


def is_assistant_talk(words: str, wording: Wording) -> bool:
    """Return whether words are those of an assistant."""
    return has_phrase(wording("talk.assistant_talk"), words)


def swaps_persons(words: str, name: str, others: Iterable[str], wording: Wording) -> bool:
    """Return whether the agent called `name` speaks as if it were one of the others, or to them as if they were it.

    A name between a comma and the end of a sentence calls somebody.
    """
    if re.search(rf", {re.escape(name)}\s?[.!?…]", words):
        return True
    phrases = wording("talk.takes_for_itself", name=name).split("; ")
    for other in others:
        if is_named(other, words):
            phrases += wording("talk.takes_itself_for", other=other).split("; ")
    return any(is_named(phrase, words) for phrase in phrases)


def narrates(words: str, narration: Iterable[str]) -> bool:
    """Return whether words say what the narrator told, word for word."""
    told = (text.strip().rstrip(".!…") for text in narration)
    return any(len(text) >= SHORTEST_NARRATION and text in words for text in told)


def is_part_of(words: str, heard: str) -> bool:
    """Return whether words are no more than a part of what was heard, as of somebody who says what they are told to."""
    said = _WORD.findall(words.casefold())
    return len(said) >= SHORTEST_PART and f" {' '.join(said)} " in f" {' '.join(_WORD.findall(heard.casefold()))} "


def claims_as_own(words: str, told: Iterable[str]) -> bool:
    """Return whether words tell in the first person what the other has told of themselves."""
    said = shingles(words)
    return any(_own(pairs & said) and len(pairs & said) >= CLAIMED * len(pairs) for pairs in map(shingles, told))


def _own(pairs: Shingles) -> bool:
    return any(FIRST_PERSON & set(pair) for pair in pairs)
