"""The folders of simulations in a browser, on this machine alone: the views of the observatory, of one run or two.

The world of a run is opened as a copy of its notes, in which nobody thinks.
"""

from __future__ import annotations

import logging
import random
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from twisted.internet.defer import Deferred, succeed
from twisted.python.failure import Failure
from twisted.web.server import NOT_DONE_YET, Request

from agents.memory.strategy import loaded_strategies
from agents.population import Population
from agents.views.why import difference
from config.settings import ColorSettings
from server.clock import InThread, ReactorClock
from server.observatory.chronicle import ChronicleView
from server.observatory.minds import MindViews
from server.observatory.town import Town, town_text
from server.observatory.views import WHOLE, Shown, View, Views
from server.runs.runs import AskedPrompt, Difference, Run, first_difference
from server.web.site import Deadlines, Pages, Response, WebFactory, static_files
from vault.atomic_write import NoFsyncDisk
from vault.chronicle.event_log import second_name
from vault.entities.store import load_world
from vault.errors import NoteError
from vault.vault import Vault, agent_names
from world.commands.table import world_commands
from world.errors import CommandError, WorldError
from world.game import Game
from world.parsing import is_number

AT_THE_END = ("mind", "town")
"""The views that without a time show the end of a run, for nothing goes on in it."""


class RunWorld:
    """The views of one run. The agents are loaded from a copy in `folder`, so that the run itself is never written."""

    def __init__(self, run: Run, folder: Path, in_thread: InThread) -> None:
        """Raises: NoteError if the run cannot be copied, or there is no world in it."""
        self.run = run
        self.copied = datetime.now(UTC)
        self._end_ms = 0
        _copy(run.vault.root, folder)
        vault = Vault(folder, NoFsyncDisk())
        settings = loaded_strategies().load_settings(vault)
        try:
            game = Game(load_world(vault, settings.world), world_commands())
        except WorldError as error:
            raise NoteError(f"{run.vault.root}: {error}") from error
        self.agents = Population(vault, settings, game, random.Random(0), lambda: self._end_ms)
        for agent in self.agents.values():
            with suppress(NoteError):  # what it knows for certain is read as it thinks, and nobody does here
                agent.facts.take_in()
        self._town = Town(game, self.agents, frozenset, lambda: self._end_ms)
        self._past = ChronicleView(run.reader, game.world, in_thread)
        self._end_ms = max([0, *self._last_times()])
        self.views = Views(lambda: game.world.wording)
        self.views.add(
            View("town", lambda asked: self._past.town_at(self._town, asked["at"]), town_text),
            *MindViews(game, self.agents, in_thread).views,
            self._past.view,
        )

    def make(self, name: str, asked: Mapping[str, str]) -> Deferred[Shown]:
        """Return a view, as `Views.make` does; of a mind and the town without a time, as it was at the end."""
        given = dict(asked)
        if name in AT_THE_END and not given.get("at"):
            given["at"] = second_name(self._end_ms)
        return self.views.make(name, given, WHOLE)

    def problems(self) -> list[str]:
        """Return a sentence for each thing that is not shown, or not whole."""
        found = [f"{name} is not shown: its notes or its journal are not valid (see above where observe was started)."
                 for name in agent_names(self.run.vault) if name not in self.agents]  # fmt: skip
        if self.run.was_cut_short:
            found.append("The simulation was cut short: there is no report, and what was being written may be torn.")
        return [*found, *self.run.reader.index.problems()]

    def overview(self) -> dict[str, Any]:
        """Return the summary of the run for the start page. Raises: NoteError if the log cannot be read."""
        return {
            "name": self.run.name,
            "figures": self.run.figures(),
            "days": list(self.run.reader.days().items()),
            "agents": [{"name": one.name, "memories": one.memory.journal.last} for one in self.agents.values()],
            "end": second_name(self._end_ms),
            "copied": self.copied.strftime("%Y-%m-%d %H:%M:%S"),
            "problems": self.problems(),
        }

    def action_after(self, agent: str, seq: int) -> int:
        """Return the memory that an agent's answer after memory `seq` became, 0 if it did nothing then."""
        found = self.agents[agent].memory.memory(seq + 1) if agent in self.agents else None
        return found.seq if found and found.kind == "acted" else 0

    def _last_times(self) -> Iterator[int]:
        for agent in self.agents.values():
            with suppress(NoteError):
                newest = agent.memory.memory(agent.memory.journal.last)
                yield newest.at_ms if newest else 0


def _copy(source: Path, folder: Path) -> None:
    """Copy a vault without what is hidden in it. Raises: NoteError."""
    try:
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns(".*"), ignore_dangling_symlinks=True)
    except shutil.Error as error:
        name, _, why = error.args[0][0]
        raise NoteError(f"{name}: cannot be copied to be looked at: {why}") from error
    except OSError as error:
        why = error.strerror or str(error)
        raise NoteError(
            f"{source}: cannot be copied to {folder.parent} to be looked at: {why}. "
            "Make room there, or set TMPDIR to another folder."
        ) from error


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
