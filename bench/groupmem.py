"""Measure what agents know of long conversations, by memory strategy: `python -m bench.groupmem`.

A group talks in the agent's presence. Facts are planted in the talk by seed: said once, who said it, who knows it,
updated, one name for two people, two steps apart, and questions about what was never said. Then each question is asked:
is the answer in the view, with what the question brings to mind, with `find`, or in a plain window of as many tokens?
Of what was never said it is counted how often nothing at all comes to mind (`view, reminded`) or is found (`view and
find`). Intervals are 95 %: by question, and with each conversation as one draw. No model answers and none judges.

`--model` names who summarises: a script that loses most (default), `picked` by rule, `embedded` or `ollama:NAME`.
`--locomo`, `--longmemeval` and `--convomem` ask the questions of data sets in a folder; of these it is counted what
share of the answer's words each text has. `--record` keeps the tables in bench/results/.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from pathlib import Path

from agents.memory.strategy import loaded_strategies
from agents.models.model import LanguageModel
from bench.lib.conversations import AnswerRecord, Conversation, asked_table, question_agent
from bench.lib.datasets import DatasetError, convomem, locomo, longmemeval
from bench.lib.group_talk import generate_group_talk
from bench.lib.models import LOSSY, PICKED, LossySummarizer, ScriptedModel, named_model
from bench.lib.reporting import argument_parser, record

STRATEGIES = tuple(loaded_strategies())
QUESTIONS_A_TALK = 50
DATASETS = {"locomo": locomo, "longmemeval": longmemeval, "convomem": convomem}


async def _model(name: str) -> LanguageModel:
    if name in ("scripted", "picked"):
        return ScriptedModel(LOSSY if name == "scripted" else PICKED, LossySummarizer())
    model = named_model(name)
    await model.start()
    return model


def _conversations(options: argparse.Namespace) -> list[Conversation]:
    """Return what is talked of: of the data set that is named, or generated. Raises: DatasetError, ValueError."""
    for name, read in DATASETS.items():
        if folder := getattr(options, name):
            found = read(folder)[: options.conversations]
            if not found:
                raise DatasetError(f"There is no {name} data in {folder}.")
            return found
    talks, rest = divmod(options.questions, QUESTIONS_A_TALK)
    sizes = [QUESTIONS_A_TALK] * talks + ([rest] if rest else [])
    return [generate_group_talk(options.seed + number, options.turns, size) for number, size in enumerate(sizes)]


async def _run_all(conversations: list[Conversation], options: argparse.Namespace) -> list[AnswerRecord]:
    rows: list[AnswerRecord] = []
    for strategy in options.strategies.split(","):
        for number, conversation in enumerate(conversations, 1):
            rows += await question_agent(conversation, strategy, await _model(options.model))
            print(f"  {strategy}: {number} of {len(conversations)}", file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Print the table."""
    parser = argument_parser(__doc__, records=True)
    parser.add_argument("--questions", type=int, default=1000, help="how many, 50 of each talk (default 1000)")
    parser.add_argument("--turns", type=int, default=400, help="how long each talk is (default 400)")
    parser.add_argument("--strategies", default=",".join(STRATEGIES), help="which, with commas (default all)")
    parser.add_argument("--model", default="scripted", help="scripted, picked, embedded or ollama:NAME")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--conversations", type=int, help="only the first so many of a data set")
    for name in DATASETS:
        parser.add_argument(f"--{name}", type=Path, metavar="DIR", help=f"ask the questions of {name} in a folder")
    options = parser.parse_args()
    if unknown := set(options.strategies.split(",")) - set(STRATEGIES):
        parser.error(f"there is no strategy {', '.join(sorted(unknown))}; choose from {', '.join(STRATEGIES)}")
    logging.disable(logging.CRITICAL)
    try:
        conversations = _conversations(options)
    except (DatasetError, ValueError) as error:
        parser.error(str(error))
    found = asked_table(asyncio.run(_run_all(conversations, options)))
    print(found)
    if options.record:
        hidden = next((str(folder) for name in DATASETS if (folder := getattr(options, name))), "")
        record("groupmem", [found], hidden=hidden)


if __name__ == "__main__":
    main()
