"""Whether a compaction by tokens is worth its cost, and when to stop trying: plain arithmetic."""

from __future__ import annotations

from dataclasses import dataclass, field

INEFFECTIVE_SHARE = 0.1
INEFFECTIVE_RUNS = 2
RUNS_IN_A_WINDOW = 4
WINDOW_MS = 600_000
GROWTH_SHARE = 0.2


@dataclass(frozen=True)
class Offer:
    """What a compaction would save and cost, in tokens.

    `saved_per_turn` are the tokens that every later prompt has fewer; `cached_share` of them (0 to 1) the backend
    would have read from its prefix cache, where a token weighs `cached_token_weight` of an evaluated one.
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
class Breaker:
    """Stops automatic compaction that does not help.

    Two runs in a row that saved less than a tenth open it, or more than four runs within ten minutes. It closes
    after ten minutes, or when the tail has grown by a fifth since.
    """

    opened_ms: int = 0
    opened_at_tokens: int = 0
    why: str = ""
    _ineffective: int = 0
    _runs_ms: list[int] = field(default_factory=list)

    def note_run(self, before_tokens: int, after_tokens: int, now_ms: int) -> None:
        """Account for a run that ended."""
        saved = before_tokens - after_tokens
        self._ineffective = 0 if saved >= INEFFECTIVE_SHARE * before_tokens else self._ineffective + 1
        self._runs_ms = [at for at in self._runs_ms if now_ms - at < WINDOW_MS] + [now_ms]
        if self._ineffective >= INEFFECTIVE_RUNS:
            self._open(f"{self._ineffective} runs saved less than {INEFFECTIVE_SHARE:.0%}", after_tokens, now_ms)
        elif len(self._runs_ms) > RUNS_IN_A_WINDOW:
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
