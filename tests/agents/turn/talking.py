"""Rook with an instructed model that takes a schema, and what such a model answers."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from agents.component import Turn
from agents.models.model import Capabilities, Request
from agents.models.queue import ModelQueue
from tests.agents.test_agent import Life
from tests.scripted_model import Reply, ScriptedModel, Writer

KITCHEN = "The Kitchen"
CHAT = Capabilities(chat=True, raw=False, json_schema=True, parameters_billion=1.5)
BASE = Capabilities(grammar=True, parameters_billion=8.0)
TINY = Capabilities(grammar=True, parameters_billion=0.27)


def words(text: str, act: str = "") -> str:
    return json.dumps({"words": text, "you_do": act} if act else {"words": text}, ensure_ascii=False)


def offered(request: Request) -> list[str]:
    """Return the acts that a request offers."""
    properties = request.schema["properties"] if request.schema else {}
    return list(properties["you_do"]["enum"]) if "you_do" in properties else []


def menu_of(request: Request) -> list[str]:
    """Return the lines that a request lets the model choose from; none if it asks for words."""
    properties = request.schema["properties"] if request.schema else {}
    return list(properties["command"]["enum"]) if "command" in properties else []


def first_of_the_menu(request: Request) -> str:
    menu = menu_of(request)
    return json.dumps({"command": menu[0]}) if menu else words("It is warm here.")


class Talking(Life):
    """Rook, with an instructed model that takes a schema."""

    def __init__(
        self,
        root: Path,
        *script: Reply | Writer,
        capabilities: Capabilities = CHAT,
        yesterday: str = "~Rook> look\n",
        profile: str = "",
    ) -> None:
        super().__init__(root, yesterday=yesterday, profile=profile)
        self.model = ScriptedModel(*script, capabilities=capabilities)

    def answers(self, *lines: str) -> Turn:
        """Let Ana type lines, and Rook take a turn."""

        async def live() -> Turn:
            self.agent.queue = ModelQueue(self.model)
            self.game.wake("Rook", self.agent.perceive)
            for line in lines:
                self.ana.types(line)
            return await self.agent.tick()

        return asyncio.run(live())

    def owns(self, thing: str) -> str:
        """Return who has a thing, or the room in which it lies."""
        return self.game.world.things[thing].place_id

    def has(self, thing: str) -> None:
        """Let Rook have a thing."""
        self.game.world.things[thing].place_id = "Rook"
