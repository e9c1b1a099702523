"""What is told in confidence, or plainly to be kept in mind: which of its words are kept, and how much they matter.

A whisper needs no form to count: whatever it states is kept. Of what is said aloud only that counts which asks to be
kept secret or in mind. Everything here is a rule on words; nothing is reworded.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from agents.memory.knowing.commitments import LONGEST_SENTENCE, SAME_MATTER, matter, spans

SPEECH_IN_PIECES = 8
"""Of one speech at most so many pieces are kept."""

FOREIGN_LETTERS = 4
"""So many letters that English does not have in one word count as two words: some scripts know no spaces."""

_SECRECY = re.compile(
    r"\btell (?:no ?body|no[- ]one|not a soul)\b|\bpromise not to tell\b|\bnot a word\b|\bto yourself\b|"
    r"\b(?:do not|don['’]t|never|must not|mustn['’]t|may not) "
    r"(?:tell (?!me\b|us\b)|repeat (?:it|this|that)\b|mention this\b|breathe a\b|let (?:it|this|that) (?:out|slip)\b)|"
    r"\bbetween (?:you and (?:me|I)|us|ourselves)\b|\b(?:strictest|strict|in) confidence\b|\bconfidential\b|"
    r"\b(?:no ?body|no[- ]one)(?: else)? (?:must|may|should|can|is to|has to|knows)\b|"
    r"\b(?:keep|tell you|have|know) (?:\w+ )?(?:a|this|that|it|my|our) (?:\w+ )?(?:secret|quiet|hidden|private)\b|"
    r"\b(?:is|['’]s) (?:a|our) (?:little )?secret\b|\b(?:didn['’]t|did not) hear (?:it|this|that) from\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:now|no longer|any ?more|instead|actually|moved|changed|new|correction|but in truth)\b", re.IGNORECASE
)
_DETAIL = re.compile(r"\d|(?<=[\w,;:] )[^\W\d_a-z][^\W\d_]+")
_SMALL_TALK = frozenset(
    "hello hi hey ho greetings welcome goodbye bye farewell yes yeah yep nope well ok okay oh ah hm hmm um psst pst "
    "listen look wait come closer good bad nice fine great lovely beautiful morning day evening night sorry excuse "
    "sure really think know feel see hope like love how what why who when where which glad happy".split()
)
_SECRETIVE = frozenset(
    "tell told nobody noone one body else secret secrets secretly between ourselves yourself confidence confidential "
    "word soul keep hear remember let know".split()
)


def is_confidence(text: str) -> bool:
    """Return whether a speech, whoever may hear it, asks to be kept secret."""
    return bool(_SECRECY.search(text))


def told_pieces(text: str, spent: Collection[int] = ()) -> list[str]:
    """Return what of a speech is worth keeping, word for word: sentences that belong together, in bounded pieces.

    Left out are questions and small talk around it, and the sentences that begin at `spent`: they count already.
    """
    pieces: list[str] = []
    run: list[tuple[int, int]] = []
    for start, end in spans(text):
        if start in spent or (run and end - run[0][0] > LONGEST_SENTENCE):
            pieces += _piece(text, run)
            run = []
        if start not in spent:
            run.append((start, end))
    return [*pieces, *_piece(text, run)][:SPEECH_IN_PIECES]


@lru_cache(maxsize=4096)
def weight_of_telling(text: str) -> int:
    """Return how much words matter: 0 for an idle remark, 1 for a secret or a name or number, 2 for both."""
    return is_confidence(text) + bool(_DETAIL.search(text))


def replaces(new: str, old: str) -> bool:
    """Return whether a telling says anew what another said.

    More than half of their words have to be the same, or half of them if the new one speaks of a change: two secrets
    about similar things stay two.
    """
    mine, theirs = _content(new), _content(old)
    if not mine or not theirs:
        return False
    share = len(mine & theirs) / len(mine | theirs)
    return share > SAME_MATTER or (share == SAME_MATTER and bool(_CHANGED.search(new)))


def _piece(text: str, run: list[tuple[int, int]]) -> list[str]:
    """Return the words from the first to the last sentence of a run that matters; none if none tells anything."""
    told = {place for place, (start, end) in enumerate(run) if _tells(text[start:end])}
    if not told:
        return []
    kept = [place for place, (start, end) in enumerate(run) if place in told or is_confidence(text[start:end])]
    return [text[run[kept[0]][0] : run[kept[-1]][1]][:LONGEST_SENTENCE].rstrip()]


def _tells(sentence: str) -> bool:
    """Return whether a sentence states something: two words that are neither plain nor small talk, or one detail."""
    if sentence.rstrip("\"'”’)").endswith("?"):
        return False
    words = _content(sentence)
    content = words - _SMALL_TALK
    foreign = any(sum(not letter.isascii() for letter in word) >= FOREIGN_LETTERS for word in content)
    return len(content) > 1 or foreign or (content == words != frozenset() and bool(_DETAIL.search(sentence)))


@lru_cache(maxsize=4096)
def _content(text: str) -> frozenset[str]:
    return matter(text) - _SECRETIVE
