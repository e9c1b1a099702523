"""When memories are summarised, and which: pure planning, counts in and a plan out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from agents.memory.coverage import Coverage, Range


@dataclass(frozen=True)
class Plan:
    """One cycle, planned when there were `n` memories.

    `longterm` is what the long-term summary will cover, made from the two summaries in force, or empty if there is
    no short-term summary to fold in; `recent` is what the new short-term summary will cover.
    """

    n: int
    longterm: Range
    recent: Range

    @property
    def is_first(self) -> bool:
        """Whether there is nothing to fold into the long-term summary."""
        return not self.longterm


class CompactionStrategy(Protocol):
    """Decides what to summarise next. `forced` plans below the threshold as well; None means that nothing is due."""

    def plan(self, coverage: Coverage, forced: bool = False) -> Plan | None: ...


@dataclass(frozen=True)
class Waterfall:
    """Long-term, short-term and verbatim: the design's default.

    With windows I and R a cycle is due at I + R + 1 memories and then every R: 129, 193, 257 … for 64 and 64. The
    boundary b moves by R a cycle (R + 1 the first time, so that the tail is I again), whatever was missed meanwhile:
    a backlog is worked through oldest first in the same steps. The n of the last plan is b + I and so needs no
    keeping: what is due follows from the coverage alone, after a crash as well.
    """

    immediate_window: int
    recent_window: int

    def plan(self, coverage: Coverage, forced: bool = False) -> Plan | None:
        """Return the next cycle if one is due."""
        outside = len(coverage.verbatim) - self.immediate_window
        first_cycle = coverage.b == 0
        step = self.recent_window + (1 if first_cycle else 0)
        if outside < (1 if forced else step):
            return None
        boundary = coverage.b + min(outside, step)
        longterm = Range(1, coverage.b if coverage.recent else 0)
        return Plan(coverage.n, longterm, Range(coverage.b + 1, boundary))

    def next_due_at(self, coverage: Coverage) -> int:
        """Return the n at which the next cycle is due."""
        return coverage.b + self.immediate_window + self.recent_window + (1 if coverage.b == 0 else 0)
