"""The liveliness of three agents: `python -m bench.liveliness [--turns 300] [--model M] [--seed 1]`.

M is embedded, ollama:NAME or gguf:FILE.

The same 300 turns in the starter town, from the same seed: with the model left to itself, with the engine choosing
verbs, and each of them with and without the measures against loops. `--runs` takes some of the four;
`--record` keeps the table in `bench/results/`; `--transcripts` keeps what happened, a file a run."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.metrics.acting import Loops
from agents.metrics.talking import Answers, NearRepeats
from agents.models.model import LanguageModel
from agents.repetition.loop_detector import SPEECH
from bench.lib.models import named_model
from bench.lib.reporting import Table, argument_parser, percent, record, table
from bench.lib.three_agents import VISITOR, Done, Town
from world.parsing import parse_line

RUNS = {
    "model alone": {"steering": "off", "break_loops": False},
    "model alone, measures": {"steering": "off", "break_loops": True},
    "engine chooses verbs": {"steering": "auto", "break_loops": False},
    "engine chooses verbs, measures": {"steering": "auto", "break_loops": True},
}

GOALS = ["*aim*", "", "≥ 95 %", "", "", "≤ 5 %", "≤ 1", "", "≥ 90 %", ""]


@dataclass(frozen=True)
class Liveliness:
    """Figures of one run; shares from 0 to 1, NaN of nothing.

    `loops` are stretches in which one agent does, or walks, the same one to three things over and over: at least three
    times the same, or twice the same two or three. `answered` is the share of the agents asked by name by the visitor
    that said something within their next two turns.
    """

    turns: int
    valid: float
    distinct: float
    speeches: int
    duplicate: float
    loops: float
    rooms: int
    asked: int
    answered: float
    seconds: float


def liveliness_of(turns: Sequence[Done], asked: Sequence[tuple[str, int]], seconds: float) -> Liveliness:
    """Return the figures of a run; `asked` are the agents asked with the number of turns there were by then."""
    lines = [_bare(turn.line) for turn in turns if turn.line]
    speeches, answers = NearRepeats(), Answers()
    lives: dict[str, Loops] = {}
    for number, turn in enumerate(turns):
        for name, _ in (one for one in asked if one[1] == number):
            answers.address(name, VISITOR)
        line = parse_line(turn.line)
        speaks = turn.outcome == "acted" and line.verb in SPEECH
        if speaks:
            speeches.add(line.arguments)
        answers.take_turn(turn.name, speaks)
        lives.setdefault(turn.name, Loops()).add(_bare(turn.line), turn.room_id)
    loops = sum(life.count for life in lives.values())
    return Liveliness(
        len(turns),
        _share(sum(turn.outcome == "acted" for turn in turns), len(turns)),
        _share(len(set(lines)), len(lines)),
        speeches.share.of,
        speeches.share.value,
        100 * loops / max(1, len(turns)),
        len({turn.room_id for turn in turns}),
        answers.share.of,
        answers.share.value,
        seconds / max(1, len(turns)),
    )


def _bare(line: str) -> str:
    typed = parse_line(line)
    return f"{typed.verb} {typed.arguments}".casefold().strip()


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


COLUMNS: dict[str, Callable[[Liveliness], str]] = {
    "turns": lambda m: f"{m.turns:,}",
    "valid commands": lambda m: percent(m.valid, 1),
    "distinct actions": lambda m: percent(m.distinct),
    "speeches": lambda m: f"{m.speeches:,}",
    "duplicate speech": lambda m: percent(m.duplicate, 1),
    "loops per 100 turns": lambda m: f"{m.loops:.1f}",
    "rooms": lambda m: f"{m.rooms}",
    "answers within two turns": lambda m: f"{percent(m.answered)} of {m.asked}",
    "seconds a turn": lambda m: f"{m.seconds:.2f}",
}


async def main(arguments: argparse.Namespace) -> None:
    """Live each of the runs and print the table."""
    rows = []
    for name in arguments.runs:
        figures = await _run_once(named_model(arguments.model), name, arguments)
        rows.append([name, *(cell(figures) for cell in COLUMNS.values())])
        print(table(["run", *COLUMNS], rows[-1:]), flush=True)
    found = Table(["run", *COLUMNS], [*rows, GOALS])
    print(f"\n{found}")
    if arguments.record:
        record("liveliness", [found])


async def _run_once(model: LanguageModel, name: str, arguments: argparse.Namespace) -> Liveliness:
    """Live one run with a model of its own: an orderly end closes it."""
    await model.start()
    with tempfile.TemporaryDirectory() as folder:
        town = Town(Path(folder) / "vault", model, arguments.seed, RUNS[name])
        began = time.perf_counter()
        try:
            await town.run_turns(arguments.turns, lambda done: _show(done, town, arguments.transcripts, name))
            return liveliness_of(town.turns, town.asked, time.perf_counter() - began)
        finally:
            await town.end()


def _show(done: Done, town: Town, folder: Path | None, name: str) -> None:
    turns = len(town.turns)
    if turns % 50 == 0 or sys.stderr.isatty():
        print(f"\r{name}: {turns} turns", end="" if turns % 50 else "\n", file=sys.stderr, flush=True)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{name}.txt").open("a", encoding="utf-8") as transcript:
            what = done.line or f"({done.outcome}: {done.why})"
            transcript.write(f"{len(town.turns)} [{done.room_id}] {done.name}> {what} {done.note}\n")


def _parsed() -> argparse.Namespace:
    parser = argument_parser(__doc__, records=True)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=lambda names: names.split(";"), default=list(RUNS))
    parser.add_argument("--transcripts", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    asyncio.run(main(_parsed()))
