"""What became of one agent's compactions since the start, and what they have cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from agents.memory.drafts import Draft, SummaryRefused


@dataclass
class CompactionRecord:
    """What became of one agent's compactions since the start; times are in milliseconds since 1970."""

    state: str = "idle"
    cycles: int = 0
    calls: int = 0
    spent_tokens: int = 0
    saved_tokens: int = 0
    failures_in_a_row: int = 0
    last_error: str = ""
    last_done_ms: int = 0
    next_try_ms: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def paid(self, draft: Draft) -> Draft:
        """Enter what a draft has cost, and return it."""
        self.calls += draft.calls
        self.spent_tokens += draft.spent_tokens
        self.refused.update(draft.refused)
        return draft

    def paid_in_vain(self, error: Exception) -> None:
        """Enter what was refused."""
        if isinstance(error, SummaryRefused):
            self.calls += error.calls
            self.spent_tokens += error.spent_tokens
            self.refused.update(error.refused)
