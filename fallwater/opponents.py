"""Other actors of an environment: scripted policies, a scripted visitor, and agents with a model."""

from __future__ import annotations

import logging
import random
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from agents.commands.memory_commands import fact_commands, memory_commands
from agents.commands.self_commands import own_commands
from agents.models.model import LanguageModel
from agents.population import Population
from agents.simulation.models import SimulationModels
from agents.simulation.recording import TurnCursor
from agents.simulation.simulation import LoopThread, Simulation, VirtualClock, Watcher, beginning_ms
from config.profiles import THINKER
from config.settings import MODEL_CHOICES, MODEL_PATTERN
from vault.atomic_write import NoFsyncDisk
from vault.config_notes import Settings
from vault.errors import NoteError
from vault.vault import Vault
from world.game import Game
from world.navigation import shortest_path
from world.world import World

log = logging.getLogger(__name__)

DREAM_SECONDS = 60.0

CONFIGURED = "configured"
"""The `model` that leaves it to the vault's config/models.md."""

T = TypeVar("T")

ModelChoice = str | Callable[[], LanguageModel]


@dataclass(frozen=True)
class Scene:
    """The input of a scripted policy when its turn comes.

    `text` is its character's perception since its turn before, `turn` counts its turns from 0. All chance should come
    from `rng`, which follows the seed of the reset. `world` must not be changed.
    """

    name: str
    text: str
    turn: int
    rng: random.Random
    world: World
    offered: Callable[[], tuple[str, ...]]

    @property
    def commands(self) -> tuple[str, ...]:
        """Lines that would be accepted now."""
        return self.offered()


Policy = Callable[[Scene], str]
"""Returns the line that a character types; an empty one lets its turn pass."""


def wanderer(scene: Scene) -> str:
    """Do anything that is possible."""
    return scene.rng.choice(scene.commands)


SMALL_TALK = (
    "What are you doing today?",
    "I walked here from the coast. It took two days.",
    "Is the water always this brown?",
    "What do people do here in the evening?",
    "Who keeps that bell in order?",
)


def visitor(scene: Scene) -> str:
    """Play a person who comes to see an agent: she says her name and what she lost, and asks for both at the end.

    She walks to the first agent in the world, speaks every other turn, then goes on to the next agent.
    """
    agents = sorted(one.name for one in scene.world.awake() if one.is_agent and one.name != scene.name)
    lines = (
        "Good morning, {agent}! My name is {name}.",
        "I lost my red kite this morning.",
        *SMALL_TALK,
        "Do you still know my name, {agent}?",
        "And what was it that I lost?",
        "Thank you. I must go now. Goodbye, {agent}!",
    )
    if not agents:
        return ""
    visit, beat = divmod(scene.turn, 4 * len(lines))
    agent = agents[visit % len(agents)]
    here, there = scene.world.characters[scene.name].room_id, scene.world.characters[agent].room_id
    if here != there:
        way = shortest_path(scene.world, here, there)
        return f"go {way[0].name}" if way else ""
    return f"say {lines[beat // 2 % len(lines)].format(agent=agent, name=scene.name)}" if beat % 2 == 0 else ""


class ModelAgents:
    """The agents of a vault, which live in a copy of it and think with a model, in the world's own time.

    Their world is to be touched by `call` only. `without` are agents whose bodies somebody else moves.
    """

    def __init__(
        self, source: Path, settings: Settings, game: Game, model: ModelChoice, rng: random.Random, without: set[str]
    ) -> None:
        """Copy the vault and wake everybody. Raises: NoteError, SimulationError if there is no model."""
        settings = _with_model(settings, model)
        self._folder = tempfile.TemporaryDirectory(prefix="fallwater-")
        self._loop = LoopThread()
        self._population: Population | None = None
        try:
            root = Path(self._folder.name) / "vault"
            shutil.copytree(source, root, ignore=shutil.ignore_patterns(".*"))
            for name in without:
                shutil.rmtree(root / "agents" / name, ignore_errors=True)
            self._begin(Vault(root, NoFsyncDisk()), settings, game, model, rng)
        except BaseException:
            self.close()
            raise

    def _begin(self, vault: Vault, settings: Settings, game: Game, model: ModelChoice, rng: random.Random) -> None:
        place, clock = TurnCursor(), VirtualClock()
        given = () if isinstance(model, str) else (model(),)
        cast = SimulationModels(place, settings, log.info, given=given)
        agents = self._population = Population(vault, settings, game, rng, clock.now_ms)
        clock.ms = beginning_ms(agents)
        game.commands.add(memory_commands(agents, game.tell, clock.now_ms))
        game.commands.add(fact_commands(agents, game.publish))
        dreams = random.Random(rng.getrandbits(64))
        game.commands.add(own_commands(agents, vault, game.publish, lambda: None, dreams, clock.now_ms, DREAM_SECONDS))
        self._simulation = Simulation(
            game,
            agents,
            clock,
            place,
            random.Random(rng.getrandbits(64)),
            settings.world.day_minutes,
            Watcher(lambda step: None),
        )
        queues, later = self._loop.run(cast.enter(clock))
        self._loop.call(agents.wake, queues[THINKER], later, queues)
        self._loop.call(self._simulation.begin)

    def call(self, function: Callable[[], T]) -> T:
        """Call a function where the agents live, and return its result."""
        return self._loop.call(function)

    def advance(self, seconds: float) -> None:
        """Let the agents live for some seconds of the world's time."""
        self._loop.run(self._simulation.advance(seconds))

    def close(self) -> None:
        """Let the models go, and remove the copy of the vault."""
        if self._population is not None:
            self._loop.run(self._population.stop())
            self._population.close()
        self._loop.close()
        self._folder.cleanup()


def _with_model(settings: Settings, model: ModelChoice) -> Settings:
    """Return settings with the model that is asked for. Raises: NoteError if the name is none of a model."""
    if not isinstance(model, str) or model == CONFIGURED:
        return settings
    if not re.fullmatch(MODEL_PATTERN, model):
        raise NoteError(f"model is {model!r}; expected {CONFIGURED}, {MODEL_CHOICES}.")
    return replace(settings, models=replace(settings.models, model=model), is_model_chosen=True)
