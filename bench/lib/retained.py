"""An agent's knowledge of planted facts, and its cost."""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agents.agent import Agent
from agents.memory.cost import CompactionStats
from agents.memory.importance import SPOKEN_TO
from agents.memory.inspection import expand
from agents.memory.memory import AgentMemory
from agents.memory.retrieval import NotesIndex, Retriever
from agents.memory.view import memory_text
from agents.models.model import LanguageModel
from bench.lib.histories import PEOPLE, AgentHistory, Planted, plan_handovers, plant_facts, schedule_tellings
from vault.memory.memory_line import Memory
from world.message_catalog import Wording

WINDOW_STEP = 64

_SENTENCE_END = re.compile(r"(?<=[.!?\"])\s+|\n")
_WORD = re.compile(r"[^\W_]+")
_NAME_OR_NUMBER = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}|\d+")

COMES_TO_MIND = 3

TURN_EVERY = 8
AGES = (128, 512, 2048)
SNAPSHOTS = 40


class Text:
    """A text as sentences of words; what is asked of it is asked of its sentences one by one."""

    def __init__(self, text: str) -> None:
        self._sentences = [frozenset(_words(part)) for part in _SENTENCE_END.split(text) if part]

    def tells(self, value: Sequence[str]) -> bool:
        """Return whether all words of a value are in one sentence."""
        wanted = _wanted(value)
        return any(wanted <= words for words in self._sentences)

    def tells_only(self, value: Sequence[str], newer: Sequence[str]) -> bool:
        """Return whether a sentence has a value that has not the newer one as well."""
        wanted, other = _wanted(value), _wanted(newer)
        return any(wanted <= words and not other <= words for words in self._sentences)


def state_of(fact: Planted, text: Text) -> str:
    """Return the state of a fact in a text: `known`, `both` (an old value too), `stale` (only that) or `gone`."""
    old, new = fact.values[:-1], fact.values[-1]
    knows, has_old = text.tells(new), any(text.tells_only(value, new) for value in old)
    if knows:
        return "both" if has_old else "known"
    return "stale" if has_old else "gone"


@dataclass
class Tally:
    """The number of facts of each kind, and of those for which a text has each state."""

    of: Counter[str] = field(default_factory=Counter)
    states: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, kind: str, state: str) -> None:
        self.of[kind] += 1
        self.states[kind, state] += 1

    def share(self, kind: str, *states: str) -> float:
        """Return the share of a kind's facts that are in one of some states; NaN if there are none."""
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
    """Return the state of each fact in a text."""
    counted = Tally()
    for fact in facts:
        counted.add(fact.kind, state_of(fact, text))
    return counted


def plain_window(memory: AgentMemory, tokens: int, count_tokens: Callable[[str], int]) -> list[Memory]:
    """Return the newest memories that fit into `tokens` tokens as a prompt tells them, oldest first."""
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


def memories_as_text(memories: Iterable[Memory], name: str) -> Text:
    """Return memories as the text that a prompt has for them."""
    return Text("\n".join(memory_text(memory, name) for memory in memories))


def memory_part(prompt: str, blank: str) -> str:
    """Return the part of a prompt that is memory: the lines that a prompt without any memory does not have."""
    frame = frozenset(blank.split("\n"))
    return "\n".join(line for line in prompt.split("\n") if line not in frame)


def expand_view(memory: AgentMemory) -> dict[int, Memory]:
    """Return by number the memories that expanding each part of the view brings back."""
    coverage = memory.coverage
    asked = [name for name, covered in (("longterm", coverage.longterm), ("recent", coverage.recent)) if covered]
    asked += [f"{coverage.verbatim.first}-{coverage.verbatim.last}"] if coverage.verbatim else []
    return {one.seq: one for wanted in asked for one in expand(memory, wanted, Wording())}


def is_whole(fact: Planted, numbers: Sequence[int], memories: Mapping[int, Memory]) -> bool:
    """Return whether every telling of a fact, by the numbers of its memories, is among these memories."""
    found = [memories.get(seq) for seq in numbers]
    return all(one and Text(one.text).tells(value) for one, value in zip(found, fact.values, strict=True))


def unsupported(texts: Iterable[str], heard: Iterable[str]) -> set[str]:
    """Return the names inside sentences, and the numbers, of texts that nobody has said.

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


def retrieved_lines(agent: Agent, prompt: str, question: str, speaker: str) -> str:
    """Return the lines that a question to the agent adds to its prompt; nothing is remembered of it."""
    agent.finder.has_time = True
    mind = Retriever(agent.finder, NotesIndex(agent.memory.journal.vault, agent.name))
    view, place = agent.memory.view(), agent.character.room_id
    said = f'{speaker} says, "{question}"'
    asked = Memory(view.n + 1, 0, "observed", place, said, (speaker,), SPOKEN_TO)
    found = mind.retrieve(view, frozenset([speaker]), place, COMES_TO_MIND, prompt, [asked])
    return "\n".join(one.line for one in found)


@dataclass
class Measured:
    """The result of one history under one strategy. Sizes are in tokens, `seconds` of wall time."""

    strategy: str
    memories: int = 0
    cycles: int = 0
    memory_tokens: int = 0
    all_tokens: int = 0
    prompt: Tally = field(default_factory=Tally)
    window: Tally = field(default_factory=Tally)
    beyond: Tally = field(default_factory=Tally)
    found: Tally = field(default_factory=Tally)
    reminded: Tally = field(default_factory=Tally)
    by_age: dict[int, Tally] = field(default_factory=dict)
    expanded: float = 0.0
    invented: set[str] = field(default_factory=set)
    lies: int = 0
    by_form: Tally = field(default_factory=Tally)
    record: CompactionStats = field(default_factory=CompactionStats)
    seconds: float = 0.0


async def measure_retention(
    strategy: str, model: LanguageModel, lies: list[str], options: argparse.Namespace
) -> Measured:
    """Live through the history of a seed under one strategy and return what is known at its end."""
    facts = plant_facts(random.Random(options.seed), options.memories, options.counts)
    began, result = time.monotonic(), Measured(strategy)
    with tempfile.TemporaryDirectory() as folder:
        life = AgentHistory(Path(folder), model, {"strategy": strategy}, PEOPLE, plan_handovers(facts))
        life.wake()
        blank = life.agent.prompt().text
        numbers = await _play_history(life, facts, result, options)
        await life.settle()
        published = "\n".join(_published(life))
        _count(life, facts, numbers, blank, result)
        result.lies = len(lies)
        result.invented |= {lie for lie in lies if lie in published}
        await life.end()
    result.seconds = time.monotonic() - began
    return result


async def _play_history(
    life: AgentHistory, facts: list[Planted], result: Measured, options: argparse.Namespace
) -> dict[Planted, list[int]]:
    """Let everything happen; return the numbers of the memories in which each fact was told."""
    rng = random.Random(options.seed + 1)
    numbers: dict[Planted, list[int]] = {fact: [] for fact in facts}
    waiting = list(schedule_tellings(facts))[::-1]
    next_turn, next_look = TURN_EVERY, options.memories // SNAPSHOTS
    while life.last < options.memories:
        if waiting and waiting[-1][0].at <= life.last:
            telling, fact = waiting.pop()
            numbers[fact].append(life.tell(telling))
            if fact.kind == "pinned":
                life.agent.pin(str(life.last))
        elif life.last >= next_turn:
            next_turn = life.last + TURN_EVERY
            await life.turn(rng)
            if life.last >= next_look:
                next_look = life.last + options.memories // SNAPSHOTS
                _score_prompt(life, numbers, result)
        else:
            life.chat(rng, PEOPLE)
    return numbers


def _score_prompt(life: AgentHistory, numbers: dict[Planted, list[int]], result: Measured) -> None:
    """Enter the facts that the prompt of this moment knows, by the age of each fact in memories."""
    text = Text(life.agent.prompt().text)
    for fact, seqs in numbers.items():
        if fact.kind in ("important", "ordinary") and seqs:
            age = sum(life.last - seqs[-1] >= limit for limit in AGES)
            result.by_age.setdefault(age, Tally()).add(fact.kind, state_of(fact, text))


def _count(
    life: AgentHistory, facts: list[Planted], numbers: dict[Planted, list[int]], blank: str, result: Measured
) -> None:
    agent = life.agent
    memory, count = agent.memory, agent.count_tokens
    prompt = memory_part(agent.prompt().text, blank)
    everything = memory.journal.read(1, memory.journal.last)
    result.memories, result.record = memory.journal.last, agent.compactor.stats
    result.cycles = agent.compactor.stats.cycles
    result.memory_tokens = count(prompt)
    result.all_tokens = sum(count(one.text) for one in everything)
    result.prompt = tally(facts, Text(prompt))
    for fact in facts:
        if fact.kind == "important":
            result.by_form.add(fact.form, state_of(fact, Text(prompt)))
    newest = plain_window(memory, result.memory_tokens, count)
    result.window = tally(facts, memories_as_text(newest, memory.name))
    first = newest[0].seq if newest else memory.journal.last
    result.beyond = tally([fact for fact in facts if numbers[fact][-1] < first], Text(prompt))
    back = expand_view(memory)
    result.expanded = sum(is_whole(fact, numbers[fact], back) for fact in facts) / len(facts)
    for fact in facts:
        came_to_mind = retrieved_lines(agent, agent.prompt().text, fact.question, fact.tellings[0].speaker)
        result.reminded.add(fact.kind, state_of(fact, Text(f"{prompt}\n{came_to_mind}")))
        result.found.add(fact.kind, state_of(fact, memories_as_text(agent.finder.find(fact.question), memory.name)))
    heard = [one.text for one in everything] + [one.room for one in everything] + [*PEOPLE, memory.name]
    result.invented = unsupported(_published(life), heard)


def _published(life: AgentHistory) -> list[str]:
    """Return the text of every summary that was ever accepted."""
    memory = life.agent.memory
    kept = [summary for _, summary in (*memory.summaries.leaves(), *memory.summaries.former())]
    return [summary.text for summary in (*kept, memory.longterm, memory.recent) if summary]
