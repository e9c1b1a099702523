"""The cost of compaction: an estimate by tokens, a circuit breaker, and statistics."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agents.memory.coverage import Plan
from agents.memory.memory import AgentMemory
from agents.memory.summaries.drafts import Draft, SummaryRefused
from agents.memory.view import Tier, View, tail_tier
from config.settings import MemorySettings
from vault.memory.memory_line import Range, RangeSet
from vault.memory.summaries import Summary

INEFFECTIVE_SHARE = 0.1
INEFFECTIVE_RUNS = 2
MAX_RUNS_IN_A_WINDOW = 4
WINDOW_MS = 600_000
GROWTH_SHARE = 0.2
MAX_SIZED = 512
MAX_WAIT_SECONDS = 3600.0


@dataclass(frozen=True)
class CompactionEstimate:
    """The savings and the cost of a compaction, in tokens.

    Every later prompt has `saved_per_turn` tokens fewer. The backend would have read `cached_share` of them (0 to 1)
    from its prefix cache, where a token weighs `cached_token_weight` of an evaluated one.
    """

    saved_per_turn: int
    expected_turns: int
    request_tokens: int
    response_tokens: int
    cached_share: float = 0.0
    cached_token_weight: float = 0.1

    @property
    def gain(self) -> float:
        """The tokens saved in all expected turns, cached ones at their weight."""
        weight = 1 - self.cached_share * (1 - self.cached_token_weight)
        return self.saved_per_turn * weight * self.expected_turns

    @property
    def cost(self) -> int:
        return self.request_tokens + self.response_tokens

    def objection(self, min_saving_tokens: int) -> str:
        """Return why it is not worth it, or an empty string."""
        if self.saved_per_turn < min_saving_tokens:
            return f"it would save {self.saved_per_turn} tokens a turn, less than {min_saving_tokens}"
        if not self.gain > self.cost:
            return f"it would save {self.gain:.0f} tokens in {self.expected_turns} turns and cost {self.cost}"
        return ""


@dataclass
class CompactionBreaker:
    """A circuit breaker for automatic compaction that does not help.

    Two runs in a row that saved less than a tenth open it, or more than four runs within ten minutes. It closes
    after ten minutes, or when the tail has grown by a fifth since.
    """

    opened_ms: int = 0
    opened_at_tokens: int = 0
    why: str = ""
    _ineffective: int = 0
    _runs_ms: list[int] = field(default_factory=list)

    def note_run(self, before_tokens: int, after_tokens: int, now_ms: int) -> None:
        """Note a run that ended."""
        saved = before_tokens - after_tokens
        self._ineffective = 0 if saved >= INEFFECTIVE_SHARE * before_tokens else self._ineffective + 1
        self._runs_ms = [at for at in self._runs_ms if now_ms - at < WINDOW_MS] + [now_ms]
        if self._ineffective >= INEFFECTIVE_RUNS:
            self._open(f"{self._ineffective} runs saved less than {INEFFECTIVE_SHARE:.0%}", after_tokens, now_ms)
        elif len(self._runs_ms) > MAX_RUNS_IN_A_WINDOW:
            self._open(f"{len(self._runs_ms)} runs within ten minutes", after_tokens, now_ms)

    def is_open(self, tokens: int, now_ms: int) -> bool:
        """Return whether automatic compaction has to wait; `tokens` is the size of the view now."""
        if not self.why:
            return False
        grown = tokens >= self.opened_at_tokens * (1 + GROWTH_SHARE)
        if now_ms - self.opened_ms >= WINDOW_MS or grown:
            self.why, self._ineffective, self._runs_ms = "", 0, []
        return bool(self.why)

    def _open(self, why: str, tokens: int, now_ms: int) -> None:
        self.why, self.opened_at_tokens, self.opened_ms = why, tokens, now_ms


def tail_sizes(view: View, count_tokens: Callable[[str], int]) -> dict[int, int]:
    """Return the tokens of each memory of a tail as it is told, by number; 0 for one that only repeats another.

    What is not told, as a failed round, has 0 as well.
    """
    sizes, before = dict[int, int](), ""
    for memory, text in view.told():
        is_new = memory.seq not in view.failed and text != before
        sizes[memory.seq] = count_tokens(text) if is_new else 0
        before = text if is_new else before
    return sizes


def verbatim_sizes(memory: AgentMemory, count_tokens: Callable[[str], int]) -> list[int]:
    """Return the tokens of the verbatim memories, oldest first; of a long tail only those of its beginning.

    Raises: NoteError if the journal cannot be read.
    """
    verbatim = memory.coverage.verbatim
    first, last = verbatim.first, min(verbatim.last, verbatim.first + MAX_SIZED - 1)
    lines, before = tuple(memory.journal.read(first, last)), Tier("before", RangeSet.of(Range(1, first - 1)))
    view = View(memory.name, (before, tail_tier(first - 1, last, lines)), memory.archive_writer.limits)
    sizes = tail_sizes(view, count_tokens)
    return [sizes.get(seq, 0) for seq in range(first, last + 1)]


def estimate_compaction(
    plan: Plan,
    sizes: Sequence[int],
    in_force: tuple[Summary | None, Summary | None],
    settings: MemorySettings,
    cached_share: float,
) -> CompactionEstimate:
    """Return the savings and the cost of a plan if each summary came out as long as it may.

    `sizes` are those of the verbatim memories, `in_force` the long-term and the short-term summary.
    """
    taken = sum(sizes[: len(plan.taken)])
    folded = sum(summary.tokens for summary in in_force if summary) if plan.longterm else 0
    made = settings.summary_tokens * (bool(plan.longterm) + bool(plan.recent))
    return CompactionEstimate(
        saved_per_turn=taken + folded - made,
        expected_turns=settings.expected_turns,
        request_tokens=taken + folded,
        response_tokens=made,
        cached_share=cached_share,
        cached_token_weight=settings.cached_token_weight,
    )


@dataclass
class PromptCost:
    """The measures of a prompt's cost: the tokens of a text, and the share of prompt tokens served from the cache.

    `tail_tokens` is how many tokens the prompt has room for as its verbatim tail; 0 for any number.
    """

    count_tokens: Callable[[str], int]
    cached_share: Callable[[], float] = lambda: 0.0
    tail_tokens: Callable[[], int] = lambda: 0


@dataclass
class CompactionStats:
    """The counts of compactions since the start; times are in milliseconds since 1970.

    `not_worth` says why a compaction that a strategy plans by tokens was not made.
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
    breaker: CompactionBreaker = field(default_factory=CompactionBreaker)

    def add_cost(self, draft: Draft) -> Draft:
        """Add the cost of a draft; return the draft."""
        self.calls += draft.calls
        self.spent_tokens += draft.spent_tokens
        self.refused.update(draft.refused)
        return draft

    def enter_failure(self, error: Exception) -> str:
        """Note a failure; return its reason, in a sentence."""
        if not isinstance(error, SummaryRefused):
            return str(error) or type(error).__name__
        self.refused.update(error.refused)
        self.calls += error.calls
        self.spent_tokens += error.spent_tokens
        return f"the summary was refused ({', '.join(error.reasons)}): {error}"

    def put_off(self, why: str, retry_seconds: float, now_ms: int, rng: random.Random) -> None:
        """Back off: twice as long after every failure, up to an hour, with jitter."""
        self.failures += 1
        self.failures_in_a_row += 1
        self.last_error = why
        wait = min(retry_seconds * 2 ** min(self.failures_in_a_row - 1, 16), MAX_WAIT_SECONDS)
        self.next_try_ms = now_ms + round(wait * rng.uniform(0.75, 1.25) * 1000)

    def record_success(self, now_ms: int) -> None:
        """Note a published cycle."""
        self.cycles += 1
        self.failures_in_a_row, self.next_try_ms, self.last_error = 0, 0, ""
        self.last_done_ms = now_ms
