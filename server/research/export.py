"""The sub-command `export`: a world, a simulation or a sweep as parquet tables, and the restore."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vault.errors import NoteError

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
        from server.research.restore import restore
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
