"""Measure what agents still know after many compactions, by strategy: `python -m bench.retention`.

Facts are planted in a generated history, which is lived through in a small world with real files; then the prompt and
`find` are searched for them, and all accepted summaries for invented names. `--model scripted` summarises with a model
that keeps every k-th sentence and lies now and then, `--model picked` has whole lines picked by rule, without any
model, and `--model embedded` is the one that comes with Fallwater.
"""

from __future__ import annotations

import asyncio
import logging
import random
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agents.memory.cost import CompactionStats
from agents.memory.view import memory_text
from agents.metrics.statistics import share_of
from bench.lib.histories import COUNTS, PEOPLE, AgentHistory, Planted, add_options, plant_facts
from bench.lib.models import LossySummarizer, start_summarizer
from bench.lib.reporting import Table, argument_parser, publish

TURN_EVERY = 8
_SENTENCE_END = re.compile(r"(?<=[.!?\"])\s+|\n")
_WORD = re.compile(r"[^\W_]+")
_NAME_OR_NUMBER = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}|\d+")


@dataclass
class Retained:
    """The result of one history under one strategy: which facts are in the prompt, and which are found, by kind."""

    strategy: str
    memories: int
    stats: CompactionStats
    prompt: dict[str, list[bool]] = field(default_factory=dict)
    found: dict[str, list[bool]] = field(default_factory=dict)
    invented: set[str] = field(default_factory=set)
    lies: int = 0

    def row(self) -> list[str]:
        """Return it as a row of the table."""
        kept = [share_of(known[kind]).text for known in (self.prompt, self.found) for kind in COUNTS]
        accepted = f"{len(self.invented)} {', '.join(sorted(self.invented)[:8])}".strip()
        refused = ", ".join(f"{why} {n}" for why, n in self.stats.refused.most_common()) or "none"
        return [self.strategy, str(self.stats.cycles), *kept, f"{self.lies:,}", accepted, refused]


HEADS = ("strategy", "cycles", *(f"{kind}, {where}" for where in ("in the prompt", "by find") for kind in COUNTS))
INVENTED = ("names and numbers invented", "accepted", "refused, by reason")


async def measure_retention(strategy: str, model: str, memories: int, counts: Mapping[str, int], seed: int) -> Retained:
    """Live through the history of a seed under one strategy and return what is known at its end."""
    facts, lossy = plant_facts(random.Random(seed), memories, counts), LossySummarizer()
    with tempfile.TemporaryDirectory() as folder:
        life = AgentHistory(Path(folder), await start_summarizer(model, lossy), strategy, PEOPLE)
        life.wake()
        await _play_history(life, facts, memories, random.Random(seed + 1))
        await life.settle()
        result = Retained(strategy, life.last, life.agent.compactor.stats, lies=len(lossy.lies))
        _search(life, facts, lossy.lies, result)
        await life.end()
    return result


async def _play_history(life: AgentHistory, facts: Sequence[Planted], memories: int, rng: random.Random) -> None:
    waiting, next_turn = list(facts)[::-1], TURN_EVERY
    while life.last < memories:
        if waiting and waiting[-1].at <= life.last:
            fact = waiting.pop()
            life.tell(fact)
            if fact.kind == "pinned":
                life.agent.pin(str(life.last))
        elif life.last >= next_turn:
            next_turn = life.last + TURN_EVERY
            await life.turn(rng)
        else:
            life.chat(rng, PEOPLE)


def _search(life: AgentHistory, facts: Sequence[Planted], lies: Sequence[str], result: Retained) -> None:
    """Enter which facts are known, and what the summaries invent."""
    memory, finder = life.agent.memory, life.agent.finder
    prompt = life.agent.prompt().text
    for fact in facts:
        found = "\n".join(memory_text(one, memory.name) for one in finder.find(fact.question))
        result.prompt.setdefault(fact.kind, []).append(is_known(fact.value, prompt))
        result.found.setdefault(fact.kind, []).append(is_known(fact.value, found))
    published = _published(life)
    heard = [text for one in memory.journal.read(1, memory.journal.last) for text in (one.text, one.room)]
    result.invented = unsupported(published, [*heard, *PEOPLE, memory.name])
    result.invented |= {lie for lie in lies if any(lie in text for text in published)}


def _published(life: AgentHistory) -> list[str]:
    """Return the text of every summary that was ever accepted."""
    memory = life.agent.memory
    kept = [summary for _, summary in (*memory.summaries.leaves(), *memory.summaries.former())]
    return [summary.text for summary in (*kept, memory.longterm, memory.recent) if summary]


def is_known(value: str, text: str) -> bool:
    """Return whether all words of a value are in one sentence of a text."""
    wanted = set(_words(value))
    return any(wanted <= set(_words(part)) for part in _SENTENCE_END.split(text))


def unsupported(texts: Iterable[str], heard: Iterable[str]) -> set[str]:
    """Return the names inside sentences, and the numbers, of texts that nobody has said.

    Links to the journal are left out. This looks with other eyes than the verifier, on purpose.
    """
    known = {word for text in heard for word in _words(text)}
    shown = [re.sub(r"\(?\[\[[^\]]*\]\]\)?|^#+ .*$", "", text, flags=re.MULTILINE) for text in texts]
    found = {match[0] for text in shown for match in _NAME_OR_NUMBER.finditer(text)}
    return {word for word in found if word.casefold() not in known and word not in ("1", "2")}


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def main() -> None:
    """Print the table."""
    parser = argument_parser(__doc__)
    parser.add_argument("--memories", type=int, default=2000, help="how long the history is (default 2000)")
    add_options(parser)
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    rows = []
    for strategy in options.strategies:
        print(f"  {strategy} ...", file=sys.stderr, flush=True)
        history = measure_retention(strategy, options.model, options.memories, COUNTS, options.seed)
        rows.append(asyncio.run(history).row())
    title = f"{options.memories:,} memories; planted: {', '.join(f'{n} {kind}' for kind, n in COUNTS.items())}."
    publish("retention", [Table((*HEADS, *INVENTED), rows, title)], options.record)


if __name__ == "__main__":
    main()
