"""Measure what agents still know after many compactions, by strategy: `python -m bench.retention`.

Facts are planted in a generated history, which is lived through in a small world with real files; then the prompt, the
summaries, what each question brings to mind, `expand` and `find` are asked for them. `--model scripted` summarises with
a model that keeps every k-th sentence and lies now and then, `--model picked` has whole lines picked by rule, without
any model, and `--model embedded` is the one that comes with Fallwater. `--record` keeps the
tables in bench/results/.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Callable
from dataclasses import replace

from agents.memory.strategy import loaded_strategies
from agents.models.embedded_model import EmbeddedModel
from agents.models.model import LanguageModel
from bench.lib.histories import FORMS, Counts
from bench.lib.models import LOSSY, PICKED, LossySummarizer, ScriptedModel
from bench.lib.reporting import Table, argument_parser, percent, record
from bench.lib.retained import AGES, Measured, Tally, measure_retention

STRATEGIES = tuple(loaded_strategies())

COLUMNS: dict[str, Callable[[Measured], str]] = {
    "strategy": lambda m: m.strategy,
    "cycles": lambda m: str(m.cycles),
    "memory in the prompt, tokens": lambda m: f"{m.memory_tokens:,}",
    "pinned": lambda m: percent(m.prompt.kept("pinned")),
    "important": lambda m: percent(m.prompt.kept("important")),
    "ordinary": lambda m: percent(m.prompt.kept("ordinary")),
    "updated": lambda m: percent(m.prompt.kept("updated")),
    "stale only": lambda m: percent(m.prompt.share("updated", "stale")),
    "both values": lambda m: percent(m.prompt.share("updated", "both")),
    "all": lambda m: percent(m.prompt.kept_of_all),
    "all, plain window": lambda m: percent(m.window.kept_of_all),
    "older than that window": lambda m: f"{percent(m.beyond.kept_of_all)} of {m.beyond.of.total()}",
    "all, reminded by the question": lambda m: percent(m.reminded.kept_of_all),
    "by expand": lambda m: percent(m.expanded),
    "by find": lambda m: percent(m.found.kept_of_all),
}
COSTS: dict[str, Callable[[Measured], str]] = {
    "strategy": lambda m: m.strategy,
    "calls": lambda m: f"{m.record.calls:,}",
    "tokens spent": lambda m: f"{m.record.spent_tokens:,}",
    "tokens saved": lambda m: f"{m.record.saved_tokens:,}",
    "whole journal, tokens": lambda m: f"{m.all_tokens:,}",
    "names and numbers invented": lambda m: f"{m.lies:,}",
    "accepted": lambda m: f"{len(m.invented)}{' ' + ', '.join(sorted(m.invented)[:8]) if m.invented else ''}",
    "refused, by reason": lambda m: ", ".join(f"{why} {n}" for why, n in m.record.refused.most_common()) or "none",
    "seconds": lambda m: f"{m.seconds:.0f}",
}


def tables(results: list[Measured]) -> list[Table]:
    """Return the results as tables."""
    ages = [f"{low}–{high - 1}" for low, high in zip((0, *AGES), AGES, strict=False)] + [f"{AGES[-1]} and more"]
    by_age = [
        [m.strategy, kind, *(percent(m.by_age.get(age, Tally()).kept(kind)) for age in range(len(ages)))]
        for m in results
        for kind in ("important", "ordinary")
    ]
    return [
        Table(list(COLUMNS), [[cell(m) for cell in COLUMNS.values()] for m in results]),
        Table(["strategy", "kind", *ages], by_age, "In the prompt by age, in memories since it was told:"),
        Table(
            ["strategy", *FORMS["important"]],
            [_by_form(m) for m in results],
            "Important facts in the prompt, by form:",
        ),
        Table(list(COSTS), [[cell(m) for cell in COSTS.values()] for m in results]),
    ]


def _by_form(m: Measured) -> list[str]:
    return [m.strategy, *(percent(m.by_form.kept(form)) for form in FORMS["important"])]


async def _model(name: str) -> tuple[LanguageModel, list[str]]:
    """Return a started model and the list in which it keeps what it makes up."""
    if name == "embedded":
        embedded = EmbeddedModel()
        await embedded.start()
        return embedded, []
    lossy = LossySummarizer()
    return ScriptedModel(LOSSY if name == "scripted" else PICKED, lossy), lossy.lies


async def _run_all(options: argparse.Namespace) -> list[Table]:
    results = []
    for strategy in options.strategies.split(","):
        model, lies = await _model(options.model)
        results.append(await measure_retention(strategy, model, lies, options))
        print(f"  {strategy}: {results[-1].seconds:.0f} s", file=sys.stderr, flush=True)
    counts = ", ".join(f"{number} {kind}" for kind, number in vars(options.counts).items())
    first, *others = tables(results)
    return [replace(first, title=f"{results[0].memories:,} memories; planted: {counts}."), *others]


def main() -> None:
    """Print the tables."""
    parser = argument_parser(__doc__, records=True)
    parser.add_argument("--memories", type=int, default=2000, help="how long the history is (default 2000)")
    parser.add_argument("--strategies", default=",".join(STRATEGIES), help="which, with commas (default all)")
    parser.add_argument("--model", choices=("scripted", "picked", "embedded"), default="scripted")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--important", type=int, default=Counts().important, help="how many important facts")
    options = parser.parse_args()
    options.counts = replace(Counts(), important=options.important)
    if unknown := set(options.strategies.split(",")) - set(STRATEGIES):
        parser.error(f"there is no strategy {', '.join(sorted(unknown))}; choose from {', '.join(STRATEGIES)}")
    logging.disable(logging.CRITICAL)
    found = asyncio.run(_run_all(options))
    print("\n\n".join(map(str, found)))
    if options.record:
        record("retention", found)


if __name__ == "__main__":
    main()
