"""What a queue remembers of its jobs: how many ended how, how fast, and since when the model fails."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, fields

from agents.models.model import Completion, ModelError, Timing

KEPT = 64  # completions that the averages are taken over


@dataclass(frozen=True)
class QueueStatus:
    """A queue at one moment.

    The counts of jobs are since the start; `mean_seconds` an answer, `tokens_per_second` and `cached_share` of the
    prompts (0.0 to 1.0, of those whose server told) are over the last answers, 0.0 before the first. `failing_seconds`
    is how long ago the first failure since the last answer was, None if the model is well. `is_cache_told` is false as
    long as no server has told what it had in its cache. `timing` is the mean of the last answers.
    """

    model: str
    waiting: int
    running: int
    answered: int
    failed: int
    cancelled: int
    last_error: str
    failing_seconds: float | None
    mean_seconds: float
    tokens_per_second: float
    cached_share: float
    is_cache_told: bool
    timing: Timing = field(default_factory=Timing)

    @property
    def state(self) -> str:
        """Return "well" or "failing since 12 s"."""
        return "well" if self.failing_seconds is None else f"failing since {self.failing_seconds:.0f} s"


class QueueRecord:
    """Counts jobs by how they ended, and what the answers cost: tokens, and seconds inside the model."""

    def __init__(self, model: str) -> None:
        self.answered = 0
        self.failed = 0
        self.cancelled = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.seconds = 0.0
        self._model = model
        self._last_error = ""
        self._failing_since: float | None = None
        self._recent: deque[Completion] = deque(maxlen=KEPT)

    def answer(self, completion: Completion) -> None:
        """Count an answer; the model is well again."""
        self.answered += 1
        self.prompt_tokens += completion.prompt_tokens
        self.completion_tokens += completion.completion_tokens
        self.seconds += completion.seconds
        self._recent.append(completion)
        self._failing_since = None

    def fail(self, error: Exception, now: float) -> None:
        """Count a failure at `now`, in seconds."""
        self.failed += 1
        self._last_error = str(error) or type(error).__name__
        if isinstance(error, ModelError) and self._failing_since is None:
            self._failing_since = now

    def status(self, waiting: int, running: int, now: float) -> QueueStatus:
        """Return the record together with the queue's present length, at `now` in seconds."""
        seconds = sum(one.seconds for one in self._recent)
        told = [one for one in self._recent if one.cached_tokens is not None]
        return QueueStatus(
            model=self._model,
            waiting=waiting,
            running=running,
            answered=self.answered,
            failed=self.failed,
            cancelled=self.cancelled,
            last_error=self._last_error,
            failing_seconds=None if self._failing_since is None else now - self._failing_since,
            mean_seconds=_ratio(seconds, len(self._recent)),
            tokens_per_second=self._speed(seconds),
            cached_share=_ratio(sum(one.cached_tokens or 0 for one in told), sum(one.prompt_tokens for one in told)),
            is_cache_told=bool(told),
            timing=Timing(*(self._mean(one.name) for one in fields(Timing))),
        )

    def _speed(self, seconds: float) -> float:
        """Return the tokens a second, over the writing alone where it is known how long that took."""
        told = [one for one in self._recent if one.timing.answer]
        if told:
            return sum(one.completion_tokens for one in told) / sum(one.timing.answer or 0.0 for one in told)
        return _ratio(sum(one.completion_tokens for one in self._recent), seconds)

    def _mean(self, name: str) -> float | None:
        """Return the mean of a part of the time, over those answers of which it is known."""
        told = [value for one in self._recent if (value := getattr(one.timing, name)) is not None]
        return sum(told) / len(told) if told else None


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
