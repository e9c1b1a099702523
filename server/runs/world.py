"""The world of a run, opened read only from a copy; its agents don't think."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred

from agents.memory.strategy import loaded_strategies
from agents.population import Population
from server.clock import InThread
from server.observatory.chronicle import ChronicleView
from server.observatory.minds import MindViews
from server.observatory.scope import WHOLE
from server.observatory.town import Town, town_text
from server.observatory.views import Shown, View, Views
from server.runs.runs import Run
from vault.atomic_write import NoFsyncDisk
from vault.chronicle.period import second_name
from vault.entities.store import load_world
from vault.errors import NoteError
from vault.vault import Vault, agent_names
from world.commands.table import world_commands
from world.errors import WorldError
from world.game import Game

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
        self._past = ChronicleView(lambda: run.reader, game.world, in_thread)
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
        """Return what a start page says of the run. Raises: NoteError if the log cannot be read."""
        return {
            "name": self.run.name,
            "figures": self.run.figures(),
            "days": list(self.run.days().items()),
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
