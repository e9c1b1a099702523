"""What became of one agent's compactions: the ledger, what was refused, and when the next try is due."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from agents.memory.benefit import Breaker
from agents.memory.summaries.drafts import Draft, SummaryRefused

LONGEST_WAIT_SECONDS = 3600.0


@dataclass
class CompactionRecord:
    """Since the start; times are in milliseconds since 1970.

    `not_worth` says why a compaction by tokens that is due by size was not made.
    """

    state: str = "idle"
    cycles: int = 0
    calls: int = 0
    spent_tokens: int = 0
    saved_tokens: int = 0
    failures: int = 0
    failures_in_a_row: int = 0
    last_error: str = ""
    last_done_ms: int = 0
    next_try_ms: int = 0
    not_worth: str = ""
    refused: Counter[str] = field(default_factory=Counter)
    breaker: Breaker = field(default_factory=Breaker)

    def paid(self, draft: Draft) -> Draft:
        """Enter what a draft has cost; return it."""
        self.calls += draft.calls
        self.spent_tokens += draft.spent_tokens
        self.refused.update(draft.refused)
        return draft

    def enter_failure(self, error: Exception) -> str:
        """Enter what came to nothing; return why, in a sentence."""
        if not isinstance(error, SummaryRefused):
            return str(error) or type(error).__name__
        self.refused.update(error.refused)
        self.calls += error.calls
        self.spent_tokens += error.spent_tokens
        return f"the summary was refused ({', '.join(error.reasons)}): {error}"

    def put_off(self, why: str, retry_seconds: float, now_ms: int, rng: random.Random) -> None:
        """Let the next try wait: twice as long after every failure, up to an hour, with jitter."""
        self.failures += 1
        self.failures_in_a_row += 1
        self.last_error = why
        wait = min(retry_seconds * 2 ** min(self.failures_in_a_row - 1, 16), LONGEST_WAIT_SECONDS)
        self.next_try_ms = now_ms + round(wait * rng.uniform(0.75, 1.25) * 1000)

    def succeeded(self, now_ms: int) -> None:
        """Enter a cycle that was published."""
        self.cycles += 1
        self.failures_in_a_row, self.next_try_ms, self.last_error = 0, 0, ""
        self.last_done_ms = now_ms
