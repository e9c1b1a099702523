"""Rules on words for the chronicle: repetition, harsh words, promises."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from agents.memory.facts.speech_acts import content_words
from agents.repetition.loop_detector import shingles

MIN_SECRET_WORDS = 3
MIN_PAIRS = 4
REPEATED_SHARE = 0.6
REPEATED_PAIRS = 0.5
"""What share of a secret's words, or of its pairs of words, somebody repeats who passes it on."""

_STEM = 5
"""So many letters are compared of a longer word: `stone` and `stones`."""


@dataclass(frozen=True)
class Lexicon:
    """Phrases by which a world knows promises and quarrels, in lower case."""

    promise_phrases: tuple[str, ...] = ()
    quarrel_phrases: tuple[str, ...] = ()

    def promises(self, text: str) -> bool:
        """Return whether one of the phrases for promises stands in a text."""
        return not text.endswith("?") and _has(text, self.promise_phrases)

    def quarrels(self, text: str) -> bool:
        """Return whether one of the phrases for quarrels stands in a text."""
        return bool(text) and _has(text, self.quarrel_phrases)


def phrases(text: str) -> tuple[str, ...]:
    """Return the phrases of a list with commas."""
    return tuple(one.strip().casefold() for one in text.split(",") if one.strip())


def _has(text: str, known: tuple[str, ...]) -> bool:
    pattern = _pattern(known)
    return pattern is not None and pattern.search(text.casefold()) is not None


@lru_cache(maxsize=16)
def _pattern(known: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return a pattern of whole phrases; one that is not ASCII may stand within a word, as where no spaces are."""
    bounded = [rf"\b{re.escape(one)}\b" if one.isascii() else re.escape(one) for one in known]
    return re.compile("|".join(bounded)) if bounded else None


Overlap = Mapping[str, Collection[str]]
"""What `repeats` compares of a speech: its content `words`, and its `pairs` of neighbouring words."""


def overlap_key(text: str) -> Overlap:
    """Return what `repeats` compares of a speech, each part once."""
    words = {word[:_STEM] for word in content_words(text)}
    return {"words": words, "pairs": {" ".join(pair) for pair in shingles(text)}}


def repeats(spoken: Overlap, secret: Overlap) -> bool:
    """Return whether a speech says again most of what another said, in whatever language."""
    by_words = len(secret["words"]) >= MIN_SECRET_WORDS and _share(spoken, secret, "words") >= REPEATED_SHARE
    return by_words or (len(secret["pairs"]) >= MIN_PAIRS and _share(spoken, secret, "pairs") >= REPEATED_PAIRS)


def _share(spoken: Overlap, secret: Overlap, part: str) -> float:
    known = spoken[part]
    return sum(one in known for one in secret[part]) / len(secret[part])


def shared_topic(text: str, promise: str) -> bool:
    """Return whether a text names something that a promise names."""
    mine = {word[:_STEM] for word in content_words(text) if len(word) > 2}
    return bool(mine & {word[:_STEM] for word in content_words(promise) if len(word) > 2})
