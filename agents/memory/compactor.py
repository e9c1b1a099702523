"""The compactor: plans, prepares, verifies and publishes compactions in the background."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.memory.compaction_cycle import Prepared, Superseded, activate, prepare, publish, view_tokens
from agents.memory.cost import CompactionStats, PromptCost, estimate_compaction, verbatim_sizes
from agents.memory.coverage import Plan, TailSize
from agents.memory.memory import AgentMemory
from agents.memory.summaries.drafts import Draft, SummaryRefused, is_extract
from agents.memory.summaries.rebuilding import Rebuilding, is_better, rebuild, rebuilding_of, redo
from agents.memory.summaries.summarizing import Summarizer, summary_of
from agents.memory.view import CompactedMessage
from agents.models.model import ModelError
from agents.write_pool import WritePool
from vault.errors import NoteError
from vault.memory.archive_file import EventName
from vault.memory.memory_line import Range
from vault.memory.summaries import SummaryEdited
from world.message_catalog import Wording

log = logging.getLogger(__name__)

STOP_SECONDS = 5.0


class Compactor:
    """Compacts one agent's memory, one cycle at a time, in turn with other agents.

    `turns` bounds how many agents are summarised at once: first come, first served, and released after every cycle.
    Slow disk work runs in `pool`. `on_compacted` is called after each published cycle.
    """

    def __init__(
        self,
        memory: AgentMemory,
        summarizer: Callable[[], Summarizer | None],
        turns: asyncio.Semaphore,
        now_ms: Callable[[], int],
        rng: random.Random,
        prompts: PromptCost,
        pool: WritePool | None = None,
    ) -> None:
        self.memory = memory
        self.stats = CompactionStats()
        self.on_compacted: Callable[[], None] = lambda: None
        self._summarizer = summarizer
        self._turns = turns
        self._now_ms = now_ms
        self._rng = rng
        self._count_tokens = prompts.count_tokens
        self._cached_share = prompts.cached_share
        self._tail_tokens = prompts.tail_tokens
        self._pool = pool or WritePool()
        self._by_tokens = False
        self._task: asyncio.Task[Outcome] | None = None
        self._event: EventName = "auto_compact"
        self._has_ended = False

    @property
    def is_running(self) -> bool:
        return self._task is not None and not self._task.done()

    def start_if_due(self) -> bool:
        """Start a cycle in the background if one is due and allowed; return whether it was started."""
        memory = self.memory
        if self._has_ended:  # the turn that its end cut short would begin another
            return False
        if self.is_running or not memory.settings.enabled or memory.problem or self._now_ms() < self.stats.next_try_ms:
            return False
        if self._summarizer() is None or self._due() is None:
            return False
        self._begin("auto_compact", self._guarded(lambda: self._compact(forced=False)))
        return True

    def get_compaction(self) -> CompactedMessage | None:
        """Return the summaries in force as one message. Raises: NoteError if the journal cannot be read."""
        return self.memory.view().compacted

    def notify_rounds_changed(self, total_rounds: int) -> None:
        """Start what is due."""
        self.start_if_due()

    def force(self, ended: Callable[[Outcome], None]) -> Outcome:
        """Start a compaction even below the threshold; return what to tell at once. `ended` gets the outcome.

        If one is running, nothing is started, and `ended` gets the outcome of that one.
        """
        memory = self.memory
        if obstacle := self._obstacle(ended):
            return obstacle
        plan = self.next_plan(forced=True)
        if plan is None:
            return nothing_due(memory)
        if self._summarizer() is None:
            return outcome_of("compaction.no_model")
        self._begin("manual_compact", self._guarded(lambda: self._compact(forced=True)), ended)
        return outcome_of("compaction.began", done=True, who=memory.name, plan=describe_plan(plan))

    def force_rebuild(self, ended: Callable[[Outcome], None]) -> Outcome:
        """Start a rebuild of the long-term summary; `ended` and what is returned are as with `force`."""
        if obstacle := self._obstacle(ended):
            return obstacle
        if self._summarizer() is None:
            return outcome_of("compaction.no_model")
        self._begin("rebuild", self._guarded(self._rebuild_in_turn), ended)
        return outcome_of("compaction.rebuilding", done=True, who=self.memory.name)

    def _obstacle(self, ended: Callable[[Outcome], None]) -> Outcome | None:
        """Return why nothing can be begun now, whatever is asked for. `ended` gets the outcome of what is running."""
        if self._has_ended:
            return outcome_of("compaction.asleep", who=self.memory.name)
        if self._task and not self._task.done():
            self._tell_end(self._task, ended)
            return outcome_of("compaction.under_way", who=self.memory.name, state=self.stats.state)
        return None

    async def stop(self) -> None:
        """Cancel what runs, within five seconds however slow the disk is, and start nothing more.

        The summaries in force stay. The callback of cancelled work is called.
        """
        self._has_ended = True
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
        self._tell_end(self._task, ended)

    def _tell_end(self, work: asyncio.Task[Outcome], ended: Callable[[Outcome], None]) -> None:
        cut_short = outcome_of("compaction.cut_short", who=self.memory.name)
        work.add_done_callback(lambda task: ended(cut_short if task.cancelled() else task.result()))

    async def _guarded(self, work: Callable[[], Coroutine[Any, Any, Outcome]]) -> Outcome:
        """Do the work; a failure is an outcome too, and moves no boundary."""
        try:
            return await work()
        except (SummaryRefused, ModelError, NoteError, ValueError) as error:
            return self._failed(error)
        except Exception as error:
            log.exception("[Memory] %s: compaction failed", self.memory.name)
            return self._failed(error)
        finally:
            self.stats.state = "idle"

    async def _compact(self, forced: bool) -> Outcome:
        memory, stats = self.memory, self.stats
        before, done = -1, 0
        while plan := self._due(forced and not done):
            stats.state = f"waiting for its turn to summarise memories {plan.taken}"
            async with self._turns:
                memory.archive_writer.check()  # before anything is spent on a summary that could not be archived
                await self._redo()
                # While it waited, summaries may have been edited by hand: what is due now counts.
                memory.poll_edits()
                if plan := self._due(forced and not done):
                    # Not sooner: many agents may begin to wait at once, and each view takes its time.
                    before = self._view_tokens() if before < 0 else before
                    done += await self._attempt(plan)
        after = self._view_tokens()
        before = after if before < 0 else before
        stats.saved_tokens += max(0, before - after)
        return outcome_of("compaction.ended", done=True, who=memory.name, after=after, before=before)

    async def _attempt(self, plan: Plan) -> int:
        try:
            await self._cycle(plan)
        except Superseded as edit:
            log.info("[Memory] %s: %s", self.memory.name, edit)
            return 0
        self.on_compacted()
        return 1

    async def _cycle(self, plan: Plan) -> None:
        memory, stats, settings = self.memory, self.stats, self.memory.settings
        log.info(
            "[Memory] %s: Starting compaction (%d memories, %d immediate, %d recent)",
            memory.name,
            plan.n,
            *self.tail_size().windows(settings.immediate_window, settings.recent_window),
        )
        before = self._view_tokens()
        made = await prepare(memory, plan, self._needed_summarizer(), stats, self._now_ms)
        await publish(memory, made, self._event, self._count_tokens, self._pool)
        stats.record_success(self._now_ms())
        if self._by_tokens:
            stats.breaker.note_run(before, self._view_tokens(), self._now_ms())
        kind = settings.strategy if made.longterm else "first summary"
        log.info("[Memory] %s: Compaction complete (%s)", memory.name, kind)
        every, newest = settings.rebuild_every, made.recent
        if every and made.longterm and newest and newest.generation % every == 0:
            await self._rebuild_after_cycle()

    def tail_size(self) -> TailSize:
        """Return the size of the verbatim tail, and how large it may be. Raises: NoteError."""
        return TailSize(tuple(verbatim_sizes(self.memory, self._count_tokens)), self._tail_tokens())

    def next_plan(self, forced: bool = False) -> Plan | None:
        """Return the next cycle that is due by count or since the tail is overfull, whatever it costs.

        `forced` plans below the threshold as well. Raises: NoteError.
        """
        memory, settings = self.memory, self.memory.settings
        plan = memory.plan(forced)
        if plan or not memory.strategy.counts_tokens:
            return plan
        tail, windows = self.tail_size(), (settings.immediate_window, settings.recent_window)
        is_wanted = forced and tail.windows(*windows) != windows
        return memory.chosen.make_room(memory.coverage, tail) if is_wanted or tail.is_overfull else None

    def _due(self, forced: bool = False) -> Plan | None:
        """Return the next cycle if one is due, or is due by the strategy's own tokens and worth its cost, or forced."""
        memory = self.memory
        before, self.stats.not_worth, self._by_tokens = self.stats.not_worth, "", False
        plan = self.next_plan(forced)
        if plan or not memory.strategy.counts_tokens:
            return plan
        sizes = verbatim_sizes(memory, self._count_tokens)
        plan = memory.plan(False, sizes)
        if plan is None:
            return None
        self._by_tokens = True
        self.stats.not_worth = self._objection(plan, sizes)
        if self.stats.not_worth and not before:
            log.info("[Memory] %s: No compaction for now: %s", memory.name, self.stats.not_worth)
        return None if self.stats.not_worth else plan

    def _objection(self, plan: Plan, sizes: Sequence[int]) -> str:
        """Return why a cycle by tokens should not be made now, or an empty string."""
        settings, stats = self.memory.settings, self.stats
        if stats.breaker.is_open(self._view_tokens(), self._now_ms()):
            return f"compaction by tokens rests: {stats.breaker.why}"
        in_force = (self.memory.longterm, self.memory.recent)
        offer = estimate_compaction(plan, sizes, in_force, settings, self._cached_share())
        return offer.objection(settings.min_saving_tokens)

    async def _rebuild_in_turn(self) -> Outcome:
        self.stats.state = "waiting for its turn to rebuild the long-term summary"
        async with self._turns:
            return await self._rebuild()

    async def _rebuild(self) -> Outcome:
        """Rebuild the long-term summary from the leaves, and keep the better of the two."""
        memory = self.memory
        memory.poll_edits()
        longterm, recent = memory.longterm, memory.recent
        if longterm is None:
            return outcome_of("compaction.nothing_to_rebuild", who=memory.name)
        found = await rebuilding_of(memory, longterm)
        if longterm.hand and not found.hand:
            return outcome_of("compaction.hand_missing", who=memory.name)
        if found.hand and found.hand.last == longterm.last:
            return outcome_of("compaction.by_hand", done=True, who=memory.name)
        if not found.texts:
            return outcome_of("compaction.leaves_missing", memories=Range(1, longterm.last))
        draft = await self._rebuild_draft(found)
        better = is_better(draft.text, longterm.text, found.texts, memory.name, self._count_tokens)
        if not ((better or is_extract(longterm)) and found.keeps_own_words(draft.text, longterm.text)):
            return outcome_of("compaction.good_already", done=True, who=memory.name)
        count = len(found.texts) - bool(found.hand)
        sources = (*([f"1-{found.hand.last}"] if found.hand else []), f"{count} leaves to {longterm.last}")
        rebuilt = summary_of(draft, 1, longterm.last, longterm.generation, self._now_ms(), sources)
        rebuilt = replace(rebuilt, edited_from=found.hand.hand if found.hand else "")
        rebuilt = memory.archive_writer.keep_rebuilt(memory.journal.last, "longterm", rebuilt, longterm)
        try:
            await activate(memory, Prepared(rebuilt, None, (longterm, recent), is_rebuild=True), self._pool)
        except Superseded as edit:
            return outcome_of("compaction.changed_meanwhile", who=memory.name, why=str(edit))
        key = "compaction.rebuilt_by_hand" if found.hand else "compaction.rebuilt"
        return outcome_of(key, done=True, who=memory.name, count=count)

    async def _rebuild_draft(self, found: Rebuilding) -> Draft:
        summarizer = self._needed_summarizer().strict
        self.memory.archive_writer.check()
        self.stats.state = f"rebuilding the long-term summary from {len(found.texts)} texts"
        return await rebuild(summarizer, found.texts, self._count_tokens, summarizer.source_tokens, self.stats.add_cost)

    async def _rebuild_after_cycle(self) -> None:
        """Rebuild because it is due; a failure leaves the cycle before it published."""
        memory = self.memory
        try:
            log.info("[Memory] %s: %s", memory.name, await self._rebuild())
        except (SummaryRefused, ModelError, NoteError, ValueError) as error:
            why = self.stats.enter_failure(error)
            memory.archive_writer.add("rebuild", memory.journal.last, outcome="failed", why=why)
            log.warning("[Memory] %s: The long-term summary could not be rebuilt and stays. %s", memory.name, why)

    async def _redo(self) -> None:
        """Have the model rewrite extracts as prose; if it fails, they wait for the next cycle."""
        memory = self.memory
        if not (is_extract(memory.longterm) or is_extract(memory.recent)):
            return
        self.stats.state = "having the model tell what was picked by rule"
        try:
            if await redo(memory, self._needed_summarizer().strict, self.stats.add_cost, self._now_ms):
                log.info("[Memory] %s: %s", memory.name, await self._rebuild())
        except SummaryEdited as error:
            log.info("[Memory] %s: %s", memory.name, error)
        except (SummaryRefused, ModelError) as error:
            self.stats.enter_failure(error)
            log.info("[Memory] %s: The extractive summary stays for now: %s", memory.name, error)

    def _needed_summarizer(self) -> Summarizer:
        summarizer = self._summarizer()
        if summarizer is None:
            raise ModelError("There is no model to summarise with.")
        return summarizer

    def _failed(self, error: Exception) -> Outcome:
        stats, memory = self.stats, self.memory
        why = stats.enter_failure(error)
        if not stats.failures_in_a_row:
            log.warning("[Memory] %s: Compaction failed; the old summaries stay. %s", memory.name, why)
        memory.archive_writer.add(self._event, memory.journal.last, outcome="failed", why=why)
        stats.put_off(why, memory.settings.retry_seconds, self._now_ms(), self._rng)
        return outcome_of("compaction.failed", who=memory.name, why=why)

    def _view_tokens(self) -> int:
        try:
            return view_tokens(self.memory.view(), self._count_tokens)
        except NoteError:
            return 0


@dataclass(frozen=True)
class Outcome:
    """`key` names the sentence and `values` fill it; `done` is false if nothing has changed."""

    key: str
    done: bool = False
    values: Mapping[str, object] = field(default_factory=dict)

    def told(self, say: Wording) -> str:
        """Return it as a sentence, in the wording of a world."""
        return say(self.key, **{name: _argument_text(value, say) for name, value in self.values.items()})

    def __str__(self) -> str:
        return self.told(Wording())


def outcome_of(key: str, /, *, done: bool = False, **values: object) -> Outcome:
    """Return an outcome; one among the values is rendered in its place."""
    return Outcome(key, done, values)


def describe_plan(plan: Plan) -> Outcome:
    """Return what a plan will do."""
    if plan.absorbed:
        return outcome_of("compaction.absorbs", memories=plan.absorbed, longterm=plan.longterm)
    if plan.longterm:
        return outcome_of("compaction.folds", longterm=plan.longterm, recent=plan.recent)
    return outcome_of("compaction.begins_with", recent=plan.recent)


def nothing_due(memory: AgentMemory) -> Outcome:
    """Return why nothing can be compacted now."""
    return outcome_of(memory.strategy.idle, who=memory.name)


def _argument_text(value: object, say: Wording) -> object:
    return value.told(say) if isinstance(value, Outcome) else value
