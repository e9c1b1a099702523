"""One episode of an environment: a world of its own, from the first turn to the last."""

from __future__ import annotations

import logging
import pickle
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import TypeVar

from agents.choices.possible import Form, possible, spelt
from agents.memory.strategy import loaded_strategies
from agents.simulation.simulation import START_MS
from fallwater.opponents import ModelAgents, ModelChoice, Policy, Scene
from vault.config_notes import Settings
from vault.entities.load import load_world
from vault.errors import NoteError
from vault.message_notes import load_command_texts
from vault.vault import Vault, check_name
from world.command import CommandLocalization, CommandTable
from world.commands.table import world_commands
from world.entities import Character
from world.errors import WorldError
from world.events import Event
from world.game import CommandResult, Game
from world.game_time import game_time_at
from world.run_triggers import ambience
from world.sanitize import clean_line
from world.world import World

log = logging.getLogger(__name__)

T = TypeVar("T")

SECONDS_A_ROUND = 10.0
"""Seconds of the world's time that pass when every player has had a turn."""

MAX_TEXT_CHARACTERS = 16_384
"""Maximum length of the text perceived between two turns, in characters; beyond it the oldest is left out."""

PHRASES = ("Hello.", "Yes.", "No.", "Thank you.", "Please help me.", "Goodbye.")
"""The phrases for free words in the commands on offer."""

NOT_OFFERED = frozenset({"emote", "think"})
"""Commands with free words that nobody answers. They are not on offer, but can be typed."""


@dataclass(frozen=True)
class Act:
    """One turn of a player: its line, the result, and the world after it, which must not be changed.

    `turn` counts the turns of all players from 0.
    """

    player: str
    line: str
    result: CommandResult
    world: World
    turn: int


@dataclass(frozen=True)
class Cast:
    """The actors: the players, whose lines come from outside; others with their policies; and a model for the rest."""

    players: tuple[str, ...]
    others: Mapping[str, Policy] = field(default_factory=dict)
    model: ModelChoice | None = None


class WorldSource:
    """A vault as it was read once. It is only read; every world made from it is separate.

    Raises: NoteError if there is no vault, or it is not valid.
    """

    def __init__(self, root: Path) -> None:
        vault = Vault(root)
        if not vault.exists("rooms"):
            raise NoteError(f"{root}: there is no vault here; a vault has a folder rooms/.")
        self.root = vault.root
        self.settings: Settings = loaded_strategies().load_settings(vault)
        self._world = pickle.dumps(load_world(vault, self.settings.world))
        self.texts = _command_texts(vault)

    def new_world(self) -> World:
        """Return a world in which nothing has happened yet; everybody sleeps."""
        world: World = pickle.loads(self._world)
        return world


def _command_texts(vault: Vault) -> CommandLocalization:
    try:
        return load_command_texts(vault, CommandTable(world_commands()))
    except NoteError as error:
        log.warning("%s The names and helps of this world's commands are left out.", error)
        return CommandLocalization()


class Episode:
    """A world from one reset to the next. All chance in it follows one seed; `turns` counts those of all players.

    Raises: NoteError for a name that nobody can have, SimulationError if the agents have no model.
    """

    def __init__(self, source: WorldSource, cast: Cast, seed: int) -> None:
        rng = random.Random(seed)
        self._chances = random.Random(rng.getrandbits(64))
        world = source.new_world()
        self._max_line_bytes = source.settings.server.max_line_bytes
        self.game = Game(world, CommandTable(world_commands()), self._chance, self._max_line_bytes)
        self.game.commands.texts = source.texts
        self._offered = CommandTable(one for one in self.game.commands if one.verb not in NOT_OFFERED)
        self._policies = dict(cast.others)
        self._rngs = {name: random.Random(rng.getrandbits(64)) for name in cast.others}
        self._heard: dict[str, list[str]] = {name: [] for name in (*cast.players, *cast.others)}
        self._ms, self._settings = START_MS, source.settings.world
        self.turns = self._rounds = 0
        world.time = game_time_at(self._ms, self._settings.day_minutes)
        for name in self._heard:
            self._add(name)
        self._agents = self._model_agents(source, cast, random.Random(rng.getrandbits(64)))
        for name in self._heard:
            self._do(partial(self.game.wake, name, partial(self._hear, name)))
        for name in self._heard:
            self._heard[name].clear()
            self.perform(name, "look")

    @property
    def world(self) -> World:
        return self.game.world

    def text(self, name: str) -> str:
        """Return the text that somebody has perceived since their last turn began, the oldest of too much left out."""
        return "\n".join(self._heard[name])[-MAX_TEXT_CHARACTERS:]

    def commands(self, name: str) -> tuple[str, ...]:
        """Return lines that would be accepted now, in the order of the table of commands."""
        forms = possible(self.world, self.world.characters[name], self._offered).values()
        return tuple(line for form in forms for line in lines_of(form))

    def act(self, player: str, line: str) -> Act:
        """Let a player type a line. One that no screen would let through is refused in words and does nothing."""
        result = self._type(player, line)
        self.turns += 1
        return Act(player, line, result, self.world, self.turns - 1)

    def end_round(self) -> None:
        """Let all others act once, and the world's time pass; agents with a model think when their time comes."""
        for name, policy in self._policies.items():
            offered = partial(self.commands, name)
            scene = Scene(name, self.text(name), self._rounds, self._rngs[name], self.world, offered)
            if line := policy(scene):
                self._type(name, line)
            else:
                self._heard[name].clear()
        self._rounds += 1
        self._pass_time()

    def _pass_time(self) -> None:
        share = SECONDS_A_ROUND / (self._settings.ambient_minutes * 60) if self._settings.ambient_minutes else 0.0
        if self._agents:
            self._agents.advance(SECONDS_A_ROUND)
        else:
            self._ms += round(SECONDS_A_ROUND * 1000)
            self.game.advance_time(game_time_at(self._ms, self._settings.day_minutes))
        self._do(lambda: self.game.publish(tuple(ambience(self.world, share, self._chances.random))))

    def perform(self, name: str, line: str) -> CommandResult:
        """Let somebody do a line."""
        return self._do(partial(self.game.perform, name, line))

    def leave(self, name: str) -> None:
        """Let somebody fall asleep, out of the world."""
        self._do(partial(self.game.sleep, name))

    def close(self) -> None:
        """Let models and files go."""
        if self._agents:
            self._agents.close()

    def _model_agents(self, source: WorldSource, cast: Cast, rng: random.Random) -> ModelAgents | None:
        if cast.model is None:
            return None
        return ModelAgents(source.root, source.settings, self.game, cast.model, rng, set(self._heard))

    def _type(self, name: str, line: str) -> CommandResult:
        self._heard[name].clear()
        if objection := self._objection(line):
            self._heard[name].append(objection)
            return CommandResult("", (), objection)
        return self.perform(name, line)

    def _chance(self, times: int) -> bool:
        return self._chances.randrange(times) == 0

    def _add(self, name: str) -> None:
        if name not in self.world.characters:
            try:
                self.world.add_character(Character(check_name(name), self.world.start_room_id))
            except WorldError as error:
                raise NoteError(f"Nobody can be called {name!r}: {error}") from error

    def _hear(self, name: str, event: Event, text: str) -> None:
        if text:
            self._heard[name].append(text)

    def _do(self, function: Callable[[], T]) -> T:
        return self._agents.call(function) if self._agents else function()

    def _objection(self, line: str) -> str:
        """Return why no screen would let a line through, or an empty string."""
        if not line.strip():
            return "The line is empty; type a command, such as look."
        size = len(line.encode("utf-8", "replace"))
        if size > self._max_line_bytes:
            return f"The line has {size:,} bytes; at most {self._max_line_bytes:,} are allowed."
        if clean_line(line) != line:
            return "The line has control characters or line breaks; type one line of plain text."
        return ""


def lines_of(form: Form) -> Iterator[str]:
    """Yield every line that a form can spell, with `PHRASES` in the place of free words."""
    kinds = [word.kind for word in form.command.words if word.kind]
    for values in product(*(form.choices.get(kind, PHRASES) for kind in kinds)):
        yield f"{form.command.verb} {spelt(form.command, dict(zip(kinds, values, strict=True)))}".strip()
