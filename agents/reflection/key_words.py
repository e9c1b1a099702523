"""What a text is about, in any language: its key words and names, and how far another text bears them out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from agents.memory.judging.claims import folded, names, plain
from agents.memory.knowing.commitments import matter

_STEM = 5
"""Words that begin with so many equal letters count as one: `misses` and `missing`, `Hund` and `Hunde` do not differ
for a filter."""

MIN_LETTERS = 3
_PRONOUNS = frozenset("his her hers him their theirs them themselves himself herself who whom whose which what".split())
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@lru_cache(maxsize=4096)
def key_words(text: str) -> frozenset[str]:
    """Return the stems of the words that say what a text is about; of a script without spaces, each pair of signs."""
    found: set[str] = set()
    for word in matter(folded(plain(text))) - _PRONOUNS:
        if _UNSPACED.search(word):
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif len(word) >= MIN_LETTERS:
            found.add(word.removesuffix("s")[:_STEM])
    return frozenset(found)


def unknown_names(text: str, support: str, known: Iterable[str]) -> list[str]:
    """Return the names in a text that stand neither in what supports it nor among those known."""
    supported = key_words(f"{support} {' '.join(known)}")
    return [name for name in names(plain(text)) if not key_words(name) <= supported]
