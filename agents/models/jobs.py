"""What waits for a model: jobs, their order, and the ways in which one is not taken."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol

from agents.models.endpoint import Endpoint, Route
from agents.models.model import LanguageModel, ModelError, Request

Make = Callable[[], Request | None]


class Priority(IntEnum):
    """Who goes first: an answer to somebody, a thought of one's own, a summary, anything else."""

    ANSWER = 0
    THOUGHT = 1
    SUMMARY = 2
    OTHER = 3


class QueueError(ModelError):
    """A job that the queue does not take."""


class AlreadyWaiting(QueueError):
    """This owner's last thought has not been answered yet."""


class QueueFull(QueueError):
    """Too many jobs wait."""


class QueueStopped(QueueError):
    """The queue has been stopped."""


class TooOld(QueueError):
    """A job has waited longer than anything may."""


class NoEndpoint(QueueError):
    """Every endpoint that could take a job is sick."""


class Line(Protocol):
    """Those who ask for the same model: where their jobs may go, and how a request of theirs is built."""

    @property
    def name(self) -> str: ...

    @property
    def routes(self) -> Sequence[Route]: ...

    async def built(self, model: LanguageModel, make: Make) -> Request | None: ...


@dataclass(eq=False)
class Job:
    """One question of an owner, waiting or running. `number` counts jobs from the first, `asked` is in seconds.

    `tried` are the endpoints that have failed at it. `turn` has the route on which it may run, None if it is withdrawn.
    `is_preempted` is so from when it has to give up its place until it waits again. `restarts` counts how often it was
    begun anew because something was said to its owner.
    """

    line: Line
    owner: str
    priority: Priority
    number: int
    asked: float
    turn: asyncio.Future[Route | None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    work: asyncio.Task[Any] | None = None
    route: Route | None = None
    is_probe: bool = False
    is_preempted: bool = False
    restarts: int = 0
    tried: set[Endpoint] = field(default_factory=set)
    last_error: ModelError | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Whose prompt it is, and of which model: what an endpoint's cache knows it by."""
        return self.owner, self.line.name

    @property
    def is_thought(self) -> bool:
        """Whether it is what an agent thinks, of its own or in answer to somebody."""
        return self.priority <= Priority.THOUGHT

    def rank(self, now: float, ageing_seconds: float) -> int:
        """Return its priority at `now`, in seconds, less one for each `ageing_seconds` since it was asked."""
        return self.priority - int((now - self.asked) // ageing_seconds)

    def give_turn(self, route: Route | None) -> None:
        """Let it run, or withdraw it with None; it may have been cancelled meanwhile."""
        if not self.turn.done():
            self.turn.set_result(route)

    def fail(self, error: ModelError) -> None:
        """Let it wait no more."""
        if not self.turn.done():
            self.turn.set_exception(error)


class WaitingLine:
    """The jobs that wait, and whose turn it is.

    The next job is the one of the highest priority, counting what it gained by waiting; among these one that an
    endpoint has failed goes first, then the owner served longest ago, then the job asked first.
    """

    def __init__(self, ageing_seconds: float, most: int) -> None:
        self.jobs: list[Job] = []
        self.most = most
        self.ageing_seconds = ageing_seconds
        self._served: dict[str, int] = {}
        self._numbers = itertools.count()

    def next_number(self) -> int:
        """Return the number of the next job or turn."""
        return next(self._numbers)

    def in_order(self, now: float) -> Iterator[Job]:
        """Yield the jobs that wait, the next one first; `now` is in seconds."""
        yield from sorted(self.jobs, key=lambda job: self._place(job, now))

    def take(self, job: Job) -> None:
        """Let a job out of the line, because its turn has come."""
        self.jobs.remove(job)
        self._served.pop(job.owner, None)
        self._served[job.owner] = self.next_number()
        if len(self._served) > 4 * self.most:
            del self._served[next(iter(self._served))]  # forget who was served longest ago

    def _place(self, job: Job, now: float) -> tuple[int, bool, int, int]:
        return job.rank(now, self.ageing_seconds), not job.tried, self._served.get(job.owner, -1), job.number
