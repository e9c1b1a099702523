"""The starter world with its agents, for tests that need whole prompts: a model to think with and one for summaries."""

from __future__ import annotations

import random
from pathlib import Path

from agents.agent import Agent
from agents.memory.strategy import loaded_strategies
from agents.models.queue import ModelQueue
from agents.population import Population
from tests.agents.memory.lives import Clock, one_turn, talkative
from tests.scripted_model import ScriptedModel
from vault.entities.load import load_world
from vault.vault import Vault, open_vault
from world.commands.table import world_commands
from world.game import Game


class Town:
    """Everybody in it is awake; `thoughts` and `summaries` are the two models."""

    def __init__(self, root: Path, settings: str = "", summaries: ScriptedModel | None = None) -> None:
        self.vault: Vault = open_vault(root)[0]
        self.clock = Clock()
        self.set(settings or "rebuild_every: 0")
        # The engine chooses nothing: each turn asks the model, which looks.
        (self.vault.root / "config" / "agents.md").write_text("---\nsteering: 'off'\n---\n")
        noted = loaded_strategies().load_settings(self.vault)
        self.game = Game(load_world(self.vault, noted.world), world_commands())
        self.agents = Population(self.vault, noted, self.game, random.Random(1), self.clock)
        self.thoughts = ScriptedModel(lambda request: "look", context_tokens=100_000)
        self.summaries = summaries or talkative()
        self.agents.wake(ModelQueue(self.thoughts), [ModelQueue(self.summaries)])
        self.eliza: Agent = self.agents["Eliza"]

    def set(self, settings: str) -> None:
        """Write settings of memories, as `key: value` lines, in the place of the starter's."""
        (self.vault.root / "config" / "memory_compaction.md").write_text(f"---\n{settings}\n---\n")

    def live(self, count: int, agent: Agent | None = None) -> None:
        """Let an agent remember so many different things, a second apart."""
        memory = (agent or self.eliza).memory
        for _ in range(count):
            self.clock.ms += 1000
            memory.record("observed", told(memory.journal.last + 1), "The Landing", ("Moss",))

    async def compact(self, agent: Agent | None = None) -> None:
        """Do whatever compaction of an agent is due, to its end."""
        compactor = (agent or self.eliza).compactor
        compactor.start_if_due()
        while compactor.is_running:
            await one_turn()


def told(seq: int) -> str:
    """Return the text of a memory, which only the memory of that number has."""
    return f'Moss says, "This is stone {seq} of my wall."'
