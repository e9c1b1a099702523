"""What of the moment brings something to mind: the words just said or seen, and how much each of them counts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.memory.facts import spoken_in
from agents.memory.importance import SPOKEN_TO
from agents.memory.judging.english import FUNCTION_WORDS, LIGHT, stem
from vault.remembered.memory_line import Memory
from world.parsing import parse_line

LATEST = 6
"""So many memories, counted from the newest, are the moment at most."""

MOST_WORDS = 12
"""So many words of each of them are looked for, those that count most first."""

SAID_TO_IT = 1.0
ASKED_OF_OTHERS = 0.9
SAID_TO_OTHERS = 0.75
OWN_WORDS = 0.5
SEEN = 0.5

NAME = 1.3
COMMON = 0.6

OPENING = 24
"""In so many characters before a word it shows whether a sentence begins with it."""

_WORD = re.compile(r"[^\W_]+")
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s+)[\"'“‘]?$")


@dataclass(frozen=True)
class Cue:
    """The words of one memory, in lower case, with what each counts: 1 for a word that was said to the agent."""

    words: dict[str, float]


def cues_of(moment: Sequence[Memory], name: str) -> list[Cue]:
    """Return what a moment, oldest memory first, may remind the agent called `name` of; the newest first."""
    found = (_cue(memory, name) for memory in reversed(moment[-LATEST:]))
    return [cue for cue in found if cue.words]


@lru_cache(maxsize=256)  # what was said last is looked at turn after turn
def telling(text: str) -> Mapping[str, float]:
    """Return the words of a text that tell something, in lower case: names and numbers count more, common ones less."""
    words: dict[str, float] = {}
    for match in _WORD.finditer(text):
        word = match[0].lower()
        if word not in FUNCTION_WORDS and (len(word) > 1 or word.isdigit()):
            words[word] = max(words.get(word, 0), _worth(match[0], _before(text, match.start())))
    return words


def _before(text: str, start: int) -> str:
    return text[max(0, start - OPENING) : start]


def _worth(word: str, before: str) -> float:
    if stem(word.lower()) in LIGHT:
        return COMMON
    is_name = word[0].isupper() and not _SENTENCE_START.search(before)
    return NAME if is_name or word[0].isdigit() else 1.0


def _cue(memory: Memory, name: str) -> Cue:
    weight, text = _said(memory)
    words = {word: weight * worth for word, worth in telling(text).items() if weight and word != name.lower()}
    return Cue(dict(sorted(words.items(), key=lambda row: (-row[1], row[0]))[:MOST_WORDS]))


def _said(memory: Memory) -> tuple[float, str]:
    """Return how much a memory counts, and the words in it. Results of its own commands remind nobody of anything."""
    spoken = spoken_in(memory)
    if memory.kind == "acted":
        line = parse_line(memory.text)
        return (OWN_WORDS, spoken.text if spoken else line.arguments) if spoken or line.verb == "think" else (0.0, "")
    if spoken is None:
        return (SEEN if memory.kind in ("observed", "told", "noted") else 0.0), memory.text
    if memory.kind == "told" or memory.importance >= SPOKEN_TO:
        return SAID_TO_IT, spoken.text
    return (ASKED_OF_OTHERS if "?" in spoken.text else SAID_TO_OTHERS), spoken.text
