"""Whether words are in character: the agent's own, and not an assistant's, somebody else's or the narrator's."""

from __future__ import annotations

import re
from collections.abc import Iterable

from world.matching import is_named
from world.wording import Wording

SHORTEST_NARRATION = 12
"""Shorter narration, in characters, may well be spoken: Moss nods."""


def is_out_of_character(
    words: str, name: str, others: Iterable[str], narration: Iterable[str], wording: Wording
) -> bool:
    """Return whether the agent called `name` would not say this.

    `others` are the names of everybody else, `narration` is what it read that is not its own to say: what nobody said,
    and what the other has told of themselves. The phrases stand in `text/talk.md`.
    """
    return (
        is_assistant_talk(words, wording) or swaps_persons(words, name, others, wording) or narrates(words, narration)
    )


def is_assistant_talk(words: str, wording: Wording) -> bool:
    """Return whether words are those of an assistant."""
    return any(is_named(phrase, words) for phrase in wording("talk.assistant_talk").split("; "))


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
    """Return whether words say what was told, or a part of it, word for word."""
    said = _without_end(words)
    told = (text for text in map(_without_end, narration) if len(text) >= SHORTEST_NARRATION)
    return any(text in words or (len(said) >= SHORTEST_NARRATION and said in text) for text in told)


def _without_end(text: str) -> str:
    return text.strip().rstrip(".!…")
