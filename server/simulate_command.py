"""The sub-command `simulate`: one run, by one command line, into one folder.

The folder may appear under its name only when it is whole, and is then made by one process at a time.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from agents.simulation.recording import ReplayedModels, SimulationError, TurnCursor
from agents.simulation.simulation import Span
from server.options import default_vault
from server.simulation import MAX_HOURS, RECORDING, Progress, RunSpec, simulate
from vault.errors import NoteError
from vault.variant import PERTURBATIONS, Variant
from vault.vault import STARTER, is_vault

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
    is_there = is_vault(source)
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
    """Simulate and return the exit code; `shown` is the name of the folder for people."""
    try:
        turns = simulate(spec, echo, Progress(sys.stderr), replay)
    except (KeyboardInterrupt, asyncio.CancelledError):
        echo(f"Stopped. What there was until now is in {spec.out}.")
        return INTERRUPTED
    echo(f"Turns: {turns}. The transcript, the report and the world are in {shown}.")
    return 0


def _agree(options: argparse.Namespace, heading: Mapping[str, Any]) -> None:
    """Check that no option contradicts a recording. Raises: SimulationError."""
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


@contextmanager
def atomic_folder(target: Path) -> Iterator[Path | None]:
    """Yield an empty hidden folder, which gets the name of the target if nothing is raised; None if it exists already.

    A second process waits until the first is done or dead; the remains of a dead one are removed. So a run that was
    killed leaves nothing under its name, and two processes never do the same run twice. Raises: OSError.
    """
    claimed = _claim(target)
    if claimed is None:
        yield None
        return
    part, lock = claimed
    try:
        yield part
        os.rename(part, target)
    finally:
        os.close(lock)


def part_of(target: Path) -> Path:
    """Return where a folder is until it is whole."""
    return target.with_name(f".{target.name}.part")


def _claim(target: Path) -> tuple[Path, int] | None:
    """Return the hidden folder, emptied, and its lock, which is the open folder itself and goes with the process."""
    part = part_of(target)
    while not target.exists():
        part.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.open(part, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:  # it became whole this moment
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _is_still(part, lock) and not target.exists():
            for one in part.iterdir():
                shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()
            return part, lock
        with suppress(OSError):  # made after the other one was done; not empty if it is somebody else's
            if target.exists():
                part.rmdir()
        os.close(lock)
    return None


def _is_still(part: Path, lock: int) -> bool:
    try:
        return os.path.samestat(os.stat(part), os.fstat(lock))
    except FileNotFoundError:
        return False
