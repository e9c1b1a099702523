"""The memory strategies that come with Fallwater: waterfall, the default, layered, rolling and window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from agents.memory.coverage import NONE, Coverage
from agents.memory.strategy import MemoryStrategy, Plan, absorbing
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


@dataclass(frozen=True)
class Layered(MemoryStrategy):
    """One summary in fixed sections, and what came after it: made when the tail has more than so many tokens.

    Whether it is worth its cost is asked before it is made (`agents.memory.cost`); at most `most` memories a call.
    """

    name: ClassVar[str] = "layered"
    has_sections: ClassVar[bool] = True

    threshold_tokens: int = setting(
        4000, "layered: more tokens than this after the summary are too many", low=100, high=1000000
    )
    most: int = 256

    @property
    def counts_tokens(self) -> bool:
        return True

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        outside = len(coverage.verbatim)
        if not outside or not (forced or sum(sizes) > self.threshold_tokens):
            return None
        return absorbing(coverage, min(self.most, outside))

    def waits_for(self, coverage: Coverage, say: Wording) -> str:
        return say("status.next_by_tokens", tokens=f"{self.threshold_tokens:,}")


@dataclass(frozen=True)
class Rolling(MemoryStrategy):
    """One summary of everything but the newest: more than `threshold` memories after it are too many.

    The newest `retain_recent` stay word for word. With 7 and 3: seen at 10 it covers 1–7, at 15 1–12, at 20 1–17.
    What goes in is the summary before and only what is new, at most `most` memories a call.
    """

    name: ClassVar[str] = "rolling"
    as_messages: ClassVar[bool] = True

    threshold: int = setting(10, "rolling: more memories than this after the summary are too many", low=1, high=4096)
    retain_recent: int = setting(3, "rolling: how many of the newest stay word for word", low=0, high=4096)
    most: int = 64

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        outside = len(coverage.verbatim)
        if outside <= (self.retain_recent if forced else max(self.threshold, self.retain_recent)):
            return None
        return absorbing(coverage, min(self.most, outside - self.retain_recent))

    def next_due_at(self, coverage: Coverage) -> int:
        return coverage.b + max(self.threshold, self.retain_recent) + 1


@dataclass(frozen=True)
class Window(MemoryStrategy):
    """Nothing is ever summarised, and the view shows the newest `max_memories`.

    What was summarised under another strategy stays on disk, untold.
    """

    name: ClassVar[str] = "window"
    tells_summaries: ClassVar[bool] = False
    idle: ClassVar[str] = "compaction.window"

    max_memories: int = setting(128, "window: how many of the newest memories the prompt shows", low=1, high=4096)

    @property
    def max_tail(self) -> int:
        return self.max_memories

    def waits_for(self, coverage: Coverage, say: Wording) -> str:
        return say("status.never_window")

    def why_not_shown(self, say: Wording) -> str:
        return say("memory.outside_the_window", most=self.max_memories)
