"""What is shown to people whom an agent keeps waiting."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from twisted.internet.task import Clock

from agents.models.model import ModelError
from agents.models.queue import ModelQueue
from agents.population import Population
from server.agent_scheduler import AgentScheduler
from tests.agents.templates import TEMPLATES
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import vault_of
from tests.world.inn import Player
from vault.config_notes import load_settings
from vault.entities.load import load_world
from world.commands.table import world_commands
from world.entities import Character
from world.game import Game

NOTES = {
    "rooms/The Landing.md": "Green planks.\n",
    "rooms/The Mill.md": "A wheel.\n",
    "agents/Eliza/agent.md": "---\nroom: '[[The Landing]]'\nthink_seconds: 20\nreact_seconds: 0\n---\nYou.\n",
}
THINKING = "Eliza is thinking…"
LONG = "Eliza is still thinking. The model takes long; what was said is not lost."
CANNOT = "Eliza cannot answer now, because the model does not. What was said waits until it does."
ANSWER = 'Eliza says, "Hello, Ana."'


class Landing:
    """Eliza with a model at the Landing, and Ana there or elsewhere."""

    def __init__(self, root: Path, model: ScriptedModel, room_id: str = "The Landing") -> None:
        vault = vault_of(root, TEMPLATES | NOTES)
        settings, self.clock = load_settings(vault), Clock()
        game = Game(load_world(vault, settings.world), world_commands())
        agents = Population(vault, settings, game, random.Random(1), lambda: 0)
        game.world.characters["Ana"] = Character("Ana", room_id)
        self.ana = Player(game, "Ana")
        self.minds = AgentScheduler(
            agents, lambda: settings, self.clock, random.Random(1), lambda said: None, lambda told: None
        )
        self.minds.use_models({"thinker": ModelQueue(model)}, ())
        self.minds.begin(agents["Eliza"])

    async def wait(self, seconds: float) -> None:
        for _ in range(int(seconds * 4)):
            self.clock.advance(0.25)
            for _ in range(3):
                await asyncio.sleep(0)

    def told(self) -> list[str]:
        return [line for line in self.ana.screen() if line in (THINKING, LONG, CANNOT, ANSWER)]

    async def close(self) -> None:
        await self.minds.stop().asFuture(asyncio.get_running_loop())


async def answered_after(root: Path, seconds: float) -> list[str]:
    model = ScriptedModel(lambda request: "say Hello, Ana.")
    landing = Landing(root, model)
    model.hold()
    landing.ana.types("say Good morning, Eliza.")
    landing.ana.screen()
    await landing.wait(seconds)
    told = landing.told()
    model.release()
    await landing.close()
    return told


@pytest.mark.parametrize(
    ("seconds", "told"), [(1, []), (5, [THINKING]), (25, [THINKING]), (40, [THINKING, LONG]), (110, [THINKING, LONG])]
)
def test_who_waits_for_an_answer_is_told_that_the_agent_thinks_and_then_that_it_takes_long(tmp_path, seconds, told):
    assert asyncio.run(answered_after(tmp_path, seconds)) == told


def broken_until(is_well: Callable[[], bool]) -> ScriptedModel:
    return ScriptedModel(lambda request: "say Hello, Ana." if is_well() else ModelError("It hangs."))


@pytest.mark.parametrize("from_afar", [False, True])
def test_who_waits_for_a_model_that_fails_is_told_once_for_each_thing_that_they_say_and_answered_later(
    tmp_path, from_afar
):
    is_well = False

    async def visit() -> tuple[list[str], list[str], list[str]]:
        nonlocal is_well
        landing = Landing(tmp_path, broken_until(lambda: is_well), "The Mill" if from_afar else "The Landing")
        landing.ana.types("tell Eliza Good morning." if from_afar else "say Good morning, Eliza.")
        landing.ana.screen()
        await landing.wait(130)
        first = landing.told()
        landing.ana.types("tell Eliza Are you well?" if from_afar else "say Are you well, Eliza?")
        await landing.wait(130)
        second = landing.told()
        is_well = True
        await landing.wait(60)
        third = [line for line in landing.ana.screen() if "Hello, Ana." in line][:1]
        await landing.close()
        return first, second, third

    first, second, third = asyncio.run(visit())
    assert first == second == [CANNOT]
    assert len(third) == 1
