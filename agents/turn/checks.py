"""Checks of an answer that need no language: empty, said before, not the agent's own line, or in a foreign script."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from agents.repetition.loop_detector import FEW_WORDS, is_similar, shingles, words_in

Objection = Literal["", "wordless", "repeats", "echoes", "narrates", "script"]
"""What is wrong with the words of an answer; the fault is named to the model when it is asked once more."""

_MARKS = ("~", "(", "[", "#", "---", "{", "<")
"""What begins a prompt's own marks, and no words of anybody."""


def objection_to(
    words: str, name: str, prompt: str, heard: str, own: Iterable[str] = (), narrated: Iterable[str] = ()
) -> Objection:
    """Return what is wrong with words of the agent called `name`, or an empty string.

    `prompt` is all that the model has read, `heard` what is answered, `own` what the agent has said lately, and
    `narrated` what happened lately as the world tells it.
    """
    if not words.strip():
        return "wordless"
    if words.startswith(_MARKS) or f"~{name}>" in words or words.strip() in narrated:
        return "narrates"
    if len(words_in(words)) > FEW_WORDS:
        said = shingles(words)
        if is_similar(said, (shingles(one) for one in own)):
            return "repeats"
        if is_similar(said, (shingles(one) for one in heard.split("\n") if one)):
            return "echoes"
    return "script" if scripts_in(words) - scripts_in(prompt) - scripts_in(heard) else ""


def scripts_in(text: str) -> frozenset[str]:
    """Return the scripts of the letters in a text, such as LATIN and CYRILLIC."""
    return frozenset(found for one in {*text} if (found := _script(one)))


@lru_cache(maxsize=4096)
def _script(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0] if character.isalpha() else ""
