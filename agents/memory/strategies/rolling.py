"""One summary of all but the newest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from agents.memory.coverage import Coverage
from agents.memory.strategy import MemoryStrategy, Plan, absorbing
from config.settings import setting


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
