"""The act that docs/extending.md offers: it is the code of the page, and a model that chooses it rings the bell."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agents.component_registry import loaded_components
from agents.models.queue import ModelQueue
from tests.agents.components import bell
from tests.agents.house import House
from tests.agents.turn.talking import CHAT, offered, words
from tests.scripted_model import ScriptedModel
from world.entities import Room, Thing
from world.triggers import parse_trigger

ROOT = Path(__file__).parents[3]
SOURCE = Path(bell.__file__).read_text(encoding="utf-8")


def test_the_page_shows_this_code():
    assert f"```python\n{SOURCE}```" in (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")


def test_a_model_that_chooses_the_act_rings_before_it_speaks(tmp_path):
    house = House(tmp_path, components=loaded_components().with_more(bell.Bell))
    house.game.world.rooms["The Landing"] = Room("The Landing", "Green planks.")
    world, model = house.game.world, ScriptedModel(words("Listen.", "ring the bell"), capabilities=CHAT)
    for name in ("Ana", "Rook"):
        world.characters[name].room_id = "The Landing"
    ring = parse_trigger("use", "", "show The bell rings.")
    world.things["bell"] = Thing("bell", "The Landing", "A bell.", fixed=True, triggers=(ring,))
    ana, agent = house.player("Ana"), house.agents["Rook"]

    async def answer() -> str:
        agent.queue = ModelQueue(model)
        ana.types("say Rook, what is the bell for?")
        return (await agent.tick()).line

    assert asyncio.run(answer()) == "say Listen."
    assert offered(model.requests[0])[:2] == ["nothing", "ring the bell"]
    heard = ana.screen()
    assert heard.index("The bell rings.") < heard.index('Rook says, "Listen."')
    house.end()
