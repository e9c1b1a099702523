"""The sub-command `observe`: the folder of a simulation, or of two side by side, in a browser or as text."""

from __future__ import annotations

import argparse
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from server.chronicle.reading import Whole
from server.chronicle.text import moment_lines
from server.runs.runs import Run, difference_lines, first_difference, report_lines
from server.runs.site import HOST, RunsSite, runs_server
from vault.errors import NoteError


def add_observe_command(commands: Any) -> None:
    """Declare the sub-command; `commands` is what `add_subparsers` returned."""
    observe = commands.add_parser("observe", help="look at the folder of a simulation, or at two side by side")
    observe.add_argument(
        "folders", type=Path, nargs="+", metavar="DIR", help="what simulate --out has made, or a vault"
    )
    observe.add_argument("--text", action="store_true", help="on the screen instead of in a browser")
    observe.add_argument("--port", type=int, default=0, metavar="N", help="the port on this machine (any free one)")
    observe.add_argument("--no-browser", action="store_true", help="print the address and open nothing")


def run_observe(options: argparse.Namespace, echo: Callable[[str], None]) -> int:
    """Do the sub-command and return the exit code; a browser is served until that is interrupted.

    Raises: NoteError.
    """
    if len(options.folders) > 2:
        raise NoteError(f"{len(options.folders)} folders are too many; give one, or two to compare.")
    runs = [Run(folder) for folder in options.folders]
    if options.text:
        for run in runs:
            echo("\n".join([*report_lines(run), "", *_moments(run)]))
        if len(runs) == 2:
            one, other = runs
            echo("\n".join(difference_lines(first_difference(one.vault, other.vault), (one.name, other.name))))
        return 0
    try:
        server = runs_server(RunsSite(runs), options.port)
    except (OSError, OverflowError) as error:
        raise NoteError(f"--port is {options.port}; it cannot be listened on: {error}.") from error
    address = f"http://{HOST}:{server.server_address[1]}/"
    echo(f"Open {address} on this machine. Ctrl-C ends it; nothing in the folder is changed.")
    if not options.no_browser:
        webbrowser.open(address)
    with server, suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


def _moments(run: Run) -> list[str]:
    lines: list[str] = []
    for period in run.periods():
        for moment in run.reader.read(period, Whole(), most=1).moments:
            lines += [f"{period.name} {line}" if line[:1] != " " else line for line in moment_lines(moment)]
    return lines
