"""Measure how well a model plays the agents.

    python -m bench.minds --model ollama:NAME|embedded [--seeds 3] [--situations tuning|held-back|all] [--quick]

For each seed: plays situations and checks each turn; lets a visitor talk with Eliza through a server of its own; lets
three agents with an errand each live through 60 turns. Prints one table with 95 % intervals and writes it as JSON to
bench/results/. `--compare FILE ...` puts several of these files side by side and plays nothing. Of situations held
back from tuning, only the totals are shown.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import logging
import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agents.models.model import ModelError
from bench.lib.reporting import RESULTS, argument_parser, machine
from bench.minds.day import Day, play_day
from bench.minds.dialogue import Talk, play_dialogue
from bench.minds.measuring import (
    Result,
    Trial,
    amounts_of,
    failures_text,
    play_situation,
    results_table,
    shares_of,
    turns_of,
)
from bench.minds.situation import HALVES, Situation, situations_of
from bench.minds.stage import UnknownComponent, WatchedQueue, check_components, open_queue
from config.settings import ModelSettings

PARTS = ("situations", "dialogue", "day")
DAY_TURNS, QUICK_DAY_TURNS = 60, 30
PROGRESS_EVERY = 10
PATIENCE_SECONDS, QUICK_PATIENCE_SECONDS = 45.0, 25.0
"""Seconds that the visitor waits for an answer."""


async def main(arguments: argparse.Namespace) -> Result:
    """Play everything and return the figures; they are written after each seed.

    Raises: ModelError, UnknownComponent, RuntimeError, ValueError.
    """
    check_components(arguments.without)
    situations = situations_of(arguments.situations, arguments.only)
    trials, talks, days = list[Trial](), list[Talk](), list[Day]()
    began = time.perf_counter()
    queue = await open_queue(arguments.model, ModelSettings(), _tell)
    try:
        for seed in range(1, arguments.seeds + 1):
            if "situations" in arguments.parts:
                trials += await _play_situations(situations, seed, queue, arguments.without)
            if "day" in arguments.parts:
                turns = QUICK_DAY_TURNS if arguments.quick else DAY_TURNS
                _tell(f"seed {seed}, a day of {turns} turns")
                days.append(await play_day(queue, seed, turns, arguments.without))
            if "dialogue" in arguments.parts:
                _tell(f"seed {seed}, the visitor")
                patience = QUICK_PATIENCE_SECONDS if arguments.quick else PATIENCE_SECONDS
                host = os.environ.get("OLLAMA_HOST", "")
                talk = await asyncio.to_thread(play_dialogue, arguments.model, host, seed, patience, arguments.without)
                talks.append(talk)
            result = Result(
                arguments.model,
                _about(arguments, queue, seed, round(time.perf_counter() - began)),
                shares_of(trials, talks, days),
                amounts_of(queue.thoughts, talks, days),
                turns_of(trials),
                [talk.transcript for talk in talks],
            )
            result.saved(_path(arguments, result))
    finally:
        await asyncio.gather(*(route.model.close() for route in queue.routes))
    return result


async def _play_situations(
    situations: Sequence[Situation], seed: int, queue: WatchedQueue, without: Sequence[str]
) -> list[Trial]:
    trials = []
    for number, situation in enumerate(situations):
        if number % PROGRESS_EVERY == 0:
            _tell(f"seed {seed}, situation {number + 1} of {len(situations)}")
        trials.append(await play_situation(situation, seed, queue, without))
    return trials


def _about(arguments: argparse.Namespace, queue: WatchedQueue, seeds: int, seconds: int) -> Mapping[str, Any]:
    return {
        "day": str(datetime.datetime.now(datetime.UTC).date()),
        "machine": machine(),
        "model name": queue.model.name,
        **{name: getattr(arguments, name) for name in ("situations", "parts", "without", "quick")},
        "seeds": seeds,
        "seconds": seconds,
    }


def _tell(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _parsed() -> argparse.Namespace:
    parser = argument_parser(__doc__, records=False)
    parser.add_argument("--model", default="embedded", help="as for the server: embedded, ollama:NAME, ...")
    parser.add_argument("--seeds", type=int, default=3, help="how many times everything is played")
    parser.add_argument("--situations", choices=HALVES, default="tuning")
    parser.add_argument("--only", default="", metavar="NAME", help="nothing but one situation")
    parser.add_argument("--without", nargs="*", default=[], metavar="COMPONENT", help="components to switch off")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="what is played (all)")
    parser.add_argument("--quick", action="store_true", help="one seed, and a shorter day")
    parser.add_argument("--out", type=Path, help="where the JSON goes")
    parser.add_argument("--compare", nargs="+", type=Path, metavar="FILE", help="show results that are there")
    arguments = parser.parse_args()
    if arguments.seeds < 1:
        parser.error(f"--seeds is {arguments.seeds}; expected 1 or more.")
    if arguments.quick:
        arguments.seeds = 1
    if arguments.only:
        arguments.parts = ["situations"]
    return arguments


def _path(arguments: argparse.Namespace, result: Result) -> Path:
    name = re.sub(r"[^\w.-]+", "-", result.title)
    return arguments.out or RESULTS / f"minds-{name}-{result.about['day']}.json"


def run() -> None:
    """Run the command line."""
    arguments = _parsed()
    try:
        if arguments.compare:
            print(results_table([Result.load(path) for path in arguments.compare]))
            return
        result = asyncio.run(main(arguments))
    except (ModelError, UnknownComponent, RuntimeError, ValueError) as error:
        sys.exit(f"bench.minds: {error}")
    print(f"\n{results_table([result])}")
    print(f"\nWrong:\n{failures_text(result.turns) or '  nothing'}")
    print(f"\nWritten to {_path(arguments, result)}.")


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    run()
