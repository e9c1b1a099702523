"""A memory strategy in one file: one summary for each topic, and the newest memories word for word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.memory.coverage import Coverage, Plan, absorbing
from agents.memory.strategy import MemoryStrategy
from config.settings import setting
from vault.memory.memory_line import Memory


@dataclass(frozen=True)
class Topics(MemoryStrategy):
    """One summary for each topic: the first of these words that a memory has."""

    name = "topics"
    is_divided = True
    makes = ("longterm",)

    topics: str = setting("river, mill, bread", "topics: the words that have a summary of their own")
    topics_keep: int = setting(8, "topics: how many of the newest stay word for word", low=1, high=4096)

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        outside = len(coverage.verbatim) - self.topics_keep
        return absorbing(coverage, min(64, outside)) if outside >= (1 if forced else self.topics_keep) else None

    def next_due_at(self, coverage: Coverage) -> int:
        return coverage.b + 2 * self.topics_keep

    def part_of(self, memory: Memory) -> str:
        words = (word.strip() for word in self.topics.split(","))
        return next((word for word in words if word in memory.text), "other things")
