"""Long-term, short-term and verbatim: the default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from agents.memory.coverage import NONE, Coverage
from agents.memory.strategy import MemoryStrategy, Plan
from config.settings import setting
from vault.memory.memory_line import Range
from world.message_catalog import Wording


@dataclass(frozen=True)
class Waterfall(MemoryStrategy):
    """Long-term, short-term and verbatim.

    With windows I and R a cycle is due at I + R + 1 memories and then every R: 129, 193, 257 … for 64 and 64. The
    boundary b moves by R a cycle (R + 1 the first time, so that the tail is I again), whatever was missed meanwhile:
    a backlog is worked through oldest first in the same steps. The n of the last plan is b + I and so needs no
    keeping: what is due follows from the coverage alone, after a crash as well.

    The windows are settings that all strategies share. A tail of more than `verbatim_high_tokens` is cut down to
    `verbatim_low_tokens` before its time; 0 for never.
    """

    name: ClassVar[str] = "waterfall"

    immediate_window: int = 64
    recent_window: int = 64
    verbatim_high_tokens: int = setting(
        6000,
        "waterfall: a tail of more tokens than this is summarised before its time; 0 for never",
        low=0,
        high=1000000,
    )
    verbatim_low_tokens: int = setting(
        3000, "waterfall: how many tokens of such a tail stay word for word", low=0, high=1000000
    )

    @property
    def counts_tokens(self) -> bool:
        return self.verbatim_high_tokens > 0

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        outside = len(coverage.verbatim) - self.immediate_window
        step = self.recent_window + (1 if coverage.b == 0 else 0)
        taken = min(outside, step) if outside >= (1 if forced else step) else 0
        if self.verbatim_high_tokens and sum(sizes) > self.verbatim_high_tokens:
            taken = max(taken, min(step, _surplus(sizes, self.verbatim_low_tokens)))
        if not taken:
            return None
        longterm = Range(1, coverage.b) if coverage.recent else NONE
        return Plan(coverage.n, longterm, Range(coverage.b + 1, coverage.b + taken))

    def next_due_at(self, coverage: Coverage) -> int:
        return coverage.b + self.immediate_window + self.recent_window + (1 if coverage.b == 0 else 0)

    def described(self, say: Wording) -> str:
        return ""


def _surplus(sizes: Sequence[int], low_tokens: int) -> int:
    """Return how many of the oldest have to go so that the rest has at most `low_tokens`."""
    rest = sum(sizes)
    for gone, size in enumerate(sizes):
        if rest <= low_tokens:
            return gone
        rest -= size
    return len(sizes)
