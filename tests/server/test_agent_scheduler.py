"""What the agents think with, as an admin is told of it while it is looked for."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

import pytest
from twisted.internet.task import Clock

from agents.models.queue import ModelQueue
from agents.population import Population
from server.agent_scheduler import LOOKING, AgentScheduler
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import vault_of
from tests.world.inn import Player
from vault.config_notes import load_settings
from vault.folder import STARTER, Vault
from vault.world_notes import load_world
from world.commands.table import world_commands
from world.game import Game
from world.model import Character

TEMPLATES = {
    f"templates/{name}.md": Vault(STARTER).read_text("templates", f"{name}.md")
    for name in Vault(STARTER).names("templates")
}


def test_while_a_model_is_looked_for_nobody_is_told_that_there_is_none_for_good(tmp_path):
    vault = vault_of(tmp_path, {"rooms/The Landing.md": "Green planks.\n"})
    settings = load_settings(vault)
    settings = replace(settings, models=replace(settings.models, model="none"))
    agents = Population(
        vault, settings, Game(load_world(vault, settings.world), world_commands()), random.Random(1), lambda: 0
    )

    async def looked_for() -> list[str]:
        minds = AgentScheduler(
            agents, lambda: settings, Clock(), random.Random(1), lambda said: None, lambda told: None
        )
        why = [minds.why_none]
        minds.start()
        why.append(minds.why_none)
        await asyncio.sleep(0.01)
        return [*why, minds.why_none]

    assert asyncio.run(looked_for()) == ["", LOOKING, ""]


@pytest.mark.parametrize(("seconds", "times"), [(1, 0), (5, 1), (40, 1)])
def test_who_has_spoken_to_an_agent_and_waits_is_told_that_it_is_thinking(tmp_path, seconds, times):
    notes = {
        "rooms/The Landing.md": "Green planks.\n",
        "agents/Eliza/agent.md": "---\nroom: '[[The Landing]]'\nthink_seconds: 1000\nreact_seconds: 0\n---\nYou.\n",
    }
    vault = vault_of(tmp_path, TEMPLATES | notes)
    settings, model, clock = load_settings(vault), ScriptedModel(lambda request: "say Hello, Ana."), Clock()
    game = Game(load_world(vault, settings.world), world_commands())
    agents = Population(vault, settings, game, random.Random(1), lambda: 0)

    async def spoken_to() -> list[str]:
        game.world.characters["Ana"] = Character("Ana", "The Landing")
        ana = Player(game, "Ana")
        minds = AgentScheduler(agents, lambda: settings, clock, random.Random(1), lambda said: None, lambda told: None)
        minds.think_with({"thinker": ModelQueue(model)}, ())
        minds.begin(agents["Eliza"])
        model.hold()
        ana.types("say Good morning, Eliza.")
        ana.screen()
        for _ in range(seconds * 4):
            clock.advance(0.25)
            await asyncio.sleep(0)
        model.release()
        await minds.stop().asFuture(asyncio.get_running_loop())
        return [line for line in ana.screen() if "thinking" in line]

    assert asyncio.run(spoken_to()) == ["Eliza is thinking…"] * times
