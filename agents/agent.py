"""An agent: perceives, remembers, and in its turn thinks of one command and does it."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable

from agents.aside import Aside
from agents.asking import Asking
from agents.attending.awareness import Awareness
from agents.attending.floor import Floor
from agents.attending.perceiving import impression
from agents.calling_for_help import CallForHelp
from agents.choices.grammar import tidied
from agents.circles.conduct import Conduct
from agents.memory.compaction import Compactor
from agents.memory.importance import REFUSED, line_importance
from agents.memory.knowing.facts_text import goals_in, matching
from agents.memory.knowing.familiar import Familiar
from agents.memory.knowing.registry import FactRegistry
from agents.memory.looking.finding import Finder
from agents.memory.memory import AgentMemory
from agents.memory.reminding.note_shelf import NoteShelf
from agents.memory.reminding.recollecting import Recollecting
from agents.memory.summaries.summarizing import Summarizer
from agents.models.model import Completion, ModelError, Request
from agents.models.queue import ModelQueue, Priority
from agents.prompts.at_hand import as_it_is
from agents.prompts.knowledge import Knowledge, board_text
from agents.prompts.prompting import command_list, fitted_prompt, place_text, scene_text
from agents.turn import Asked, archived
from agents.turn import Templates as Templates
from agents.turn import Turn as Turn
from config.settings import AgentSettings
from vault.agent_notes import AgentNote
from vault.notes import NoteError
from vault.remembered.archive_turns import DROPPED, SILENT
from vault.remembered.fact_line import Fact
from vault.remembered.facts_note import Pin
from vault.remembered.memory_line import one_line
from world.events import Event, Recalled, Refused
from world.game import Game, Performed
from world.model import Character
from world.parsing import split_reason

log = logging.getLogger(__name__)

MARGIN_TOKENS = 32
DEFAULT_CONTEXT_TOKENS = 8192


class Agent:
    """One mind in the world. It is awake while it has a model to think with; it remembers in any case.

    `on_addressed` is called when somebody speaks to it or something else asks for a thought, so that it may think
    sooner; `on_thinking` as its model is asked; `on_trouble` with what admins should know and do; `on_perceived` with
    everything that it perceives. `led_by` is who leads it, so that it does not think for itself, or empty. `floor` and
    `aside` are the same for all who live together.
    """

    def __init__(
        self,
        note: AgentNote,
        settings: AgentSettings,
        memory: AgentMemory,
        game: Game,
        templates: Templates,
        rng: random.Random,
        now_ms: Callable[[], int],
        timeout_seconds: float = 120.0,
        summarizer: Callable[[], Summarizer | None] = lambda: None,
        turns: asyncio.Semaphore | None = None,
        floor: Floor | None = None,
        aside: Aside | None = None,
    ) -> None:
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
        self.compactor = Compactor(
            memory,
            summarizer,
            turns or asyncio.Semaphore(1),
            now_ms,
            random.Random(rng.getrandbits(64)),
            self.count_tokens,
            lambda: self.queue.status().cached_share if self.queue else 0.0,
            aside,
        )
        self.facts = FactRegistry(memory.journal.vault, note.name, memory.journal, now_ms, memory.reading, aside)
        self.facts.on_trouble = lambda text: self.on_trouble(text)
        self.facts.profile_goals = goals_in(note.profile)
        self.finder = Finder(memory.journal, memory.reading)
        self._knowledge = Knowledge(self.facts, Recollecting(self.finder, NoteShelf(memory.journal.vault, note.name)))
        self._familiar = Familiar(memory.journal.vault, note.name)
        self._game = game
        self._templates = templates
        self._conduct = Conduct(rng)
        self._conduct.breaks_loops = settings.break_loops
        self._asking = Asking(note.name, game, self._conduct, timeout_seconds)
        self.awareness = Awareness(note.name, floor or Floor(), now_ms)
        self._help = CallForHelp(note.name)
        self._rng = rng
        self._now_ms = now_ms
        self._failing = False
        self._asked = Asked()

    @property
    def name(self) -> str:
        return self.note.name

    @property
    def character(self) -> Character:
        return self._game.world.characters[self.name]

    def adopt(self, note: AgentNote, settings: AgentSettings, templates: Templates) -> None:
        """Go on with notes that were edited, from the next thought."""
        self.note, self.settings, self._templates = note, settings, templates
        self._conduct.breaks_loops = settings.break_loops
        self.character.description = note.description
        self.facts.profile_goals = goals_in(note.profile)
        self.end_thought_if_still()

    def end_thought_if_still(self) -> None:
        """Let its model go on no longer with what it was thinking, if it is to be still now."""
        if self.queue and self.why_still:
            self.queue.withdraw(self.name)

    @property
    def pause_seconds(self) -> float:
        """How long it waits from one thought to the next, before jitter; longer while it goes in circles."""
        return self.settings.think_seconds * self._conduct.remedy.slower

    @property
    def why_still(self) -> str:
        """Why it does not think for itself just now; empty if it does."""
        say = self._game.world.wording
        if self.led_by:
            return say("population.why_led", who=self.led_by)
        return say("population.why_paused", agent=self.name) if self.settings.paused else ""

    def perform(self, line: str) -> Performed:
        """Do a line as its own, and remember it so."""
        self.memory.record("acted", line, self.character.room_id, importance=line_importance(line, self._game.commands))
        return self._game.perform(self.name, line)

    def perceive(self, event: Event, text: str) -> None:
        """Remember an event; hearing is free, thinking waits for the agent's turn."""
        if not text:
            return
        self.on_perceived(event, text)
        world = self._game.world
        has_floor = self.awareness.has_floor(event, world)
        left = impression(event, self.name, world, self._familiar.is_first(event), has_floor)
        if left is None:
            return
        if event.actor_id != self.name:
            self._conduct.hear(event, world)
        if isinstance(event, Recalled):
            # What is recalled is in the journal already: it stands in the next prompt, and is no new memory.
            self._knowledge.recalled, text = event.text, event.brief
        room = self.character.room_id
        refused = isinstance(event, Refused)
        self.memory.record(left.kind, text, room, left.people, left.importance, refused)
        self.facts.keep_up()
        if self.awareness.take_in(event, left, world) and (left.addressed or not self._conduct.is_slowed):
            if left.addressed and self.queue:
                self.queue.hurry(self.name)
            self.on_addressed()

    async def tick(self) -> Turn:
        """Take one turn: wait for the model, think of a command, do it. Never raises but for cancellation."""
        board = self._game.world.board
        first_shared = board.next_id
        try:
            self.last_turn = await self._turn()
        except Exception as error:
            log.exception("the turn of %s failed", self.name, extra={"agent": self.name})
            self.last_turn = Turn("failed", why=str(error))
            board.fail_turn(self.name, first_shared)
        self.memory.trail.write()
        self.compactor.start_if_due()
        record = self.compactor.record
        if trouble := self._help.of(self._asked.prompt, record.failures_in_a_row, record.last_error):
            self.on_trouble(trouble)
        return self.last_turn

    def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has for this agent's model; a cautious estimate while it has none."""
        return self.queue.model.count_tokens(text) if self.queue else -(-len(text) // 3)

    def prompt(self) -> str:
        """Return the prompt of this moment, to the letter. Raises: NoteError if the journal cannot be read."""
        actor, world = self.character, self._game.world
        notice = self._conduct.notice(world.wording)
        values = {
            "name": self.name,
            "profile": self.note.profile,
            "commands": command_list(self._game.commands, actor),
            "place": place_text(world, actor, notice),
        }
        if self.memory.coverage.b == 0:
            values["yesterday"] = self.note.yesterday
        context_tokens = self.queue.model.context_tokens if self.queue else DEFAULT_CONTEXT_TOKENS
        budget = context_tokens - self._asking.most_tokens(self.settings, context_tokens) - MARGIN_TOKENS
        view, counting = self.memory.view(), self.count_tokens
        values["scene"] = scene_text(world, actor, view.idle_ms(self._now_ms()), notice)
        values["board"] = board_text(world, actor, counting, budget)
        knowledge = self._knowledge.of_moment(view, world, actor, counting, self.memory.settings, budget)
        small = self.queue is not None and self.queue.model.constrains
        template = self._templates.small if small else self._templates.full
        return fitted_prompt(template, values, view, counting, budget, knowledge)

    def pin(self, wanted: str) -> Pin:
        """Pin a memory by its number, or words, within `pin_tokens`. Raises: CommandError."""
        most = self.memory.settings.pin_tokens
        return self.facts.pin(wanted, self._game.world.wording, lambda text: self.count_tokens(text) <= most)

    def get_relevant(self, query: str = "") -> list[Fact]:
        """Return what is known about a query, best first, or everything; what is at hand as it is now.

        `since` of each is the memory that changed it last. Raises: NoteError if the journal cannot be read.
        """
        self.facts.take_in()
        return matching(as_it_is(self.facts.facts, self._game.world, self.character), query)

    async def _turn(self) -> Turn:
        if still := self._stillness():
            return still
        try:
            completion = await self._thought()
        except (ModelError, NoteError) as error:
            self.awareness.addressed = self.awareness.owed.address  # whoever spoke still waits for an answer
            return self._failed(str(error))
        if self._failing:
            log.info("%s can think again", self.name, extra={"agent": self.name})
            self._failing = False
        return self._done(completion)

    def _stillness(self) -> Turn | None:
        """Return the turn of one who does not think now, or None."""
        if self.queue is None or not self.character.awake:
            return Turn("asleep")
        if self.why_still:
            return Turn("paused", why=self.why_still)
        if not self.memory.write_what_waits():
            return Turn("paused", why=self.memory.problem)
        return self.awareness.stillness(self.settings.think_when, self._game.world, self.character)

    async def _thought(self) -> Completion:
        """Ask the model, and once more if what it would do goes round in a circle. Raises: ModelError, NoteError."""
        self._conduct.begin_turn()
        priority = Priority.ANSWER if self.awareness.addressed.spoken else Priority.THOUGHT
        completion = await self._ask(priority)
        line, here = self._asking.read(completion.text).line, self.character.room_id
        if completion.finish == "cancelled" or self.why_still:
            return completion
        if not self._conduct.objects_to(line, here, self.awareness.thinks_of.by_person):
            return completion
        self._archive(completion, DROPPED)
        again = await self._ask(priority)
        return again if again.finish == "cancelled" or self._asking.read(again.text).line else completion

    async def _ask(self, priority: Priority) -> Completion:
        assert self.queue is not None
        listener = self._asking.listener(self.queue.model, self.settings, self.count_tokens)
        return await self.queue.ask(self.name, priority, self._request, listener)

    def _request(self) -> Request | None:
        if not self.character.awake or self.queue is None or self.why_still:
            return None
        self.on_thinking()
        prompt, model = self.prompt(), self.queue.model
        self.awareness.begin_turn()
        held = self._asking.held(model, self.settings, self.awareness.thinks_of)
        told = {**self._knowledge.shown, "notice": self._conduct.notice(self._game.world.wording)}
        self._asked = Asked(prompt, held.grammar, told, self.memory.journal.last)
        return self._asking.request(prompt, held, self._rng.getrandbits(31), self.settings, model.context_tokens)

    def _done(self, completion: Completion) -> Turn:
        if completion.finish == "cancelled":
            return Turn("paused", why=self.why_still) if self.why_still else Turn("asleep")
        if self.why_still:  # somebody has stopped or led it as it ended its thought
            self._archive(completion, DROPPED)
            return Turn("paused", why=self.why_still)
        reply, here = self._asking.read(completion.text), self.character.room_id
        is_silent = self._conduct.keeps_silent(reply.line, here, self.awareness.thinks_of.by_person)
        self._archive(completion, SILENT if is_silent else completion.finish)
        self._asking.learn(completion)
        self.awareness.end_turn()
        if not reply.line:
            self.memory.record("result", reply.problem, here, importance=REFUSED)
            self._conduct.fail(self._game.world, self.character, self._game.commands)
            return Turn("speechless", why=reply.problem)
        if is_silent:
            self._conduct.hold_back(reply.line, here)
            return Turn("silent", why=self._game.world.wording("loops.silent", line=split_reason(reply.line)[0]))
        line = one_line(tidied(reply.line) if self._asked.grammar else reply.line)
        self._knowledge.end_turn(line)
        self._conduct.begin(line, here)
        performed = self.perform(line)
        self._conduct.end(line, self.character.room_id)
        return Turn("acted" if performed.accepted else "refused", line, performed.refusal)

    def _archive(self, completion: Completion, finish: str) -> None:
        self.memory.trail.add("message", self.memory.journal.last, **archived(self._asked, completion, finish))

    def _failed(self, why: str) -> Turn:
        if not self._failing:
            log.warning("%s cannot think, and waits for its next beat: %s", self.name, why)
        self._failing = True
        return Turn("failed", why=why)
