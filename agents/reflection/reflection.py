"""Reflection: after a talk or in a quiet hour an agent looks back, and keeps words of people, insights and intents.

It is one call to the model. It waits behind every answer and thought, and is cancelled when somebody waits for one.
Without a model that can do so, and of what was said in confidence, the newest lines of some length are kept.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from agents.memory.memory import AgentMemory
from agents.memory.speech import SPOKEN, parties_of
from agents.models.model import Completion, ModelError, Request
from agents.models.queue import ModelQueue, complete_text
from agents.models.scheduler import Priority
from agents.reflection.acquaintances import MIN_UNCHOSEN_CHARACTERS, Acquaintances, quote_in
from agents.reflection.checks import Findings, NotReadable, findings_of
from agents.reflection.opinions import Opinions, Reflected
from agents.reflection.reflecting import (
    MIN_LINES,
    ReflectionPrompt,
    answer_grammar,
    answer_schema,
    question_of,
    reflection_prompt,
)
from vault.errors import NoteError
from vault.memory.bullet_note import Statement
from vault.memory.memory_line import Memory
from world.game_time import MINUTES_PER_DAY
from world.game_time import GameTime as WorldMoment
from world.message_catalog import Wording

log = logging.getLogger(__name__)

MAX_ANSWER_TOKENS = 800
TEMPERATURE = 0.4
MAX_MEMORIES = 256
"""Maximum number of the newest memories that are read."""

CHECK_SECONDS = 0.25
"""Interval of the check, while the model answers, whether somebody waits, in seconds."""

PAUSE_SECONDS = 60
"""Seconds after which a cancelled reflection is tried again."""

QUIET_SECONDS = 60
"""Seconds without a word after which a talk is over."""

MIN_HEARD = 3
"""Number of speeches of people, agents aside, that make a talk worth a reflection of its own."""

REST_MINUTES = 30
"""Minimum interval between two reflections after talks, in minutes."""

RETRY_MINUTES = 15
MAX_RETRY_MINUTES = 24 * 60
STOP_SECONDS = 5.0


@dataclass(frozen=True)
class Texts:
    """The texts of the question to the model: the template, the agent's profile, and the world's sentences."""

    template: str
    profile: str
    say: Wording


@dataclass(frozen=True)
class Surroundings:
    """The world around an agent that reflects, as a set of callables.

    `texts` raises NoteError if the template is not valid. `queue` returns the queue of its model, if there is one.
    `is_awaited` says whether anybody waits for a model, `is_agent` whether a name is that of an agent.
    """

    texts: Callable[[], Texts]
    queue: Callable[[], ModelQueue | None]
    is_awaited: Callable[[], bool]
    is_agent: Callable[[str], bool]


@dataclass
class ReflectionRecord:
    """The record of reflections since the start. `next_try_ms` is the earliest time of the next one."""

    made: int = 0
    cut_short: int = 0
    failures_in_a_row: int = 0
    last_error: str = ""
    next_try_ms: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0


class Reflection:
    """Reflects for one agent, once at a time.

    While anybody waits for a model nothing is begun, and what has begun is cut short.
    """

    def __init__(
        self,
        memory: AgentMemory,
        people: Acquaintances,
        opinions: Opinions,
        around: Surroundings,
        rng: random.Random,
        timeout_seconds: float = 120.0,
    ) -> None:
        self.record = ReflectionRecord()
        self.people = people
        self.opinions = opinions
        self._memory = memory
        self._around = around
        self._rng = rng
        self._timeout_seconds = timeout_seconds
        self._task: asyncio.Task[None] | None = None
        self._has_ended = False
        self._looked_upto = self._noted_upto = 0
        self._heard, self._heard_ms, self._begun_ms = 0, 0, 0
        self._parties: dict[int, tuple[str, ...]] = {}
        memory.subscribe(self._hear)

    @property
    def is_running(self) -> bool:
        return self._task is not None and not self._task.done()

    @property
    def chooses(self) -> bool:
        """True if a model chooses which words are kept."""
        queue = self._around.queue()
        return queue is not None and can_reflect(queue)

    def start_if_due(self, moment: WorldMoment, now_ms: int) -> bool:
        """Begin in the background if it is time; return whether it was begun. `moment` is the world's."""
        queue = self._around.queue()
        if self._has_ended or self.is_running:
            return False
        if self._is_quiet(now_ms) or self._memory.journal.last >= self._noted_upto + MAX_MEMORIES // 2:
            self._keep_unchosen()
        if now_ms < self.record.next_try_ms:
            return False
        try:
            if queue is None or not self.chooses or self._around.is_awaited() or not self._is_time(moment, now_ms):
                return False
            if self._memory.journal.last < self._looked_upto + MIN_LINES:
                return False
            texts = self._around.texts()
            look = self._look_back(texts.say)
        except NoteError as error:
            self._fail(str(error), now_ms)
            return False
        if len(look.lines) < MIN_LINES or not (look.people or look.heard):
            self._looked_upto = self._memory.journal.last  # not looked through again in each turn of a quiet night
            return False
        self._heard, self._begun_ms = 0, now_ms
        self._task = asyncio.create_task(self._guarded(queue, texts, look, moment, now_ms))
        return True

    def parties_of(self, one: Statement) -> list[tuple[str, ...]]:
        """Return for each memory that an opinion rests on who knows of it; empty for what all may know.

        Raises: NoteError if the journal cannot be read.
        """
        memory = self._memory
        for seq in one.evidence:
            if seq not in self._parties:
                found = memory.journal.read(seq, seq)
                self._parties[seq] = parties_of(found[0], memory.name, memory.reading) if found else ()
        return [self._parties[seq] for seq in one.evidence]

    async def wait(self) -> None:
        """Wait for the end of what is going on."""
        if self._task:
            await self._task

    async def stop(self) -> None:
        """Cut short what is going on, within five seconds, and begin nothing any more."""
        self._has_ended = True
        if self._task and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task], timeout=STOP_SECONDS)

    def _hear(self, memory: Memory) -> None:
        """Take in a memory as it is recorded."""
        if memory.event in SPOKEN and memory.by and not self._around.is_agent(memory.by):
            self._heard, self._heard_ms = self._heard + 1, memory.at_ms

    def _is_quiet(self, now_ms: int) -> bool:
        return now_ms - self._heard_ms >= QUIET_SECONDS * 1000

    def _is_time(self, moment: WorldMoment, now_ms: int) -> bool:
        """Return whether a talk is over, summaries were published since the last reflection, or a night has come."""
        last = self.opinions.reflected
        is_rested = not self._begun_ms or now_ms - self._begun_ms >= REST_MINUTES * 60_000
        if self._generation > last.generation or (self._heard >= MIN_HEARD and is_rested and self._is_quiet(now_ms)):
            return True
        return moment.part == "night" and night_of(moment) != last.day

    def _keep_unchosen(self) -> None:
        """Keep the words that no model chooses: private ones, and all if there is no model for it.

        What other agents say counts only if a model chooses it: they speak all day.
        """
        memory, last = self._memory, self._memory.journal.last
        try:
            memories = memory.journal.read(max(self._noted_upto + 1, last - MAX_MEMORIES + 1), last)
        except NoteError as error:
            self.record.last_error = str(error)
            return
        self._noted_upto = last
        quotes = [quote_in(one, memory.name, memory.reading) for one in memories]
        people = (one for one in quotes if one and not self._around.is_agent(one.speaker))
        long = [one for one in people if len(one.words) >= MIN_UNCHOSEN_CHARACTERS]
        self.people.take([one for one in long if one.parties or not self.chooses], is_chosen=False)

    @property
    def _generation(self) -> int:
        summaries = (self._memory.longterm, self._memory.recent)
        return max((summary.generation for summary in summaries if summary), default=0)

    def _look_back(self, say: Wording) -> ReflectionPrompt:
        memory, last = self._memory, self._memory.journal.last
        first = max(min(self.opinions.reflected.upto, last) + 1, last - MAX_MEMORIES + 1)
        memories = memory.journal.read(first, last)
        return reflection_prompt(memories, self.people, memory.reading, say)

    async def _guarded(
        self, queue: ModelQueue, texts: Texts, look: ReflectionPrompt, moment: WorldMoment, now_ms: int
    ) -> None:
        prompt, asked = (question_of(texts.template, texts.profile, one) for one in (look, replace(look, lines=())))
        reflected = Reflected(self._memory.journal.last, self._generation, night_of(moment))
        try:
            completion = await self._asked(queue, prompt, look)
            if completion is None:
                self.record.cut_short += 1
                self.record.next_try_ms = now_ms + PAUSE_SECONDS * 1000
                return
            self._pay(completion)
            self._archive(prompt, completion)
            self._keep(findings_of(completion.text, look, asked), completion, reflected, now_ms)
        except (ModelError, NoteError, NotReadable) as error:
            self._fail(str(error), now_ms)
        except Exception as error:
            log.exception("the reflection of %s failed", self._memory.name)
            self._fail(str(error), now_ms)

    async def _asked(self, queue: ModelQueue, prompt: str, look: ReflectionPrompt) -> Completion | None:
        """Return the answer; None if it was cut short, or the queue has been stopped."""
        asking = asyncio.create_task(
            complete_text(queue, self._memory.name, Priority.SUMMARY, lambda: self._request(prompt, look))
        )
        try:
            while not asking.done():
                await asyncio.wait([asking], timeout=CHECK_SECONDS)
                if not asking.done() and self._around.is_awaited():
                    return None
        finally:
            asking.cancel()
        completion = asking.result()
        return None if completion.finish == "cancelled" else completion

    def _request(self, prompt: str, look: ReflectionPrompt) -> Request:
        return Request(
            prompt,
            max_tokens=MAX_ANSWER_TOKENS,
            temperature=TEMPERATURE,
            seed=self._rng.getrandbits(31),
            timeout_seconds=self._timeout_seconds,
            grammar=answer_grammar(look),
            schema=answer_schema(look),
        )

    def _keep(self, found: Findings, completion: Completion, reflected: Reflected, now_ms: int) -> None:
        kept = self.people.take(found.quotes, is_chosen=True)
        for person, intents in found.intents.items():
            self.people.set_opinions(person, intents)
            kept += len(intents)
        kept += len(found.insights)
        at = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
        cost = f"{completion.seconds:.0f} s, {completion.prompt_tokens} + {completion.completion_tokens} tokens"
        told = f"{at}, {completion.model}, {cost}, {kept} kept, {len(found.dropped)} dropped"
        self.opinions.keep(found.insights, found.dropped, replace(reflected, told=told))
        self.record.made += 1
        self.record.failures_in_a_row, self.record.last_error = 0, ""
        log.info("[Memory] %s: Reflection complete (%d kept, %d dropped)", self._memory.name, kept, len(found.dropped))

    def _archive(self, prompt: str, completion: Completion) -> None:
        self._memory.archive_writer.add(
            "reflection",
            self._memory.journal.last,
            question=prompt,
            reply=completion.text,
            model=completion.model,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            seconds=round(completion.seconds, 3),
        )

    def _pay(self, completion: Completion) -> None:
        self.record.prompt_tokens += completion.prompt_tokens
        self.record.completion_tokens += completion.completion_tokens
        self.record.seconds += completion.seconds

    def _fail(self, why: str, now_ms: int) -> None:
        record = self.record
        record.last_error = why
        record.failures_in_a_row += 1
        minutes = min(RETRY_MINUTES * 2 ** (record.failures_in_a_row - 1), MAX_RETRY_MINUTES)
        record.next_try_ms = now_ms + minutes * 60_000
        if record.failures_in_a_row == 1:
            log.warning(
                "[Memory] %s: Reflection failed; it is tried again in %d min. %s", self._memory.name, minutes, why
            )


def can_reflect(queue: ModelQueue) -> bool:
    """Return whether a model can be held to the shape of an answer, and is not known to be too small for one."""
    model = queue.model.capabilities
    is_held = model.json_schema or model.grammar
    return is_held and queue.speaks


def night_of(moment: WorldMoment) -> int:
    """Return which night a moment belongs to, by the day on which it began; of a day, the night before."""
    return (moment.minutes - MINUTES_PER_DAY // 2) // MINUTES_PER_DAY
