"""The sub-command `observe`: a simulation folder in a browser of this machine, or one view as text; two compared."""

from __future__ import annotations

import argparse
import asyncio
import logging
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote

from twisted.internet.defer import Deferred, execute, succeed
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure
from twisted.web.server import NOT_DONE_YET, Request

from config.settings import ColorSettings
from server.clock import InThread, ReactorClock
from server.runs.runs import Run, RunWorld, difference_lines, first_difference
from server.web.site import Deadlines, Pages, Response, WebFactory, static_files
from vault.errors import NoteError
from world.errors import CommandError

log = logging.getLogger(__name__)

Echo = Callable[[str], None]

HOST = "127.0.0.1"
HTTP_SECONDS = 3600.0
MAX_PARAMETERS = 16
MAX_PARAMETER_CHARACTERS = 500

VIEW_PARAMETERS = {"mind": ("agent",), "memory": ("agent", "before"), "why": ("agent", "seq"), "chronicle": ("period",)}
"""The parameters of a view, in the order of an address behind its name, as the page reads it."""


class ListeningReactor(ReactorClock, Protocol):
    """The part of a reactor that serving needs."""

    def listenTCP(self, port: int, factory: Any, backlog: int, interface: str) -> Any: ...

    def run(self) -> None: ...


def add_observe_command(commands: Any) -> None:
    """Declare the sub-command; `commands` is what `add_subparsers` returned."""
    observe = commands.add_parser("observe", help="open the folder of a simulation, or compare two")
    observe.add_argument(
        "folders",
        type=Path,
        nargs="+",
        metavar="DIR",
        help="the folder of simulate --out, or a vault; two are compared",
    )
    observe.add_argument(
        "--view", metavar="ADDRESS", help="one view on the screen, by its address: mind/Eliza@2026-01-01T08:10"
    )
    observe.add_argument("--port", type=int, default=0, metavar="N", help="the port on this machine (any free one)")
    observe.add_argument("--no-browser", action="store_true", help="print the address and open nothing")


def run_observe(options: argparse.Namespace, echo: Echo, reactor: ListeningReactor) -> int:
    """Do the sub-command and return the exit code; a browser is served until that is interrupted.

    Raises: NoteError.
    """
    if len(options.folders) > 2:
        raise NoteError(f"{len(options.folders)} folders are too many; give one, or two to compare.")
    runs = [Run(folder) for folder in options.folders]
    if options.view:
        for run in runs:
            echo(f"# {run.name}\n\n{_view_text(run, options.view)}\n")
    elif len(runs) == 2:
        first, second = runs
        echo("\n".join(difference_lines(first_difference(first.vault, second.vault), (first.name, second.name))))
    else:
        _serve(runs[0], options, echo, reactor)
    return 0


def _view_text(run: Run, address: str) -> str:
    """Return a view as text, by its address. Raises: NoteError if there is none."""
    name, asked = view_of_address(address)
    with _open_world(run, execute) as world:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            shown = loop.run_until_complete(world.make(name, asked).asFuture(loop))
        except CommandError as error:
            raise NoteError(f"--view is {address}; {error}") from error
        finally:
            loop.close()
        return "\n\n".join([*world.problems(), world.views.text(name, shown)])


def view_of_address(address: str) -> tuple[str, dict[str, str]]:
    """Return the view and its parameters, from an address such as `mind/Eliza@2026-01-01T08:10?tier=recent`."""
    path, _, query = address.removeprefix("#").strip("/").partition("?")
    path, _, at = path.partition("@")
    name, *rest = map(unquote, path.split("/"))
    asked = dict(parse_qsl(query)) | dict(zip(VIEW_PARAMETERS.get(name, ()), rest, strict=False))
    return name, asked | ({"at": at} if at else {})


def _serve(run: Run, options: argparse.Namespace, echo: Echo, reactor: ListeningReactor) -> None:
    with _open_world(run, deferToThread) as world:
        address = f"http://{HOST}:{listen(world, reactor, options.port, deferToThread)}/"
        echo(f"Open {address} on this machine. Ctrl-C ends it; nothing in the folder is changed.")
        if not options.no_browser:
            Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        reactor.run()


@contextmanager
def _open_world(run: Run, in_thread: InThread) -> Iterator[RunWorld]:
    """Open the run's world from a copy, which is removed afterwards. Raises: NoteError."""
    with TemporaryDirectory(prefix="fallwater-observe-", ignore_cleanup_errors=True) as folder:
        yield RunWorld(run, Path(folder) / "world", in_thread)


class RunSite:
    """The answers of the site: `/run` has the name and the faults of the run, `/view` returns a view."""

    def __init__(self, world: RunWorld, in_thread: InThread) -> None:
        self._world = world
        self._in_thread = in_thread

    def overview(self, request: Request, given: Mapping[str, Any]) -> Deferred[Response]:
        """Return the name of the run and a sentence for each thing that is not shown whole."""
        name = self._world.run.name
        return self._in_thread(self._world.problems).addCallbacks(
            lambda problems: Response(200, {"name": name, "problems": problems}),
            lambda failure: Response(200, {"name": name, "problems": [_reason(failure)]}),
        )

    def view(self, request: Request, given: Mapping[str, Any]) -> Deferred[Response]:
        """Return a view as a page of the observatory takes it, or why there is none."""
        parameters = list((request.args or {}).items())[:MAX_PARAMETERS]
        asked = {key.decode("utf-8", "replace"): _text(values[-1]) for key, values in parameters}
        name, form = (asked.pop(key, "") for key in ("view", "form"))
        try:
            shown = self._world.make(name, asked)
        except Exception:
            return succeed(_refused(Failure()))
        if form == "text":
            shown.addCallback(lambda shown: {"text": self._world.views.text(name, shown)})
        return shown.addCallbacks(lambda shown: Response(200, {"seen": shown}), _refused)


class RunPages(Pages):
    """The page of a run, with the modules of the observatory."""

    def __init__(self, site: RunSite, check: Callable[[Request], str]) -> None:
        super().__init__(check, {b"/run": site.overview, b"/view": site.view}, {}, ColorSettings, _no_socket)
        self._files = {**self._files, **static_files("server.runs")}


def listen(world: RunWorld, reactor: ListeningReactor, port: int, in_thread: InThread) -> int:
    """Answer browsers of this machine and return the port. Raises: NoteError if it cannot be listened on."""
    numbers: list[int] = []

    def check(request: Request) -> str:
        """Answer only the names of this machine, so that no page from elsewhere can read along."""
        ours = {f"{host}:{numbers[0]}".encode() for host in (HOST, "localhost")}
        origin = request.getHeader(b"origin")
        is_ours = request.getHeader(b"host") in ours and (origin is None or origin.removeprefix(b"http://") in ours)
        return "" if is_ours else f"Open http://{HOST}:{numbers[0]}/ on the machine where observe was started."

    deadlines = Deadlines(reactor, lambda: HTTP_SECONDS)
    factory = WebFactory(RunPages(RunSite(world, in_thread), check), reactor, deadlines)
    try:
        opened = reactor.listenTCP(port, factory, 50, HOST)
    except Exception as error:
        raise NoteError(f"--port is {port}; it cannot be listened on: {error}.") from error
    numbers.append(opened.getHost().port)
    return numbers[0]


def _no_socket(request: Request) -> int:
    request.setResponseCode(404)
    request.finish()
    return NOT_DONE_YET


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")[:MAX_PARAMETER_CHARACTERS]


def _refused(failure: Failure) -> Response:
    return Response(200, {"seen": None, "unseen": _reason(failure)})


def _reason(failure: Failure) -> str:
    if failure.check(CommandError, NoteError):
        return failure.getErrorMessage()
    log.error("a view failed: %s", failure.getTraceback())
    return "Something went wrong. The terminal with observe shows the error."
