"""The job queue and the load balancer: the order of waiting requests, and the endpoint for each."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol, TypeAlias

from agents.models.endpoint import Endpoint, Route
from agents.models.model import LanguageModel, ModelError, Request

BuildRequest = Callable[[], Request | None]

AFFINITY_REQUESTS = 2.0
"""A job leaves the endpoint that has its prompt in its cache only if another answers this many request times sooner.

To read the prompt again costs about as much."""

Affinities: TypeAlias = Mapping[tuple[str, str], Endpoint]
"""The endpoint that has a prompt in its cache, by `Job.key`."""


class Priority(IntEnum):
    """The order of jobs: an answer to a person, any other thought of an agent, a summary, anything else."""

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


class WaitedTooLong(QueueError):
    """A job has waited longer than anything may."""


class NoEndpoint(QueueError):
    """Every endpoint that could take a job is sick."""


class JobSource(Protocol):
    """A source of jobs, such as the queue of a profile: the routes they may take, and the way to build a request."""

    @property
    def name(self) -> str: ...

    @property
    def routes(self) -> Sequence[Route]: ...

    async def built(self, model: LanguageModel, make: BuildRequest) -> Request | None: ...


@dataclass(eq=False)
class Job:
    """One question of an owner, waiting or running. `number` counts jobs from the first, `asked` is in seconds.

    `tried` are the endpoints that have failed at it. `turn` has the route on which it may run, None if it is withdrawn.
    `is_preempted` is true from when it has to give up its endpoint until it waits again. `restarts` counts how often it
    was restarted because something was said to its owner.
    """

    source: JobSource
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
        """The owner and the source: what a prompt cache is remembered by."""
        return self.owner, self.source.name

    @property
    def is_thought(self) -> bool:
        """True for an agent's thought, either its own or an answer to somebody."""
        return self.priority <= Priority.THOUGHT

    def rank(self, now: float, ageing_seconds: float) -> int:
        """Return its priority at `now`, in seconds, less one for each `ageing_seconds` since it was asked."""
        return self.priority - int((now - self.asked) // ageing_seconds)

    def give_turn(self, route: Route | None) -> None:
        """Let it run, or withdraw it with None; it may have been cancelled meanwhile."""
        if not self.turn.done():
            self.turn.set_result(route)

    def fail(self, error: ModelError) -> None:
        """End the wait with an error."""
        if not self.turn.done():
            self.turn.set_exception(error)


class JobQueue:
    """The jobs that wait, in a fair order.

    First comes the highest priority, which rises with the wait; among equals a job that failed on an endpoint, then the
    owner served longest ago, then the oldest job.
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
        """Let a job out of the queue, because its turn has come."""
        self.jobs.remove(job)
        self._served.pop(job.owner, None)
        self._served[job.owner] = self.next_number()
        if len(self._served) > 4 * self.most:
            del self._served[next(iter(self._served))]  # forget who was served longest ago

    def _place(self, job: Job, now: float) -> tuple[int, bool, int, int]:
        return job.rank(now, self.ageing_seconds), not job.tried, self._served.get(job.owner, -1), job.number


def next_assignment(waiting: JobQueue, affinities: Affinities, now: float) -> tuple[Job, Route] | None:
    """Return the first job in the queue for which an endpoint is free, and the route to it."""
    sources = {job.source for job in waiting.jobs}
    if not any(route.endpoint.takes(now) for source in sources for route in source.routes):
        return None
    waiting_for = Counter(affinities[job.key] for job in waiting.jobs if job.key in affinities)
    balancers = {source: _LoadBalancer(source.routes, waiting_for, now) for source in sources}
    for job in waiting.in_order(now):
        found = balancers[job.source] if not job.tried else _LoadBalancer(_untried(job), waiting_for, now)
        route = found.route_for(affinities.get(job.key), job.priority > Priority.ANSWER)
        if route:
            return job, route
    return None


def unroutable_jobs(jobs: Iterable[Job], now: float) -> list[Job]:
    """Return the jobs that no endpoint can take, now or once what runs there has ended."""
    all_jobs = list(jobs)
    endpoints = {route.endpoint for source in {job.source for job in all_jobs} for route in source.routes}
    if all(endpoint.is_well(now) for endpoint in endpoints) and not any(job.tried for job in all_jobs):
        return []
    return [job for job in all_jobs if is_unroutable(job, now)]


def is_unroutable(job: Job, now: float) -> bool:
    """Return whether no endpoint can take a job, now or once what runs there has ended."""
    return not any(
        route.endpoint.is_well(now) or route.endpoint.is_probed or route.endpoint.may_be_probed(now)
        for route in _untried(job)
    )


class _LoadBalancer:
    """Picks endpoints for the jobs of one source at one moment, from the first tier of routes that is not all sick."""

    def __init__(self, routes: Iterable[Route], waiting_for: Counter[Endpoint], now: float) -> None:
        usable = [route for route in routes if route.endpoint.is_well(now) or route.endpoint.may_be_probed(now)]
        tier = min((route.tier for route in usable), default=0)
        routes = [route for route in usable if route.tier == tier]
        self._known = {
            route.endpoint: route
            for route in routes
            if route.endpoint.is_well(now) and not route.endpoint.is_stuck(now)
        }
        self._waiting_for = waiting_for
        self._free = [route for route in routes if route.endpoint.takes(now)]
        self._sick = next((route for route in self._free if not route.endpoint.is_well(now)), None)
        self._best = min(self._free, key=lambda route: self._wait_seconds(route.endpoint), default=None)

    def route_for(self, home: Endpoint | None, may_probe: bool) -> Route | None:
        """Return where a job goes; None if it has to wait. `home` is the endpoint that has its prompt in its cache.

        One that may probe tries an endpoint that was sick: nothing else tells when it is well again.
        """
        if may_probe and self._sick:
            return self._sick
        own = self._known.get(home) if home else None
        if self._best is None or own in self._free:
            return own if self._best else None
        if own is None or home is None:
            return self._best
        gain = self._wait_seconds(home) - self._wait_seconds(self._best.endpoint)
        return self._best if gain > AFFINITY_REQUESTS * (home.seconds or 1.0) else None

    def _wait_seconds(self, endpoint: Endpoint) -> float:
        return endpoint.rounds(self._waiting_for[endpoint]) * (endpoint.seconds or 1.0)


def _untried(job: Job) -> list[Route]:
    return [route for route in job.source.routes if route.endpoint not in job.tried]
