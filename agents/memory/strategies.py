"""When memories are summarised, and which: pure planning, counts and tokens in and a plan out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agents.memory.coverage import Coverage, Range
from config.settings import MemorySettings

NONE = Range(1, 0)


@dataclass(frozen=True)
class Plan:
    """One cycle, planned when there were `n` memories.

    `longterm` is what the long-term summary will cover, made from the two summaries in force and from the memories
    in `absorbed`; empty if it stays as it is. `recent` is what a new short-term summary will cover; empty if there
    will be none. Both summaries are made and published together.
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


class CompactionStrategy(Protocol):
    """Decides what to summarise next.

    `sizes` are the tokens of the verbatim memories, oldest first, where they are known. `forced` plans below the
    threshold as well. None means that nothing is due. What a strategy has summarised stays so under every other.
    """

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None: ...

    def next_due_at(self, coverage: Coverage) -> int:
        """Return the n at which a cycle is due by count alone; 0 if counts do not decide."""


@dataclass(frozen=True)
class Waterfall:
    """Long-term, short-term and verbatim: the design's default.

    With windows I and R a cycle is due at I + R + 1 memories and then every R: 129, 193, 257 … for 64 and 64. The
    boundary b moves by R a cycle (R + 1 the first time, so that the tail is I again), whatever was missed meanwhile:
    a backlog is worked through oldest first in the same steps. The n of the last plan is b + I and so needs no
    keeping: what is due follows from the coverage alone, after a crash as well.

    A tail of more than `high_tokens` is cut down to `low_tokens` before its time; 0 for never.
    """

    immediate_window: int
    recent_window: int
    high_tokens: int = 0
    low_tokens: int = 0

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        """Return the next cycle if one is due."""
        outside = len(coverage.verbatim) - self.immediate_window
        step = self.recent_window + (1 if coverage.b == 0 else 0)
        taken = min(outside, step) if outside >= (1 if forced else step) else 0
        if self.high_tokens and sum(sizes) > self.high_tokens:
            taken = max(taken, min(step, _surplus(sizes, self.low_tokens)))
        if not taken:
            return None
        longterm = Range(1, coverage.b) if coverage.recent else NONE
        return Plan(coverage.n, longterm, Range(coverage.b + 1, coverage.b + taken))

    def next_due_at(self, coverage: Coverage) -> int:
        """Return the n at which the next cycle is due by count."""
        return coverage.b + self.immediate_window + self.recent_window + (1 if coverage.b == 0 else 0)


@dataclass(frozen=True)
class Rolling:
    """One summary of everything but the newest: more than `threshold` memories after it are too many.

    The newest `retain_recent` stay word for word. With 7 and 3: seen at 10 it covers 1–7, at 15 1–12, at 20 1–17.
    What goes in is the summary before and only what is new, at most `most` memories a call.
    """

    threshold: int
    retain_recent: int
    most: int = 64

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        """Return the next cycle if one is due."""
        outside = len(coverage.verbatim)
        if outside <= (self.retain_recent if forced else max(self.threshold, self.retain_recent)):
            return None
        return _absorbing(coverage, min(self.most, outside - self.retain_recent))

    def next_due_at(self, coverage: Coverage) -> int:
        """Return the n at which the next cycle is due."""
        return coverage.b + max(self.threshold, self.retain_recent) + 1


@dataclass(frozen=True)
class Layered:
    """One summary in fixed sections, and what came after it: made when the tail has more than so many tokens.

    Whether it is worth its cost is asked before it is made (`agents.memory.benefit`); at most `most` memories a call.
    """

    threshold_tokens: int
    most: int = 256

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        """Return the next cycle if one is due."""
        outside = len(coverage.verbatim)
        if not outside or not (forced or sum(sizes) > self.threshold_tokens):
            return None
        return _absorbing(coverage, min(self.most, outside))

    def next_due_at(self, coverage: Coverage) -> int:
        """Return 0: tokens decide."""
        return 0


@dataclass(frozen=True)
class Window:
    """Plain history: nothing is ever summarised, and the view shows the newest `max_memories`."""

    max_memories: int

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        """Return None."""
        return None

    def next_due_at(self, coverage: Coverage) -> int:
        """Return 0: never."""
        return 0


def strategy_of(settings: MemorySettings) -> CompactionStrategy:
    """Return the strategy that the settings name."""
    match settings.strategy:
        case "rolling":
            return Rolling(settings.threshold, settings.retain_recent)
        case "layered":
            return Layered(settings.threshold_tokens)
        case "window":
            return Window(settings.max_memories)
    return Waterfall(
        settings.immediate_window, settings.recent_window, settings.verbatim_high_tokens, settings.verbatim_low_tokens
    )


def _absorbing(coverage: Coverage, count: int) -> Plan:
    taken = Range(coverage.b + 1, coverage.b + count)
    return Plan(coverage.n, Range(1, taken.last), NONE, taken)


def _surplus(sizes: Sequence[int], low_tokens: int) -> int:
    """Return how many of the oldest have to go so that the rest has at most `low_tokens`."""
    rest = sum(sizes)
    for gone, size in enumerate(sizes):
        if rest <= low_tokens:
            return gone
        rest -= size
    return len(sizes)
