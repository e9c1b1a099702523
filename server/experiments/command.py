"""The sub-commands `sweep` and `report`: a study by one command, and its report written again."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from agents.memory.strategy import loaded_strategies
from agents.metrics.registry import loaded_metrics
from agents.simulation.recording import SimulationError
from server.experiments.executor import Executor, ExecutorError, LocalExecutor
from server.experiments.plan import Plan, read_plan, runs_of
from server.experiments.plots import INSTALL, write_plots
from server.experiments.progress import SweepProgress
from server.experiments.ray_executor import RayExecutor
from server.experiments.report import report_text
from server.experiments.results import read_study, write_values
from server.experiments.slurm_executor import SlurmExecutor
from server.experiments.sweep import Sweep, SweepFolder, missing_recordings
from vault.errors import NoteError

EXECUTORS = ("local", "ray", "slurm")
REPORT, VALUES = "report.md", "runs.csv"
MAX_RUNS_UNASKED = 1000
MAX_RUNS_SHOWN = 20
INTERRUPTED = 130
Echo = Callable[[str], None]


def add_sweep_commands(commands: Any) -> None:
    """Declare both sub-commands; `commands` is what `add_subparsers` returned."""
    sweep = commands.add_parser("sweep", help="run many simulations by a plan, and compare them")
    sweep.add_argument("plan", type=Path, metavar="PLAN.md", help="the note with factors, values and seeds")
    sweep.add_argument("--out", type=Path, metavar="DIR", help="the folder of the results (the plan's name)")
    sweep.add_argument("--executor", choices=EXECUTORS, default="local", help="where runs happen (local)")
    sweep.add_argument("--workers", type=int, metavar="N", help="how many runs at a time (one a processor)")
    sweep.add_argument("--address", metavar="A", help="the Ray cluster, auto or HOST:6379 (a new one on this machine)")
    sweep.add_argument("--partition", metavar="P", help="the partition of Slurm")
    sweep.add_argument("--dry-run", action="store_true", help="tell what would be run, and run nothing")
    sweep.add_argument("--yes", action="store_true", help=f"do not ask, even for more than {MAX_RUNS_UNASKED:,} runs")
    sweep.add_argument("--audit", action="store_true", help="also run everything with neutral perturbations")
    sweep.add_argument("--replay-from", type=Path, metavar="DIR", help="replay the recordings of a sweep; ask no model")
    sweep.add_argument("--no-report", action="store_true", help="leave the report to `fallwater report`")
    report = commands.add_parser("report", help="write the report of a sweep again, without running anything")
    report.add_argument("folder", type=Path, metavar="DIR", help="the folder of a sweep")


def run_report(options: argparse.Namespace, echo: Echo) -> int:
    """Do the sub-command `report` and return the exit code. Raises: NoteError."""
    return write_report(SweepFolder(options.folder.absolute()), echo)


def write_report(folder: SweepFolder, echo: Echo) -> int:
    """Write report.md, runs.csv and the plots of a sweep. Raises: NoteError, SimulationError."""
    study = read_study(folder)
    if not study.results:
        raise NoteError(f"{folder.root}: no run is done yet, so there is nothing to report.")
    plots: dict[str, str] = {}
    try:
        plots = write_plots(study)
    except ImportError:
        echo(INSTALL)
    abouts = {name: f"{one.what[0].upper()}{one.what[1:]}" for name, one in loaded_metrics().abouts.items()}
    try:
        (folder.root / REPORT).write_text(report_text(study, plots, abouts), encoding="utf-8")
        write_values(study, folder.root / VALUES)
    except OSError as error:
        raise SimulationError(f"{folder.root}: cannot be written: {error.strerror}.") from error
    echo(f"The report is in {folder.root / REPORT}, and its figures in {folder.root / VALUES}.")
    return 0


def run_sweep(options: argparse.Namespace, echo: Echo) -> int:
    """Do the sub-command `sweep` and return the exit code. Raises: NoteError, SimulationError."""
    plan = read_plan(options.plan, loaded_strategies().settings_kind)
    plan = plan.with_audit() if options.audit else plan
    if options.workers is not None and options.workers < 1:
        raise NoteError(f"--workers is {options.workers}; expected a number above 0.")
    folder = SweepFolder((options.out or options.plan.with_suffix("")).absolute())
    if options.dry_run:
        return _tell(plan, folder, echo)
    _agree_to(plan, options.yes)
    replay_from = _open_replayed(plan, options.replay_from)
    done = folder.begin(options.plan.read_text(encoding="utf-8"), runs_of(plan))
    echo(f"{plan.count:,} runs in {folder.root}, {done:,} of them done already.")
    progress = SweepProgress(sys.stderr, plan.count, done)
    executor = _executor(options, folder)
    share = () if replay_from else ("--share", str(folder.share))
    sweep = Sweep(folder, executor, lambda now: progress.show(now.done, len(now.failed)), replay_from, share)
    try:
        outcome = sweep.run(runs_of(plan))
    except KeyboardInterrupt:
        echo("Stopped. What is done stays; the same command goes on.")
        return INTERRUPTED
    finally:
        progress.end()
        executor.close()
    for run_id, why in islice(outcome.failed.items(), MAX_RUNS_SHOWN):
        echo(f"Failed: {run_id}: {why}")
    if not options.no_report:
        write_report(folder, echo)
    return 1 if outcome.failed else 0


def _tell(plan: Plan, folder: SweepFolder, echo: Echo) -> int:
    done = sum(folder.is_done(run.run_id) for run in runs_of(plan)) if folder.table.is_file() else 0
    echo(f"{plan.count:,} runs into {folder.root}, {done:,} of them done already.")
    for run in islice(runs_of(plan), MAX_RUNS_SHOWN):
        out = folder.run(run.run_id)
        echo(shlex.join(["fallwater", "simulate", *run.arguments, "--out", str(out), "--whole"]))
    if plan.count > MAX_RUNS_SHOWN:
        echo(f"… and {plan.count - MAX_RUNS_SHOWN:,} more")
    return 0


def _agree_to(plan: Plan, is_agreed: bool) -> None:
    """Ask whether so many runs are meant. Raises: NoteError if not, or if nobody can be asked."""
    if plan.count <= MAX_RUNS_UNASKED or is_agreed:
        return
    told = f"{plan.source} makes {plan.count:,} runs"
    if not sys.stdin.isatty():
        raise NoteError(f"{told}. Give --yes if they are meant, or fewer values.")
    if input(f"{told}. Go on? [y/N] ").strip().lower() not in ("y", "yes"):
        raise NoteError(f"{told}; nothing was run.")


def _open_replayed(plan: Plan, root: Path | None) -> SweepFolder | None:
    """Return the folder of a sweep that is given again. Raises: NoteError if it has not all recordings."""
    if root is None:
        return None
    folder = SweepFolder(root.absolute())
    if missing := missing_recordings(folder, runs_of(plan)):
        told = f"{root}: {len(missing):,} of {plan.count:,} runs have no recording here, as {missing[0]}"
        raise NoteError(f"{told}. Give the folder of a sweep with the same plan and the same vault.")
    return folder


def _executor(options: argparse.Namespace, folder: SweepFolder) -> Executor:
    """Return the executor that was asked for. Raises: SimulationError if it cannot begin."""
    try:
        match options.executor:
            case "ray":
                return RayExecutor(options.address, options.workers)
            case "slurm":
                return SlurmExecutor(folder.root / "slurm", options.partition, options.workers)
        return LocalExecutor(options.workers or os.cpu_count() or 1)
    except ExecutorError as error:
        raise SimulationError(f"--executor {options.executor}: {error}") from error
