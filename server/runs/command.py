"""The sub-command `observe`: one simulation folder, or two side by side, in a browser or as text."""

from __future__ import annotations

import argparse
import asyncio
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote

from twisted.internet.defer import Deferred, execute
from twisted.internet.threads import deferToThread

from server.chronicle.reading import Whole
from server.chronicle.rendering import moment_lines
from server.clock import InThread
from server.runs.runs import Run, difference_lines, first_difference, report_lines
from server.runs.site import HOST, ReactorThatListens, RunWorld, listen
from vault.errors import NoteError
from world.errors import CommandError

Echo = Callable[[str], None]

PARTS = {"mind": ("agent",), "memory": ("agent", "before"), "why": ("agent", "seq"), "chronicle": ("period",)}
"""The parameters of a view that the parts of an address behind its name stand for, as the page reads them."""


class RunningReactor(ReactorThatListens, Protocol):
    """The part of a reactor that serving needs."""

    def run(self) -> None: ...


def add_observe_command(commands: Any) -> None:
    """Declare the sub-command; `commands` is what `add_subparsers` returned."""
    observe = commands.add_parser("observe", help="look at the folder of a simulation, or at two side by side")
    observe.add_argument(
        "folders", type=Path, nargs="+", metavar="DIR", help="what simulate --out has made, or a vault"
    )
    observe.add_argument("--text", action="store_true", help="on the screen instead of in a browser")
    observe.add_argument(
        "--view", metavar="ADDRESS", help="one view on the screen, by its address: mind/Eliza@2026-01-01T08:10"
    )
    observe.add_argument("--port", type=int, default=0, metavar="N", help="the port on this machine (any free one)")
    observe.add_argument("--no-browser", action="store_true", help="print the address and open nothing")


def run_observe(options: argparse.Namespace, echo: Echo, reactor: RunningReactor) -> int:
    """Do the sub-command and return the exit code; a browser is served until that is interrupted.

    Raises: NoteError.
    """
    if len(options.folders) > 2:
        raise NoteError(f"{len(options.folders)} folders are too many; give one, or two to compare.")
    runs = [Run(folder) for folder in options.folders]
    if options.view:
        _tell_views(runs, options.view, echo)
    elif options.text:
        _tell_runs(runs, echo)
    else:
        _serve(runs, options, echo, reactor)
    return 0


def _tell_runs(runs: list[Run], echo: Echo) -> None:
    for run in runs:
        echo("\n".join([*report_lines(run), "", *_moments(run)]))
    if len(runs) == 2:
        one, other = runs
        echo("\n".join(difference_lines(first_difference(one.vault, other.vault), (one.name, other.name))))


def _moments(run: Run) -> list[str]:
    lines: list[str] = []
    for period in run.periods():
        for moment in run.reader.read(period, Whole(), most=1).moments:
            lines += [f"{period.name} {line}" if line[:1] != " " else line for line in moment_lines(moment)]
    return lines


def _tell_views(runs: list[Run], address: str, echo: Echo) -> None:
    """Tell one view of each run as text. Raises: NoteError if there is none."""
    name, asked = asked_by(address)
    with ExitStack() as stack:
        for world in _open_worlds(runs, stack, execute):
            try:
                shown = _make_in_loop(lambda world=world: world.make(name, asked))  # type: ignore[misc]
            except CommandError as error:
                raise NoteError(f"--view is {address}; {error}") from error
            echo(f"# {world.run.name}\n\n{world.views.text(name, shown)}\n")


def asked_by(address: str) -> tuple[str, dict[str, str]]:
    """Return the view and what is asked of it by an address such as `mind/Eliza@2026-01-01T08:10?tier=recent`."""
    path, _, query = address.removeprefix("#").strip("/").partition("?")
    path, _, at = path.partition("@")
    name, *rest = map(unquote, path.split("/"))
    asked = dict(parse_qsl(query)) | dict(zip(PARTS.get(name, ()), rest, strict=False))
    return name, asked | ({"at": at} if at else {})


def _make_in_loop(make: Callable[[], Deferred[dict[str, Any]]]) -> dict[str, Any]:
    """Return the result of a view, computed in a loop of its own."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(make().asFuture(loop))
    finally:
        loop.close()


def _serve(runs: list[Run], options: argparse.Namespace, echo: Echo, reactor: RunningReactor) -> None:
    with ExitStack() as stack:
        worlds = _open_worlds(runs, stack, deferToThread)
        port = listen(worlds, reactor, options.port, deferToThread)
        address = f"http://{HOST}:{port}/"
        echo(f"Open {address} on this machine. Ctrl-C ends it; nothing in the folder is changed.")
        if not options.no_browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        reactor.run()


def _open_worlds(runs: list[Run], stack: ExitStack, in_thread: InThread) -> list[RunWorld]:
    """Return the runs' worlds, from copies that go with the stack. Raises: NoteError."""
    copies = Path(stack.enter_context(TemporaryDirectory(prefix="fallwater-observe-", ignore_cleanup_errors=True)))
    return [RunWorld(run, copies / str(number), in_thread) for number, run in enumerate(runs, 1)]
