"""How much two texts have in common, by their pairs of words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import TypeAlias

from world.matching import UNSPACED

ALIKE = 0.6
"""From this share on two speeches say the same."""

VERBATIM = 0.8
"""From this share on they do so in the same words, but for one or two."""

Shingles: TypeAlias = frozenset[tuple[str, ...]]

# Of writing that puts no blanks between words each character counts as one.
_UNSPACED = "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED)

_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+(?:['’][^\W_]+)*")


def shingles(text: str) -> Shingles:
    """Return the pairs of neighbouring words of a text; of one word, or none, that."""
    words = _WORD.findall(text.casefold().replace("’", "'"))
    return frozenset(pairwise(words)) if len(words) > 1 else frozenset((word,) for word in words)


def similarity(one: Shingles, other: Shingles) -> float:
    """Return from 0, nothing in common, to 1, the same, how alike two texts are; one without words is like none."""
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0


def is_similar(one: Shingles, others: Iterable[Shingles], least: float = ALIKE) -> int:
    """Return how many of the others say the same as one: are at least so much like it."""
    return sum(similarity(one, other) >= least for other in others)
