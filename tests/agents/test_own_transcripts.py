"""Play every transcript of tests/agents/transcripts: commands that need a vault, agents or a model.

The notation is that of `tests/world/test_transcripts.py`. Ana is an admin, Ben a player and Rook an agent, all of them
in the common room; what Rook types is a line of its own, and what Rook is shown it remembers.
"""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from agents.commands.memory_commands import fact_commands, memory_commands
from agents.commands.model_commands import model_commands
from agents.commands.self_commands import own_commands
from agents.models.queue import ModelQueue
from agents.population import Population
from tests.agents.house import AT, ROOM
from tests.agents.test_agent import settled
from tests.playing import Step, steps_in
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import vault_of
from tests.world.inn import Player, inn_game
from vault.config_notes import load_settings
from world.entities import Role
from world.events import Event
from world.game import Game

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
DREAM = "I walked over water, and the lamp spoke. It knew my name. And then"
NOTE = """---
room: '[[The Common Room]]'
think_seconds: 20  # not too often
mood: calm
---
You are Rook. You hum.

## Reactions
| on | when | do |
| --- | --- | --- |
| give | | emote hums |
"""


class House:
    """The inn on a disk, with the agent Rook in it, and screens for those who are in the common room."""

    def __init__(self, root: Path) -> None:
        self.vault = vault_of(root, {"agents/Rook/agent.md": NOTE})
        self.game = inn_game()
        rook = self.game.world.characters["Rook"]
        rook.room_id, rook.awake = ROOM, False
        settings = load_settings(self.vault)
        self.agents = Population(self.vault, settings, self.game, random.Random(1), lambda: AT)
        self.model = ScriptedModel(lambda request: DREAM)
        self.queue: ModelQueue | None = None
        self._add_commands(lambda: AT)
        self.game.world.characters["Ana"].role = Role.ADMIN
        self.players = {name: Player(self.game, name) for name in ("Ana", "Ben")}
        self.players["Rook"] = RookAtAScreen(self.game, self.agents)

    def _add_commands(self, now_ms) -> None:
        agents, game = self.agents, self.game
        game.commands.add(memory_commands(agents, game.tell, now_ms))
        game.commands.add(fact_commands(agents, game.publish))
        game.commands.add(model_commands(agents, lambda: self.queue))
        own = (self.vault, game.publish, lambda: self.queue, random.Random(1), now_ms, 60.0)
        game.commands.add(own_commands(agents, *own))


class RookAtAScreen(Player):
    """An agent whose lines somebody types: it remembers all of it, and what it is shown can be looked at."""

    def __init__(self, game: Game, agents: Population) -> None:
        self._agent = agents["Rook"]
        super().__init__(game, "Rook")

    def types(self, line: str) -> None:
        self._agent.perform(line)

    def _observe(self, event: Event, sentence: str) -> None:
        self._agent.perceive(event, sentence)
        super()._observe(event, sentence)


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_every_screen_shows_what_the_transcript_says_and_nothing_more(path: Path, tmp_path: Path):
    play(path, House(tmp_path))


def play(path: Path, house: House) -> None:
    """Play a transcript in a house, and look at every screen after each step."""
    asyncio.run(_played(path.name, steps_in(path.read_text(encoding="utf-8")), house))


async def _played(name: str, steps: list[Step], house: House) -> None:
    for player in house.players.values():
        player.screen()
    for step in steps:
        if step.does == "wakes":  # the model, that is
            house.queue = ModelQueue(house.model)
        else:
            house.players[step.who].types(step.typed)
        await settled(20)
        shown = {name: lines for name, one in house.players.items() if (lines := one.screen())}
        assert shown == step.shown, f"{name}:{step.line}: {step.who} {step.does} {step.typed}"
