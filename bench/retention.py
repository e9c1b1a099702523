"""Measure what agents still know after many compactions, by strategy: `python -m bench.retention`.

Facts are planted in a generated history, which is lived through in a small world with real files; then the prompt, the
summaries, what each question brings to mind, `expand` and `find` are asked for them. `--model scripted` summarises with
a model that keeps every k-th sentence and lies now and then, `--model picked` has whole lines picked by rule, without
any model, and `--model embedded` is the one that comes with Fallwater. `--locomo DIR` asks the questions of the LoCoMo
conversations in a folder instead. `--record` adds the tables to bench/RESULTS.md.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import logging
import shlex
import sys
from dataclasses import replace
from pathlib import Path

from agents.memory.strategy import loaded_strategies
from agents.models.embedded_model import EmbeddedModel
from agents.models.model import LanguageModel
from bench.lib.histories import Counts
from bench.lib.locomo import asked_table, conversations, questioned
from bench.lib.reporting import machine, record, table, tables
from bench.lib.retained import measured
from bench.lib.scripted_models import LOSSY, PICKED, LossySummarizer, ScriptedModel

STRATEGIES = tuple(loaded_strategies())


async def _model(name: str) -> tuple[LanguageModel, list[str]]:
    """Return a started model and the list in which it keeps what it makes up."""
    if name == "embedded":
        embedded = EmbeddedModel()
        await embedded.start()
        return embedded, []
    lossy = LossySummarizer()
    return ScriptedModel(LOSSY if name == "scripted" else PICKED, lossy), lossy.lies


async def _all(options: argparse.Namespace) -> str:
    results = []
    for strategy in options.strategies.split(","):
        model, lies = await _model(options.model)
        results.append(await measured(strategy, model, lies, options))
        print(f"  {strategy}: {results[-1].seconds:.0f} s", file=sys.stderr, flush=True)
    counts = ", ".join(f"{number} {kind}" for kind, number in vars(options.counts).items())
    return f"{results[0].memories:,} memories; planted: {counts}.\n\n{tables(results)}"


async def _all_questions(options: argparse.Namespace) -> str:
    rows = []
    for conversation in conversations(options.locomo):
        for strategy in options.strategies.split(","):
            model, _ = await _model(options.model)
            rows += await questioned(conversation, strategy, model)
            print(f"  {conversation.name}, {strategy}", file=sys.stderr, flush=True)
    if not rows:
        return f"skipped: no LoCoMo data in {options.locomo}"
    return f"{len(rows)} questions.\n\n{asked_table(rows, table)}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=2000, help="how long the history is (default 2000)")
    parser.add_argument("--strategies", default=",".join(STRATEGIES), help="which, with commas (default all)")
    parser.add_argument("--model", choices=("scripted", "picked", "embedded"), default="scripted")
    parser.add_argument("--locomo", type=Path, help="a folder with LoCoMo conversations")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--important", type=int, default=Counts().important, help="how many important facts")
    parser.add_argument("--record", action="store_true", help="add the tables to bench/RESULTS.md")
    options = parser.parse_args()
    options.counts = replace(Counts(), important=options.important)
    if unknown := set(options.strategies.split(",")) - set(STRATEGIES):
        parser.error(f"there is no strategy {', '.join(sorted(unknown))}; choose from {', '.join(STRATEGIES)}")
    logging.disable(logging.CRITICAL)
    text = asyncio.run(_all_questions(options) if options.locomo else _all(options))
    print(text)
    if options.record:
        arguments = shlex.join(argument for argument in sys.argv[1:] if argument != "--record")
        arguments = arguments.replace(str(options.locomo), "DIR")
        today = datetime.datetime.now(datetime.UTC).date()
        record(f"### `python -m bench.retention {arguments}`\n\n{today}, {machine()}.\n\n{text}")


if __name__ == "__main__":
    main()
