"""Plots of a study as SVG: a point for each seed, and the mean with its interval. Needs the extra `plots`."""

from __future__ import annotations

import math
import re
from pathlib import Path

from server.experiments.results import Study
from server.experiments.statistics import estimate

PLOTS = "plots"
INSTALL = "There are no plots, for matplotlib is not installed. Run: pip install 'fallwater[plots]'"
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
        for metric in study.metrics:
            if len({one.metrics[metric] for one in study.results if metric in one.metrics}) > 1:
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
