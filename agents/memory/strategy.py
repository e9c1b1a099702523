"""What a memory strategy is: it says what to compact next, and how a view tells what was compacted.

A strategy is a frozen dataclass in a module of its own under `agents/memory/strategies`. Its fields are its settings.
Making, checking and publishing summaries is the same for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from agents.memory.coverage import NONE, Coverage, Range
from agents.memory.view import Tier, summary_tiers, tail_tier
from vault.memory.memory_line import Memory
from vault.memory.summaries import Summary
from world.message_catalog import Wording

MAX_TAIL = 512
"""A view has so many memories word for word at most, unless a strategy says otherwise."""


@dataclass(frozen=True)
class Plan:
    """One cycle, planned when there were `n` memories.

    `longterm` is what the long-term summary will cover, made from the summaries in force and from the memories in
    `absorbed`; empty if it stays as it is. `recent` is what a new short-term summary will cover; empty if there will be
    none. Both summaries are made and published together.
    """

    n: int
    longterm: Range
    recent: Range
    absorbed: Range = NONE

    @property
    def is_first(self) -> bool:
        """Whether there is nothing to fold into the long-term summary."""
        return not self.longterm

    @property
    def taken(self) -> Range:
        """The memories that will not be told word for word any more."""
        return self.recent or self.absorbed

    def fault(self, coverage: Coverage) -> str:
        """Return why it would not leave a partition; empty if it would."""
        starts = coverage.b + 1
        if self.n != coverage.n or self.taken.first != starts or not starts <= self.taken.last <= coverage.n:
            return f"it takes memories {self.taken}, and {coverage.verbatim} are word for word"
        if self.absorbed:
            return "" if self.longterm == Range(1, self.absorbed.last) and not self.recent else "it absorbs too little"
        fits = self.longterm == Range(1, coverage.b) if self.longterm else not coverage.recent
        return "" if fits else f"its long-term summary of {self.longterm} does not end at {coverage.b}"


def absorbing(coverage: Coverage, count: int) -> Plan:
    """Return the plan by which the long-term summary takes in the oldest `count` verbatim memories."""
    taken = Range(coverage.b + 1, coverage.b + count)
    return Plan(coverage.n, Range(1, taken.last), NONE, taken)


@dataclass(frozen=True)
class MemoryStrategy:
    """Decides what to summarise next and how it is told. This one summarises nothing and tells what there is.

    `name` is what the setting `strategy` calls it, and `about` what it does, in a few words. With `has_sections` the
    long-term summary is in fixed sections. With `is_divided` it has a part for each name that `part_of` returns.
    `tells_summaries` is whether summaries are in the view, and `as_messages` whether each is told as a message.
    `makes` names the tiers of which the status says that they are not there yet. `idle` is the sentence of
    `text/compaction.md` that says why there is nothing to do.
    """

    name: ClassVar[str] = ""
    about: ClassVar[str] = ""
    has_sections: ClassVar[bool] = False
    is_divided: ClassVar[bool] = False
    tells_summaries: ClassVar[bool] = True
    as_messages: ClassVar[bool] = False
    makes: ClassVar[tuple[str, ...]] = ("longterm", "recent")
    idle: ClassVar[str] = "compaction.nothing_due"

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens can make a cycle due."""
        return False

    @property
    def max_tail(self) -> int:
        """How many memories a view has word for word at most."""
        return MAX_TAIL

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        """Return what to summarise next; None if nothing is due.

        `sizes` are the tokens of the verbatim memories, oldest first, where they are known. `forced` plans below the
        threshold as well. What another strategy has summarised stays so.
        """
        return None

    def next_due_at(self, coverage: Coverage) -> int:
        """Return the n at which a cycle is due by count alone; 0 if counts do not decide."""
        return 0

    def part_of(self, memory: Memory) -> str:
        """Return the part of the long-term summary that will stand for a memory, where it `is_divided`."""
        return ""

    def view(self, longterm: Summary | None, recent: Summary | None, n: int) -> list[Tier]:
        """Return the tiers of a view of n memories, the oldest first and the verbatim tail last, without its lines."""
        summaries = [one for one in (longterm, recent) if one] if self.tells_summaries else []
        told = [
            tier
            for one in summaries
            for tier in summary_tiers(one, "recent" if one is recent else "longterm", self.as_messages)
        ]
        return [*told, tail_tier(max((one.last for one in summaries), default=0), n)]

    def described(self, say: Wording) -> str:
        """Return the line of a status that names it, or nothing."""
        return say("status.strategy", strategy=self.name)

    def waits_for(self, coverage: Coverage, say: Wording) -> str:
        """Return the line of a status that says when the next cycle is due; nothing if it is due by count now."""
        due = self.next_due_at(coverage)
        return say("status.next", memory=f"{due:,}", count=f"{due - coverage.n:,}") if coverage.n < due else ""

    def why_not_shown(self, say: Wording) -> str:
        """Return why a verbatim memory that is old has no place in the view; nothing if there is just no room."""
        return ""
