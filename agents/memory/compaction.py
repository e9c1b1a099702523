"""Compaction in the background: planned, prepared from a frozen copy, judged, and published in one step."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from agents.memory.archiving import archived, summary_fields, traced, view_tokens
from agents.memory.coverage import Range
from agents.memory.drafts import SummaryRefused
from agents.memory.ledger import CompactionRecord
from agents.memory.memory import AgentMemory
from agents.memory.rebuilding import chain_of, is_better, leaves_of, rebuilt
from agents.memory.redoing import is_extract, marked, redo
from agents.memory.strategies import Plan
from agents.memory.summarizing import Summarizer, summary_of
from agents.models.model import ModelError
from vault.archive_line import EventName
from vault.notes import NoteError
from vault.summaries import Summary

log = logging.getLogger(__name__)

LONGEST_WAIT_SECONDS = 3600.0
STOP_SECONDS = 5.0


@dataclass(frozen=True)
class Outcome:
    """How a compaction that was asked for ended, for whoever asked; `done` is false if nothing has changed."""

    done: bool
    text: str


class Superseded(Exception):
    """A summary was edited by hand while the next one was being made; the edit counts."""


class Compactor:
    """Compacts one agent's memory: never twice at a time, and in its turn among all agents.

    `turns` bounds how many agents are summarised at once; it is fair, first come first served, and given back
    after every cycle.
    """

    def __init__(
        self,
        memory: AgentMemory,
        summarizer: Callable[[], Summarizer | None],
        turns: asyncio.Semaphore,
        now_ms: Callable[[], int],
        rng: random.Random,
        count_tokens: Callable[[str], int],
    ) -> None:
        self.memory = memory
        self.record = CompactionRecord()
        self._summarizer = summarizer
        self._turns = turns
        self._now_ms = now_ms
        self._rng = rng
        self._count_tokens = count_tokens
        self._task: asyncio.Task[Outcome] | None = None
        self._event: EventName = "auto_compact"

    @property
    def is_running(self) -> bool:
        return self._task is not None and not self._task.done()

    def start_if_due(self) -> bool:
        """Start in the background if a cycle is due and nothing speaks against it; return whether it was started."""
        memory = self.memory
        if self.is_running or not memory.settings.enabled or memory.problem or self._now_ms() < self.record.next_try_ms:
            return False
        if memory.strategy.plan(memory.coverage) is None or self._summarizer() is None:
            return False
        self._begin("auto_compact", self._guarded(lambda: self._compact(forced=False)))
        return True

    def force(self, ended: Callable[[Outcome], None]) -> str:
        """Start a compaction below the threshold as well; return what to tell at once. `ended` hears how it went."""
        memory = self.memory
        if self.is_running:
            return f"A compaction of {memory.name} is under way already: {self.record.state}."
        plan = memory.strategy.plan(memory.coverage, forced=True)
        if plan is None:
            return f"Nothing to compact: all of {memory.name}'s memories outside the newest are summarised."
        if self._summarizer() is None:
            return "There is no model to summarise with. See @llm-status."
        self._begin("manual_compact", self._guarded(lambda: self._compact(forced=True)), ended)
        return f"Compaction of {memory.name} began: {described(plan)}."

    def force_rebuild(self, ended: Callable[[Outcome], None]) -> str:
        """Start a rebuilding of the long-term summary; return what to tell at once. `ended` hears how it went."""
        if self.is_running:
            return f"A compaction of {self.memory.name} is under way already: {self.record.state}."
        if self._summarizer() is None:
            return "There is no model to summarise with. See @llm-status."
        self._begin("rebuild", self._guarded(self._rebuild_in_turn), ended)
        return f"Rebuilding of {self.memory.name}'s long-term summary began."

    async def stop(self) -> None:
        """Cut short what is going on, within five seconds; the summaries in force stay as they are."""
        if self._task and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task], timeout=STOP_SECONDS)

    def _begin(
        self,
        event: EventName,
        work: Coroutine[Any, Any, Outcome],
        ended: Callable[[Outcome], None] = lambda outcome: None,
    ) -> None:
        self._event = event
        self._task = asyncio.create_task(work)
        self._task.add_done_callback(lambda task: None if task.cancelled() else ended(task.result()))

    async def _guarded(self, work: Callable[[], Coroutine[Any, Any, Outcome]]) -> Outcome:
        """Do the work; whatever goes wrong is an outcome too, and moves no boundary."""
        try:
            return await work()
        except (SummaryRefused, ModelError, NoteError, ValueError) as error:
            return self._failed(error)
        except Exception as error:
            log.exception("[Memory] %s: compaction failed", self.memory.name)
            return self._failed(error)
        finally:
            self.record.state = "idle"

    async def _compact(self, forced: bool) -> Outcome:
        memory, record = self.memory, self.record
        before, done = self._view_tokens(), 0
        while plan := memory.strategy.plan(memory.coverage, forced and not done):
            record.state = f"waiting for its turn to summarise memories {plan.recent}"
            async with self._turns:
                memory.trail.check()  # before anything is spent on a summary that could not be archived
                await self._redo()
                # While it waited, summaries may have been edited by hand: what is due now counts.
                memory.take_in_edits()
                if plan := memory.strategy.plan(memory.coverage, forced and not done):
                    done += await self._attempt(plan)
        after = self._view_tokens()
        record.saved_tokens += max(0, before - after)
        return Outcome(True, f"Compaction of {memory.name} ended: its memory takes {after} tokens, {before} before.")

    async def _attempt(self, plan: Plan) -> int:
        try:
            await self._cycle(plan)
        except Superseded as edit:
            log.info("[Memory] %s: %s", self.memory.name, edit)
            return 0
        return 1

    async def _cycle(self, plan: Plan) -> None:
        memory, record = self.memory, self.record
        summarizer, windows = self._needed_summarizer(), memory.settings
        log.info(
            "[Memory] %s: Starting compaction (%d memories, %d immediate, %d recent)",
            memory.name,
            plan.n,
            windows.immediate_window,
            windows.recent_window,
        )
        # The frozen copy: from here on to the publication nothing is read from the living memory.
        old_longterm, old_recent = memory.longterm, memory.recent
        memories = memory.journal.read(plan.recent.first, plan.recent.last)
        generation = max((s.generation for s in (old_longterm, old_recent) if s), default=0) + 1
        longterm = None
        if old_recent and not plan.is_first:
            record.state = f"folding memories {Range(old_recent.first, old_recent.last)} into the long-term summary"
            texts = [summary.text for summary in (old_longterm, old_recent) if summary]
            draft = marked(self.record.paid(await summarizer.longterm(texts)), (old_longterm, old_recent))
            sources = tuple(f"{s.first}-{s.last}" for s in (old_longterm, old_recent) if s)
            longterm = summary_of(draft, 1, plan.longterm.last, generation, self._now_ms(), sources)
        record.state = f"summarising memories {plan.recent}"
        first, last = plan.recent.first, plan.recent.last
        draft = marked(self.record.paid(await summarizer.recent(memories)))
        recent = summary_of(draft, first, last, generation, self._now_ms(), (f"{first}-{last}",))
        self._publish(longterm, recent, (old_longterm, old_recent))
        every = windows.rebuild_every
        if every and longterm and generation % every == 0:
            log.info("[Memory] %s: %s", memory.name, (await self._guarded(self._rebuild)).text)

    async def _rebuild_in_turn(self) -> Outcome:
        self.record.state = "waiting for its turn to rebuild the long-term summary"
        async with self._turns:
            return await self._rebuild()

    async def _rebuild(self) -> Outcome:
        """Make the long-term summary anew from the leaves and keep the better of the two."""
        memory = self.memory
        memory.take_in_edits()
        longterm, recent = memory.longterm, memory.recent
        if longterm is None:
            return Outcome(False, f"{memory.name} has no long-term summary to rebuild.")
        texts = [leaf.text for leaf in chain_of(await leaves_of(memory), longterm.last)]
        if not texts:
            return Outcome(
                False, f"Not every leaf of memories {Range(1, longterm.last)} is there; nothing has changed."
            )
        summarizer = self._needed_summarizer().strict
        memory.trail.check()
        self.record.state = f"rebuilding the long-term summary from {len(texts)} leaves"
        draft = await rebuilt(summarizer, texts, self._count_tokens, summarizer.source_tokens, self.record.paid)
        better = is_better(draft.text, longterm.text, texts, memory.name, self._count_tokens)
        if not (better or is_extract(longterm)):
            return Outcome(True, f"The long-term summary of {memory.name} is as good as one made anew; it stays.")
        memory.take_in_edits(thorough=True)
        if not _say_the_same((memory.longterm, memory.recent), (longterm, recent)):
            return Outcome(False, f"Summaries of {memory.name} changed meanwhile; the one made anew was dropped.")
        sources = (f"{len(texts)} leaves",)
        anew = summary_of(draft, 1, longterm.last, longterm.generation, self._now_ms(), sources)
        fields = {"longterm": summary_fields(anew), "replaced": summary_fields(longterm)}
        reference = memory.trail.keep("rebuild", memory.journal.last, outcome="accepted", **fields)
        memory.replace(traced(anew, reference), recent)
        return Outcome(True, f"The long-term summary of {memory.name} was made anew from {len(texts)} leaves.")

    async def _redo(self) -> None:
        """Have the model tell what is only an extract; if it is not well yet, that waits for the next cycle."""
        memory = self.memory
        if not (is_extract(memory.longterm) or is_extract(memory.recent)):
            return
        self.record.state = "having the model tell what was picked by rule"
        try:
            if await redo(memory, self._needed_summarizer().strict, self.record.paid, self._now_ms):
                log.info("[Memory] %s: %s", memory.name, (await self._rebuild()).text)
        except (SummaryRefused, ModelError) as error:
            self.record.paid_in_vain(error)
            log.info("[Memory] %s: What was picked by rule stays so for now: %s", memory.name, error)

    def _needed_summarizer(self) -> Summarizer:
        summarizer = self._summarizer()
        if summarizer is None:
            raise ModelError("There is no model to summarise with.")
        return summarizer

    def _publish(self, longterm: Summary | None, recent: Summary, sources: tuple[Summary | None, ...]) -> None:
        """Put both in force in one step, with no `await` in it."""
        memory, record = self.memory, self.record
        memory.take_in_edits(thorough=True)
        if not _say_the_same((memory.longterm, memory.recent), sources):
            kept = memory.summaries.keep("recent", recent, "conflict")
            if longterm:
                memory.summaries.keep("longterm", longterm, "conflict")
            raise Superseded(f"summaries were edited by hand meanwhile; what was made is kept as {kept!r}")
        longterm, recent = archived(memory, self._event, longterm, recent, self._count_tokens)
        memory.publish(longterm, recent)
        record.cycles += 1
        record.failures_in_a_row, record.next_try_ms, record.last_error = 0, 0, ""
        record.last_done_ms = self._now_ms()
        if longterm:
            log.info("[Memory] %s: Long-term summary updated (%d chars)", memory.name, len(longterm.text))
        log.info("[Memory] %s: Short-term summary updated (%d chars)", memory.name, len(recent.text))
        log.info("[Memory] %s: Compaction complete (%s)", memory.name, "waterfall" if longterm else "first summary")

    def _failed(self, error: Exception) -> Outcome:
        record, memory = self.record, self.memory
        self.record.paid_in_vain(error)
        if isinstance(error, SummaryRefused):
            why = f"the summary was refused ({', '.join(error.reasons)}): {error}"
        else:
            why = str(error) or type(error).__name__
        if not record.failures_in_a_row:
            log.warning("[Memory] %s: Compaction failed; the old view stands. %s", memory.name, why)
        memory.trail.add(self._event, memory.journal.last, outcome="failed", why=why)
        record.failures_in_a_row += 1
        record.last_error = why
        wait = memory.settings.retry_seconds * 2 ** min(record.failures_in_a_row - 1, 16)
        wait = min(wait, LONGEST_WAIT_SECONDS) * self._rng.uniform(0.75, 1.25)
        record.next_try_ms = self._now_ms() + round(wait * 1000)
        return Outcome(False, f"Compaction of {memory.name} failed and nothing has changed: {why}")

    def _view_tokens(self) -> int:
        try:
            return view_tokens(self.memory.view(), self._count_tokens)
        except NoteError:
            return 0


def described(plan: Plan) -> str:
    """Return what a plan will do, in words."""
    folded = f"memories {plan.longterm} into the long-term summary, then " if plan.longterm else ""
    return f"{folded}memories {plan.recent} into the short-term one"


def _say_the_same(summaries: tuple[Summary | None, ...], others: tuple[Summary | None, ...]) -> bool:
    told, others_told = ([(s.first, s.last, s.text) if s else None for s in row] for row in (summaries, others))
    return told == others_told
