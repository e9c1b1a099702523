"""The report of a sweep as Markdown: a table a metric, what differs, what it cost, and how firm each conclusion is.

Beside it plots as SVG, if there is the extra `plots`: a point a seed, and the mean with its interval, by condition.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from statistics import fmean

from agents.metrics.statistics import LEVEL, Estimate, estimate, paired_difference
from server.experiments.sweep import Result, Study
from server.runs.runs import difference_lines, first_difference
from server.simulation import WORLD
from vault.errors import NoteError
from vault.vault import Vault

MAX_PROMPT_LINES = 40
MAX_NAMED = 20


Differences = Mapping[tuple[str, str], Estimate]
"""By metric and condition, the difference from the first condition. It is a conclusion if its interval is without 0."""


def report_text(study: Study, plots: Mapping[str, str], abouts: Mapping[str, str]) -> str:
    """Return the report. `plots` are paths of images by metric, `abouts` what each metric tells. Raises: NoteError."""
    differences = differences_of(study)
    parts = [[f"# {study.title}", *_head(study)], _conclusions(study, differences)]
    for name in _varied_metrics(study):
        about, plot = abouts.get(name, ""), plots.get(name, "")
        lines = [f"## {name}", "", *([about, ""] if about else []), *_metric(study, name, differences)]
        parts.append([*lines, "", f"![{name}]({plot})"] if plot else lines)
    parts += [
        _constant_metrics(study),
        _audit(study, differences),
        _costs(study),
        _first_prompt(study),
        _models(study),
        _failures(study),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def differences_of(study: Study) -> Differences:
    """Return the difference of each varied metric and condition from the first condition, in their order."""
    pairs = ((metric, condition) for metric in _varied_metrics(study) for condition in study.conditions[1:])
    return {pair: found for pair in pairs if (found := _difference(study, *pair))}


def _difference(study: Study, metric: str, condition: str, perturbation: str = "") -> Estimate | None:
    first = study.values(metric, study.conditions[0], perturbation)
    return paired_difference(first, study.values(metric, condition, perturbation))


def _head(study: Study) -> list[str]:
    seeds = len({one.key for one in study.results})
    told = f"{len(study.results):,} runs are done, {len(study.missing):,} are missing. "
    told += f"There are {len(study.conditions):,} conditions with {seeds:,} seeds (and repetitions) each."
    lines = ["", told, "Intervals are 95 % bootstrap intervals of the mean over seeds."]
    if failed := sum(one.costs["failed"] for one in study.results):
        lines.append(f"{failed:,.0f} turns had no answer of a model, and count all the same.")
    if 1 < seeds < 6:
        lines.append(f"With {seeds} seeds an interval spans little more than the values themselves: take it as a hint.")
    return lines


def _conclusions(study: Study, differences: Differences) -> list[str]:
    if len(study.conditions) < 2:
        return []
    first, tests = study.conditions[0], len(_varied_metrics(study)) * (len(study.conditions) - 1)
    head = ["## What differs", ""]
    found = {pair: difference for pair, difference in differences.items() if difference.is_clear}
    if not found:
        return [*head, f"Nothing: of {tests:,} comparisons with {first} none has an interval without 0."]
    rows = [
        (condition, metric, format_number(difference.mean), format_interval(difference))
        for (metric, condition), difference in found.items()
    ]
    chance = f"By chance alone some {_by_chance(differences):.0f} of them would look like this."
    about = f"Compared with {first}, paired by seed, in {tests:,} comparisons:"
    return [*head, about, "", *_table(("condition", "metric", "difference", "95 %"), rows), "", chance]


def _by_chance(differences: Differences) -> float:
    """Return how many comparisons would look clear if nothing differed.

    Of a few seeds an interval is without 0 as soon as all differences have one sign, which n coins do with 2^(1-n).
    """
    return sum(max(1 - LEVEL, 2.0 ** (1 - found.n)) for found in differences.values() if found.n > 1)


def _varied_metrics(study: Study) -> list[str]:
    """Return the metrics that are not the same in every run."""
    several = {name: {one.metrics[name] for one in study.results if name in one.metrics} for name in study.metrics}
    return [name for name, found in several.items() if len(found) > 1]


def _constant_metrics(study: Study) -> list[str]:
    varied = _varied_metrics(study)
    first = {name: one.metrics[name] for one in reversed(study.results) for name in one.metrics}
    rows = [(name, format_number(first[name])) for name in study.metrics if name not in varied]
    return ["## The same in every run", "", *_table(("metric", "value"), rows)] if rows else []


def _metric(study: Study, name: str, differences: Differences) -> list[str]:
    """Return the table of a metric."""
    rows = []
    for condition in study.conditions:
        values = study.values(name, condition)
        if not values:
            rows.append((condition, "0", "–", "–", "–", "–"))
            continue
        found = estimate(list(values.values()))
        difference = differences.get((name, condition))
        told = (format_number(difference.mean), format_interval(difference)) if difference else ("–", "–")
        rows.append((condition, str(found.n), format_number(found.mean), format_interval(found), *told))
    return _table(("condition", "n", "mean", "95 %", "difference", "95 %"), rows)


def _audit(study: Study, differences: Differences) -> list[str]:
    """Return how much each conclusion moves when what should not matter is changed."""
    others = [name for name in study.perturbations if name]
    found = {pair: difference for pair, difference in differences.items() if difference.is_clear}
    if not others:
        return []
    if not found:
        return ["## Audit", "", "There is no clear difference, so there is nothing that could move."]
    rows = []
    for (metric, condition), difference in found.items():
        moved = [_difference(study, metric, condition, name) for name in others]
        known = [each.mean for each in moved if each]
        most = max((abs(mean - difference.mean) for mean in known), default=float("nan"))
        holds = all((mean > 0) == (difference.mean > 0) for mean in known)
        cells = [format_number(difference.mean), *(format_number(each.mean) if each else "–" for each in moved)]
        rows.append((condition, metric, *cells, format_number(most), "yes" if holds else "no"))
    heads = ("condition", "metric", "as it is", *others, "moves by up to", "keeps its sign")
    about = "Each conclusion again, with changes that should not matter: the order of exits, other names, profiles as "
    return ["## Audit", "", f"{about}lists, and rules in other words.", "", *_table(heads, rows)]


def _costs(study: Study) -> list[str]:
    names = ("prompt_tokens", "cached_tokens", "completion_tokens", "requests", "seconds", "cpu_seconds")
    rows = []
    for condition in study.conditions:
        costs = [study.costs(name, condition) for name in names]
        rows.append((condition, *(format_number(fmean(each)) if each else "–" for each in costs)))
    heads = ("condition", *(name.replace("_", " ") for name in names))
    return ["## Cost of a run", "", "The mean of all runs of a condition.", "", *_table(heads, rows)]


def _first_prompt(study: Study) -> list[str]:
    """Return the first prompt that differs between the first two conditions, with the first seed."""
    if len(study.conditions) < 2:
        return []
    one = _first_run(study, study.conditions[0], None)
    other = _first_run(study, study.conditions[1], one.key if one else None)
    if one is None or other is None:
        return []
    try:
        vaults = [Vault(study.folder.run(run.run_id) / WORLD) for run in (one, other)]
        lines = difference_lines(first_difference(*vaults), (one.condition, other.condition))
    except NoteError as error:
        lines = [f"It cannot be said: {error}"]
    shown = [line.replace("```", "'''") for line in islice(lines, MAX_PROMPT_LINES)]
    return ["## The first prompt that differs", "", f"With seed {one.seed}:", "", "```", *shown, "```"]


def _first_run(study: Study, condition: str, key: tuple[int, int] | None) -> Result | None:
    runs = (one for one in study.results if one.condition == condition and not one.perturbation)
    return next((one for one in runs if key in (None, one.key)), None)


def _models(study: Study) -> list[str]:
    told: dict[tuple[str, ...], int] = {}
    for one in study.results:
        for model in one.about.get("models", ()):
            row = (
                one.about.get("program", ""),
                model["name"],
                model.get("engine", ""),
                model.get("weights_sha256", "")[:16],
            )
            told[row] = told.get(row, 0) + 1
    rows = [(*row, f"{count:,}") for row, count in told.items()]
    heads = ("Fallwater", "model", "engine", "weights (SHA-256)", "runs")
    return ["## Models", "", *_table(heads, rows)] if rows else []


def _failures(study: Study) -> list[str]:
    lines = [f"- {run_id}: {why}" for run_id, why in islice(study.failures.items(), MAX_NAMED)]
    return ["## Runs that failed", "", *lines] if lines else []


def format_number(value: float) -> str:
    """Return a figure with three digits that count; a dash for NaN."""
    if math.isnan(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def format_interval(found: Estimate) -> str:
    """Return an interval as a cell; a dash if one value cannot have any."""
    return "–" if math.isnan(found.low) else f"{format_number(found.low)} to {format_number(found.high)}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    cells = [heads, ["---"] * len(heads), *rows]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in cells]


PLOTS = "plots"
PLOTS_INSTALL = "There are no plots, for matplotlib is not installed. Run: pip install 'fallwater[plots]'"
INCHES_A_CONDITION, INCHES_HIGH = 0.45, 1.1


def write_plots(study: Study) -> dict[str, str]:
    """Write a plot of every metric that differs between runs; return their paths in the study's folder, by metric.

    The same values give the same bytes. Raises: ImportError if matplotlib is not installed.
    """
    import matplotlib

    matplotlib.use("svg")
    folder = study.folder.root / PLOTS
    folder.mkdir(exist_ok=True)
    written: dict[str, str] = {}
    with matplotlib.rc_context({"svg.hashsalt": "fallwater", "svg.fonttype": "none", "font.size": 9}):
        for metric in _varied_metrics(study):
            name = f"{re.sub(r'[^a-z0-9]+', '-', metric.lower()).strip('-')}.svg"
            _draw(study, metric, folder / name)
            written[metric] = f"{PLOTS}/{name}"
    return written


def _draw(study: Study, metric: str, path: Path) -> None:
    from matplotlib.figure import Figure

    conditions = study.conditions
    figure = Figure(figsize=(6.4, INCHES_HIGH + INCHES_A_CONDITION * len(conditions)), layout="constrained")
    axes = figure.subplots()
    for place, condition in enumerate(conditions):
        values = list(study.values(metric, condition).values())
        if not values:
            continue
        axes.plot(values, [place] * len(values), "o", color="#9db4c8", markersize=5, zorder=1)
        found = estimate(values)
        if not math.isnan(found.low):
            axes.plot([found.low, found.high], [place, place], "-", color="#1f4e79", linewidth=2, zorder=2)
        axes.plot([found.mean], [place], "D", color="#1f4e79", markersize=6, zorder=3)
    axes.set_yticks(range(len(conditions)), conditions)
    axes.invert_yaxis()
    axes.set_xlabel(metric)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    figure.savefig(path, format="svg", metadata={"Date": None})
