"""Measure how often a model's summaries of journals are accepted: `python -m bench.summaries --model ollama:NAME`.

The journals are those of tests/agents/memory/judged_summaries.yaml, ten excerpts that the project wrote. Each is
summarised by the project's own code, with the world's templates, `--rounds` times. Prints how many summaries the
verifier accepts at the first and at the second try, and why it refuses the others.
M is embedded, ollama:NAME or gguf:FILE.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import partial

from agents.memory.summaries.drafts import SummaryRefused
from agents.memory.summaries.prompt import load_summary_templates
from agents.memory.summaries.summarizing import Summarizer, SummarizerProfile, SummaryContext
from agents.memory.summary_verifier import Source
from agents.models.model import ModelError
from agents.models.queue import ModelQueue
from bench.lib.models import named_model
from bench.lib.reporting import Table, argument_parser, publish
from config.settings import MemorySettings, ModelSettings
from tests.agents.memory.verifier_samples import PLAYED, summaries_in
from vault.vault import STARTER, Vault

TIMEOUT_SECONDS = 300.0
"""A slow machine is not what is measured."""


@dataclass
class Figures:
    """The number of summaries accepted at each try, and of each objection."""

    first: int = 0
    second: int = 0
    never: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def row(self) -> list[str]:
        """Return them as a row of the table."""
        count = self.first + self.second + self.never
        why = ", ".join(f"{reason} {number}" for reason, number in self.reasons.most_common()) or "none"
        share = (self.first + self.second) / max(1, count)
        return [str(count), f"{share:.0%}", str(self.first), str(self.second), str(self.never), why]


HEADS = ("summaries", "accepted", "at the first try", "at the second", "never", "objections")


async def measure_acceptance(name: str, rounds: int) -> Figures:
    """Have every journal summarised, and return the outcome."""
    model = named_model(name)
    await model.start()
    figures, settings, memory = Figures(), ModelSettings(), MemorySettings()
    queue = ModelQueue(model)
    profile = SummarizerProfile(
        "prose",
        settings.summary_temperature,
        memory.summary_tokens,
        TIMEOUT_SECONDS,
        chat=model.capabilities.chat,
        floor_tokens=memory.summary_floor_tokens,
        grouping=memory.summary_grouping,
    )
    journals = {one.journal: one.source for one in summaries_in(PLAYED)}
    for journal, source in list(journals.items()) * rounds:
        templates = load_summary_templates(Vault(STARTER), source.name)
        context = SummaryContext(source.name, partial(_roster, source), lambda seq: None)
        outcome = await _summarize(Summarizer(context, [queue], templates, profile), source, figures)
        print(f"{journal}: {outcome}", file=sys.stderr, flush=True)
    return figures


def _roster(source: Source) -> frozenset[str]:
    return source.roster


async def _summarize(summarizer: Summarizer, source: Source, figures: Figures) -> str:
    """Count one summary; return `accepted`, or why it was refused."""
    try:
        draft = await summarizer.recent(source.memories)
    except SummaryRefused as error:
        figures.never += 1
        figures.reasons.update(error.refused)
        return str(error)
    except ModelError as error:
        figures.never += 1
        return str(error)
    figures.reasons.update(draft.refused)
    if draft.quality != "prose":
        figures.never += 1
    elif draft.calls > 1:
        figures.second += 1
    else:
        figures.first += 1
    return "accepted"


def main() -> None:
    """Print the figures."""
    parser = argument_parser(__doc__)
    parser.add_argument("--model", default="ollama:qwen2.5-coder:1.5b", metavar="M")
    parser.add_argument("--rounds", type=int, default=1, help="how often each journal is summarised")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    figures = asyncio.run(measure_acceptance(options.model, options.rounds))
    table = Table(("model", *HEADS), [[options.model, *figures.row()]])
    publish("summaries", [table], options.record)


if __name__ == "__main__":
    main()
