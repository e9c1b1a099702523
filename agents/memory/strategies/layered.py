"""One summary in fixed sections, and the tail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from agents.memory.coverage import Coverage
from agents.memory.strategy import MemoryStrategy, Plan, absorbing
from config.settings import setting
from world.message_catalog import Wording


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
