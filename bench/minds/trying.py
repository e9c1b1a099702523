"""Agents in situations: each is set up anew, its agent has its turn, and the turn is judged."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.memory.strategy import loaded_strategies
from agents.models.queue import ModelQueue
from agents.population import Population
from bench.minds.situation import Scene, Situation
from bench.minds.stage import populate, prepare_vault
from bench.minds.turns import PlayedTurn
from vault.entities.store import load_world

FAILURES = ("speechless", "failed")


@dataclass(frozen=True)
class Trial:
    """One situation, played once: the turn, and what is wrong with it, or an empty string.

    `is_answered` says that the agent spoke in its first two turns.
    """

    situation: Situation
    seed: int
    turn: PlayedTurn
    wrong: str
    is_answered: bool

    @property
    def is_right(self) -> bool:
        return not self.wrong

    @property
    def is_valid(self) -> bool:
        """Whether what the agent wanted was possible."""
        return not self.turn.failure and not self.turn.refusals


async def tried(situation: Situation, seed: int, queue: ModelQueue, without: Sequence[str] = ()) -> Trial:
    """Play a situation with the agents as they are. Raises: ScriptError, UnknownComponent."""
    with tempfile.TemporaryDirectory() as folder:
        vault = prepare_vault(Path(folder) / "vault", {situation.agent: situation.errand}, without)
        scene = Scene(situation, load_world(vault, loaded_strategies().load_settings(vault).world))
        rng = random.Random(f"{seed} {situation.name}")
        agents, _ = populate(vault, scene.game, rng, lambda: scene.ms)
        scene.wake_people()
        agents.wake(queue)
        try:
            scene.play_script(lambda name, line: agents[name].perform(line))
            turn = scene.turn(await _failure(agents, situation.agent))
            is_answered = bool(turn.speeches) or (situation.asks_for_words and await _speaks_late(agents, scene))
        finally:
            await agents.stop()
            agents.close()
    return Trial(situation, seed, turn, situation.judge(turn), is_answered)


async def _speaks_late(agents: Population, scene: Scene) -> bool:
    await _failure(agents, scene.situation.agent)
    return bool(scene.turn().speeches)


async def _failure(agents: Population, name: str) -> str:
    """Let an agent have its turn; return why it could do nothing, or an empty string."""
    agent = agents[name]
    turn = await agent.tick()
    while agent.compactor.is_running:  # noqa: ASYNC110  # nobody tells when it has ended
        await asyncio.sleep(0.02)
    return f"{turn.outcome}: {turn.why}" if turn.outcome in FAILURES else ""
