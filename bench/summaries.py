"""Measure how often a model's summaries of journals are accepted: `python -m bench.summaries --model ollama:NAME`.

The journals are those of tests/agents/memory/judged_summaries.yaml, ten excerpts that the project wrote. Each is
summarised by the project's own code, with the world's templates, `--rounds` times. Prints how many summaries the
verifier accepts at the first and at the second try, and why it refuses the others; `--verbose` shows every try.
M is embedded, ollama:NAME or gguf:FILE.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
from collections import Counter
from dataclasses import dataclass, field
from functools import partial

from agents.memory.gate import Source
from agents.memory.summaries.drafts import SummaryRefused
from agents.memory.summaries.prompt import load_summary_templates
from agents.memory.summaries.summarizing import Summarizer, SummarizerProfile, SummaryContext
from agents.models.model import Completion, LanguageModel, ModelError, OnText, Request
from agents.models.queue import ModelQueue
from bench.lib.models import named_model
from bench.lib.reporting import Table, argument_parser, publish
from config.settings import MemorySettings, ModelSettings
from tests.agents.memory.gate_samples import PLAYED, summaries_in
from vault.vault import STARTER, Vault

TIMEOUT_SECONDS = 300.0
"""A slow machine is not what is measured."""


@dataclass
class Figures:
    """The number of summaries accepted at each try, and of each objection.

    `shortened` of the second tries were accepted without some of their sentences.
    """

    first: int = 0
    second: int = 0
    shortened: int = 0
    never: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def line(self) -> str:
        count = self.first + self.second + self.never
        why = ", ".join(f"{reason} {number}" for reason, number in self.reasons.most_common()) or "none"
        share = (self.first + self.second) / max(1, count)
        return (
            f"{count} summaries, {share:.0%} accepted: {self.first} at the first try, {self.second} at the second "
            f"({self.shortened} of these without sentences that were untrue); {self.never} never. Objections: {why}."
        )


class RecordingModel:
    """A model whose answers are kept."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.name, self.capabilities, self.context_tokens = model.name, model.capabilities, model.context_tokens
        self.answers: list[str] = []

    async def start(self) -> None:
        """Do nothing: it has been started."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        completion = await self._model.complete(request, on_text)
        self.answers.append(completion.text)
        return completion

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)

    async def close(self) -> None:
        await self._model.close()


def journals() -> dict[str, Source]:
    """Return the excerpts by name."""
    return {one.journal: one.source for one in summaries_in(PLAYED)}


async def measure_acceptance(model: LanguageModel, rounds: int, verbose: bool) -> Figures:
    """Have every journal summarised, and return what became of it."""
    figures, settings, memory = Figures(), ModelSettings(), MemorySettings()
    overheard = RecordingModel(model)
    queue = ModelQueue(overheard)
    profile = SummarizerProfile(
        "prose",
        settings.summary_temperature,
        memory.summary_tokens,
        TIMEOUT_SECONDS,
        chat=model.capabilities.chat,
        floor_tokens=memory.summary_floor_tokens,
        grouping=memory.summary_grouping,
    )
    for name, source in list(journals().items()) * rounds:
        templates = load_summary_templates(Vault(STARTER), source.name)
        context = SummaryContext(source.name, partial(_roster, source), lambda seq: None)
        summarizer = Summarizer(context, [queue], templates, profile)
        overheard.answers.clear()
        refused, detail = await _summarize(summarizer, source, figures, overheard.answers)
        figures.reasons.update(refused)
        outcome = "refused" if detail else "accepted"
        print(f"{name}: {outcome}; objections: {', '.join(refused) or 'none'}", flush=True)
        if verbose:
            print(*(f"    try {number}: {text!r}" for number, text in enumerate(overheard.answers, 1)), sep="\n")
            print(f"    {detail}", flush=True)
    return figures


def _roster(source: Source) -> frozenset[str]:
    return source.roster


async def _summarize(
    summarizer: Summarizer, source: Source, figures: Figures, answers: list[str]
) -> tuple[tuple[str, ...], str]:
    """Return the objections to all tries, and the sentences of the last one if none was accepted."""
    try:
        draft = await summarizer.recent(source.memories)
    except SummaryRefused as error:
        figures.never += 1
        return error.refused, str(error)
    except ModelError as error:
        figures.never += 1
        return ("no-answer",), str(error)
    if draft.quality != "prose":
        figures.never += 1
    elif draft.calls > 1:
        figures.second += 1
        figures.shortened += draft.text.split() not in [answer.split() for answer in answers]
    else:
        figures.first += 1
    return draft.refused, ""


async def _run_all(options: argparse.Namespace) -> Figures:
    model = named_model(options.model)
    await model.start()
    return await measure_acceptance(model, options.rounds, options.verbose)


def main() -> None:
    """Print the figures."""
    parser = argument_parser(__doc__)
    parser.add_argument("--model", default="ollama:qwen2.5-coder:1.5b", metavar="M")
    parser.add_argument("--rounds", type=int, default=1, help="how often each journal is summarised")
    parser.add_argument("--verbose", action="store_true", help="show what the model wrote")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    line = asyncio.run(_run_all(options)).line
    publish("summaries", [Table(["model", "figures"], [[options.model, line]])], options.record)


if __name__ == "__main__":
    main()
