"""What a compaction by tokens is weighed by: the size of the verbatim memories, and what a plan would save and cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agents.memory.benefit import Offer
from agents.memory.memory import AgentMemory
from agents.memory.micro import outlived_failures
from agents.memory.strategy import Plan
from agents.memory.view import memory_text
from config.settings import MemorySettings
from vault.remembered.summaries import Summary

MOST_SIZED = 512


def verbatim_sizes(memory: AgentMemory, count_tokens: Callable[[str], int]) -> list[int]:
    """Return the tokens of the verbatim memories, oldest first; of a long tail only those of its beginning.

    Raises: NoteError if the journal cannot be read.
    """
    verbatim = memory.coverage.verbatim
    read = memory.journal.read(verbatim.first, min(verbatim.last, verbatim.first + MOST_SIZED - 1))
    failed = outlived_failures(read)
    return [0 if one.seq in failed else count_tokens(memory_text(one, memory.name)) for one in read]


def offer_of(
    plan: Plan,
    sizes: Sequence[int],
    in_force: tuple[Summary | None, Summary | None],
    settings: MemorySettings,
    cached_share: float,
) -> Offer:
    """Return what a plan would save and cost if each summary came out as long as it may.

    `sizes` are those of the verbatim memories, `in_force` the long-term and the short-term summary.
    """
    taken = sum(sizes[: len(plan.taken)])
    folded = sum(summary.tokens for summary in in_force if summary) if plan.longterm else 0
    made = settings.summary_tokens * (bool(plan.longterm) + bool(plan.recent))
    return Offer(
        saved_per_turn=taken + folded - made,
        expected_turns=settings.expected_turns,
        request_tokens=taken + folded,
        response_tokens=made,
        cached_share=cached_share,
        cached_token_weight=settings.cached_token_weight,
    )
