"""How lively three agents are: `python -m bench.liveliness [--turns 300] [--model M] [--seed 1]`.

M is embedded, ollama:NAME or gguf:FILE.

The same 300 turns in the starter town, from the same seed: with the model left to itself, with the engine choosing
verbs, and each of them with and without what is done about agents that go in circles. `--runs` takes some of the four;
`--record` adds the table to `bench/RESULTS.md`; `--transcripts` keeps what happened, a file a run.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import logging
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from agents.models.model import LanguageModel
from agents.models.model_selection import ModelSpec
from bench.lib.lively import Liveliness, measured
from bench.lib.reporting import machine, record, table
from bench.lib.three_agents import Done, Town

HEADING = "## Liveliness"
OLLAMA = "http://127.0.0.1:11434"
RUNS = {
    "model alone": {"steering": "off", "break_loops": False},
    "model alone, measures": {"steering": "off", "break_loops": True},
    "engine chooses verbs": {"steering": "auto", "break_loops": False},
    "engine chooses verbs, measures": {"steering": "auto", "break_loops": True},
}
COLUMNS: dict[str, Callable[[Liveliness], str]] = {
    "turns": lambda m: f"{m.turns:,}",
    "valid commands": lambda m: _percent(m.valid, 1),
    "distinct actions": lambda m: _percent(m.distinct),
    "speeches": lambda m: f"{m.speeches:,}",
    "duplicate speech": lambda m: _percent(m.duplicate, 1),
    "loops per 100 turns": lambda m: f"{m.loops:.1f}",
    "rooms": lambda m: f"{m.rooms}",
    "answers within two turns": lambda m: f"{_percent(m.answered)} of {m.asked}",
    "seconds a turn": lambda m: f"{m.seconds:.2f}",
}
AIMS = ["*aim*", "", "≥ 95 %", "", "", "≤ 5 %", "≤ 1", "", "≥ 90 %", ""]


async def main(arguments: argparse.Namespace) -> None:
    """Live each of the runs and print the table."""
    rows = []
    for name in arguments.runs:
        figures = await _lived(_model(arguments.model), name, arguments)
        rows.append([name, *(cell(figures) for cell in COLUMNS.values())])
        print(table(["run", *COLUMNS], rows[-1:]), flush=True)
    shown = table(["run", *COLUMNS], [*rows, AIMS])
    print(f"\n{shown}")
    if arguments.record:
        today, command = (
            datetime.datetime.now(datetime.UTC).date(),
            shlex.join(one for one in sys.argv[1:] if one != "--record"),
        )
        about = f"{today}, {machine()}, {_model(arguments.model).name}."
        record(f"### `python -m bench.liveliness {command}`\n\n{about}\n\n{shown}", HEADING)


def _model(name: str) -> LanguageModel:
    kind, _, model = name.partition(":")
    if name != "embedded" and not (kind in ("ollama", "gguf") and model):
        sys.exit(f"--model is {name!r}; expected embedded, ollama:NAME or gguf:FILE.")
    address = os.environ.get("OLLAMA_HOST") or OLLAMA
    return ModelSpec(kind, address if kind == "ollama" else "", model).made(None)


async def _lived(model: LanguageModel, name: str, arguments: argparse.Namespace) -> Liveliness:
    """Live one run with a model of its own: an orderly end closes it."""
    await model.start()
    with tempfile.TemporaryDirectory() as folder:
        town = Town(Path(folder) / "vault", model, arguments.seed, RUNS[name])
        began = time.perf_counter()
        try:
            await town.live(arguments.turns, lambda done: _show(done, town, arguments.transcripts, name))
            return measured(town.turns, town.asked, time.perf_counter() - began)
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


def _percent(share: float, digits: int = 0) -> str:
    return "–" if share != share else f"{share:.{digits}%}"


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=lambda names: names.split(";"), default=list(RUNS))
    parser.add_argument("--transcripts", type=Path)
    parser.add_argument("--record", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    asyncio.run(main(_parsed()))
