"""An agent: it perceives, remembers, and in its turn thinks of one command and performs it."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from agents.attending.conversation import Conversation
from agents.attending.perception import impression
from agents.attending.privacy import Withholding
from agents.attending.turn_taking import Awareness, Floor
from agents.attending.typed_events import NO_EVENT, TypedEvent, typed_line
from agents.component import Component, Owner, Turn
from agents.component_registry import ComponentRegistry, loaded_components
from agents.components.errands import Step
from agents.components.people import Bonds, Insights
from agents.components.visitors import Visitors
from agents.escaping import load_template
from agents.memory.compactor import Compactor
from agents.memory.cost import PromptCost
from agents.memory.facts.file import FactRegistry
from agents.memory.facts.store import goals_in, matching, override_with_observation
from agents.memory.importance import FirstEncounters, line_importance
from agents.memory.journal_search import JournalSearch
from agents.memory.memory import AgentMemory
from agents.memory.summaries.summarizing import Summarizer
from agents.mind import Knowledge, Mind
from agents.models.queue import ModelQueue
from agents.prompts.builder import Templates
from agents.prompts.overflow_alert import OverflowAlert
from agents.prompts.prompt import Prompt
from agents.prompts.room import tail_tokens
from agents.reflection.acquaintances import Acquaintances
from agents.reflection.opinions import Opinions
from agents.reflection.reflecting import SLOTS, TEMPLATE
from agents.reflection.reflection import Reflection, Surroundings, Texts
from agents.repetition.guard import RepetitionGuard
from agents.turn.asking import Asked, Asking, Question
from agents.turn.promises import Promises
from agents.turn.taking import TurnTaker
from agents.turn.word_rarity import WordRarity
from agents.write_pool import WritePool
from config.profiles import SMALL_PROMPT_TOKENS
from config.settings import AgentSettings
from vault.entities.agent_notes import AgentNote
from vault.memory.facts_note import Fact, Pin
from vault.memory.promises_note import Promise
from world.entities import Character, Role
from world.events import Event, Recalled, Refused
from world.game import CommandResult, Game

log = logging.getLogger(__name__)

MARGIN_TOKENS = 32
WALK_SECONDS = 3.0
MENDED_MEMORIES = 999
"""Number of the newest memories in which a promise that was kept just before a crash is looked for."""

DEFAULT_CONTEXT_TOKENS = 8192


@dataclass(frozen=True)
class Services:
    """The services that all agents of a world share.

    `now_ms` returns the time, in milliseconds. A request ends when the model has not answered in `timeout_seconds`.
    `turns` bounds how many compactions run at once. `components` are those of every mind; by default the loaded ones.
    `rarity` tells how rare a word is in the notes of the world; by default in those of the agent alone.
    """

    game: Game
    now_ms: Callable[[], int]
    timeout_seconds: float = 120.0
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    floor: Floor = field(default_factory=Floor)
    pool: WritePool | None = None
    components: ComponentRegistry | None = None
    rarity: WordRarity | None = None


class Agent:
    """One mind in the world. It is awake while it has a model to think with; it remembers in any case.

    `on_addressed` is called when somebody speaks to it or something else asks for a thought, so that it may think
    sooner; `on_thinking` as its model is asked; `on_trouble` with what admins should know and do; `on_perceived` with
    everything that it perceives. `led_by` is who leads it, so that it does not think for itself, or empty.
    """

    def __init__(
        self,
        note: AgentNote,
        settings: AgentSettings,
        memory: AgentMemory,
        templates: Templates,
        rng: random.Random,
        services: Services,
        summarizer: Callable[[], Summarizer | None] = lambda: None,
    ) -> None:
        """`summarizer` returns what summarises for it just now, or None."""
        self.note = note
        self.settings = settings
        self.memory = memory
        self.queue: ModelQueue | None = None
        self.on_addressed: Callable[[], None] = lambda: None
        self.on_thinking: Callable[[], None] = lambda: None
        self.on_trouble: Callable[[str], None] = lambda text: None
        self.on_perceived: Callable[[Event, str], None] = lambda event, text: None
        self.led_by = ""
        self.last_turn = Turn("asleep")
        self._game, self._now_ms = services.game, services.now_ms
        self._familiar = FirstEncounters(memory.journal.vault, note.name)
        self.withhold = Withholding(note.name, memory.reading, lambda: services.game.world.wording)
        memory.withhold = self.withhold
        self.visitors = Visitors(note.name, services.now_ms)
        self._overflow = OverflowAlert(note.name)
        self.awareness = Awareness(note.name, services.floor, services.now_ms)
        self.conversation = Conversation(note.name, services.now_ms)
        self.compactor = self._compactor(services, summarizer, random.Random(rng.getrandbits(64)))
        self.facts = self._fact_registry(services.pool)
        self.finder = JournalSearch(memory.journal, memory.reading)
        self._conduct = RepetitionGuard(note.name, rng)
        self._conduct.breaks_loops = settings.break_loops
        self._asking = Asking(note.name, services.game, rng, services.timeout_seconds)
        self.reflection = self._reflecting(services.timeout_seconds)
        self.promises = self._promised()
        self._turns = TurnTaker(self, services.game, self._conduct, self._asking, rng, services.rarity)
        self.mind = self._mind(templates, services.components or loaded_components())

    def _compactor(
        self, services: Services, summarizer: Callable[[], Summarizer | None], rng: random.Random
    ) -> Compactor:
        cost = PromptCost(
            self.count_tokens, lambda: self.queue.status().cached_share if self.queue else 0.0, self._tail_tokens
        )
        return Compactor(self.memory, summarizer, services.turns, services.now_ms, rng, cost, services.pool)

    def _fact_registry(self, pool: WritePool | None) -> FactRegistry:
        memory, name = self.memory, self.note.name
        facts = FactRegistry(memory.journal.vault, name, memory.journal, self._now_ms, memory.reading, pool)
        facts.on_trouble = lambda text: self.on_trouble(text)
        facts.profile_goals = goals_in(self.note.profile)
        memory.subscribe(lambda recorded: facts.keep_up())
        return facts

    def _mind(self, templates: Templates, components: ComponentRegistry) -> Mind:
        note, memory = self.note, self.memory
        people, rng = self.reflection.people, random.Random(note.name)
        owner = Owner(note.name, memory.journal.vault, self._now_ms, rng, memory.reading, people.names_of)
        parts: tuple[Component, ...] = (
            Bonds(self.reflection),
            Insights(self.reflection),
            self.promises,
            *components.made_for(owner),
        )
        knowledge = Knowledge(memory, self.facts, self.finder, self.withhold)
        mind = Mind(note, templates, self._game, knowledge, self._conduct.notice, parts)
        mind.adopt(note, templates, self.settings.left_out)
        mind.on_trouble = lambda text: self.on_trouble(text)
        return mind

    def _reflecting(self, timeout_seconds: float) -> Reflection:
        name, journal = self.note.name, self.memory.journal
        opinions = Opinions(journal.vault, name, journal.link, lambda text: self.on_trouble(text))
        people = Acquaintances(
            journal.vault, name, journal.link, opinions.retire, lambda text: self.on_trouble(text), self._role_of
        )
        return Reflection(
            self.memory,
            people,
            opinions,
            Surroundings(
                lambda: Texts(
                    load_template(journal.vault, TEMPLATE, SLOTS), self.note.profile, self._game.world.wording
                ),
                lambda: self.queue,
                self._is_awaited,
                self._is_agent,
            ),
            random.Random(name),
            timeout_seconds,
        )

    def _promised(self) -> Promises:
        """Return its promises, with those done that the journal says were kept."""
        journal, names_of = self.memory.journal, self.reflection.people.names_of
        promises = Promises(
            journal.vault, self.note.name, journal.link, self._now_ms, lambda text: self.on_trouble(text), names_of
        )
        promises.mend(journal.read(max(1, journal.last - MENDED_MEMORIES), journal.last))
        return promises

    def _role_of(self, name: str) -> Role | None:
        characters = self._game.world.characters
        found = characters.get(characters.id_ignoring_case(name) or "")
        return found.role if found else None

    def _is_agent(self, name: str) -> bool:
        characters = self._game.world.characters
        found = characters.get(characters.id_ignoring_case(name) or "")
        return found is not None and found.is_agent

    def _is_awaited(self) -> bool:
        """Return whether somebody waits for this agent's answer, or for that of another with the same model."""
        return self.awareness.addressed.spoken or (self.queue is not None and self.queue.is_awaited)

    @property
    def name(self) -> str:
        return self.note.name

    @property
    def character(self) -> Character:
        return self._game.world.characters[self.name]

    def adopt(self, note: AgentNote, settings: AgentSettings, templates: Templates) -> None:
        """Go on with notes that were edited, from the next thought."""
        self.note, self.settings = note, settings
        self.mind.adopt(note, templates, settings.left_out)
        self._conduct.breaks_loops = settings.break_loops
        self.character.description = note.character.description
        self.facts.profile_goals = goals_in(note.profile)
        self.end_thought_if_still()

    def end_thought_if_still(self) -> None:
        """Let its model go on no longer with what it was thinking, if it is to be still now."""
        if self.queue and self.why_still:
            self.queue.withdraw(self.name)

    @property
    def pause_seconds(self) -> float:
        """Seconds from one thought to the next, before jitter: more in circles, few on the way to or with a visitor."""
        seconds = self.settings.think_seconds * self._conduct.mitigation.slower
        is_hurrying = self.visitors.is_leading or (self.visitors.is_seeking and self.last_turn.cause == "errand")
        return min(WALK_SECONDS, seconds) if is_hurrying else seconds

    @property
    def asked(self) -> Asked | None:
        """The last question to its model with the answer; None before the first answer."""
        return self._turns.asked

    def promise_to(self, other: Character) -> Promise | None:
        """Return the promise that is to be kept to somebody who is here, or None.

        Who has asked for one and is here as well may tell it themselves.
        """
        told, world = self.reflection.people.names_of(other.name), self._game.world
        here = {one.name for one in world.occupants(self.character.room_id)}
        due = self.promises.all_due((other.name, *other.aliases), told)
        return next((one for one in due if one.asker not in here), None)

    def next_step(self) -> Step | None:
        """Return the next step: with a visitor, or towards one if it welcomes them; else of its errands."""
        world, actor = self._game.world, self.character
        return self.visitors.next_step(world, actor, self.settings.welcomes) or self.mind.next_step(world, actor)

    @property
    def why_still(self) -> str:
        """The reason why it does not think for itself just now; empty if it does."""
        say = self._game.world.wording
        if self.led_by:
            return say("population.why_led", who=self.led_by)
        return say("population.why_paused", agent=self.name) if self.settings.paused else ""

    def perform(self, line: str, cause: str = "", event: str = "") -> CommandResult:
        """Do a line as its own, and remember it so. `cause` is why the engine chose it; empty if somebody else did.

        `event` is what the journal says that it was, if that is more than the line itself tells.

        A line that somebody else had it do answers everyone who waited for the agent. After a line of its own, those
        who spoke while its model thought still wait.
        """
        if not cause:
            self.mind.next_step(self._game.world, self.character)  # which this line may do
            self.awareness.answer_all()
        self._conduct.begin(line, self.character.room_id)
        commands = self._game.commands
        typed = typed_line(line, self.character, self._game.world, commands)
        typed = replace(typed, event=event) if event else typed
        self._record("acted", line, typed=typed, importance=line_importance(line, commands))
        self.memory.archive_writer.explain(cause)
        performed = self._game.perform(self.name, line)
        self._conduct.end(line, self.character.room_id)
        turn = Turn("acted" if performed.accepted else "refused", line, performed.refusal, cause)
        self.mind.acted(turn)
        self.visitors.acted(turn)
        return performed

    def _record(
        self, kind: str, text: str, event: Event | None = None, typed: TypedEvent = NO_EVENT, **more: Any
    ) -> None:
        memory = self.memory.record(kind, text, self.character.room_id, **asdict(typed), **more)
        self.mind.observe(memory, event)

    def perceive(self, event: Event, text: str) -> None:
        """Remember an event; hearing is free, thinking waits for the agent's turn."""
        if not text:
            return
        self.on_perceived(event, text)
        world = self._game.world
        self.conversation.observe(event, world, self.awareness.addressee(event, world))
        has_floor = self.awareness.has_floor(event, world)
        left = impression(event, self.name, world, self._familiar.is_first(event), has_floor)
        if left is None:
            return
        if event.actor_id != self.name:
            self._conduct.hear(event, world)
        if isinstance(event, Recalled):
            # What is recalled is in the journal already: it stands in the next prompt, and is no new memory.
            self.mind.looked_up.text, text = event.text, event.brief
        self._record(
            left.kind,
            text,
            event,
            left.typed,
            people=left.people,
            importance=left.importance,
            refused=isinstance(event, Refused),
        )
        before = self.awareness.next_answer
        if self.awareness.take_in(event, left, world) and (left.addressed or not self._conduct.is_slowed):
            if self.queue and self.awareness.next_answer != before:
                self.queue.hurry(self.name, self.awareness.priority)
            self.on_addressed()

    async def tick(self) -> Turn:
        """Take one turn: wait for the model, think of a command, do it. Never raises but for cancellation."""
        board = self._game.world.board
        first_shared = board.next_id
        try:
            self.last_turn = await self._turns.take_turn()
        except Exception as error:
            log.exception("the turn of %s failed", self.name, extra={"agent": self.name})
            self.last_turn = Turn("failed", why=str(error))
            board.fail_turn(self.name, first_shared)
        if self.last_turn.line and self.awareness.addressed.spoken:
            self.on_addressed()
        self.memory.archive_writer.write()
        (self.memory.provider or self.compactor).notify_rounds_changed(self.memory.journal.last)
        if self.settings.reflection and not self.why_still:
            self.reflection.start_if_due(self._game.world.time, self._now_ms())
        record, prompt = self.compactor.stats, self._turns.question.prompt
        if trouble := self._overflow.message(prompt, record.failures_in_a_row, record.last_error):
            self.on_trouble(trouble)
        return self.last_turn

    def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has for this agent's model; a cautious estimate while it has none."""
        return self.queue.model.count_tokens(text) if self.queue else -(-len(text) // 3)

    def prompt(self, question: Question | None = None) -> Prompt:
        """Return the prompt of this moment for a question; without one, for any command.

        Raises: NoteError if the journal cannot be read.
        """
        is_chat = self.queue is not None and self.queue.model.capabilities.chat
        question = question or Question()
        return self.mind.prompt(question, is_chat, self._now_ms(), self.count_tokens, self.prompt_budget)

    @property
    def prompt_budget(self) -> int:
        """The most tokens that a prompt may have: `prompt_tokens` of its model's profile, within the context window."""
        model = self.queue.model if self.queue else None
        context_tokens = model.context_tokens if model else DEFAULT_CONTEXT_TOKENS
        room = context_tokens - self._asking.max_tokens(self.settings, context_tokens) - MARGIN_TOKENS
        given = self.queue.overrides.prompt_tokens if self.queue else 0
        if model and not given and model.capabilities.reads_little:
            given = SMALL_PROMPT_TOKENS
        return min(room, given or room)

    def _tail_tokens(self) -> int:
        last, share = self._turns.question.prompt, self.memory.settings.tail_share
        return tail_tokens(self.memory.view(), last, self.prompt, self.prompt_budget, share, self.count_tokens)

    def pin(self, wanted: str) -> Pin:
        """Pin a memory by its number, or words, within `pin_tokens`. Raises: CommandError."""
        most = self.memory.settings.pin_tokens
        return self.facts.pin(wanted, self._game.world.wording, lambda text: self.count_tokens(text) <= most)

    def get_relevant(self, query: str = "") -> list[Fact]:
        """Return the facts about a query, best first, or all facts; things at hand are as they are now.

        `since` of each is the memory that changed it last. Raises: NoteError if the journal cannot be read.
        """
        self.facts.take_in()
        return matching(override_with_observation(self.facts.facts, self._game.world, self.character), query)
