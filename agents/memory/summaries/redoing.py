"""What is only an extract, because no model gave a summary, is told by a model as soon as one is well again.

The queue is the vault itself: a summary of the quality `fallback` waits, and a long-term one into which such a
summary was folded is marked in the same way until all its leaves have been told again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from agents.memory.archiving import summary_fields, traced
from agents.memory.memory import AgentMemory
from agents.memory.summaries.drafts import Draft
from agents.memory.summaries.rebuilding import chain_of, leaves_of
from agents.memory.summaries.summarizing import Summarizer, summary_of
from vault.remembered.summaries import Summary

FALLBACK = "fallback"
LEAVES_A_CYCLE = 4

Paid = Callable[[Draft], Draft]


def is_extract(summary: Summary | None) -> bool:
    """Return whether a summary waits to be told by a model. One that somebody has edited since counts as it is."""
    return summary is not None and summary.quality == FALLBACK and not summary.is_edited


def marked(draft: Draft, sources: Iterable[Summary | None] = ()) -> Draft:
    """Return a draft marked as waiting if it is an extract, or was made from one."""
    if draft.quality != FALLBACK and not any(map(is_extract, sources)):
        return draft
    return replace(draft, quality=FALLBACK)


async def redo(memory: AgentMemory, summarizer: Summarizer, paid: Paid, now_ms: Callable[[], int]) -> bool:
    """Have extracts told by the model; return whether the long-term summary can be made anew without any of them.

    Of leaves some are told again each time, oldest first. Raises: SummaryRefused, ModelError, NoteError; Edited if
    somebody edits what was to be replaced.
    """
    memory.trail.check()
    if memory.recent and is_extract(memory.recent):
        await _redo_recent(memory, memory.recent, summarizer, paid, now_ms)
    if memory.longterm is None or not is_extract(memory.longterm):
        return False
    done = 0
    for leaf in filter(is_extract, chain_of(await leaves_of(memory), memory.longterm.last)):
        if done == LEAVES_A_CYCLE:
            return False
        if again := await _again(memory, leaf, summarizer, paid, now_ms):
            memory.summaries.add_leaf(again)
            done += 1
    return True


async def _redo_recent(
    memory: AgentMemory, recent: Summary, summarizer: Summarizer, paid: Paid, now_ms: Callable[[], int]
) -> None:
    again = await _again(memory, recent, summarizer, paid, now_ms)
    memory.take_in_edits(thorough=True)
    if again and memory.recent == recent:
        memory.publish(None, again)


async def _again(
    memory: AgentMemory, old: Summary, summarizer: Summarizer, paid: Paid, now_ms: Callable[[], int]
) -> Summary | None:
    memories = memory.to_summarise(old.first, old.last)
    if not memories:
        return None  # nothing is left to be told, so the extract is all there is
    draft = paid(await summarizer.recent(memories))
    again = summary_of(draft, old.first, old.last, old.generation, now_ms(), (f"{old.first}-{old.last}",))
    fields = {"recent": summary_fields(again), "replaced": summary_fields(old)}
    return traced(again, memory.trail.keep("rebuild", memory.journal.last, outcome="accepted", **fields))
