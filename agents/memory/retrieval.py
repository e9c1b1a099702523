"""Retrieval: older memories, and a line of the agent's notes, that are relevant to what was just said or seen.

It is deterministic: no randomness, no clock, no model. The result follows from the moment and from the memories before
the verbatim tail.
"""

from __future__ import annotations

import logging
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from agents.memory.english import FUNCTION_WORDS, LIGHT, stem
from agents.memory.facts.extraction import utterance_in
from agents.memory.importance import SPOKEN_TO, is_routine
from agents.memory.journal_search import JournalSearch
from agents.memory.view import View
from vault.entities.agent_notes import note_text
from vault.errors import NoteError
from vault.markdown import LINE_BREAK
from vault.memory.memory_line import Memory
from vault.vault import Vault
from world.parsing import parse_line, split_reason

log = logging.getLogger(__name__)

MIN_SCORE = 3.0
"""The score that a memory needs.

A word said to the agent counts the logarithm of its rarity: one that is in fifty of a thousand memories is just enough
by itself."""

MIN_SCORE_SHARE = 3
"""A memory also needs 1 / MIN_SCORE_SHARE of the best possible score for one utterance."""

MAX_FREQUENCY_SHARE = 10
MAX_HOLDING = 300
"""A word in more than one memory in MAX_FREQUENCY_SHARE, or in more than MAX_HOLDING, selects nothing."""

SMOOTHING = 30
LOOKED_AT = 6
LONGEST = 400
"""A memory longer than this, in characters, is left out: none is shown in part."""

ASKS = 0.6
NEAR = 0.15
REST_TURNS = 4
"""Number of turns that a retrieved memory rests if the agent did not take it up."""

LATEST = 6
"""Number of the newest memories that make up the moment."""

MAX_WORDS = 12
"""Maximum number of words of each that are searched, the highest weight first."""

SAID_TO_IT = 1.0
ASKED_OF_OTHERS = 0.9
SAID_TO_OTHERS = 0.75
OWN_WORDS = 0.5
SEEN = 0.5
NAME = 1.3
COMMON = 0.6
OPENING = 24
"""Number of characters before a word that show whether a sentence begins with it."""

READ_AT_ONCE = 4
MAX_LINE_CHARACTERS = 400
MAX_NOTE_LINES = 2000
"""Maximum number of lines of all notes that are kept in memory."""

QueryTerm = dict[str, float]
"""The words of one memory, in lower case, with their weights: 1 for a word said to the agent."""

_WORD = re.compile(r"[^\W_]+")
_SENTENCE_START = re.compile(r"(?:^|[.!?]\s+)[\"'“‘]?$")


@dataclass(frozen=True)
class RetrievedMemory:
    """A line for the prompt, what it is of (a memory's number or a note's line), and the words that are new in it.

    `score` is how well it fits the moment; 0 for an answer that comes along with its question.
    """

    of: int | tuple[str, str]
    line: str
    words: AbstractSet[str]
    score: float = 0.0


class Retriever:
    """Retrieves older memories and notes of one agent."""

    def __init__(self, finder: JournalSearch, shelf: NotesIndex) -> None:
        self._finder = finder
        self._shelf = shelf
        self._resting: dict[int | tuple[str, str], int] = {}
        self._common: dict[str, int] = {}
        self._troubled = False

    def retrieve(
        self,
        view: View,
        company: frozenset[str],
        place: str,
        most: int,
        told: str,
        moment: Sequence[Memory] = (),
        may_tell: Callable[[Memory], bool] = lambda memory: True,
    ) -> list[RetrievedMemory]:
        """Return at most `most` memories from before the tail, and one line of a note, best first; none for 0.

        `told` is what the prompt has already, beside the tail. `moment` replaces the end of the tail as the query.
        `may_tell` returns whether a memory may be told to those who will hear of it.
        While the journal is still being indexed, nothing is found.
        """
        cues = query_terms(moment or view.moment, view.name) if most else []
        before = view.tail[0].seq if view.tail else view.n + 1
        try:
            found = self._found(view, cues, before, (company, place), most, told, may_tell) if cues else []
        except NoteError as error:
            if not self._troubled:
                log.warning("[Memory] %s: retrieval failed: %s", view.name, error)
            self._troubled = True
            return []
        self._troubled = False
        return found

    def end_turn(self, shown: Sequence[RetrievedMemory], line: str) -> None:
        """Note the agent's act after it was shown these memories: those that it did not take up rest for a while."""
        self._resting = {of: turns - 1 for of, turns in self._resting.items() if turns > 1}
        done = distinctive_words(line).keys()
        self._resting |= {one.of: REST_TURNS for one in shown if not one.words & done}

    def _found(
        self,
        view: View,
        cues: list[QueryTerm],
        before: int,
        here: tuple[frozenset[str], str],
        most: int,
        told: str,
        may_tell: Callable[[Memory], bool],
    ) -> list[RetrievedMemory]:
        if not self._finder.is_ready(before - 1):
            return []
        known = {word for cue in cues for word in cue}
        holding = {word: found for word in known if (found := self._holding(word, before)) is not None}
        worths = [self._worths(cue, holding, before - 1) for cue in cues]
        noted = self._noted(worths, known, told)
        skipped = {one.text for one in view.tail}
        memories: list[tuple[float, Memory]] = []
        for score, memory in self._fitting(_scored(worths, holding), *here):
            for one in (memory, *self._finder.answer_to(memory)):
                is_new = one.seq < before and one.text not in skipped and not _is_told(one, told) and may_tell(one)
                if is_new and not any(note.of[1] in one.text for note in noted if isinstance(note.of, tuple)):
                    memories.append((score if one is memory else 0.0, one))
                    skipped.add(one.text)
        return [*(_recollection(memory, known, score) for score, memory in memories[:most]), *noted]

    def _holding(self, word: str, before: int) -> list[int] | None:
        """Return which memories have a word, newest first; None if too many have it."""
        if before >= self._common.get(word, before + 1):
            return None
        found = self._finder.holding(word, before, MAX_HOLDING + 1)
        if len(found) <= MAX_HOLDING:
            return found
        self._common[word] = before
        return None

    def _worths(self, cue: QueryTerm, holding: dict[str, list[int]], count: int) -> dict[str, float]:
        """Return the weight of each word of a query among `count` memories, without the most common words."""
        most = min(MAX_HOLDING, max(4, count // MAX_FREQUENCY_SHARE))
        return {
            word: weight * math.log(1 + (count + SMOOTHING) / max(1, len(holding[word])))
            for word, weight in cue.items()
            if word in holding and len(holding[word]) <= most
        }

    def _fitting(self, scores: dict[int, float], company: frozenset[str], place: str) -> list[tuple[float, Memory]]:
        """Return the memories that may be shown with their scores, best first; place and company count a little."""
        best = sorted(scores, key=lambda seq: (-scores[seq], -seq))
        ranked: list[tuple[float, Memory]] = []
        for seq in [seq for seq in best if seq not in self._resting][:LOOKED_AT]:
            memory = self._finder.memory(seq)
            if memory is None or is_routine(memory) or len(memory.text) > LONGEST:
                continue
            near = (memory.room == place) + bool(company & {*memory.people})
            asks = ASKS if "?" in memory.text and memory.importance <= SPOKEN_TO else 1.0
            ranked.append((scores[seq] * asks * (1 + NEAR * near), memory))
        return sorted(ranked, key=lambda row: (-row[0], -row[1].seq))

    def _noted(self, worths: list[dict[str, float]], known: set[str], told: str) -> list[RetrievedMemory]:
        """Return the note line that fits best, if one has two of the words or its title has one."""
        found: list[tuple[float, str, str]] = []
        for note in self._shelf.lines(everything=self._finder.has_time):
            if note.text in told or (note.title, note.text) in self._resting:
                continue
            for worth in worths:
                in_title, in_line = note.title_words & worth.keys(), note.words & worth.keys()
                score = sum(value for word, value in worth.items() if word in in_title or word in in_line)
                if (
                    score >= MIN_SCORE
                    and score * MIN_SCORE_SHARE >= sum(worth.values())
                    and (in_title or len(in_line) > 1)
                ):
                    found.append((score, note.title, note.text))
        if not found:
            return []
        score, title, text = min(found, key=lambda row: (-row[0], row[1], row[2]))
        words = distinctive_words(text).keys() - known
        return [RetrievedMemory((title, text), f"[Your note {title}: {text}]", words, score)]


def _scored(worths: list[dict[str, float]], holding: dict[str, list[int]]) -> dict[int, float]:
    """Return the scores, by number, of the memories that reach the share of one query's words."""
    scores: dict[int, float] = {}
    for worth in worths:
        own: dict[int, float] = {}
        for word, value in worth.items():
            for seq in holding[word]:
                own[seq] = own.get(seq, 0.0) + value
        least = max(MIN_SCORE, sum(value for word, value in worth.items() if holding[word]) / MIN_SCORE_SHARE)
        scores |= {seq: max(value, scores.get(seq, 0.0)) for seq, value in own.items() if value >= least}
    return scores


def _is_told(memory: Memory, told: str) -> bool:
    spoken = utterance_in(memory)
    return memory.text.replace(LINE_BREAK, " ") in told or bool(spoken and spoken.text in told)


def _recollection(memory: Memory, known: set[str], score: float) -> RetrievedMemory:
    done = ", what you did" if memory.kind == "acted" else ""
    text = split_reason(memory.text)[0] if memory.kind == "acted" else memory.text
    line = f"[You remember, {memory.day}, memory {memory.seq}{done}: {text.replace(LINE_BREAK, ' ')}]"
    names = distinctive_words(" ".join(memory.people)).keys()
    return RetrievedMemory(memory.seq, line, distinctive_words(memory.text).keys() - known - names, score)


def query_terms(moment: Sequence[Memory], name: str) -> list[QueryTerm]:
    """Return the queries of a moment, oldest memory first, for the agent called `name`; the newest first."""
    return list(filter(None, (_cue(memory, name) for memory in reversed(moment[-LATEST:]))))


@lru_cache(maxsize=256)  # what was said last is looked at turn after turn
def distinctive_words(text: str) -> Mapping[str, float]:
    """Return the distinctive words of a text, in lower case: names and numbers weigh more, common words less."""
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


def _cue(memory: Memory, name: str) -> QueryTerm:
    weight, text = _said(memory)
    words = {word: weight * worth for word, worth in distinctive_words(text).items() if weight and word != name.lower()}
    return dict(sorted(words.items(), key=lambda row: (-row[1], row[0]))[:MAX_WORDS])


def _said(memory: Memory) -> tuple[float, str]:
    """Return the weight of a memory and the words in it; results of the agent's own commands weigh nothing."""
    spoken = utterance_in(memory)
    if memory.kind == "acted":
        line = parse_line(memory.text)
        return (OWN_WORDS, spoken.text if spoken else line.arguments) if spoken or line.verb == "think" else (0.0, "")
    if spoken is None:
        return (SEEN if memory.kind in ("observed", "told", "noted") else 0.0), memory.text
    if memory.kind == "told" or memory.importance >= SPOKEN_TO:
        return SAID_TO_IT, spoken.text
    return (ASKED_OF_OTHERS if "?" in spoken.text else SAID_TO_OTHERS), spoken.text


@dataclass(frozen=True)
class NoteLine:
    """A line of a note, to the letter but for the blanks around it, with its telling words in lower case."""

    title: str
    text: str
    title_words: frozenset[str]
    words: frozenset[str]


class NotesIndex:
    """The notes of one agent."""

    def __init__(self, vault: Vault, name: str) -> None:
        self._vault = vault
        self._name = name
        self._folder = vault.path("agents", name, "notes")
        self._stamps: dict[str, tuple[int, int]] = {}
        self._lines: dict[str, list[NoteLine]] = {}

    def lines(self, everything: bool = False) -> list[NoteLine]:
        """Return the lines of all notes, by title; a few changed notes are read each time, or with `everything` all."""
        found = self._on_disk()
        for name in self._stamps.keys() - found.keys():
            del self._stamps[name], self._lines[name]
        changed = sorted(name for name, stamp in found.items() if self._stamps.get(name) != stamp)
        for name in changed if everything else changed[:READ_AT_ONCE]:
            self._stamps[name], self._lines[name] = found[name], self._read(Path(name).stem)
        return [line for name in sorted(self._lines) for line in self._lines[name]][:MAX_NOTE_LINES]

    def _on_disk(self) -> dict[str, tuple[int, int]]:
        try:
            with os.scandir(self._folder) as entries:
                stats = {one.name: one.stat() for one in entries if one.name.endswith(".md") and one.is_file()}
        except OSError:  # there are no notes, or none that can be read
            return {}
        return {name: (stat.st_size, stat.st_mtime_ns) for name, stat in stats.items() if name[0] != "."}

    def _read(self, title: str) -> list[NoteLine]:
        try:
            text = note_text(self._vault, self._name, title)
        except NoteError as error:
            log.warning("%s", error)
            return []
        words = frozenset(distinctive_words(title))
        kept = (line.strip() for line in text.split("\n"))
        lines = [line for line in kept if 0 < len(line) <= MAX_LINE_CHARACTERS]
        return [NoteLine(title, line, words, frozenset(distinctive_words(line))) for line in lines]
