"""The rarity of words, counted over the notes of a vault: rare words tell more of what a text is about.

The words of any language are compared whole and in no case. Of writing without blanks each character is a word.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from agents.repetition.loop_detector import words_in
from vault.entities.lines_note import Heading, Lines
from world.entities import Room, Thing
from world.world import World

MAX_CHARACTERS_OF_A_KIND = 60_000
"""Maximum number of characters of lines, of lore, of rooms and of things that are counted, each; 40 ms in all."""

MAX_NOTES_OF_A_KIND = 1000
RARE_SHARE = 0.01
"""A rare word stands in at most this share of the texts."""


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text, each once, as they are compared; an apostrophe ends a word."""
    return frozenset(part for word in words_in(unicodedata.normalize("NFKC", text)) for part in word.split("'"))


@dataclass(frozen=True)
class WordWeights:
    """The number of texts that have each word, and of all texts."""

    counts: Mapping[str, int] = field(default_factory=dict)
    texts: int = 0

    def weight(self, words: Iterable[str]) -> float:
        """Return the sum of the squared inverse document frequencies (idf) of some words."""
        return math.fsum(math.log(1 + (1 + self.texts) / (1 + self.counts.get(word, 0))) ** 2 for word in words)

    def is_rare(self, word: str) -> bool:
        """Return whether hardly any text has a word."""
        return self.counts.get(word, 0) <= RARE_SHARE * self.texts


class WordRarity:
    """Counts the words of a world and of the lines of all its agents, when it is first asked and after a change."""

    def __init__(self, world: Callable[[], World], lines: Callable[[], Iterable[Lines]]) -> None:
        self._world = world
        self._lines = lines
        self._counted: tuple[object, ...] = ()
        self._weights = WordWeights()

    def weights(self) -> WordWeights:
        """Return the weights of now; the same object until notes change."""
        world, lines = self._world(), tuple(self._lines())
        seen = (world.lore, lines, _size(world.rooms.values()), _size(world.things.values()))
        if seen != self._counted:
            self._counted, self._weights = seen, _count(world, lines)
        return self._weights


def _size(notes: Iterable[Room | Thing]) -> tuple[int, int]:
    sizes = [len(note.name) + len(note.description) for note in islice(notes, MAX_NOTES_OF_A_KIND)]
    return len(sizes), sum(sizes)


def _count(world: World, lines: Iterable[Lines]) -> WordWeights:
    described = (world.rooms.values(), world.things.values())
    kinds = (
        (text for one in lines for text in _texts_of(one)),
        (" ".join((entry.title, *entry.keys, entry.text)) for entry in world.lore),
        *((f"{note.name} {note.description}" for note in notes) for notes in described),
    )
    counts, texts = Counter[str](), 0
    for kind in kinds:
        for text in _up_to(MAX_CHARACTERS_OF_A_KIND, islice(kind, MAX_NOTES_OF_A_KIND)):
            counts.update(words_of(text))
            texts += 1
    return WordWeights(counts, texts)


def _texts_of(lines: Lines) -> Iterator[str]:
    for entry in lines.entries:
        yield " ".join((*entry.heard, *entry.answers))
    for heading in Heading:
        yield from lines.below(heading)


def _up_to(most: int, texts: Iterable[str]) -> Iterator[str]:
    """Yield texts until they have `most` characters; the last one is cut."""
    for text in texts:
        if most <= 0:
            return
        yield text[:most]
        most -= len(text)
