"""The sub-command `simulate`: one run, by one command line, into one folder."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agents.simulation.recording import ReplayedModels, SimulationError, TurnCursor
from agents.simulation.simulation import Span
from server.experiments.whole_folder import atomic_folder
from server.options import default_vault
from server.simulation import MAX_HOURS, RECORDING, Progress, RunSpec, simulate
from vault.errors import NoteError
from vault.perturbations import PERTURBATIONS
from vault.variant import Variant
from vault.vault import MARK, STARTER

INTERRUPTED = 130


def add_simulate_command(commands: Any) -> None:
    """Declare the sub-command; `commands` is what `add_subparsers` returned."""
    simulate = commands.add_parser("simulate", help="let the agents live without players, as fast as the model answers")
    simulate.add_argument(
        "--vault", type=Path, metavar="DIR", help="the folder of the world; a copy of it is used (./world)"
    )
    span = simulate.add_mutually_exclusive_group()
    span.add_argument("--turns", type=int, metavar="N", help="how many turns, of all agents together")
    span.add_argument("--hours", type=float, metavar="H", help="how many hours of the world's time")
    simulate.add_argument("--seed", type=int, metavar="S", help="the random seed (0)")
    simulate.add_argument("--model", metavar="M", help="auto, embedded, ollama:NAME or gguf:FILE (config/models.md)")
    simulate.add_argument("--out", type=Path, metavar="DIR", help="a new folder for the results")
    simulate.add_argument(
        "--set", action="append", metavar="NAME=VALUE", help="a setting of config/, such as strategy=window; repeatable"
    )
    simulate.add_argument("--agents", type=int, metavar="N", help="keep so many agents, the first by name")
    simulate.add_argument("--templates", type=Path, metavar="DIR", help="notes that replace those in templates/")
    simulate.add_argument(
        "--perturb", action="append", metavar="NAME", help=f"a neutral change: {', '.join(PERTURBATIONS)}; repeatable"
    )
    simulate.add_argument("--repetition", type=int, default=1, metavar="N", help="a number that only tells runs apart")
    simulate.add_argument(
        "--share", type=Path, metavar="DIR", help="a folder through which simulations take turns at an endpoint"
    )
    simulate.add_argument(
        "--whole", action="store_true", help="give the folder its name when all is written; do nothing if it is there"
    )
    simulate.add_argument("--record", type=Path, metavar="FILE", help="record every reply of the model in a new file")
    simulate.add_argument("--replay", type=Path, metavar="FILE", help="replay a recording and ask no model")


def run_simulation(options: argparse.Namespace, echo: Callable[[str], None]) -> int:
    """Do the sub-command and return the exit code. Raises: NoteError, SimulationError."""
    replay = ReplayedModels(options.replay, TurnCursor()) if options.replay else None
    heading = replay.heading if replay else {}
    if replay:
        _agree(options, heading)
    source = options.vault or default_vault(Path.cwd())
    is_there = (source / MARK).is_file() or (source / "rooms").is_dir()
    if options.vault and not is_there:
        raise NoteError(f"{source}: there is no vault here. Name it with --vault.")
    spec = RunSpec(
        source if is_there else STARTER,
        options.out or source.with_name(f"{source.absolute().name}.simulation"),
        _span(options, heading),
        heading.get("seed", 0) if options.seed is None else options.seed,
        heading.get("model") if replay else options.model,
        options.record,
        variant_of(options),
        options.repetition,
        options.share,
    )
    return _run_whole(spec, echo, replay) if options.whole else _run(spec, spec.out, echo, replay)


def variant_of(options: argparse.Namespace) -> Variant:
    """Return how the copy of the vault is to differ. Raises: NoteError if a setting has no value."""
    settings: dict[str, str] = {}
    for given in options.set or ():
        name, equals, text = given.partition("=")
        if not equals or name.strip() in settings:
            wrong = "is given twice" if equals else "has no value; expected NAME=VALUE, as strategy=window"
            raise NoteError(f"--set {given} {wrong}.")
        settings[name.strip()] = text.strip()
    return Variant(settings, options.agents, options.templates, tuple(dict.fromkeys(options.perturb or ())))


def _run_whole(spec: RunSpec, echo: Callable[[str], None], replay: ReplayedModels | None) -> int:
    """Simulate into a hidden folder, which gets its name when it is whole; a replay is not recorded again."""
    try:
        with atomic_folder(spec.out) as part:
            if part is None:
                echo(f"{spec.out} is there already; nothing is done again.")
                return 0
            record = None if replay else part / RECORDING
            if code := _run(replace(spec, out=part, record=spec.record or record), spec.out, echo, replay):
                raise _CutShortError(code)
    except _CutShortError as cut:
        return cut.code
    except OSError as error:
        raise SimulationError(f"{spec.out}: cannot be written: {error.strerror}.") from error
    return 0


class _CutShortError(Exception):
    """A run that was interrupted, so that its folder is not whole."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def _run(spec: RunSpec, shown: Path, echo: Callable[[str], None], replay: ReplayedModels | None) -> int:
    """Simulate and return the exit code; `shown` is the folder as it is told."""
    try:
        turns = simulate(spec, echo, Progress(sys.stderr), replay)
    except (KeyboardInterrupt, asyncio.CancelledError):
        echo(f"Stopped. What there was until now is in {spec.out}.")
        return INTERRUPTED
    echo(f"Turns: {turns}. The transcript, the report and the world are in {shown}.")
    return 0


def _agree(options: argparse.Namespace, heading: Mapping[str, Any]) -> None:
    """Let nothing be given that a recording says otherwise. Raises: SimulationError."""
    if options.model is not None:
        raise SimulationError(f"--model is {options.model}; a replay asks no model. Leave it out.")
    seed = heading.get("seed", 0)
    if options.seed not in (None, seed):
        raise SimulationError(f"--seed is {options.seed}; {options.replay} was recorded with {seed}. Leave it out.")


def _span(options: argparse.Namespace, heading: Mapping[str, Any]) -> Span:
    span = Span(options.turns, options.hours)
    if span == Span():
        span = Span(heading.get("turns"), heading.get("hours"))
    if span == Span():
        raise SimulationError("How long? Give --turns N, or --hours H of the world's time.")
    if (span.turns is not None and span.turns < 1) or (span.hours is not None and not span.hours > 0):
        given = f"--turns is {span.turns}" if span.turns is not None else f"--hours is {span.hours:g}"
        raise SimulationError(f"{given}; expected a number above 0.")
    if span.hours is not None and span.hours > MAX_HOURS:
        raise SimulationError(f"--hours is {span.hours:g}; expected {MAX_HOURS} at most, a hundred years.")
    return span
