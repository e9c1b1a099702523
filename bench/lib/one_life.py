"""One agent that lives through a history: a small world, real files in a folder, its own memory and no server."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agents.agent import Agent
from agents.memory.strategy import loaded_strategies
from agents.models.model import LanguageModel, Request
from agents.models.queue import ModelQueue
from agents.population import Population
from bench.lib.histories import ASIDES, CHAT, DEEDS, Telling
from bench.lib.scripted_models import PICKED, ScriptedModel
from vault.agent_notes import load_agent
from vault.message_notes import starter_sentences
from vault.vault import Vault
from world.commands.table import world_commands
from world.entities import Character, Exit, Room, Thing
from world.game import Game
from world.message_catalog import Wording
from world.world import World

NAME = "Eliza"
START_MS = 1_640_995_200_000  # 2022-01-01 00:00 UTC, before anything that is replayed
MS_A_MEMORY = 15_000
HUB = "The Square"
SPOKES = {"north": "The Kitchen", "east": "The Garden", "south": "The Library", "west": "The Mill"}
BACK = {"north": "south", "east": "west", "south": "north", "west": "east"}
ASIDE_SHARE = 0.03
NOTE = f"---\nroom: '[[{HUB}]]'\n---\nYou are {NAME}. You keep an eye on everyone.\n"


class Life:
    """An agent in a vault of its own. `summarizer` makes its summaries; it never thinks of its own accord."""

    def __init__(
        self,
        root: Path,
        summarizer: LanguageModel,
        settings: dict[str, Any],
        people: Sequence[str],
        things: dict[str, str] | None = None,
    ) -> None:
        (root / "agents" / NAME).mkdir(parents=True)
        (root / "agents" / NAME / "agent.md").write_text(NOTE, encoding="utf-8")
        vault = Vault(root)
        self.ms = START_MS
        self.game = Game(_world(people, things or {}, load_agent(vault, NAME).character), world_commands())
        general = loaded_strategies().load_settings(vault)
        style = "pick" if summarizer.name == PICKED else "auto"
        general = replace(
            general,
            memory=replace(general.memory, **settings),
            models=replace(general.models, summary_style=style),
        )
        self.population = Population(vault, general, self.game, random.Random(1), lambda: self.ms)
        self._deeds: deque[str] = deque()
        self._awake = ScriptedModel("a script", self._next_deed, summarizer.count_tokens, summarizer.context_tokens)
        self._summarizer = summarizer
        for name in people:
            self.game.wake(name, lambda event, text: None)

    @property
    def agent(self) -> Agent:
        return self.population[NAME]

    @property
    def last(self) -> int:
        """The number of the newest memory."""
        return self.agent.memory.journal.last

    def wake(self) -> None:
        """Let the agent have its models, within a running loop."""
        self.population.wake(ModelQueue(self._awake), [ModelQueue(self._summarizer)])

    def perform(self, name: str, line: str) -> None:
        """Let somebody do something; time goes on."""
        self.ms += MS_A_MEMORY
        self.game.perform(name, line)

    def bring(self, name: str) -> None:
        """Let somebody walk to where the agent is."""
        here = self.agent.character.room_id
        while self.game.world.characters[name].room_id != here:
            self.perform(name, f"go {here}")

    def tell(self, telling: Telling) -> int:
        """Let a fact be told in the agent's presence; return the number of the memory that it leaves."""
        for name in (telling.speaker, *telling.company):
            self.bring(name)
        before = self.last
        self.perform(telling.speaker, telling.line)
        assert self.last == before + 1, f"{telling} left {self.last - before} memories"
        return self.last

    def chat(self, rng: random.Random, people: Sequence[str]) -> None:
        """Let something happen that does not matter."""
        name = rng.choice(people)
        here = [c.name for c in self.game.world.occupants(self.agent.character.room_id) if c.name in people]
        if not here or rng.random() < 0.15:
            self.perform(name, f"go {rng.choice([self.agent.character.room_id, HUB, *SPOKES.values()])}")
            return
        said = rng.choice(ASIDES) if rng.random() < ASIDE_SHARE else " ".join(rng.sample(CHAT, rng.choice((1, 2))))
        self.perform(rng.choice(here), f"say {said}")

    async def turn(self, rng: random.Random) -> None:
        """Let the agent do something that does not matter, and have whatever is due summarised."""
        self._deeds.append(rng.choice(DEEDS))
        self.ms += MS_A_MEMORY
        await self.agent.tick()
        await self.settle()

    async def settle(self) -> None:
        """Wait until no compaction is under way and none is due."""
        compactor = self.agent.compactor
        compactor.start_if_due()
        while compactor.is_running:
            await asyncio.sleep(0.02 if self._summarizer.capabilities.grammar else 0)
            if not compactor.is_running:
                compactor.start_if_due()

    async def end(self) -> None:
        """Let models and files go."""
        await self.population.stop()
        self.population.close()

    def _next_deed(self, request: Request) -> str:
        return self._deeds.popleft()


def at_ms(when: datetime) -> int:
    """Return a moment, UTC if it has no zone, in milliseconds since 1970."""
    return int(when.replace(tzinfo=when.tzinfo or UTC).timestamp() * 1000)


def _world(people: Sequence[str], things: dict[str, str], agent: Character) -> World:
    hub = Room(HUB, "Cobbles around a well.", {way: Exit(way, room) for way, room in SPOKES.items()})
    spokes = [Room(room, "", {BACK[way]: Exit(BACK[way], HUB)}) for way, room in SPOKES.items()]
    here = [Character(name, HUB, awake=True) for name in people]
    wording = Wording(starter_sentences())
    return World([hub, *spokes], [Thing(thing, who) for thing, who in things.items()], [*here, agent], wording=wording)
