"""The population: all agents of a world, made from notes, awake once there is a model."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from agents.agent import Agent, Services
from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.facts.store import stated_words
from agents.memory.memory import AgentMemory
from agents.memory.strategy import loaded_strategies
from agents.memory.summaries.prompt import SummaryTemplates, load_summary_templates
from agents.memory.summaries.summarizing import Summarizer, SummarizerProfile, SummaryContext
from agents.models.queue import ModelQueue
from agents.prompts.builder import TalkTemplate, Templates, parse_talk_template
from agents.prompts.prompt import PromptTemplate, parse_template
from agents.write_pool import WritePool
from config.profiles import THINKER
from config.settings import AgentSettings, MemorySettings
from vault.config_notes import Settings
from vault.entities.agent_notes import AgentNote, create_agent, load_agent, set_agent_property
from vault.errors import NoteError
from vault.memory.caches import SummaryCache
from vault.vault import STARTER, Vault, agent_names
from world.edits import hide_character
from world.game import Game

log = logging.getLogger(__name__)

AUTO_TEMPLATE = "agent_prompt"
TALK_TEMPLATES = ("talk_prompt", "action_prompt")

SUMMARY_SHARE = 10
MIN_SUMMARY_TOKENS = 40
"""Each of the two summaries has at most one part in SUMMARY_SHARE of a prompt, but may always have so many tokens."""

T = TypeVar("T", PromptTemplate, TalkTemplate)


class Population(Mapping[str, Agent]):
    """The agents by name. One whose notes are not valid is left out with a warning, and the others live on.

    `on_born` is called with an agent that comes into the world while others live in it already. What they write that
    nobody waits for is written in `write_pool`.
    """

    def __init__(
        self, vault: Vault, settings: Settings, game: Game, rng: random.Random, now_ms: Callable[[], int]
    ) -> None:
        self._vault = vault
        self._settings = settings
        self._game = game
        self._rng = rng
        self._now_ms = now_ms
        self._agents: dict[str, Agent] = {}
        self._summary_templates: dict[str, SummaryTemplates] = {}
        self._summary_queues: tuple[ModelQueue, ...] = ()
        self._summary_caches: dict[str, SummaryCache] = {}
        self._said: set[str] = set()
        self.write_pool = WritePool()
        self._services = Services(
            game,
            now_ms,
            settings.models.timeout_seconds,
            asyncio.Semaphore(settings.memory.max_compactions),
            pool=self.write_pool,
        )
        self._queue: ModelQueue | None = None
        self._queues: Mapping[str, ModelQueue] = {}
        self.on_born: Callable[[Agent], None] = lambda agent: None
        for name in agent_names(vault):
            if name in game.world.characters:
                self._add(name)

    def __getitem__(self, name: str) -> Agent:
        return self._agents[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._agents)

    def __len__(self) -> int:
        return len(self._agents)

    def wake(
        self,
        queue: ModelQueue,
        summary_queues: Sequence[ModelQueue] = (),
        queues: Mapping[str, ModelQueue] | None = None,
    ) -> None:
        """Give everyone a model to think with, and others for summaries if there are any; bring them into the world.

        The models for summaries are asked in order, each when the one before has given no good summary. `queues` are
        those of the profiles that an agent may think with instead. Agents that are awake go on with what they are given
        now.
        """
        self._queues = queues or {}
        self._queue, self._summary_queues = queue, tuple(summary_queues) or (queue,)
        for agent in self.values():
            self._wake(agent, queue)

    def create(self, name: str, room_id: str, profile: str) -> Agent:
        """Bring a new agent into the world: it has a note, remembers, and thinks if there is a model.

        Raises: NoteError if its note cannot be written or is not valid, WorldError if the name is taken.
        """
        create_agent(self._vault, name, room_id, profile)
        return self.bring(name)

    def bring(self, name: str) -> Agent:
        """Bring an agent into the world that has its folder; if its room is none, it begins in the start room.

        Raises: NoteError if its note is not valid, WorldError if the name is taken.
        """
        world, character = self._game.world, load_agent(self._vault, name).character
        if character.room_id not in world.rooms:
            character.room_id = world.start_room_id
        before = world.characters.get(name)
        if before is None or not before.is_agent:  # else one whose memory could not be read until now
            world.add_character(character)
        self._add(name)
        agent = self._agents.get(name)
        if agent is None:
            hide_character(world, name)
            raise NoteError(f"agents/{name}/agent.md is not valid; the log says why.")
        if self._queue:
            self._wake(agent, self._queue)
            self.on_born(agent)
        return agent

    def set_paused(self, agent: Agent, paused: bool) -> None:
        """Let an agent not think, or think again, from now on and after the next start. Raises: NoteError."""
        set_agent_property(self._vault, agent.name, "paused", paused or None)
        self.adopt_notes(agent)

    async def let_go(self, name: str) -> None:
        """Forget an agent whose character sleeps, with every memory on disk if its folder is still there.

        Raises: NoteError if something cannot be written.
        """
        agent = self._agents.pop(name)
        await agent.compactor.stop()
        await agent.reflection.stop()
        await agent.finder.stop()
        agent.facts.settle()  # or what is being written would bring back a folder that is going
        if self._vault.exists("agents", name):
            try:
                agent.memory.close()
            finally:
                agent.facts.close()

    def tell_of_wait(self, agent: Agent, notice: str) -> None:
        """Tell the people with an agent, and who has spoken to it from afar, a notice of `text/population.md`."""
        world = self._game.world
        listeners = [one.character_id for one in world.occupants(agent.character.room_id) if not one.is_agent]
        for who in dict.fromkeys([*listeners, agent.awareness.owed.address.by_id]):
            if who in world.characters and not world.characters[who].is_agent:
                self._game.tell(who, world.wording(f"population.{notice}", agent=agent.name))

    async def stop(self) -> None:
        """Cut short every compaction and every thought, and let the models go; what is in force stays so."""
        await asyncio.gather(*(agent.compactor.stop() for agent in self.values()))
        await asyncio.gather(*(agent.reflection.stop() for agent in self.values()))
        await asyncio.gather(*(agent.finder.stop() for agent in self.values()))
        queues = {agent.queue for agent in self.values()} | {*self._summary_queues, *self._queues.values()}
        await asyncio.gather(*(queue.close() for queue in queues if queue))

    def close(self) -> None:
        """Let everyone fall asleep, with every memory on disk; a failure is logged and the others go on."""
        for agent in self.values():
            for close in (agent.memory.close, agent.facts.close):
                try:
                    close()
                except NoteError as error:
                    log.error("%s", error)
        self.write_pool.close()

    def reload(self, settings: Settings) -> list[str]:
        """Take in settings, profiles and templates as they are now; return what is wrong with any of them.

        An invalid part stays as it was, for that agent alone.
        """
        self._settings = settings
        problems = []
        for agent in self.values():
            try:
                self.adopt_notes(agent)
            except NoteError as error:
                problems.append(f"{error} {agent.name} goes on as before.")
        return problems

    @property
    def profiles(self) -> tuple[str, ...]:
        """The profiles that an agent may think with."""
        return tuple(dict.fromkeys([THINKER, *self._settings.profiles]))

    def set_profile(self, agent: Agent, profile: str) -> None:
        """Let an agent think with the model of a profile, from its next thought on. Raises: NoteError."""
        set_agent_property(self._vault, agent.name, "model_profile", profile)
        self.adopt_notes(agent)

    def _queue_of(self, agent: Agent, queue: ModelQueue) -> ModelQueue:
        wanted = agent.settings.model_profile
        if wanted != THINKER and wanted not in self._queues and (said := f"{agent.name} {wanted}") not in self._said:
            self._said.add(said)
            known = ", ".join(self._queues) or "none"
            log.warning("%s has no profile %r in config/models.md (there are: %s).", agent.name, wanted, known)
        return self._queues.get(wanted, queue)

    def _wake(self, agent: Agent, queue: ModelQueue) -> None:
        agent.queue = self._queue_of(agent, queue)
        self._mark(agent)
        self._game.wake(agent.name, agent.perceive)

    def adopt_notes(self, agent: Agent) -> None:
        """Let an agent go on with what its notes say now. Raises: NoteError; it is then as it was."""
        note, own, memory_settings, templates, summary_templates = self._notes_of(agent.name)
        agent.adopt(note, own, templates)
        agent.memory.settings = memory_settings
        self._adopt(agent.name, summary_templates)
        if agent.queue and self._queue:
            agent.queue = self._queue_of(agent, self._queue)
        self._mark(agent)

    def _mark(self, agent: Agent) -> None:
        """Let everybody see of an agent that it is paused."""
        mark, transient = self._game.world.wording("population.mark"), agent.character.transient
        if agent.settings.paused:
            transient.afk_message = mark
        elif transient.afk_message == mark:
            transient.afk_message = None

    def _add(self, name: str) -> None:
        try:
            note, settings, memory_settings, templates, summary_templates = self._notes_of(name)
            memory = AgentMemory(
                self._vault, name, memory_settings, self._now_ms, NarrationParser(lambda: self._game.world.wording)
            )
            memory.load()
        except NoteError as error:
            log.error("%s stays asleep: %s", name, error)
            return
        self._adopt(name, summary_templates)
        self._summary_caches[name] = SummaryCache(self._vault, name)
        # A generator of its own for each, so that what one draws changes nothing for the others.
        self._agents[name] = Agent(
            note,
            settings,
            memory,
            templates,
            random.Random(self._rng.getrandbits(64)),
            replace(self._services, timeout_seconds=self._settings.models.timeout_seconds),
            lambda: self._summarizer(memory),
        )

    def _adopt(self, name: str, templates: SummaryTemplates) -> None:
        self._summary_templates[name] = templates
        if templates.missing and templates.missing not in self._said:
            self._said.add(templates.missing)
            log.warning("[Memory] %s: %s", name, templates.missing)

    def _notes_of(self, name: str) -> tuple[AgentNote, AgentSettings, MemorySettings, Templates, SummaryTemplates]:
        note = load_agent(self._vault, name)
        settings = note.agent_settings(self._settings.agents)
        memory_settings = loaded_strategies().settings_of(note, self._settings.memory)
        return (
            note,
            settings,
            memory_settings,
            self._templates(settings.template, note),
            load_summary_templates(self._vault, name, memory_settings.summary_template),
        )

    def _summarizer(self, memory: AgentMemory) -> Summarizer | None:
        models, settings = self._settings.models, memory.settings
        if not self._summary_queues:
            return None
        queue, *later = self._summary_queues
        budget = self._agents[memory.name].prompt_budget
        style = models.summary_style
        if style == "auto":
            style = "prose" if queue.model.capabilities.writes_prose else "pick"
        profile = SummarizerProfile(
            style,
            models.summary_temperature,
            min(settings.summary_tokens, max(MIN_SUMMARY_TOKENS, budget // SUMMARY_SHARE)),
            models.timeout_seconds,
            chat=queue.model.capabilities.chat,
            floor_tokens=settings.summary_floor_tokens,
            grouping=settings.summary_grouping,
            fallback=settings.fallback,
        )
        context = SummaryContext(
            memory.name,
            lambda: self._roster() | stated_words(self._agents[memory.name].facts.facts),
            memory.memory,
            self._domain_of,
            memory.reading,
        )
        queues, cache = (queue, *later), self._summary_caches[memory.name]
        return Summarizer(context, queues, self._summary_templates[memory.name], profile, cache)

    def _domain_of(self, room_id: str) -> str:
        room = self._game.world.rooms.get(room_id)
        return room.domain if room else ""

    def _roster(self) -> frozenset[str]:
        world = self._game.world
        return frozenset([*world.characters, *world.rooms, *world.things])

    def _templates(self, name: str, note: AgentNote) -> Templates:
        return Templates(
            self._template(AUTO_TEMPLATE if name == "auto" else name, note, parse_template),
            *(self._template(one, note, parse_talk_template) for one in TALK_TEMPLATES),
        )

    def _template(self, name: str, note: AgentNote, parse: Callable[[str, str], T]) -> T:
        own = ("agents", note.name, "templates", f"{name}.md")
        parts = own if self._vault.exists(*own) else ("templates", f"{name}.md")
        if self._vault.exists(*parts):
            return parse(self._vault.read(*parts).body, "/".join(parts))
        if name in (AUTO_TEMPLATE, *TALK_TEMPLATES):
            # A vault made by an older version lacks what was added since.
            return parse(Vault(STARTER).read(*parts).body, "/".join(parts))
        known = ", ".join(one for one in self._vault.names("templates") if one not in TALK_TEMPLATES)
        raise NoteError(f"{note.source}: there is no template {name!r}; templates/ has {known or 'none'}.")
