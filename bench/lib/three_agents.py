"""Three agents living in the starter town without sockets: a clock that jumps from thought to thought, and a visitor.

Everything but the model is as in the server. The visitor follows a script: now and then she walks to an agent and asks
it something by name, or leaves it in peace.
"""

from __future__ import annotations

import asyncio
import heapq
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agents.agent import Agent
from agents.commands.memory_commands import fact_commands, memory_commands
from agents.commands.self_commands import own_commands
from agents.memory.strategy import loaded_strategies
from agents.models.model import LanguageModel, ModelError
from agents.models.queue import ModelQueue
from agents.population import Population
from vault.entities.store import load_world
from vault.message_notes import load_command_texts
from vault.vault import STARTER, Vault
from world.commands.table import world_commands
from world.entities import Character
from world.game import Game
from world.game_time import game_time_at
from world.navigation import shortest_path

VISITOR = "Ana"
START_MS = 1_795_248_000_000  # 2026-11-21 08:00 UTC
REACT_SECONDS = 1.0
VISIT_EVERY = 12
"""Number of turns after which the visitor goes to see another agent."""

QUESTIONS = (
    "how is the river today?",
    "what did you have for breakfast?",
    "have you seen the iron key?",
    "what do you do all day?",
    "who lives at the mill?",
    "what is that sound behind the water?",
    "is there anything I can carry for you?",
    "do you remember what I asked you first?",
    "where would you go if it stopped raining?",
    "what is in the flat tin?",
)


@dataclass(frozen=True)
class Done:
    """The outcome of one turn: its agent, how it ended, the line, the room after it, the reason, and a note."""

    name: str
    outcome: str
    line: str
    room_id: str
    why: str = ""
    note: str = ""


class Town:
    """The starter town in a folder of its own, with one model for everybody, which is closed at the end.

    `own` are settings of `config/agents.md` that are to be otherwise.
    """

    def __init__(self, root: Path, model: LanguageModel, seed: int, own: dict[str, Any]) -> None:
        shutil.copytree(STARTER, root)
        vault = Vault(root)
        settings = loaded_strategies().load_settings(vault)
        settings = replace(settings, agents=replace(settings.agents, **own))
        self.ms = START_MS
        self.turns: list[Done] = []
        self.asked: list[tuple[str, int]] = []
        self._rng = random.Random(seed)
        self._model = model
        chances = random.Random(self._rng.getrandbits(64))
        world = load_world(vault, settings.world)
        self.game = Game(world, world_commands(), chance=lambda times: chances.randrange(times) == 0)
        world.add_character(Character(VISITOR, world.start_room_id))
        self.agents = Population(vault, settings, self.game, self._rng, lambda: self.ms)
        dreams = random.Random(self._rng.getrandbits(64))
        add_agent_commands(self.game, self.agents, vault, dreams, lambda: self.ms)
        self._due: list[tuple[int, int, str]] = []
        self._visit = 0

    async def run_turns(self, turns: int, tell: Callable[[Done], None] = lambda done: None) -> None:
        """Let everybody live until the model has been asked for so many turns; `tell` hears of each.

        Raises: ModelError if the model fails.
        """
        self.game.wake(VISITOR, lambda event, text: None)
        self.agents.wake(ModelQueue(self._model))
        self._set_out()
        while len(self.turns) < turns:
            self.ms, _, name = heapq.heappop(self._due)
            self.game.advance_time(game_time_at(self.ms, 1440))
            await self._turn(self.agents[name])
            if self.turns:
                tell(self.turns[-1])
            if len(self.turns) // VISIT_EVERY > self._visit:
                self._visit += 1
                self._pay_a_visit()

    async def end(self) -> None:
        """Let models and files go."""
        await self.agents.stop()
        self.agents.close()

    async def _turn(self, agent: Agent) -> None:
        turn = await agent.tick()
        while agent.compactor.is_running:  # noqa: ASYNC110  # nobody tells when it has ended
            await asyncio.sleep(0.02)
        if turn.outcome == "failed":
            raise ModelError(f"{agent.name} cannot think: {turn.why}")
        if turn.outcome in ("acted", "refused", "speechless", "silent"):
            self.turns.append(Done(agent.name, turn.outcome, turn.line, agent.character.room_id, why=turn.why))
        settings = agent.settings
        jitter = self._rng.uniform(1 - settings.think_jitter, 1 + settings.think_jitter)
        self._schedule(agent.name, agent.pause_seconds * jitter)

    def _set_out(self) -> None:
        for agent in self.agents.values():
            agent.on_addressed = self._hurrying(agent)
            self._schedule(agent.name, self._rng.uniform(0, 8))

    def _hurrying(self, agent: Agent) -> Callable[[], None]:
        return lambda: self._hurry(agent.name, REACT_SECONDS)

    def _schedule(self, name: str, seconds: float) -> None:
        heapq.heappush(self._due, (self.ms + int(seconds * 1000), len(self.turns), name))

    def _hurry(self, name: str, seconds: float) -> None:
        at = self.ms + int(seconds * 1000)
        self._due = [(min(due, at) if one == name else due, number, one) for due, number, one in self._due]
        heapq.heapify(self._due)

    def _pay_a_visit(self) -> None:
        """Let the visitor walk to one of the agents and ask it something by name."""
        world, me = self.game.world, self.game.world.characters[VISITOR]
        name = sorted(self.agents)[self._visit % len(self.agents)]
        for way in shortest_path(world, me.room_id, world.characters[name].room_id) or []:
            self.game.perform(VISITOR, f"go {way.name}")
        self.asked.append((name, len(self.turns)))
        self.game.perform(VISITOR, f"say {name}, {QUESTIONS[self._visit % len(QUESTIONS)]}")


def add_agent_commands(
    game: Game, agents: Population, vault: Vault, dreams: random.Random, now_ms: Callable[[], int]
) -> None:
    """Give a game the commands that the server adds for agents; `dreams` is what dreams are drawn from."""
    game.commands.add(memory_commands(agents, game.tell, now_ms))
    game.commands.add(fact_commands(agents, game.publish))
    game.commands.add(own_commands(agents, vault, game.publish, lambda: None, dreams, now_ms, 60.0))
    game.commands.texts = load_command_texts(vault, game.commands)
