"""One history lived through under one strategy, and what is known at its end."""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from agents.memory.cost import CompactionStats
from agents.models.model import LanguageModel
from bench.lib.histories import PEOPLE, Planted, given_things, planted, tellings
from bench.lib.measuring import (
    Tally,
    Text,
    brought_back,
    is_whole,
    memory_part,
    plain_window,
    state_of,
    tally,
    told,
    unsupported,
)
from bench.lib.one_life import Life
from bench.lib.reminding import reminded

TURN_EVERY = 8
AGES = (128, 512, 2048)
SNAPSHOTS = 40


@dataclass
class Measured:
    """What came of one history under one strategy. Sizes are in tokens, `seconds` of wall time."""

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


async def measured(strategy: str, model: LanguageModel, lies: list[str], options: argparse.Namespace) -> Measured:
    """Live through the history of a seed under one strategy and return what is known at its end."""
    facts = planted(random.Random(options.seed), options.memories, options.counts)
    began, result = time.monotonic(), Measured(strategy)
    with tempfile.TemporaryDirectory() as folder:
        life = Life(Path(folder), model, {"strategy": strategy}, PEOPLE, given_things(facts))
        life.wake()
        blank = life.agent.prompt().text
        numbers = await _lived(life, facts, result, options)
        await life.settle()
        published = "\n".join(_published(life))
        _count(life, facts, numbers, blank, result)
        result.lies = len(lies)
        result.invented |= {lie for lie in lies if lie in published}
        await life.end()
    result.seconds = time.monotonic() - began
    return result


async def _lived(
    life: Life, facts: list[Planted], result: Measured, options: argparse.Namespace
) -> dict[Planted, list[int]]:
    """Let everything happen; return the numbers of the memories in which each fact was told."""
    rng = random.Random(options.seed + 1)
    numbers: dict[Planted, list[int]] = {fact: [] for fact in facts}
    waiting = list(tellings(facts))[::-1]
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
                _look(life, numbers, result)
        else:
            life.chat(rng, PEOPLE)
    return numbers


def _look(life: Life, numbers: dict[Planted, list[int]], result: Measured) -> None:
    """Enter what the prompt of this moment knows, by the age of each fact in memories."""
    text = Text(life.agent.prompt().text)
    for fact, seqs in numbers.items():
        if fact.kind in ("important", "ordinary") and seqs:
            age = sum(life.last - seqs[-1] >= limit for limit in AGES)
            result.by_age.setdefault(age, Tally()).add(fact.kind, state_of(fact, text))


def _count(life: Life, facts: list[Planted], numbers: dict[Planted, list[int]], blank: str, result: Measured) -> None:
    agent = life.agent
    memory, count = agent.memory, agent.count_tokens
    prompt = memory_part(agent.prompt().text, blank)
    everything = memory.journal.read(1, memory.journal.last)
    result.memories, result.record = memory.journal.last, agent.compactor.record
    result.cycles = agent.compactor.record.cycles
    result.memory_tokens = count(prompt)
    result.all_tokens = sum(count(one.text) for one in everything)
    result.prompt = tally(facts, Text(prompt))
    for fact in facts:
        if fact.kind == "important":
            result.by_form.add(fact.form, state_of(fact, Text(prompt)))
    newest = plain_window(memory, result.memory_tokens, count)
    result.window = tally(facts, told(newest, memory.name))
    first = newest[0].seq if newest else memory.journal.last
    result.beyond = tally([fact for fact in facts if numbers[fact][-1] < first], Text(prompt))
    back = brought_back(memory)
    result.expanded = sum(is_whole(fact, numbers[fact], back) for fact in facts) / len(facts)
    for fact in facts:
        came_to_mind = reminded(agent, agent.prompt().text, fact.question, fact.tellings[0].speaker)
        result.reminded.add(fact.kind, state_of(fact, Text(f"{prompt}\n{came_to_mind}")))
        result.found.add(fact.kind, state_of(fact, told(agent.finder.find(fact.question), memory.name)))
    heard = [one.text for one in everything] + [one.room for one in everything] + [*PEOPLE, memory.name]
    result.invented = unsupported(_published(life), heard)


def _published(life: Life) -> list[str]:
    """Return the text of every summary that was ever accepted."""
    memory = life.agent.memory
    kept = [summary for _, summary in (*memory.summaries.leaves(), *memory.summaries.former())]
    return [summary.text for summary in (*kept, memory.longterm, memory.recent) if summary]
