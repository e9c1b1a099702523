"""The web site of simulation folders, on this machine alone: the views of one run or two."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from twisted.internet.defer import Deferred, succeed
from twisted.python.failure import Failure
from twisted.web.server import NOT_DONE_YET, Request

from agents.views.why import difference
from config.settings import ColorSettings
from server.clock import InThread, ReactorClock
from server.runs.runs import AskedPrompt, Difference, first_difference
from server.runs.world import RunWorld
from server.web.site import Deadlines, Pages, Response, WebFactory, static_files
from vault.errors import NoteError
from world.errors import CommandError
from world.parsing import is_number

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
HTTP_SECONDS = 3600.0
MAX_ASKED = 16
MAX_ASKED_CHARACTERS = 500

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'; require-trusted-types-for 'script'"
)
"""As for the page of a world, but that two runs stand side by side as frames of one page."""


class ReactorThatListens(ReactorClock, Protocol):
    """The part of a reactor that is needed here."""

    def listenTCP(self, port: int, factory: Any, backlog: int, interface: str) -> Any: ...


class RunsSite:
    """What is answered: `/runs` about all of them, `/view` with a view of one."""

    def __init__(self, worlds: Sequence[RunWorld], in_thread: InThread) -> None:
        self._worlds = worlds
        self._in_thread = in_thread
        self._overview: Response | None = None

    def overview(self, request: Request, given: Mapping[str, Any]) -> Deferred[Response]:
        """Return what the start page shows: each run, and where two of them part."""
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


def listen(worlds: Sequence[RunWorld], reactor: ReactorThatListens, port: int, in_thread: InThread) -> int:
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
