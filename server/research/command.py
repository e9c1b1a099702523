"""The sub-commands `export`, a world as a data set of parquet tables and the way back, and `measure`, its figures."""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agents.metrics.measuring import Measured, measure_world
from agents.metrics.metric import About, Value
from vault.errors import NoteError
from vault.snapshot import world_in

MAX_NAMED = 10
LOGS = "inspect"
"""The folder of the logs in that of the data set."""


def add_export_command(commands: Any) -> None:
    """Declare the sub-command; `commands` is what `add_subparsers` returned."""
    export = commands.add_parser("export", help="write a world as a data set: parquet tables with a data card")
    export.add_argument("vault", type=Path, metavar="VAULT", help="a vault, or the folder of a simulation or a sweep")
    export.add_argument("--to", type=Path, required=True, metavar="DIR", help="a new folder for the data set")
    export.add_argument("--inspect", action="store_true", help="logs for `inspect view` too, in the folder inspect")
    export.add_argument("--back", action="store_true", help="make JSON lines of a data set again; VAULT is its folder")


def run_export(options: argparse.Namespace, echo: Callable[[str], None]) -> int:
    """Do the sub-command and return the exit code. Raises: NoteError."""
    try:
        from server.research.dataset import write_dataset
        from server.research.rows import restore
    except ImportError as error:
        raise NoteError("To export takes pyarrow. Install it with: pip install 'fallwater[export]'") from error
    if options.back:
        echo(f"{restore(options.vault, options.to)} lines are in {options.to}.")
        return 0
    written = write_dataset(options.vault, options.to, time.time_ns() // 1_000_000)
    counts = ", ".join(f"{name} {count:,}" for name, count in written.rows.items())
    echo(f"The data set is in {options.to}: {counts}.")
    refused = sorted({name for run in written.runs for name in run["refused_agents"]})
    if refused:
        more = f" and {len(refused) - MAX_NAMED} more" if len(refused) > MAX_NAMED else ""
        told = "Set training_export: true in their agent.md, or in config/agents.md for all, if they are to be in it."
        echo(f"Left out, for they have not agreed: {', '.join(refused[:MAX_NAMED])}{more}. {told}")
    if people := sum(run["refused_people"] for run in written.runs):
        echo(f"Left out are the words of {people} who are not named by export_people in config/world.md.")
    for problem in written.problems[:MAX_NAMED]:
        echo(problem)
    if options.inspect:
        echo(f"{_write_logs(options.to)} logs are in {options.to / LOGS}. Open them with: inspect view --log-dir DIR")
    return 0


def _write_logs(dataset: Path) -> int:
    """Raises: NoteError if the library is missing, or the disk is full."""
    try:
        from server.research.inspect_log import write_logs
    except ImportError as error:
        raise NoteError("--inspect takes inspect-ai. Install it with: pip install 'fallwater[inspect]'") from error
    try:
        return write_logs(dataset, dataset / LOGS)
    except OSError as error:
        raise NoteError(f"{dataset / LOGS}: cannot be written: {error.strerror or error}.") from error


SINCE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d(?::\d\d(?::\d\d)?)?)?", re.ASCII)


def add_measure_command(commands: Any) -> None:
    """Declare the sub-command; `commands` is what `add_subparsers` returned."""
    measure = commands.add_parser(
        "measure", help="compute figures of a world: validity, repeats, loops, answers, tokens and more"
    )
    measure.add_argument("vault", type=Path, metavar="VAULT", help="a vault, or the folder of a simulation")
    measure.add_argument("--only", metavar="NAME,…", help="nothing but these figures (all)")
    measure.add_argument("--fact", default="", metavar="TEXT", help="a planted fact: who knows it, and from when on")
    measure.add_argument("--since", default="", metavar="DAY", help="from a day or moment on (UTC): 2026-11-22T20:30")
    measure.add_argument("--json", action="store_true", help="as JSON")


def run_measure(options: argparse.Namespace, echo: Callable[[str], None]) -> int:
    """Do the sub-command and return the exit code. Raises: NoteError."""
    if options.since and not SINCE.fullmatch(options.since):
        raise NoteError(f"--since is {options.since!r}; expected a day or a moment, as 2026-11-22 or 2026-11-22T20:30.")
    names = None if options.only is None else [name.strip() for name in options.only.split(",") if name.strip()]
    measured = measure_world(world_in(options.vault), names, fact=options.fact, since=options.since)
    echo(json.dumps(as_json(measured), indent=1, ensure_ascii=False) if options.json else text_of(measured))
    return 0


def as_json(measured: Measured) -> Mapping[str, Any]:
    """Return what was measured as JSON values; `count` is the denominator of a figure, and `of` what that counts.

    A figure that is not known is in `unknown`, with the reason.
    """
    figures = {
        name: {**asdict(measured.abouts[name]), "value": one.value, "count": one.of}
        for name, one in measured.figures.items()
    }
    problems = {"count": measured.problems.count, "first": measured.problems.named}
    return {"figures": figures, "unknown": measured.unknown, "details": measured.details, "left_out": problems}


def text_of(measured: Measured) -> str:
    """Return what was measured as a plain table; below it what is not known and why, and what was left out."""
    rows = [_row(measured.abouts[name], one) for name, one in measured.figures.items()]
    widths = [max((len(row[place]) for row in rows), default=0) for place in range(2)]
    lines = [f"{name:{widths[0]}}  {value:>{widths[1]}}  {what}" for name, value, what in rows]
    if measured.unknown:
        lines += ["", "Not known:", *(f"  {name}: {why}" for name, why in measured.unknown.items())]
    if measured.details:
        lines += ["", *measured.details]
    if measured.problems.count:
        lines += ["", f"Left out: {measured.problems.count}", *(f"  {one}" for one in measured.problems.named)]
    return "\n".join(lines)


def _row(about: About, value: Value) -> tuple[str, str, str]:
    number = f"{value.value:.4g}" if abs(value.value) < 1000 else f"{value.value:,.0f}"
    return about.name, number, f"{about.unit}; of {value.of:,} {about.of}: {about.what}"
