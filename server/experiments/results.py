"""The results of a sweep: metrics and costs, read from the folders of its runs."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.metrics.measuring import measure
from server.experiments.sweep import SweepFolder, conditions_text
from server.simulation import REPORT, RUN, TIMING, read_values
from vault.errors import NoteError

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
