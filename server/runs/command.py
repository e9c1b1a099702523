"""The sub-command `observe`: one simulation folder, or two side by side, as text or in a browser of this machine."""

from __future__ import annotations

import argparse
import asyncio
import logging
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote

from twisted.internet.defer import Deferred, execute, succeed
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure
from twisted.web.server import NOT_DONE_YET, Request

from agents.views.why import difference
from config.settings import ColorSettings
from server.chronicle.reading import Whole
from server.chronicle.rendering import moment_lines
from server.clock import InThread, ReactorClock
from server.runs.runs import AskedPrompt, Difference, Run, RunWorld, difference_lines, first_difference, report_lines
from server.web.site import Deadlines, Pages, Response, WebFactory, static_files
from vault.errors import NoteError
from world.errors import CommandError
from world.parsing import is_number

log = logging.getLogger(__name__)

Echo = Callable[[str], None]

PARTS = {"mind": ("agent",), "memory": ("agent", "before"), "why": ("agent", "seq"), "chronicle": ("period",)}
"""The parameters of a view that the parts of an address behind its name stand for, as the page reads them."""


class ListeningReactor(ReactorClock, Protocol):
    """The part of a reactor that serving needs."""

    def listenTCP(self, port: int, factory: Any, backlog: int, interface: str) -> Any: ...

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


def run_observe(options: argparse.Namespace, echo: Echo, reactor: ListeningReactor) -> int:
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


def _serve(runs: list[Run], options: argparse.Namespace, echo: Echo, reactor: ListeningReactor) -> None:
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


HOST = "127.0.0.1"
HTTP_SECONDS = 3600.0
MAX_ASKED = 16
MAX_ASKED_CHARACTERS = 500

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'; require-trusted-types-for 'script'"
)
"""As for the page of a world, but that two runs stand side by side as frames of one page."""


class RunsSite:
    """The answers of the site: `/runs` lists all runs, `/view` returns a view of one."""

    def __init__(self, worlds: Sequence[RunWorld], in_thread: InThread) -> None:
        self._worlds = worlds
        self._in_thread = in_thread
        self._overview: Response | None = None

    def overview(self, request: Request, given: Mapping[str, Any]) -> Deferred[Response]:
        """Return the content of the start page: each run, and the first difference between two of them."""
        if self._overview:
            return succeed(self._overview)
        return self._in_thread(self._first_difference).addCallbacks(self._difference_response, _refused)

    def view(self, request: Request, given: Mapping[str, Any]) -> Deferred[Response]:
        """Return a view as a page of the observatory takes it, or why there is none."""
        args = list((request.args or {}).items())[:MAX_ASKED]
        asked = {key.decode("utf-8", "replace"): _text(values[-1]) for key, values in args}
        number, name, form = (asked.pop(key, "") for key in ("run", "view", "form"))
        if not is_number(number) or not 1 <= int(number) <= len(self._worlds):
            return succeed(Response(404, {"seen": None, "unseen": f"There is no run {number!r}."}))
        world = self._worlds[int(number) - 1]
        try:
            made = world.make(name, asked)
        except Exception:
            return succeed(_refused(Failure()))
        if form == "text":
            made.addCallback(lambda shown: {"text": world.views.text(name, shown)})
        return made.addCallbacks(lambda shown: Response(200, {"seen": shown}), _refused)

    def _first_difference(self) -> Difference | None:
        if len(self._worlds) < 2:
            return None
        return first_difference(self._worlds[0].run.vault, self._worlds[1].run.vault)

    def _difference_response(self, found: Difference | None) -> Response:
        told = {"runs": [one.overview() for one in self._worlds], "difference": self._difference(found)}
        self._overview = Response(200, told)
        return self._overview

    def _difference(self, found: Difference | None) -> dict[str, Any] | None:
        if found is None:
            return None
        one, other = found.one, found.other
        lines, more = difference(one.prompt, other.prompt) if one and other else ([], 0)
        sides = [self._side(world, side) for world, side in zip(self._worlds, (one, other), strict=True)]
        reply = self._side(self._worlds[0], found.reply)
        told = {"number": found.number, "agent": found.agent, "reply": reply, "sides": sides}
        return told | {"difference": lines, "more": more}

    def _side(self, world: RunWorld, asked: AskedPrompt | None) -> dict[str, Any] | None:
        if asked is None:
            return None
        seq = world.action_after(asked.agent, asked.seq)
        return {"agent": asked.agent, "at": asked.at[:19], "place": asked.place, "seq": seq}


class RunPages(Pages):
    """The page of the runs, with the modules of the observatory."""

    def __init__(self, site: RunsSite, check: Callable[[Request], str]) -> None:
        gets = {b"/runs": site.overview, b"/view": site.view}
        super().__init__(check, gets, {}, ColorSettings, _no_socket)
        self._files = {**self._files, **static_files("server.runs")}

    def render(self, request: Request) -> Any:
        answer = super().render(request)
        if answer is not NOT_DONE_YET:
            request.setHeader(b"content-security-policy", _POLICY)
        return answer


def listen(worlds: Sequence[RunWorld], reactor: ListeningReactor, port: int, in_thread: InThread) -> int:
    """Answer browsers of this machine and return the port. Raises: NoteError if it cannot be listened on."""
    numbers: list[int] = []

    def check(request: Request) -> str:
        """Answer only the names of this machine, so that no page from elsewhere can read along."""
        ours = {f"{host}:{numbers[0]}".encode() for host in (HOST, "localhost")}
        origin = request.getHeader(b"origin")
        is_ours = request.getHeader(b"host") in ours and (origin is None or origin.removeprefix(b"http://") in ours)
        return "" if is_ours else f"Open http://{HOST}:{numbers[0]}/ on the machine where observe was started."

    deadlines = Deadlines(reactor, lambda: HTTP_SECONDS)
    factory = WebFactory(RunPages(RunsSite(worlds, in_thread), check), reactor, deadlines)
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
    return value.decode("utf-8", "replace")[:MAX_ASKED_CHARACTERS]


def _refused(failure: Failure) -> Response:
    if failure.check(CommandError, NoteError):
        return Response(200, {"seen": None, "unseen": failure.getErrorMessage()})
    log.error("a view failed: %s", failure.getTraceback())
    return Response(200, {"seen": None, "unseen": "Something went wrong. It is told where observe was started."})
