"""The sub-command `simulate`: what it takes, and what it says."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agents.simulated.recording import Place, SimulationError
from agents.simulated.replaying import Replay
from agents.simulated.simulation import Span
from server.simulation.progress import Progress
from server.simulation.simulating import Wanted, simulated
from vault.folder import MARK, STARTER
from vault.notes import NoteError

INTERRUPTED = 130
MOST_HOURS = 876_000
"""A hundred years."""


def add_simulate_command(commands: Any) -> None:
    """Declare the sub-command; `commands` is what `add_subparsers` returned."""
    simulate = commands.add_parser("simulate", help="let the agents live without players, as fast as the model answers")
    simulate.add_argument(
        "--vault", type=Path, metavar="DIR", help="the folder of the world; a copy of it is used (./world)"
    )
    span = simulate.add_mutually_exclusive_group()
    span.add_argument("--turns", type=int, metavar="N", help="how many turns, of all agents together")
    span.add_argument("--hours", type=float, metavar="H", help="how many hours of the world's time")
    simulate.add_argument("--seed", type=int, metavar="S", help="what chance is drawn from (0)")
    simulate.add_argument("--model", metavar="M", help="auto, embedded, ollama:NAME or gguf:FILE (config/models.md)")
    simulate.add_argument("--out", type=Path, metavar="DIR", help="a new folder for all that comes of it")
    simulate.add_argument("--record", type=Path, metavar="FILE", help="write every answer of the model to a new file")
    simulate.add_argument("--replay", type=Path, metavar="FILE", help="take the answers from a recording, and no model")


def run_simulation(options: argparse.Namespace, default_vault: Callable[[], Path], say: Callable[[str], None]) -> int:
    """Do the sub-command and return the exit code. Raises: NoteError, SimulationError."""
    replay = Replay(options.replay, Place()) if options.replay else None
    heading = replay.heading if replay else {}
    if replay:
        _agree(options, heading)
    source = options.vault or default_vault()
    is_there = (source / MARK).is_file() or (source / "rooms").is_dir()
    if options.vault and not is_there:
        raise NoteError(f"{source}: there is no vault here. Name it with --vault.")
    wanted = Wanted(
        source if is_there else STARTER,
        options.out or source.with_name(f"{source.absolute().name}.simulation"),
        _span(options, heading),
        heading.get("seed", 0) if options.seed is None else options.seed,
        options.model,
        options.record,
    )
    try:
        turns = simulated(wanted, say, Progress(sys.stderr), replay)
    except (KeyboardInterrupt, asyncio.CancelledError):
        say(f"Stopped. What there was until now is in {wanted.out}.")
        return INTERRUPTED
    say(f"Turns: {turns}. The transcript, the report and the world are in {wanted.out}.")
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
    if span.hours is not None and span.hours > MOST_HOURS:
        raise SimulationError(f"--hours is {span.hours:g}; expected {MOST_HOURS} at most, a hundred years.")
    return span
