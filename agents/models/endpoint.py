"""An endpoint: one place that models answer from, with how much it can take, how it is, and what it has done."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass

from agents.models.breaker import Breaker, State
from agents.models.concurrency import Concurrency
from agents.models.model import Completion, LanguageModel, ModelError
from agents.models.queue_record import QueueRecord, QueueStatus

log = logging.getLogger(__name__)

KEPT_ANSWERS = 2000
PATIENCE_SECONDS = 1.0
PATIENCE_ROUNDS = 4.0
NEWEST_SHARE = 0.1  # how much the newest answer counts in the running latency


@dataclass(frozen=True)
class EndpointStatus:
    """An endpoint at one moment: how it is, how many requests it has of how many it may have, and its record.

    `retry_seconds` is how long it is left alone; `problem` and `remedy` are those of its last failure, or empty, and
    `failed_seconds` is how long ago that was; `per_minute` are the answers of the last minute.
    """

    name: str
    state: State
    running: int
    limit: int
    is_measured: bool
    retry_seconds: float
    per_minute: int
    problem: str
    remedy: str
    failed_seconds: float
    record: QueueStatus


class Endpoint:
    """One host, or the model in this process. `running` are the requests under way; `seconds` is what one takes."""

    def __init__(self, name: str, concurrency: Concurrency, breaker: Breaker) -> None:
        self.name = name
        self.concurrency = concurrency
        self.breaker = breaker
        self.running = 0
        self.is_probed = False
        self.seconds = 0.0
        self.record = QueueRecord(name)
        self._answered_at: deque[float] = deque(maxlen=KEPT_ANSWERS)
        self._moved_at = 0.0
        self._problem = ""
        self._remedy = ""
        self._failed_at = 0.0
        self._fails = False

    def is_well(self, now: float) -> bool:
        """Return whether it has not failed of late."""
        return self.breaker.state(now) == "closed"

    def is_stuck(self, now: float) -> bool:
        """Return whether it has not ended a request for so long that nobody should wait for it."""
        return self.running > 0 and now - self._moved_at > self.patience_seconds

    @property
    def patience_seconds(self) -> float:
        """How long it may take until it ends one of its requests, whichever."""
        return PATIENCE_SECONDS + PATIENCE_ROUNDS * self.seconds

    def may_be_probed(self, now: float) -> bool:
        """Return whether it is time to try it with one request."""
        return not self.is_probed and self.breaker.state(now) in ("half-open", "untried")

    def takes(self, now: float) -> bool:
        """Return whether it may have a request more at `now`, in seconds."""
        return self.may_be_probed(now) or (self.is_well(now) and self.running < self.concurrency.limit)

    def rounds(self, waiting: int) -> float:
        """Return how often it has to answer as many as it can at a time for all that it has and `waiting` more."""
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
        self.seconds += (completion.seconds - self.seconds) * (NEWEST_SHARE if self.record.answered else 1.0)
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
    """A model on an endpoint. Those of the lowest `tier` come first; others stand in when all of these are sick."""

    endpoint: Endpoint
    model: LanguageModel
    tier: int = 0
