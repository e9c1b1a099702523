"""The inn with whole agents in it: memories, facts, summaries, board and commands on disk, and a scripted model."""

from __future__ import annotations

import asyncio
import itertools
import random
from pathlib import Path

from agents.agent import Agent, Services
from agents.commands.memory_commands import fact_commands, memory_commands
from agents.component_registry import ComponentRegistry
from agents.memory.memory import AgentMemory
from agents.memory.summaries.summarizing import Summarizer, SummarizerProfile, SummaryContext
from agents.models.queue import ModelQueue
from agents.prompts.prompt import parse_template
from config.settings import AgentSettings, MemorySettings
from tests.agents.memory.lives import starter_templates
from tests.agents.templates import templates_of
from tests.scripted_model import ScriptedModel
from tests.vault.failing_disk import FailingDisk
from tests.vault.vault_of import vault_of
from tests.world.inn import Player, inn_game
from vault.atomic_write import Disk
from vault.board_note import BoardNote
from vault.entities.agent_notes import load_agent
from vault.vault import STARTER, Vault
from world.entities import Role

AT = 1_795_248_000_000  # 2026-11-21 08:00 UTC
ROOM = "The Common Room"
NOTE = "---\nroom: '[[The Common Room]]'\n---\nYou are {name}. You listen.\n{more}"
GOOD = ("heard what was said", "listened to the others", "sat by the fire", "was there all the time")


def house_model() -> ScriptedModel:
    """Return a model that summarises well in ever other words, and in its turn says something short."""
    counting = itertools.count()
    return ScriptedModel(lambda request: f"I {GOOD[next(counting) % len(GOOD)]} and remember it well.")


class House:
    """A running inn; `end` and a new House on the same folder are a restart."""

    def __init__(
        self,
        root: Path,
        *names: str,
        settings: MemorySettings | None = None,
        template: str = "agent_prompt",
        disk: Disk | None = None,
        style: str = "prose",
        more: str = "",
        rooms: dict[str, str] | None = None,
        components: ComponentRegistry | None = None,
    ) -> None:
        self.components = components
        self.root = root
        self.ms = AT
        names = names or ("Rook",)
        notes = {f"agents/{name}/agent.md": NOTE.format(name=name, more=more) for name in names}
        new = {path: text for path, text in notes.items() if not (root / path).exists()}
        self.vault = vault_of(root, new, disk or FailingDisk())
        self.game = inn_game()
        board = BoardNote(self.vault, self.game.world)
        board.reload()
        self.game.subscribe("board", lambda events: board.save(), first=True)
        text = Vault(STARTER).read("templates", f"{template}.md").body
        self.templates = templates_of(parse_template(text, template))
        self.model = house_model()
        self.agents: dict[str, Agent] = {}
        self.game.commands.add(memory_commands(self.agents, self.game.tell, self.now))
        self.game.commands.add(fact_commands(self.agents, self.game.publish))
        for name in names:
            self._settle(name, settings or MemorySettings(), style, (rooms or {}).get(name, ROOM))

    def now(self) -> int:
        """Return the time, which goes on by a second each time that it is looked at."""
        self.ms += 1000
        return self.ms

    def player(self, name: str, role: Role = Role.PLAYER) -> Player:
        """Return a player at a screen."""
        self.game.world.characters[name].role = role
        return Player(self.game, name)

    def does(self, name: str, line: str) -> None:
        """Let an agent do a line, as in its turn: it remembers having typed it."""
        self.agents[name].memory.record("acted", line, self.agents[name].character.room_id)
        self.game.perform(name, line)

    def compact(self, name: str) -> None:
        """Do whatever compaction is due, to its end."""

        async def to_the_end() -> None:
            compactor = self.agents[name].compactor
            while compactor.start_if_due() and compactor._task:
                await compactor._task

        asyncio.run(to_the_end())

    def prompt(self, name: str) -> str:
        """Return the prompt of this moment."""
        return self.agents[name].prompt().text

    def end(self) -> None:
        """Save everything, as an orderly end does."""
        for agent in self.agents.values():
            agent.memory.close()
            agent.facts.close()

    def _settle(self, name: str, settings: MemorySettings, style: str, room_id: str) -> None:
        memory = AgentMemory(self.vault, name, settings, self.now)
        memory.load()
        queue = ModelQueue(self.model, now=lambda: 0.0)
        profile = SummarizerProfile(style, 0.3, settings.summary_tokens, 60.0)
        world = self.game.world
        context = SummaryContext(
            name, lambda: frozenset([*world.characters, *world.rooms, *world.things]), memory.memory
        )
        summarizer = Summarizer(context, [queue], starter_templates(name), profile)
        agent = Agent(
            load_agent(self.vault, name),
            AgentSettings(),
            memory,
            self.templates,
            random.Random(1),
            Services(self.game, self.now, components=self.components),
            lambda: summarizer,
        )
        self.agents[name] = agent
        agent.queue = queue
        character = world.characters[name]
        character.is_agent, character.room_id, character.awake = True, room_id, False
        self.game.wake(name, agent.perceive)


def said(house: House, name: str, count: int, text: str = "The fire burns low, and nobody minds.") -> None:
    """Let somebody say so many things of no weight, in the hearing of all in the room."""
    for number in range(count):
        house.game.perform(name, f"say {text} {'Indeed.' * (number % 3)}")
