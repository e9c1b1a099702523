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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agents.models.model import ModelError
from bench.lib.reporting import argument_parser, machine
from bench.minds.day import Day, play_day
from bench.minds.dialogue import Talk, play_dialogue
from bench.minds.figures import Result, results_table
from bench.minds.measuring import Trial, amounts_of, failures_text, play_situation, shares_of, turns_of
from bench.minds.situation import Situation
from bench.minds.situations.every import HALVES, situations_of
from bench.minds.stage import UnknownComponent, WatchedQueue, check_components, open_queue
from config.settings import ModelSettings

RESULTS = Path(__file__).parent.parent / "results"
PARTS = ("situations", "dialogue", "day")
DAY_TURNS, QUICK_DAY_TURNS = 60, 30
PROGRESS_EVERY = 10
PATIENCE_SECONDS, QUICK_PATIENCE_SECONDS = 45.0, 25.0
"""Seconds that the visitor waits for an answer."""


@dataclass
class Played:
    """The trials, talks and days played so far."""

    trials: list[Trial] = field(default_factory=list)
    talks: list[Talk] = field(default_factory=list)
    days: list[Day] = field(default_factory=list)


async def main(arguments: argparse.Namespace) -> Result:
    """Play everything and return the figures; they are written after each seed.

    Raises: ModelError, UnknownComponent, RuntimeError, ValueError.
    """
    check_components(arguments.without)
    situations_of(arguments.situations, arguments.only)
    played, began = Played(), time.perf_counter()
    queue = await open_queue(arguments.model, ModelSettings(), _tell)
    try:
        for seed in range(1, arguments.seeds + 1):
            await _play(arguments, seed, queue, played)
            seconds = round(time.perf_counter() - began)
            result = _result(arguments, played, queue, {"seeds": seed, "seconds": seconds})
            result.saved(_path(arguments, result))
    finally:
        await asyncio.gather(*(route.model.close() for route in queue.routes))
    return result


def _result(arguments: argparse.Namespace, played: Played, queue: WatchedQueue, how: Mapping[str, int]) -> Result:
    about = {
        "day": str(datetime.datetime.now(datetime.UTC).date()),
        "machine": machine(),
        "model name": queue.model.name,
        **{name: getattr(arguments, name) for name in ("situations", "parts", "without", "quick")},
        **how,
    }
    return Result(
        arguments.model,
        about,
        shares_of(played.trials, played.talks, played.days),
        amounts_of(queue.thoughts, played.talks, played.days),
        turns_of(played.trials),
        [talk.transcript for talk in played.talks],
    )


async def _play(arguments: argparse.Namespace, seed: int, queue: WatchedQueue, played: Played) -> None:
    if "situations" in arguments.parts:
        for situation in _with_progress(situations_of(arguments.situations, arguments.only), f"seed {seed}, situation"):
            played.trials.append(await play_situation(situation, seed, queue, arguments.without))
    if "day" in arguments.parts:
        turns = QUICK_DAY_TURNS if arguments.quick else DAY_TURNS
        _progress(f"seed {seed}, a day of {turns} turns")
        played.days.append(await play_day(queue, seed, turns, arguments.without))
    if "dialogue" in arguments.parts:
        _progress(f"seed {seed}, the visitor")
        patience = QUICK_PATIENCE_SECONDS if arguments.quick else PATIENCE_SECONDS
        host = os.environ.get("OLLAMA_HOST", "")
        talk = await asyncio.to_thread(play_dialogue, arguments.model, host, seed, patience, arguments.without)
        played.talks.append(talk)


def _with_progress(situations: Sequence[Situation], what: str) -> Iterator[Situation]:
    for number, situation in enumerate(situations):
        _progress(f"{what} {number + 1} of {len(situations)}", is_minor=number % PROGRESS_EVERY > 0)
        yield situation


def _tell(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _progress(text: str, is_minor: bool = False) -> None:
    if sys.stderr.isatty():
        print(f"\r{text:60}", end="", file=sys.stderr, flush=True)
    elif not is_minor:
        _tell(text)


def _parsed() -> argparse.Namespace:
    parser = argument_parser(__doc__)
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
