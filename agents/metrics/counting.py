"""Counters of the metrics: repeats, loops, distinct words, answers.

Each counter is fed one thing after the other and keeps little of it: a number of 8 bytes for each act or speech.
"""

from __future__ import annotations

import re
from array import array
from collections import deque
from collections.abc import Hashable, Sequence

from agents.metrics.statistics import Share
from agents.repetition.loop_detector import Shingles, is_similar, shingles

MAX_SPEECHES_COMPARED = 30
"""Number of earlier speeches, of any speaker, that a speech is compared with for near repeats."""

MAX_TURNS_TO_ANSWER = 2
"""Number of its own turns in which an agent should say something to the one who spoke to it."""

MAX_LOOP_PERIOD = 3
"""Maximum number of steps of a loop."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return [word.casefold() for word in _WORD.findall(text.replace("’", "'"))]


class ExactRepeats:
    """Counts the acts of agents that are the same to the letter as an earlier one of the same agent.

    Case, punctuation and blanks do not count. Walking is not to be fed.
    """

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._hits = self._of = 0

    def add(self, who: str, line: str) -> None:
        """Take in a command that somebody gave."""
        key = hash((who, *words_of(line)))
        self._hits += key in self._seen
        self._of += 1
        self._seen.add(key)

    @property
    def share(self) -> Share:
        """The share of repeats among all acts."""
        return Share(self._hits, self._of)


class NearRepeats:
    """Counts speeches, of any speaker, that say the same as one of the `MAX_SPEECHES_COMPARED` before.

    Two say the same if they share 60 % of their pairs of words: see `loop_detector.similarity`.
    """

    def __init__(self) -> None:
        self._before: deque[Shingles] = deque(maxlen=MAX_SPEECHES_COMPARED)
        self._hits = self._of = 0

    def add(self, words: str, counts: bool = True) -> None:
        """Take in a speech; one that does not count is only compared with."""
        said = shingles(words)
        if counts:
            self._hits += bool(is_similar(said, self._before))
            self._of += 1
        self._before.append(said)

    @property
    def share(self) -> Share:
        """The share of near repeats among the speeches that count."""
        return Share(self._hits, self._of)


class Loops:
    """Counts the loops in the life of one agent: of its acts, and of its walk through rooms; see `loops_in`."""

    def __init__(self) -> None:
        self._deeds, self._rooms = array("q"), array("q")

    def add(self, line: str, room: str) -> None:
        """Take in a command, without its private reason, and the room of its author; an empty line is no act."""
        if line:
            self._deeds.append(hash(line.casefold()))
        if not self._rooms or self._rooms[-1] != hash(room):
            self._rooms.append(hash(room))

    @property
    def count(self) -> int:
        """The number of loops."""
        return loops_in(self._deeds) + loops_in(self._rooms, 2)


def loops_in(steps: Sequence[Hashable], shortest_period: int = 1) -> int:
    """Return how many stretches of a life repeat a cycle: of one step thrice, of two or three steps twice."""
    found, start = 0, 0
    while start < len(steps):
        length = max(_cycle_at(steps, start, period) for period in range(shortest_period, MAX_LOOP_PERIOD + 1))
        found += bool(length)
        start += length or 1
    return found


def _cycle_at(steps: Sequence[Hashable], start: int, period: int) -> int:
    """Return how many steps from `start` on go round with a period, or 0 if that is not long enough."""
    end = start + period
    while end < len(steps) and steps[end] == steps[end - period]:
        end += 1
    rounds = 3 if period == 1 else 2
    is_simple = period > 1 and len(set(steps[start : start + period])) == 1
    return end - start if end - start >= rounds * period and not is_simple else 0


class DistinctGrams:
    """Counts how many of the runs of `length` words in speeches are different ones (distinct-n, Li et al. 2016)."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._seen: set[int] = set()
        self._of = 0

    def add(self, words: Sequence[str]) -> None:
        """Take in the words of a speech."""
        runs = range(len(words) - self._length + 1)
        self._seen.update(hash(tuple(words[start : start + self._length])) for start in runs)
        self._of += len(runs)

    @property
    def share(self) -> Share:
        """The share of different runs among all runs."""
        return Share(len(self._seen), self._of)


class Answers:
    """Counts how often those who are spoken to answer within their next `MAX_TURNS_TO_ANSWER` turns.

    If somebody has had fewer turns since and has not answered yet, it is not counted.
    """

    def __init__(self) -> None:
        self._open: dict[str, list[tuple[str, int]]] = {}
        self._hits = self._of = 0

    def address(self, whom: str, by: str) -> None:
        """Take in that somebody was spoken to."""
        self._open.setdefault(whom, []).append((by, 0))

    def take_turn(self, who: str, speaks: bool, to: str = "") -> None:
        """Take in a turn of somebody. Words meant for one (`to`) answer nobody else."""
        waiting = list[tuple[str, int]]()
        for by, turns in self._open.pop(who, ()):
            answered = speaks and to in ("", by)
            if answered or turns + 1 >= MAX_TURNS_TO_ANSWER:
                self._hits += answered
                self._of += 1
            else:
                waiting.append((by, turns + 1))
        if waiting:
            self._open[who] = waiting

    @property
    def share(self) -> Share:
        """The share of the times somebody was spoken to that they have answered."""
        return Share(self._hits, self._of)
