"""All agents of a world: made from the vault's notes, and waking when there is a model."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator, Mapping

from agents.agent import Agent
from agents.memory.memory import AgentMemory
from agents.models.queue import ModelQueue
from agents.prompt import PromptTemplate, parse_template
from vault.agent_notes import AgentNote, agent_names, load_agent
from vault.config_notes import Settings
from vault.folder import Vault
from vault.notes import NoteError
from world.game import Game

log = logging.getLogger(__name__)


class Population(Mapping[str, Agent]):
    """The agents by name. One whose notes are not valid is left out with a warning, and the others live on."""

    def __init__(
        self, vault: Vault, settings: Settings, game: Game, rng: random.Random, now_ms: Callable[[], int]
    ) -> None:
        self._vault = vault
        self._settings = settings
        self._game = game
        self._rng = rng
        self._now_ms = now_ms
        self._agents: dict[str, Agent] = {}
        for name in agent_names(vault):
            if name in game.world.characters:
                self._add(name)

    def __getitem__(self, name: str) -> Agent:
        return self._agents[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._agents)

    def __len__(self) -> int:
        return len(self._agents)

    def wake(self, queue: ModelQueue) -> None:
        """Give everyone a model to think with, and bring them into the world."""
        for agent in self.values():
            agent.queue = queue
            self._game.wake(agent.name, agent.perceive)

    def close(self) -> None:
        """Let everyone fall asleep, with every memory on disk; a failure is logged and the others go on."""
        for agent in self.values():
            try:
                agent.memory.close()
            except NoteError as error:
                log.error("%s", error)

    def _add(self, name: str) -> None:
        try:
            note = load_agent(self._vault, name)
            memory = AgentMemory(self._vault, name, note.memory_settings(self._settings.memory), self._now_ms)
            memory.load()
            settings = note.agent_settings(self._settings.agents)
            template = self._template(settings.template, note)
        except NoteError as error:
            log.error("%s stays asleep: %s", name, error)
            return
        # A generator of its own for each, so that what one draws changes nothing for the others.
        rng = random.Random(self._rng.getrandbits(64))
        timeout = self._settings.models.timeout_seconds
        self._agents[name] = Agent(note, settings, memory, self._game, template, rng, self._now_ms, timeout)

    def _template(self, name: str, note: AgentNote) -> PromptTemplate:
        own = ("agents", note.name, "templates", f"{name}.md")
        parts = own if self._vault.exists(*own) else ("templates", f"{name}.md")
        if not self._vault.exists(*parts):
            known = ", ".join(self._vault.names("templates"))
            raise NoteError(f"{note.source}: there is no template {name!r}; templates/ has {known or 'none'}.")
        return parse_template(self._vault.read(*parts).body, "/".join(parts))
