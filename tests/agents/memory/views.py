"""Views of a memory that no file stands behind."""

from __future__ import annotations

from collections.abc import Iterable

from agents.memory.strategy import loaded_strategies
from agents.memory.view import LIMITS, ResultLimits, Tier, View, summary_tiers, tail_tier
from config.settings import MemorySettings
from tests.agents.memory.topics import Topics
from vault.memory.memory_line import Memory, Range, RangeSet
from vault.memory.summaries import Summary

KNOWN = loaded_strategies().with_more(Topics)
"""The strategies that come with Fallwater, and one of the tests' own."""


def seen(
    name: str,
    tail: Iterable[Memory],
    covered: int = 0,
    n: int = 0,
    longterm: Summary | None = None,
    recent: Summary | None = None,
    limits: ResultLimits = LIMITS,
) -> View:
    """Return what somebody sees of n memories, by default up to the last of the tail.

    The first `covered` are in the summaries; where those end before, somebody has summarised the rest in no words.
    """
    lines = tuple(tail)
    told = [
        tier for one, title in ((longterm, "longterm"), (recent, "recent")) if one for tier in summary_tiers(one, title)
    ]
    last = max((tier.memories.last for tier in told), default=0)
    rest = [Tier("nothing", RangeSet.of(Range(last + 1, covered)))] if covered > last else []
    n = n or (lines[-1].seq if lines else max(covered, last))
    return View(name, (*told, *rest, tail_tier(max(covered, last), n, lines)), limits)


def covered_by(view: View) -> list[int]:
    """Return the numbers of the memories that the summaries of a view stand for, tier by tier."""
    return [seq for tier in view.summaries for one in tier.memories.ranges for seq in range(one.first, one.last + 1)]


def memory_settings(**given: object) -> MemorySettings:
    """Return settings with those of every strategy that is known."""
    return KNOWN.settings_kind(**given)  # type: ignore[arg-type]
