"""The sub-commands `sweep` and `report`: a study by one command, and its report written again."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from agents.memory.strategy import loaded_strategies
from agents.metrics.measuring import loaded_metrics
from agents.simulation.recording import SimulationError
from server.experiments.executor import Executor, ExecutorError, LocalExecutor, RayExecutor, SlurmExecutor
from server.experiments.plan import Plan, read_plan, runs_of
from server.experiments.report import PLOTS_INSTALL, report_text, write_plots
from server.experiments.sweep import Sweep, SweepFolder, missing_recordings, read_study, write_values
from vault.errors import NoteError

BAR = 24
PLAIN_SECONDS = 30.0


class SweepProgress:
    """Tells how many runs of all are done, how many a minute, and when the last will be."""

    def __init__(self, stream: TextIO, total: int, before: int, now: Callable[[], float] = time.monotonic) -> None:
        """`before` is how many were done before; `now` returns seconds."""
        self._stream = stream
        self._total = total
        self._before = before
        self._now = now
        self._began = now()
        self._told: float | None = None
        self._width = 0

    def show(self, done: int, failed: int) -> None:
        """Tell how many runs were done and given up since the beginning."""
        line, is_last = self.line(done, failed), self._before + done + failed >= self._total
        if self._stream.isatty():
            self._width = max(self._width, len(line))
            self._stream.write("\r" + line.ljust(self._width))
        elif self._told is not None and self._now() - self._told < PLAIN_SECONDS and not is_last:
            return
        else:
            self._stream.write(line + "\n")
        self._told = self._now()
        self._stream.flush()

    def end(self) -> None:
        """Leave the line as it is."""
        if self._width:
            self._stream.write("\n")
            self._stream.flush()

    def line(self, done: int, failed: int) -> str:
        """Return the progress line."""
        over = self._before + done + failed
        full = round(BAR * over / self._total) if self._total else BAR
        words = [f"[{'#' * full}{'.' * (BAR - full)}] {self._before + done:,}/{self._total:,} runs"]
        words += [f"{failed:,} failed"] if failed else []
        minutes = (self._now() - self._began) / 60
        if (new := done + failed) and minutes > 0:
            words += [f"{new / minutes:.3g} a minute", _left((self._total - over) * minutes / new)]
        return ", ".join(words)


def _left(minutes: float) -> str:
    if minutes < 1.5:
        return f"{max(0, round(minutes * 60))} s left"
    return f"{minutes:.0f} min left" if minutes < 90 else f"{minutes / 60:.1f} h left"


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
        echo(PLOTS_INSTALL)
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
    """Ask whether the number of runs is intended. Raises: NoteError if not, or if nobody can be asked."""
    if plan.count <= MAX_RUNS_UNASKED or is_agreed:
        return
    told = f"{plan.source} makes {plan.count:,} runs"
    if not sys.stdin.isatty():
        raise NoteError(f"{told}. Give --yes if they are meant, or fewer values.")
    if input(f"{told}. Go on? [y/N] ").strip().lower() not in ("y", "yes"):
        raise NoteError(f"{told}; nothing was run.")


def _open_replayed(plan: Plan, root: Path | None) -> SweepFolder | None:
    """Return the folder of the sweep to replay. Raises: NoteError if a recording is missing."""
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
