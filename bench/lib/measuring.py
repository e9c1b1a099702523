"""Counting what a text still knows: facts present, stale or contradictory, and names that nobody ever said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agents.memory.inspection import expanded
from agents.memory.memory import AgentMemory
from agents.memory.view import memory_text
from bench.lib.histories import Planted
from vault.memory.memory_line import Memory
from world.message_catalog import Wording

WINDOW_STEP = 64

_SENTENCE_END = re.compile(r"(?<=[.!?\"])\s+|\n")
_WORD = re.compile(r"[^\W_]+")
_NAME_OR_NUMBER = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}|\d+")


class Text:
    """A text as sentences of words; what is asked of it is asked of its sentences one by one."""

    def __init__(self, text: str) -> None:
        self._sentences = [frozenset(_words(part)) for part in _SENTENCE_END.split(text) if part]

    def tells(self, value: Sequence[str]) -> bool:
        """Return whether all words of a value stand in one sentence."""
        wanted = _wanted(value)
        return any(wanted <= words for words in self._sentences)

    def tells_only(self, value: Sequence[str], newer: Sequence[str]) -> bool:
        """Return whether a sentence has a value that has not the newer one as well."""
        wanted, other = _wanted(value), _wanted(newer)
        return any(wanted <= words and not other <= words for words in self._sentences)


def state_of(fact: Planted, text: Text) -> str:
    """Return what a text knows of a fact: `known`, `both` (an old value too), `stale` (only that) or `gone`."""
    old, new = fact.values[:-1], fact.values[-1]
    knows, has_old = text.tells(new), any(text.tells_only(value, new) for value in old)
    if knows:
        return "both" if has_old else "known"
    return "stale" if has_old else "gone"


@dataclass
class Tally:
    """How many facts of each kind there are, and of how many a text has which state."""

    of: Counter[str] = field(default_factory=Counter)
    states: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, kind: str, state: str) -> None:
        self.of[kind] += 1
        self.states[kind, state] += 1

    def share(self, kind: str, *states: str) -> float:
        """Return the share of a kind's facts that are in one of these states; NaN if there are none."""
        count = sum(self.states[kind, state] for state in states)
        return count / self.of[kind] if self.of[kind] else float("nan")

    def kept(self, kind: str) -> float:
        """Return the share of a kind's facts whose present value is known."""
        return self.share(kind, "known", "both")

    @property
    def kept_of_all(self) -> float:
        """The same over all kinds."""
        known = sum(count for (_, state), count in self.states.items() if state in ("known", "both"))
        return known / max(1, self.of.total())


def tally(facts: Iterable[Planted], text: Text) -> Tally:
    """Return what a text knows of each fact."""
    counted = Tally()
    for fact in facts:
        counted.add(fact.kind, state_of(fact, text))
    return counted


def plain_window(memory: AgentMemory, tokens: int, count_tokens: Callable[[str], int]) -> list[Memory]:
    """Return the newest memories that take at most so many tokens as a prompt tells them, oldest first."""
    kept: list[Memory] = []
    last, used = memory.journal.last, 0
    while last > 0:
        for one in reversed(memory.journal.read(max(1, last - WINDOW_STEP + 1), last)):
            used += count_tokens(memory_text(one, memory.name) + "\n")
            if used > tokens:
                return kept[::-1]
            kept.append(one)
        last -= WINDOW_STEP
    return kept[::-1]


def told(memories: Iterable[Memory], name: str) -> Text:
    """Return memories as the text that a prompt tells of them."""
    return Text("\n".join(memory_text(memory, name) for memory in memories))


def memory_part(prompt: str, blank: str) -> str:
    """Return what of a prompt is memory: the lines that a prompt without any memory has not."""
    frame = frozenset(blank.split("\n"))
    return "\n".join(line for line in prompt.split("\n") if line not in frame)


def brought_back(memory: AgentMemory) -> dict[int, Memory]:
    """Return by number the memories that expanding each part of the view brings back."""
    coverage = memory.coverage
    asked = [name for name, covered in (("longterm", coverage.longterm), ("recent", coverage.recent)) if covered]
    asked += [f"{coverage.verbatim.first}-{coverage.verbatim.last}"] if coverage.verbatim else []
    return {one.seq: one for wanted in asked for one in expanded(memory, wanted, Wording())}


def is_whole(fact: Planted, numbers: Sequence[int], memories: Mapping[int, Memory]) -> bool:
    """Return whether every telling of a fact, by the numbers of its memories, is among these memories."""
    found = [memories.get(seq) for seq in numbers]
    return all(one and Text(one.text).tells(value) for one, value in zip(found, fact.values, strict=True))


def unsupported(texts: Iterable[str], heard: Iterable[str]) -> set[str]:
    """Return the names inside sentences, and the numbers, of texts that stand in nothing that was heard.

    Links to the journal are left out. This looks with other eyes than the gate, on purpose.
    """
    known = {word for text in heard for word in _words(text)}
    shown = [re.sub(r"\(?\[\[[^\]]*\]\]\)?|^#+ .*$", "", text, flags=re.MULTILINE) for text in texts]
    found = {match[0] for text in shown for match in _NAME_OR_NUMBER.finditer(text)}
    return {word for word in found if word.casefold() not in known and word not in ("1", "2")}


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _wanted(value: Sequence[str]) -> frozenset[str]:
    return frozenset(word for part in value for word in _words(part))
