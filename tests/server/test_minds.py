"""What the agents think with, as an admin is told of it while it is looked for."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

from twisted.internet.task import Clock

from agents.population import Population
from server.minds import LOOKING, Minds
from tests.vault.vault_of import vault_of
from vault.config_notes import load_settings
from vault.world_notes import load_world
from world.commands.table import world_commands
from world.game import Game


def test_while_a_model_is_looked_for_nobody_is_told_that_there_is_none_for_good(tmp_path):
    vault = vault_of(tmp_path, {"rooms/The Landing.md": "Green planks.\n"})
    settings = load_settings(vault)
    settings = replace(settings, models=replace(settings.models, model="none"))
    agents = Population(
        vault, settings, Game(load_world(vault, settings.world), world_commands()), random.Random(1), lambda: 0
    )

    async def looked_for() -> list[str]:
        minds = Minds(agents, lambda: settings, Clock(), random.Random(1), lambda said: None, lambda told: None)
        why = [minds.why_none]
        minds.start()
        why.append(minds.why_none)
        await asyncio.sleep(0.01)
        return [*why, minds.why_none]

    assert asyncio.run(looked_for()) == ["", LOOKING, ""]
