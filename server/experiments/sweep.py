"""A sweep: gives all unfinished runs of a plan to an executor, and reads their results. Finished runs are skipped.

In the folder of a sweep are `plan.md`, the table of runs in `runs.jsonl`, and a folder a run in `runs/`, named by the
hash of its parameters. A run is done if its folder is there: nothing else is remembered.
"""

from __future__ import annotations

import csv
import errno
import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.metrics.measuring import measure
from agents.simulation.recording import SimulationError
from server.experiments.executor import CommandExit, Executor, ExecutorError
from server.experiments.plan import PlannedRun
from server.simulation import RECORDING, REPORT, RUN, TIMING, read_values
from vault.errors import NoteError

RUNS, TABLE, FAILURES, PLAN = "runs", "runs.jsonl", "failures.json", "plan.md"
MAX_ATTEMPTS = 3
FULL = (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT), "database or disk is full")
"""The last words of a run that has found the disk full: the system's, or SQLite's."""


@dataclass(frozen=True)
class SweepFolder:
    """The folder of a sweep."""

    root: Path

    @property
    def plan(self) -> Path:
        """The path of the plan, as it was when the sweep began."""
        return self.root / PLAN

    @property
    def table(self) -> Path:
        """The table of runs: a line of JSON each."""
        return self.root / TABLE

    @property
    def failures(self) -> Path:
        """The path of the failures, by run; the file is missing if no run failed."""
        return self.root / FAILURES

    @property
    def share(self) -> Path:
        """The folder through which its runs take turns at endpoints."""
        return self.root / ".endpoints"

    def run(self, run_id: str) -> Path:
        """Return the folder of a run, which is there if the run is done."""
        return self.root / RUNS / run_id

    def is_done(self, run_id: str) -> bool:
        """Return whether a run is done."""
        return self.run(run_id).is_dir()

    def begin(self, plan_text: str, runs: Iterable[PlannedRun]) -> int:
        """Write the plan and the table; return how many runs are done already.

        Raises: SimulationError if the folder is something else, or cannot be written.
        """
        done = 0
        try:
            if self.root.exists() and not self.table.is_file() and any(self.root.iterdir()):
                told = f"{self.root} exists already and is no folder of a sweep; give another one with --out."
                raise SimulationError(told)
            (self.root / RUNS).mkdir(parents=True, exist_ok=True)
            self.plan.write_text(plan_text, encoding="utf-8")
            draft = self.table.with_suffix(".part")
            with draft.open("w", encoding="utf-8") as file:
                for run in runs:
                    done += self.is_done(run.run_id)
                    file.write(json.dumps(row_of(run), ensure_ascii=False) + "\n")
            os.replace(draft, self.table)
            self.failures.unlink(missing_ok=True)
        except OSError as error:
            raise SimulationError(f"{self.root}: cannot be written: {error.strerror}.") from error
        return done


def row_of(run: PlannedRun) -> dict[str, object]:
    """Return a run as a line of the table."""
    parameters = run.parameters
    told = {"run": run.run_id, "seed": parameters.seed, "repetition": parameters.repetition}
    return {**told, "perturbation": run.perturbation, "condition": dict(run.condition)}


@dataclass
class Outcome:
    """The outcome of a sweep: how many runs were done now, and why others were not, by their ids."""

    done: int = 0
    failed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Attempt:
    """A run that is under way, for the first time or again."""

    run: PlannedRun
    number: int = 1


class Sweep:
    """Does the runs of a table. `replay_from` is the folder of a sweep whose recordings are replayed."""

    def __init__(
        self,
        folder: SweepFolder,
        executor: Executor,
        on_ended: Callable[[Outcome], None] = lambda outcome: None,
        replay_from: SweepFolder | None = None,
        more: tuple[str, ...] = (),
    ) -> None:
        """`on_ended` is called after each run that is done or given up; `more` are options of every run."""
        self._folder = folder
        self._executor = executor
        self._on_ended = on_ended
        self._replay_from = replay_from
        self._more = more
        self._outcome = Outcome()
        self._again: deque[Attempt] = deque()
        self._under_way: dict[Future[CommandExit], Attempt] = {}

    def run(self, runs: Iterable[PlannedRun]) -> Outcome:
        """Do all runs whose folders are missing, and return the outcome.

        Raises: SimulationError if it cannot go on: the disk is full, or the executor is gone.
        """
        left = (run for run in runs if not self._folder.is_done(run.run_id))
        self._start(left)
        while self._under_way:
            ended, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
            for future in ended:
                self._end(self._under_way.pop(future), future)
            self._start(left)
        if self._outcome.failed:
            text = json.dumps(self._outcome.failed, indent=2, ensure_ascii=False)
            self._folder.failures.write_text(text + "\n", encoding="utf-8")
        return self._outcome

    def _start(self, left: Iterator[PlannedRun]) -> None:
        attempts: list[Attempt] = []
        while len(self._under_way) + len(attempts) < self._executor.capacity:
            if self._again:
                attempts.append(self._again.popleft())
            elif run := next(left, None):
                attempts.append(Attempt(run))
            else:
                break
        if attempts:
            commands = [self.command(one.run) for one in attempts]
            try:
                futures = self._executor.submit(commands)
            except ExecutorError as error:
                raise SimulationError(self._stopped(str(error))) from error
            self._under_way |= dict(zip(futures, attempts, strict=True))

    def command(self, run: PlannedRun) -> list[str]:
        """Return the arguments of `fallwater` that do a run."""
        arguments = run.arguments
        if self._replay_from:
            without_model = _without(arguments, "--model")
            arguments = (*without_model, "--replay", str(self._replay_from.run(run.run_id) / RECORDING))
        return ["simulate", *arguments, "--out", str(self._folder.run(run.run_id)), "--whole", *self._more]

    def _end(self, attempt: Attempt, future: Future[CommandExit]) -> None:
        run_id = attempt.run.run_id
        try:
            ended = future.result()
        except ExecutorError as error:
            raise SimulationError(self._stopped(str(error))) from error
        if self._folder.is_done(run_id):
            self._outcome.done += 1
        elif any(reason in ended.message for reason in FULL):
            raise SimulationError(self._stopped(f"the disk is full ({ended.message})"))
        elif attempt.number < MAX_ATTEMPTS:
            self._again.append(Attempt(attempt.run, attempt.number + 1))
            return
        else:
            how = f"signal {-ended.code}" if ended.code < 0 else f"exit code {ended.code}"
            self._outcome.failed[run_id] = f"{ended.message or 'it said nothing'} ({how}, {attempt.number} times)"
        self._on_ended(self._outcome)

    def _stopped(self, why: str) -> str:
        told = f"{self._folder.root}: the sweep stopped: {why.rstrip('.')}."
        return f"{told} {self._outcome.done} runs were done and stay; the same command goes on with the others."


def missing_recordings(folder: SweepFolder, runs: Iterable[PlannedRun]) -> list[str]:
    """Return the runs that have no recording in the folder of a sweep."""
    return [run.run_id for run in runs if not (folder.run(run.run_id) / RECORDING).is_file()]


def _without(arguments: tuple[str, ...], option: str) -> tuple[str, ...]:
    if option not in arguments:
        return arguments
    place = arguments.index(option)
    return arguments[:place] + arguments[place + 2 :]


def conditions_text(condition: Mapping[str, str]) -> str:
    """Return a condition as it reads in a report; "as it is" if nothing is varied."""
    return ", ".join(f"{name} {value}" for name, value in condition.items()) or "as it is"


Measure = Callable[[Path], Mapping[str, float]]
Key = tuple[int, int]
"""The seed and the repetition of a run: what two conditions are paired by."""

COSTS = ("turns", "failed", "requests", "prompt_tokens", "cached_tokens", "completion_tokens", "compactions")
TIMES = ("seconds", "model_seconds", "cpu_seconds")


@dataclass(frozen=True)
class Result:
    """A run that is done. `costs` are tokens, turns and seconds; `about` is its run.json."""

    run_id: str
    condition: str
    seed: int
    repetition: int
    perturbation: str
    values: Mapping[str, str]
    metrics: Mapping[str, float]
    costs: Mapping[str, float]
    about: Mapping[str, Any]

    @property
    def key(self) -> Key:
        """The key that pairs it with runs of other factors."""
        return self.seed, self.repetition


@dataclass(frozen=True)
class Study:
    """Everything known of a sweep: the results, the missing runs, and the reasons of the failed ones."""

    folder: SweepFolder
    title: str
    results: Sequence[Result]
    missing: Sequence[str]
    failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def conditions(self) -> list[str]:
        """The conditions in their order; the first is what the others are compared with."""
        return list(dict.fromkeys(one.condition for one in self.results))

    @property
    def perturbations(self) -> list[str]:
        """The perturbations; the first is "", none."""
        return list(dict.fromkeys(one.perturbation for one in self.results))

    @property
    def metrics(self) -> list[str]:
        """The names of all metrics that some run has."""
        return list(dict.fromkeys(name for one in self.results for name in one.metrics))

    def values(self, metric: str, condition: str, perturbation: str = "") -> dict[Key, float]:
        """Return the values of a metric in a condition, by seed and repetition."""
        return {
            one.key: one.metrics[metric]
            for one in self.results
            if (one.condition, one.perturbation) == (condition, perturbation) and metric in one.metrics
        }

    def costs(self, name: str, condition: str) -> list[float]:
        """Return the cost of the runs of a condition."""
        return [one.costs[name] for one in self.results if one.condition == condition and name in one.costs]


def read_study(folder: SweepFolder, measure_run: Measure = measure) -> Study:
    """Return the results of a sweep. Raises: NoteError if the folder is none, or a run in it cannot be read."""
    rows = _rows(folder)
    done = [row for row in rows if folder.is_done(row["run"])]
    missing = [row["run"] for row in rows if not folder.is_done(row["run"])]
    results = [_result(folder.run(row["run"]), row, measure_run) for row in done]
    return Study(folder, _title(folder), results, missing, read_values(folder.failures))


def write_values(study: Study, path: Path) -> None:
    """Write one row a run as CSV: its condition, seed, repetition, perturbation, metrics and costs."""
    factors = list(dict.fromkeys(name for one in study.results for name in one.values))
    heads = ["run", *factors, "seed", "repetition", "perturbation", *study.metrics, *COSTS, *TIMES]
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(heads)
        for one in study.results:
            which = [one.values.get(name, "") for name in factors] + [one.seed, one.repetition, one.perturbation]
            found = [one.metrics.get(name, "") for name in study.metrics]
            table.writerow([one.run_id, *which, *found, *(one.costs.get(name, "") for name in (*COSTS, *TIMES))])


def _result(run: Path, row: Mapping[str, Any], measure_run: Measure) -> Result:
    report, timing = read_values(run / REPORT), read_values(run / TIMING)
    if not report:
        raise NoteError(f"{run / REPORT}: cannot be read; remove the folder, and the sweep does the run again.")
    costs = {name: float(report[name]) for name in COSTS} | {name: float(timing.get(name, 0.0)) for name in TIMES}
    values = row["condition"]
    return Result(
        row["run"],
        conditions_text(values),
        row["seed"],
        row["repetition"],
        row["perturbation"],
        values,
        measure_run(run),
        costs,
        read_values(run / RUN),
    )


def _rows(folder: SweepFolder) -> list[dict[str, Any]]:
    try:
        lines = folder.table.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]
    except (OSError, ValueError) as error:
        raise NoteError(
            f"{folder.root}: this is not the folder of a sweep; it has no table {folder.table.name}."
        ) from error


def _title(folder: SweepFolder) -> str:
    try:
        lines = folder.plan.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    return next((line[2:].strip() for line in lines if line.startswith("# ")), folder.root.name)
