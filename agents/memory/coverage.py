"""Coverage: three ranges of memories that always partition `[1..n]`, and the plan by which they move.

These are the boundaries of the files. Inside a file a strategy may have any number of summaries: a view's tiers.
"""

from __future__ import annotations

from dataclasses import dataclass

from vault.memory.memory_line import Range
from vault.memory.summaries import Summary

NONE = Range(1, 0)


@dataclass(frozen=True)
class Coverage:
    """Long-term `[1..a]`, short-term `[a+1..b]`, verbatim `[b+1..n]`.

    Raises: ValueError unless 0 <= a <= b <= n.
    """

    a: int
    b: int
    n: int

    def __post_init__(self) -> None:
        if not 0 <= self.a <= self.b <= self.n:
            raise ValueError(f"not a partition: long-term to {self.a}, short-term to {self.b}, {self.n} memories")

    @property
    def longterm(self) -> Range:
        return Range(1, self.a)

    @property
    def recent(self) -> Range:
        return Range(self.a + 1, self.b)

    @property
    def verbatim(self) -> Range:
        return Range(self.b + 1, self.n)


@dataclass(frozen=True)
class ResolvedRanges:
    """The summaries that hold, and a sentence about each that does not."""

    longterm: Summary | None
    recent: Summary | None
    objections: tuple[tuple[str, str], ...] = ()

    def coverage(self, n: int) -> Coverage:
        """Return the partition that these summaries make of n memories."""
        a = self.longterm.last if self.longterm else 0
        b = self.recent.last if self.recent else a
        return Coverage(a, b, max(n, b))


def resolve_ranges(longterm: Summary | None, recent: Summary | None) -> ResolvedRanges:
    """Decide from the ranges alone which of two summaries hold, so that they touch and do not overlap.

    A long-term summary holds if it begins at 1; a short-term one if it begins where the long-term one ends.
    """
    objections = []
    if longterm and longterm.first != 1:
        objections.append(("longterm.md", f"it begins at memory {longterm.first} and not at 1"))
        longterm = None
    a = longterm.last if longterm else 0
    if recent and recent.first != a + 1:
        covered = recent.last <= a
        why = (
            f"the long-term summary covers 1–{a} already"
            if covered
            else f"memories from {a + 1} on would be missing or twice"
        )
        objections.append(("recent.md", f"it covers {recent.first}–{recent.last}, and {why}"))
        recent = None
    return ResolvedRanges(longterm, recent, tuple(objections))


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
    def taken(self) -> Range:
        """The memories that leave the verbatim tail."""
        return self.recent or self.absorbed

    def fault(self, coverage: Coverage) -> str:
        """Return the reason why the plan would not leave a partition; empty if it would."""
        starts = coverage.b + 1
        if self.n != coverage.n or self.taken.first != starts or not starts <= self.taken.last <= coverage.n:
            return f"it takes memories {self.taken}, and {coverage.verbatim} are word for word"
        if self.absorbed:
            return "" if self.longterm == Range(1, self.absorbed.last) and not self.recent else "it absorbs too little"
        fits = self.longterm == Range(1, coverage.b) if self.longterm else not coverage.recent
        return "" if fits else f"its long-term summary of {self.longterm} does not end at {coverage.b}"


@dataclass(frozen=True)
class TailSize:
    """The tokens of each verbatim memory as a prompt tells it, oldest first, and the budget of all; 0 is no limit.

    A tail that `is_overfull` has more. Its oldest memories are then summarised until at most half of the budget is
    left, or the newest memory alone if that fits.
    """

    sizes: tuple[int, ...] = ()
    budget_tokens: int = 0

    @property
    def is_overfull(self) -> bool:
        return 0 < self.budget_tokens < sum(self.sizes)

    @property
    def surplus(self) -> int:
        """The number of memories, the oldest first, that have to go so that half of the budget is left."""
        if not self.budget_tokens:
            return 0
        rest, last = sum(self.sizes), len(self.sizes) - 1
        for gone, size in enumerate(self.sizes):
            if rest <= self.budget_tokens // 2 or (gone == last and size <= self.budget_tokens):
                return gone
            rest -= size
        return len(self.sizes)

    def windows(self, immediate: int, recent: int) -> tuple[int, int]:
        """Return the two windows in force: these, or as many memories of the mean size as the budget has room for."""
        tokens = sum(self.sizes)
        room = self.budget_tokens * len(self.sizes) // tokens if self.budget_tokens and tokens else immediate + recent
        if room >= immediate + recent:
            return immediate, recent
        return min(immediate, room // 2), min(recent, room - room // 2)


def absorbing(coverage: Coverage, count: int) -> Plan:
    """Return the plan by which the long-term summary takes in the oldest `count` verbatim memories."""
    taken = Range(coverage.b + 1, coverage.b + count)
    return Plan(coverage.n, Range(1, taken.last), NONE, taken)
