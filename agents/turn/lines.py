"""Chooses the line that an agent says when no model speaks for it: its author's own, or a fact of the world.

Nothing here reads the meaning of words. Names and keys are matched as they stand in the notes, the author's entries by
the weight of the words that they share with what was said (`agents.turn.word_rarity`), so that every language will do.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agents.turn.surroundings import Surroundings, is_question
from agents.turn.word_rarity import WordRarity, WordWeights, words_of
from vault.entities.lines_note import Entry, Heading, Lines
from world.entities import Character
from world.parsing import collapse_whitespace
from world.sanitize import name_key
from world.world import World

FLOOR = 0.6
"""Minimum cosine similarity of the words that were said and a wording, from 0 to 1.

Below it the agent is lost for words: a wrong line is worse than an honest one."""

MIN_SHARED_WORDS = 2

TOLD_SHARE = 0.5
"""Minimum share of a question's weight that an earlier line has to have to be told again."""

MIN_PART_SHARE = 0.5
"""A part of what was said is compared by itself if it has at least this share of the weight of the whole."""

MAX_CANDIDATES = 8
MAX_PARTS = 12
MAX_TOLD = 300
MAX_CHARACTERS = 400
"""Maximum length of the words that are looked at; what stands behind it counts for nothing."""

HINT_AFTER = 2
"""Number of lines for want of words after which the next comes with a subject to ask about."""

Origin = Literal["name", "lore", "told", "entry", "lost", "meeting", "gift", "unasked", "parting"]

_ORIGINS: Mapping[Heading, Origin] = {
    Heading.ON_MEETING: "meeting",
    Heading.FOR_A_GIFT: "gift",
    Heading.UNASKED: "unasked",
    Heading.PARTING: "parting",
    Heading.LOST_FOR_WORDS: "lost",
}
_SENTENCE = re.compile(r"[^.!?…。！？؟।]+[.!?…。！？؟।]*")
_CLAUSE_END = re.compile(r"[,;:，、；：،؛]|\s[-–—]+\s|—")


@dataclass(frozen=True)
class Choice:
    """A line, empty if there is none to say, and where it comes from.

    `candidates` are the best wordings of the author's entries with their similarity, best first, for the archive.
    """

    words: str
    origin: Origin
    candidates: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Told:
    """A line that a person said to the agent or before it, by the number of its memory."""

    text: str
    seq: int
    is_private: bool = False


class AuthorsLines:
    """Chooses among the lines of one agent. Every choice follows from the arguments and the notes alone.

    `rarity` is shared by all agents of a world; without it, the words of this agent's own lines and of the world count.
    """

    def __init__(
        self,
        name: str,
        lines: Callable[[], Lines],
        world: Callable[[], World],
        rarity: WordRarity | None = None,
    ) -> None:
        self.name = name
        self._lines = lines
        self._world = world
        self._rarity = rarity or WordRarity(world, lambda: (lines(),))
        self._index = _EntryIndex(Lines(), WordWeights(), words_of(name))

    def answer(
        self,
        words: str,
        speaker: Character,
        told: Sequence[Told],
        said_lately: Sequence[str],
        is_overheard: bool,
        rng: random.Random,
    ) -> Choice:
        """Return the answer to words of somebody.

        `told` is what they said earlier, `said_lately` the agent's own last lines, both oldest first. `is_overheard`
        is true if others than the speaker hear the answer.
        """
        words, world = words[:MAX_CHARACTERS], self._world()
        actor = world.characters.get(self.name)
        around = Surroundings(world, actor) if actor else None
        if around and (where := around.of_name(words, speaker)):
            return Choice(where, "name")
        if around and (lore := around.of_lore(words)):
            return Choice(lore, "lore")
        names = words_of(self.name) | words_of(speaker.name)
        if again := self._told_again(words, names, told, is_overheard):
            return Choice(world.wording("lines.told", words=again), "told")
        given = _Given(said_lately)
        matches = self._indexed().nearest(words, names)
        candidates = tuple((match.wording, round(match.score, 3)) for match in matches[:MAX_CANDIDATES])
        for match in matches:
            fresh = given.fresh(match.entry.answers) if match.score >= FLOOR else []
            if fresh:
                return Choice(rng.choice(fresh), "entry", candidates)
        subject = ""
        if around and self._is_hint_due(given):
            heard = (*(line.text for line in told[-MAX_TOLD:]), *said_lately)
            subject = around.unheard_subject(heard, rng)
        return Choice(self._lost(given, subject, rng), "lost", candidates)

    def of(self, heading: Heading, said_lately: Sequence[str], rng: random.Random) -> Choice:
        """Return a line below a heading that was not said lately; an empty one if the author wrote none."""
        fresh = _Given(said_lately).fresh(self._lines().below(heading))
        return Choice(rng.choice(fresh) if fresh else "", _ORIGINS[heading])

    def _told_again(self, words: str, names: frozenset[str], told: Sequence[Told], is_overheard: bool) -> str:
        """Return the earlier line that has most of a question's weight, a rare word among it; empty if none has."""
        if not is_question(words):
            return ""
        weights, asked = self._rarity.weights(), words_of(words) - names
        whole, best, most = weights.weight(asked), "", TOLD_SHARE
        for line in sorted(told[-MAX_TOLD:], key=lambda line: line.seq):
            shared = asked & words_of(line.text)
            if is_question(line.text) or (line.is_private and is_overheard) or not any(map(weights.is_rare, shared)):
                continue
            share = weights.weight(shared) / whole
            if share >= most:
                best, most = line.text, share
        return best

    def _lost(self, given: _Given, subject: str, rng: random.Random) -> str:
        fresh = given.fresh(self._lines().lost_for_words)
        hint = self._world().wording("lines.ask", key=subject) if subject else ""
        return " ".join(filter(None, (rng.choice(fresh) if fresh else "", hint)))

    def _is_hint_due(self, given: _Given) -> bool:
        listed = self._lines().lost_for_words
        return given.count_since_longer(listed) >= HINT_AFTER or not given.fresh(listed)

    def _indexed(self) -> _EntryIndex:
        lines, weights = self._lines(), self._rarity.weights()
        if lines is not self._index.lines or weights is not self._index.weights:
            self._index = _EntryIndex(lines, weights, words_of(self.name))
        return self._index


class _Given:
    """The lines that an agent said lately, oldest first. One that another sentence follows was said as well."""

    def __init__(self, said: Iterable[str]) -> None:
        self._said = [_key(line) for line in said]

    def fresh(self, lines: Iterable[str]) -> list[str]:
        """Return the lines that were not said."""
        return [line for line in lines if not any(_begins(said, line) for said in self._said)]

    def count_since_longer(self, lines: Sequence[str]) -> int:
        """Return how many of some lines were said as they stand since the last one with a sentence behind it."""
        count = 0
        for said in reversed(self._said):
            if any(said == _key(line) for line in lines):
                count += 1
            elif any(_begins(said, line) for line in lines):
                break
        return count


def _key(line: str) -> str:
    return name_key(collapse_whitespace(line))


def _begins(said: str, line: str) -> bool:
    return f"{said} ".startswith(f"{_key(line)} ")


@dataclass(frozen=True)
class _Match:
    entry: Entry
    wording: str
    score: float


class _EntryIndex:
    """The wordings of all entries by their words; `names` are words that do not count, those of the agent's name."""

    def __init__(self, lines: Lines, weights: WordWeights, names: frozenset[str]) -> None:
        self.lines = lines
        self.weights = weights
        heard = [(at, heard) for at, entry in enumerate(lines.entries) for heard in entry.heard]
        self._wordings = [(at, wording, words_of(wording) - names) for at, wording in heard]
        self._sizes = [weights.weight(words) for _, _, words in self._wordings]
        self._holding = defaultdict[str, list[int]](list)
        for number, (_, _, words) in enumerate(self._wordings):
            for word in words:
                self._holding[word].append(number)

    def nearest(self, said: str, names: frozenset[str]) -> list[_Match]:
        """Return each entry that shares a word with what was said, in its nearest wording, the best first.

        `names` are words that do not count: those of who speaks and of who is spoken to.
        """
        best = dict[int, _Match]()
        for part in self._parts(said, names):
            for number, score in sorted(self._similarities(part).items()):
                at, heard, _ = self._wordings[number]
                if at not in best or score > best[at].score:
                    best[at] = _Match(self.lines.entries[at], heard, score)
        return [best[at] for at in sorted(best, key=lambda at: (-best[at].score, at))]

    def _similarities(self, part: frozenset[str]) -> dict[int, float]:
        """Return the cosine of a text and each wording near it, as vectors of the idf of their words.

        One word in common is not enough, unless one of the two has no other.
        """
        shared, counts = defaultdict[int, float](float), Counter[int]()
        for word in part:
            weight = self.weights.weight((word,))
            for number in self._holding.get(word, ()):
                shared[number] += weight
                counts[number] += 1
        size = self.weights.weight(part)
        least = {number: min(MIN_SHARED_WORDS, len(part), len(self._wordings[number][2])) for number in shared}
        return {
            number: round(both / math.sqrt(size * self._sizes[number]), 6)
            for number, both in shared.items()
            if counts[number] >= least[number]
        }

    def _parts(self, said: str, names: frozenset[str]) -> list[frozenset[str]]:
        """Return the words of what was said, as a whole and in those of its parts that have most of its weight.

        Where something is asked, the sentences that ask are the whole.
        """
        sentences = _SENTENCE.findall(said) or [said]
        sentences = [sentence for sentence in sentences if is_question(sentence)] or sentences
        clauses = [clause for sentence in sentences for clause in _CLAUSE_END.split(sentence)]
        whole, *parts = (words_of(text) - names for text in (" ".join(sentences), *sentences, *clauses))
        least = MIN_PART_SHARE * self.weights.weight(whole)
        heavy = (part for part in parts[:MAX_PARTS] if self.weights.weight(part) >= least)
        return list(dict.fromkeys(part for part in (whole, *heavy) if part))
