"""An endpoint: a model server with its circuit breaker, concurrency limit and statistics."""

from __future__ import annotations

import logging
import math
import random
import statistics
from collections import deque
from dataclasses import dataclass, field, fields
from typing import Literal

from agents.models.model import Completion, LanguageModel, ModelError, Timing

log = logging.getLogger(__name__)

FIRST_OPEN_SECONDS = 1.0
MAX_OPEN_SECONDS = 60.0
FAILURES_TO_OPEN = 2

BreakerState = Literal["untried", "closed", "open", "half-open"]

MAX_LIMIT = 64
ROUNDS = 3
"""Number of answers, times the limit, that judge a limit."""
MIN_ANSWERS = 6
MIN_GAIN_SHARE = 0.5
"""A higher limit is kept only if it gains at least this share of the ideal linear speed-up."""
FIRST_REST_ROUNDS = 4
MAX_REST_ROUNDS = 64

MAX_RECENT = 64  # completions that the averages are taken over

MAX_ANSWER_TIMES = 2000
PATIENCE_SECONDS = 1.0
PATIENCE_ROUNDS = 4.0
LATENCY_WEIGHT = 0.1  # how much the newest answer counts in the running latency


class CircuitBreaker:
    """Opens after failures in a row, or after one that a retry would repeat.

    While open, it lets no request through. The time doubles with each opening, up to a limit, less a random share of up
    to a half: so endpoints that fail together do not retry together. Then it is half-open: one request is let through
    and decides. A breaker that begins `untried` begins half-open.
    """

    def __init__(
        self,
        rng: random.Random,
        *,
        failures_to_open: float = FAILURES_TO_OPEN,
        untried: bool = False,
    ) -> None:
        self._rng = rng
        self._failures_to_open = failures_to_open
        self._untried = untried
        self._failures = 0
        self._openings = 0
        self._opens_until = -math.inf

    def state(self, now: float) -> BreakerState:
        """Return the state at `now`, in seconds."""
        if self._openings:
            return "open" if now < self._opens_until else "half-open"
        return "untried" if self._untried else "closed"

    def seconds_left(self, now: float) -> float:
        """Return how long it stays open, in seconds; 0.0 if it is not."""
        return max(0.0, self._opens_until - now) if self._openings else 0.0

    def succeed(self) -> None:
        """Close: a request was answered."""
        self._failures = self._openings = 0
        self._untried = False

    def fail(self, now: float, *, for_good: bool = False) -> None:
        """Note a failure at `now`, in seconds; `for_good` says that a retry would fail too."""
        self._failures += 1
        was_open = self.state(now) == "open"
        probed = self.state(now) in ("half-open", "untried")
        if math.isinf(self._failures_to_open) or was_open:
            return  # what was under way when it opened says nothing new
        if probed or for_good or self._failures >= self._failures_to_open:
            seconds = min(MAX_OPEN_SECONDS, FIRST_OPEN_SECONDS * 2 ** min(self._openings, 30))
            self._openings += 1
            self._opens_until = now + seconds * self._rng.uniform(0.5, 1.0)


class ConcurrencyLimit:
    """The limit on an endpoint's concurrent requests. With `given` of 0 it is found by hill climbing on throughput.

    It begins at 1 and is now and then tried one higher or one lower. Only answers from a full endpoint count: others
    say nothing about the limit. A change that pays is kept and tried further. One that does not is taken back, and
    the other direction is tried after a rest, which doubles each time.
    """

    def __init__(self, given: int = 0) -> None:
        self.limit = given or 1
        self.is_measured = given == 0
        self._seconds: list[float] = []
        self._rate_before: float | None = None
        self._step = 1
        self._rest = 0
        self._next_rest = FIRST_REST_ROUNDS

    def answer(self, seconds: float, was_full: bool) -> None:
        """Note an answer and its seconds; `was_full` says whether the endpoint had as many requests as it may have."""
        if not (self.is_measured and was_full and seconds > 0):
            return
        self._seconds.append(seconds)
        if len(self._seconds) >= max(MIN_ANSWERS, ROUNDS * self.limit):
            self._judge(self.limit / statistics.median(self._seconds))
            self._seconds.clear()

    def fail(self) -> None:
        """Note a failure: a higher limit on trial is taken back."""
        if self.is_measured:
            self._seconds.clear()
            if self._rate_before is not None and self._step > 0:
                self._take_back()

    def _judge(self, rate: float) -> None:
        before, self._rate_before = self._rate_before, None
        if before is not None and rate < before * (1 + MIN_GAIN_SHARE * self._step / (self.limit - self._step)):
            self._take_back()
        elif self._rest:
            self._rest -= 1
        else:
            if not 1 <= self.limit + self._step <= MAX_LIMIT:
                self._step = -self._step
            self._rate_before = rate
            self.limit += self._step

    def _take_back(self) -> None:
        self._rate_before = None
        self.limit -= self._step
        self._step = -self._step
        self._rest = self._next_rest
        self._next_rest = min(MAX_REST_ROUNDS, 2 * self._next_rest)


@dataclass(frozen=True)
class RequestStatsSnapshot:
    """Requests and their cost, as of one moment.

    The counts of jobs are since the start. `mean_seconds` for an answer, `tokens_per_second` and `cached_share` of the
    prompts (0.0 to 1.0, where the server told) are over the last answers, 0.0 before the first. `failing_seconds` is
    the time since the first failure after the last answer, None if the model is well. `is_cache_told` is false until a
    server has told what it had in its cache. `timing` is the mean of the last answers. `read_ahead` counts prompts that
    were read before anything was asked.
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
    read_ahead: int = 0

    @property
    def state(self) -> str:
        """Return "well" or "failing since 12 s"."""
        return "well" if self.failing_seconds is None else f"failing since {self.failing_seconds:.0f} s"


class RequestStats:
    """Counts jobs by how they ended, and what the answers cost: tokens, and seconds inside the model."""

    def __init__(self, model: str) -> None:
        self.answered = 0
        self.failed = 0
        self.cancelled = 0
        self.read_ahead = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.seconds = 0.0
        self._model = model
        self._last_error = ""
        self._failing_since: float | None = None
        self._recent: deque[Completion] = deque(maxlen=MAX_RECENT)

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

    def status(self, waiting: int, running: int, now: float) -> RequestStatsSnapshot:
        """Return the record together with the queue's present length, at `now` in seconds."""
        seconds = sum(one.seconds for one in self._recent)
        told = [one for one in self._recent if one.cached_tokens is not None]
        return RequestStatsSnapshot(
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
            read_ahead=self.read_ahead,
        )

    def _speed(self, seconds: float) -> float:
        """Return the tokens a second, over the writing alone where it is known how long that took."""
        told = [one for one in self._recent if one.timing.answer]
        if told:
            return sum(one.completion_tokens for one in told) / sum(one.timing.answer or 0.0 for one in told)
        return _ratio(sum(one.completion_tokens for one in self._recent), seconds)

    def _mean(self, name: str) -> float | None:
        """Return the mean of a part of the time, over the answers for which it is known."""
        told = [value for one in self._recent if (value := getattr(one.timing, name)) is not None]
        return sum(told) / len(told) if told else None


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


@dataclass(frozen=True)
class EndpointStatus:
    """An endpoint at one moment: how it is, how many requests it has of how many it may have, and its record.

    `retry_seconds` is how long it is left alone; `problem` and `remedy` are those of its last failure, or empty, and
    `failed_seconds` is how long ago that was; `per_minute` are the answers of the last minute.
    """

    name: str
    state: BreakerState
    running: int
    limit: int
    is_measured: bool
    retry_seconds: float
    per_minute: int
    problem: str
    remedy: str
    failed_seconds: float
    record: RequestStatsSnapshot


class Endpoint:
    """One host, or the model in this process. `running` are the requests under way; `seconds` is what one takes."""

    def __init__(self, name: str, concurrency: ConcurrencyLimit, breaker: CircuitBreaker) -> None:
        self.name = name
        self.concurrency = concurrency
        self.breaker = breaker
        self.running = 0
        self.is_probed = False
        self.seconds = 0.0
        self.record = RequestStats(name)
        self._answered_at: deque[float] = deque(maxlen=MAX_ANSWER_TIMES)
        self._moved_at = 0.0
        self._problem = ""
        self._remedy = ""
        self._failed_at = 0.0
        self._fails = False

    def is_well(self, now: float) -> bool:
        """Return whether its breaker is closed."""
        return self.breaker.state(now) == "closed"

    def is_stuck(self, now: float) -> bool:
        """Return whether it has ended no request for longer than its patience, so that nobody should wait for it."""
        return self.running > 0 and now - self._moved_at > self.patience_seconds

    @property
    def patience_seconds(self) -> float:
        """Maximum seconds that any one of its requests should take."""
        return PATIENCE_SECONDS + PATIENCE_ROUNDS * self.seconds

    def may_be_probed(self, now: float) -> bool:
        """Return whether one request may probe it."""
        return not self.is_probed and self.breaker.state(now) in ("half-open", "untried")

    def takes(self, now: float) -> bool:
        """Return whether it may have one more request at `now`, in seconds."""
        return self.may_be_probed(now) or (self.is_well(now) and self.running < self.concurrency.limit)

    def rounds(self, waiting: int) -> float:
        """Return how many rounds it needs for its requests and `waiting` more; a round is as many as run at a time."""
        return (self.running + waiting) / self.concurrency.limit

    def begin(self, now: float) -> bool:
        """Give it a request; return whether that is a probe."""
        if not self.running:
            self._moved_at = now
        is_probe = self.may_be_probed(now)
        self.is_probed = self.is_probed or is_probe
        self.running += 1
        return is_probe

    def end(self, is_probe: bool, now: float) -> None:
        """Take a request back, however it has ended, at `now`, in seconds."""
        self._moved_at = now
        self.running -= 1
        if is_probe:
            self.is_probed = False

    def answer(self, completion: Completion, now: float) -> None:
        """Note an answer at `now`, in seconds: it is well."""
        self._answered_at.append(now)
        self.concurrency.answer(completion.seconds, self.running >= self.concurrency.limit)
        self.seconds += (completion.seconds - self.seconds) * (LATENCY_WEIGHT if self.record.answered else 1.0)
        self.record.answer(completion)
        self.breaker.succeed()
        if self._fails:
            log.info("%s answers again.", self.name)
        self._fails = False

    def fail(self, error: ModelError, now: float) -> None:
        """Note a failure at `now`, in seconds; only the first in a row is worth a warning."""
        self.record.fail(error, now)
        self._problem, self._remedy, self._failed_at = error.problem, error.remedy, now
        if error.about_request:
            return
        self.concurrency.fail()
        self.breaker.fail(now, for_good=not error.retryable or error.is_gone)
        if not self._fails:
            log.warning("%s fails: %s", self.name, error)
        self._fails = True

    def status(self, now: float) -> EndpointStatus:
        """Return how it is at `now`, in seconds."""
        return EndpointStatus(
            self.name,
            self.breaker.state(now),
            self.running,
            self.concurrency.limit,
            self.concurrency.is_measured,
            self.breaker.seconds_left(now),
            sum(at > now - 60.0 for at in self._answered_at),
            self._problem,
            self._remedy,
            now - self._failed_at,
            self.record.status(0, self.running, now),
        )


@dataclass(frozen=True, eq=False)
class Route:
    """A model on an endpoint. Routes of the lowest `tier` come first; the next tier is a fallback once all are sick."""

    endpoint: Endpoint
    model: LanguageModel
    tier: int = 0
