"""Simulation folders, read only: their results, their worlds, and the first difference between two.

The world of a run is opened as a copy of its notes, in which nobody thinks.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import unified_diff
from itertools import zip_longest
from pathlib import Path

from twisted.internet.defer import Deferred

from agents.memory.strategy import loaded_strategies
from agents.population import Population
from config.settings import WorldSettings
from server.chronicle.reading import reader_of
from server.chronicle.scope import EVERYTHING
from server.clock import InThread
from server.observatory.chronicle import ChronicleView
from server.observatory.minds import MindViews
from server.observatory.town import Town, town_text
from server.observatory.views import WHOLE, Shown, View, Views
from server.simulation import REPORT, TRANSCRIPT, read_values
from vault.atomic_write import NoFsyncDisk
from vault.chronicle.event_log import second_name
from vault.entities.load import load_world
from vault.errors import NoteError
from vault.memory.archive import Archive
from vault.message_notes import load_wording
from vault.snapshot import world_in
from vault.vault import Vault, agent_names
from world.commands.table import world_commands
from world.errors import WorldError
from world.game import Game
from world.message_catalog import Wording

MAX_DIFF_LINES = 120
MAX_LINE_CHARACTERS = 400


class Run:
    """One folder of `simulate`, or a vault. Its index is in memory, so that nothing is written."""

    def __init__(self, folder: Path) -> None:
        """Raises: NoteError if there is no world in it."""
        self.name = folder.absolute().name
        self.vault = world_in(folder)
        self.settings: WorldSettings = loaded_strategies().load_settings(self.vault).world
        self.say: Wording = load_wording(self.vault, is_strict=False)
        self.reader = reader_of(self.vault, self.settings, lambda: self.say, in_memory=True)
        self.was_cut_short = not read_values(folder / REPORT) and (folder / TRANSCRIPT).is_file()


AT_THE_END = ("mind", "town")
"""The views that without a time show the end of a run, for nothing goes on in it."""


class RunWorld:
    """The views of one run. The agents are loaded from a copy in `folder`, so that the run itself is never written."""

    def __init__(self, run: Run, folder: Path, in_thread: InThread) -> None:
        """Raises: NoteError if the run cannot be copied, or there is no world in it."""
        self.run = run
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
        return self.views.make(name, given, WHOLE, EVERYTHING)

    def problems(self) -> list[str]:
        """Return a sentence for each thing that is not shown, or not whole. Raises: NoteError."""
        self.run.reader.days()  # reads the log, so that the index knows its faults
        problems = [
            f"{name} is not shown: its notes or its journal are not valid. The terminal with observe says why."
            for name in agent_names(self.run.vault)
            if name not in self.agents
        ]
        if self.run.was_cut_short:
            problems.append("The simulation was cut short: there is no report, and the newest lines may be torn.")
        return [*problems, *self.run.reader.index.problems()]

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


@dataclass(frozen=True)
class AskedPrompt:
    """A prompt as a model was given it, and what it answered. `place` is the file and the entry in it."""

    at: str
    agent: str
    seq: int
    place: str
    prompt: str
    reply: str


@dataclass(frozen=True)
class Difference:
    """The first difference of two runs: the number of a prompt, from 1, and both prompts; None where there is none.

    `reply` is the first prompt, if there is one, that was the same and was answered otherwise.
    """

    number: int
    one: AskedPrompt | None
    other: AskedPrompt | None
    reply: AskedPrompt | None = None

    @property
    def at(self) -> str:
        """The earlier time of the two prompts."""
        return min(side.at for side in (self.one, self.other) if side)

    @property
    def agent(self) -> str:
        """The agent whose prompt it is."""
        return next(side.agent for side in (self.one, self.other) if side)


def prompts_of(vault: Vault, agent: str) -> Iterator[AskedPrompt]:
    """Yield the prompts of an agent, oldest first. Raises: NoteError if its archive cannot be read."""
    stem, prompt = "", ""
    for reference, entry in Archive(vault, agent).entries():
        file, _, line = reference.partition("#")
        stem, prompt = file, prompt if file == stem else ""
        if entry["event"] == "message":
            prompt = prompt[: int(entry.get("prompt_shared", 0))] + str(entry.get("prompt_rest", ""))
            place = f"agents/{agent}/archive/{file}.jsonl:{line}"
            at, seq, reply = str(entry.get("at", "")), int(entry.get("seq", 0)), str(entry.get("reply", ""))
            yield AskedPrompt(at, agent, seq, place, prompt, reply)


def first_difference(one: Vault, other: Vault) -> Difference | None:
    """Return where the prompts of two runs differ first, or None if they never do.

    The prompts of each agent are compared in their order: agents may think at other times in the other run.
    Raises: NoteError if an archive cannot be read.
    """
    names = sorted({*agent_names(one), *agent_names(other)})
    found = [_difference_of(prompts_of(one, name), prompts_of(other, name)) for name in names]
    first = min((where for where, _ in found if where), key=lambda where: where.at, default=None)
    replies = [reply for _, reply in found if reply and first and reply.at < first.at]
    return replace(first, reply=min(replies, key=lambda one: one.at, default=None)) if first else None


def _difference_of(
    one: Iterator[AskedPrompt], other: Iterator[AskedPrompt]
) -> tuple[Difference | None, AskedPrompt | None]:
    """Return the first difference between the prompts of an agent, and the first differing reply before it."""
    reply: AskedPrompt | None = None
    for number, (mine, theirs) in enumerate(zip_longest(one, other), 1):
        if mine is None or theirs is None or mine.prompt != theirs.prompt:
            return Difference(number, mine, theirs), reply
        if reply is None and mine.reply != theirs.reply:
            reply = mine
    return None, reply


def difference_lines(found: Difference | None, names: tuple[str, str]) -> list[str]:
    """Return the first difference of two runs, as lines: the prompt, its agent, and the differing text."""
    if found is None:
        return [f"Every prompt of {names[0]} and {names[1]} is the same."]
    if found.one is None or found.other is None:
        longer, rest = (names[0], found.one) if found.one else (names[1], found.other)
        at = f" at {rest.at}" if rest else ""
        return [f"The prompts are the same, but only {longer} goes on: prompt {found.number} of {found.agent}{at}."]
    lines = [f"The first prompt that differs is number {found.number} of {found.agent}."]
    if found.reply:
        before = f"{found.reply.agent} at {found.reply.at} ({found.reply.place})"
        lines.append(f"The reply to a prompt of {before}, which was the same in both, is the first that differs.")
    pairs = zip(names, (found.one, found.other), strict=True)
    lines += [f"{name}: {one.agent} at {one.at}, {one.place}" for name, one in pairs]
    prompts = (found.one.prompt.split("\n"), found.other.prompt.split("\n"))
    diff = [line.rstrip("\n") for line in unified_diff(*prompts, *names, lineterm="", n=2)]
    lines += ["", *(line[:MAX_LINE_CHARACTERS] for line in diff[:MAX_DIFF_LINES])]
    return [*lines, f"… {len(diff) - MAX_DIFF_LINES} more lines"] if len(diff) > MAX_DIFF_LINES else lines
