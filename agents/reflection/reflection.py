"""Reflection: in a quiet hour an agent looks back on what it lived through, and keeps what the memories bear out.

It is one call to the model. It waits behind every answer and thought, and is cancelled when somebody waits for one.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from agents.memory.memory import AgentMemory
from agents.models.model import Completion, ModelError, Request
from agents.models.queue import ModelQueue, complete_text
from agents.models.scheduler import Priority
from agents.reflection.acquaintances import Acquaintances, Opinions, Reflected
from agents.reflection.checks import Findings, NotReadable, findings_of
from agents.reflection.reflecting import (
    MIN_LINES,
    ReflectionPrompt,
    answer_grammar,
    answer_schema,
    question_of,
    reflection_prompt,
)
from vault.errors import NoteError
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

RETRY_MINUTES = 15
MAX_RETRY_MINUTES = 24 * 60
STOP_SECONDS = 5.0
MIN_BILLIONS = 1.0
"""A model with fewer parameters copies the example, or invents."""


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
    `is_awaited` says whether anybody waits for a model. `is_lasting` takes a name; it is false for guests, whose names
    others have tomorrow, so no facts on guests are kept.
    """

    texts: Callable[[], Texts]
    queue: Callable[[], ModelQueue | None]
    is_awaited: Callable[[], bool]
    is_lasting: Callable[[str], bool]


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
        self._looked_upto = 0

    @property
    def is_running(self) -> bool:
        return self._task is not None and not self._task.done()

    def start_if_due(self, moment: WorldMoment, now_ms: int) -> bool:
        """Begin in the background if it is time; return whether it was begun. `moment` is the world's."""
        queue = self._around.queue()
        if self._has_ended or self.is_running or queue is None or now_ms < self.record.next_try_ms:
            return False
        if not can_reflect(queue) or self._around.is_awaited() or not self._is_time(moment):
            return False
        if self._memory.journal.last < self._looked_upto + MIN_LINES:
            return False
        try:
            texts = self._around.texts()
            look = self._look_back(texts.say)
        except NoteError as error:
            self._fail(str(error), now_ms)
            return False
        if len(look.lines) < MIN_LINES or not look.people:
            self._looked_upto = self._memory.journal.last  # not looked through again in each turn of a quiet night
            return False
        prompt = question_of(texts.template, texts.profile, look)
        self._task = asyncio.create_task(self._guarded(queue, prompt, look, moment, now_ms))
        return True

    async def stop(self) -> None:
        """Cut short what is going on, within five seconds, and begin nothing any more."""
        self._has_ended = True
        if self._task and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task], timeout=STOP_SECONDS)

    def _is_time(self, moment: WorldMoment) -> bool:
        """Return whether summaries were published since the last reflection, or a night has come without one."""
        last = self.opinions.reflected
        if self._generation > last.generation:
            return True
        return moment.part == "night" and night_of(moment) != last.day

    @property
    def _generation(self) -> int:
        summaries = (self._memory.longterm, self._memory.recent)
        return max((summary.generation for summary in summaries if summary), default=0)

    def _look_back(self, say: Wording) -> ReflectionPrompt:
        memory, last = self._memory, self._memory.journal.last
        first = max(min(self.opinions.reflected.upto, last) + 1, last - MAX_MEMORIES + 1)
        memories = memory.journal.read(first, last)
        return reflection_prompt(memory.name, memories, memory.reading, say, self._around.is_lasting)

    async def _guarded(
        self, queue: ModelQueue, prompt: str, look: ReflectionPrompt, moment: WorldMoment, now_ms: int
    ) -> None:
        reflected = Reflected(self._memory.journal.last, self._generation, night_of(moment))
        try:
            completion = await self._asked(queue, prompt, look)
            if completion is None:
                self.record.cut_short += 1
                self.record.next_try_ms = now_ms + PAUSE_SECONDS * 1000
                return
            self._pay(completion)
            self._archive(prompt, completion)
            self._keep(findings_of(completion.text, look), completion, reflected, now_ms)
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
        kept = sum(self.people.take(fact) for fact in found.facts)
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
    return is_held and (model.parameters_billion is None or model.parameters_billion >= MIN_BILLIONS)


def night_of(moment: WorldMoment) -> int:
    """Return which night a moment belongs to, by the day on which it began; of a day, the night before."""
    return (moment.minutes - MINUTES_PER_DAY // 2) // MINUTES_PER_DAY
