"""The model pool: one fair, bounded queue of jobs before all endpoints."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Collection, Coroutine
from dataclasses import replace
from typing import Any, Literal, TypeVar

from agents.models.endpoint import Endpoint, EndpointStatus, Route
from agents.models.model import Completion, LanguageModel, ModelError, OnText
from agents.models.scheduler import (
    AlreadyWaiting,
    BuildRequest,
    Job,
    JobQueue,
    JobSource,
    NoEndpoint,
    Priority,
    QueueFull,
    QueueStopped,
    WaitedTooLong,
    is_unroutable,
    next_assignment,
    unroutable_jobs,
)

TURNS_BETWEEN = 3
"""Input that arrived during one piece of work is read in the first turn after it, and answered in the second."""

# Seconds of waiting after which a job counts as one priority higher, and goes on rising: nothing starves.
AGEING_SECONDS = 30.0
# A model that forgets its own timeout is cut off this much later, so that it cannot hold an endpoint.
GRACE_SECONDS = 2.0
MAX_WAIT_SECONDS = 600.0
CHECK_SECONDS = 30.0  # how long an endpoint that is tried again may take to say that it has the model
MAX_WAITING = 1024
MAX_RESTARTS = 2
MAX_AFFINITIES = 4096

Stage = Literal["waiting", "running"]

T = TypeVar("T")


class LoopYield:
    """A lock whose next holder goes on some turns of the event loop later, so that other work comes between.

    It counts turns, not time: with nothing else to do, nobody waits. First come, first served.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._free = asyncio.Lock()

    async def __aenter__(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:  # what another loop has not passed on, it never will
            self._loop, self._free = loop, asyncio.Lock()
        await self._free.acquire()

    async def __aexit__(self, *error: object) -> None:
        _release(self._free, TURNS_BETWEEN)


def _release(lock: asyncio.Lock, turns: int) -> None:
    if turns:
        asyncio.get_running_loop().call_soon(_release, lock, turns - 1)
    else:
        lock.release()


class ModelPool:
    """Runs jobs on endpoints, each endpoint up to its limit.

    Every job ends in exactly one of answered, failed and cancelled, and its owner learns which. A job that fails on one
    endpoint goes to another that is well, if there is one.
    """

    def __init__(
        self,
        *,
        max_waiting: int = MAX_WAITING,
        now: Callable[[], float] = time.monotonic,
        ageing_seconds: float = AGEING_SECONDS,
        grace_seconds: float = GRACE_SECONDS,
        longest_wait_seconds: float = MAX_WAIT_SECONDS,
    ) -> None:
        """Make an empty pool; `now` returns seconds from any fixed moment."""
        self.now = now
        self.building = LoopYield()
        self._jobs = JobQueue(ageing_seconds, max_waiting)
        self._grace_seconds = grace_seconds
        self._longest_wait_seconds = longest_wait_seconds
        self._running: list[Job] = []
        self._affinities: dict[tuple[str, str], Endpoint] = {}
        self._retired: list[LanguageModel] = []
        self._closing: set[asyncio.Task[None]] = set()
        self._stopped = False

    def enter(self, source: JobSource, owner: str, priority: Priority) -> Job:
        """Take a job into the queue. Raises: AlreadyWaiting, QueueFull, QueueStopped."""
        if self._stopped:
            raise QueueStopped("The model queue has been stopped.", retryable=False)
        if priority is Priority.THOUGHT and self._thinks(owner):
            raise AlreadyWaiting(f"{owner} already has a thought under way; wait for its answer.")
        if len(self._jobs.jobs) >= self._jobs.most:
            message = f"{len(self._jobs.jobs)} jobs already wait for {source.name}, the most allowed."
            raise QueueFull(message, remedy="Use a faster model, or let agents think less often.")
        job = Job(source, owner, priority, self._jobs.next_number(), self.now())
        self._jobs.jobs.append(job)
        self._start_next()
        self._preempt_for(job)
        return job

    async def complete(self, job: Job, make: BuildRequest, on_text: OnText | None = None) -> Completion:
        """Run an entered job to its end. Raises: ModelError; whatever `make` or `on_text` raise."""
        try:
            return await self._completed(job, make, on_text)
        finally:
            self._leave(job)

    def hurry(self, owner: str, priority: Priority) -> None:
        """Let the thought of an owner have this priority at least: somebody has spoken to it meanwhile.

        A thought that runs is restarted with a prompt that has those words; at most twice, or an agent that is spoken
        to all the time would never answer.
        """
        for job in self._jobs.jobs:
            if job.owner == owner and job.is_thought and priority < job.priority:
                job.priority = priority
                self._preempt_for(job)
        for job in self._running:
            if job.owner == owner and job.is_thought and job.work and job.restarts < MAX_RESTARTS:
                job.priority, job.restarts, job.is_preempted = min(priority, job.priority), job.restarts + 1, True
                job.work.cancel()

    def stages(self) -> dict[str, Stage]:
        """Return of every owner with a thought under way whether that waits or runs."""
        waiting: dict[str, Stage] = {job.owner: "waiting" for job in self._jobs.jobs if job.is_thought}
        return waiting | {job.owner: "running" for job in self._running if job.is_thought}

    def withdraw(self, owner: str) -> None:
        """Cancel the thought of an owner, waiting or running."""
        for job in self._jobs.jobs:
            if job.owner == owner and job.is_thought:
                job.give_turn(None)
        for job in self._running:
            if job.owner == owner and job.is_thought and job.work:
                job.work.cancel()

    def reload(self) -> None:
        """Assign waiting jobs again: routes may have changed."""
        self._start_next()

    def counts(self, source: JobSource) -> tuple[int, int]:
        """Return how many jobs of a source wait, and how many run."""
        return sum(job.source is source for job in self._jobs.jobs), sum(job.source is source for job in self._running)

    def is_busy(self) -> bool:
        """Return whether a thought or a summary waits for its turn."""
        return any(job.priority < Priority.OTHER for job in self._jobs.jobs)

    def is_awaited(self) -> bool:
        """Return whether a job waits that is an answer to a person."""
        return any(job.priority is Priority.ANSWER for job in self._jobs.jobs)

    def status(self, endpoints: Collection[Endpoint]) -> tuple[EndpointStatus, ...]:
        """Return how these endpoints are at this moment."""
        return tuple(endpoint.status(self.now()) for endpoint in endpoints)

    def retire(self, models: Collection[LanguageModel]) -> None:
        """Close models that get no new requests, each once what runs on it has ended."""
        self._retired += [model for model in models if model not in self._retired]
        self._close_retired()

    async def stop(self) -> None:
        """Withdraw every job, waiting or running, and take no more. Returns when the models have let go, or soon."""
        self._stopped = True
        for job in self._jobs.jobs:
            job.give_turn(None)
        works = [job.work for job in self._running if job.work is not None]
        for work in works:
            work.cancel()
        if works:
            await asyncio.wait(works, timeout=self._grace_seconds)
        if self._closing:
            await asyncio.wait(self._closing, timeout=self._grace_seconds)

    def _thinks(self, owner: str) -> bool:
        jobs = itertools.chain(self._jobs.jobs, self._running)
        return any(job.owner == owner and job.priority is Priority.THOUGHT for job in jobs)

    def _start_next(self) -> None:
        now = self.now()
        while not self._stopped and (found := next_assignment(self._jobs, self._affinities, now)):
            job, route = found
            self._jobs.take(job)
            self._running.append(job)
            job.route, job.is_probe = route, route.endpoint.begin(now)
            self._settle(job.key, route.endpoint)
            job.give_turn(route)
        for job in unroutable_jobs(self._jobs.jobs, now):
            self._jobs.jobs.remove(job)
            job.fail(job.last_error or self._no_endpoint(job, now))

    def _preempt_for(self, thought: Job) -> None:
        """Preempt a running job for a thought that waits for its endpoint; that job waits again, from the start.

        A summary gives way to any thought, and a thought to an answer to a person. Ageing bounds that: a job that was
        asked so long ago that it counts as much as the thought goes on.
        """
        if not thought.is_thought or thought not in self._jobs.jobs:
            return
        home, endpoints = self._affinities.get(thought.key), {route.endpoint for route in thought.source.routes}
        if home in endpoints:  # which it waits for, as its prompt is known there
            endpoints = {home}
        now, ageing = self.now(), self._jobs.ageing_seconds
        for job in reversed(self._running):  # the last one to begin loses the least
            is_lower = job.priority > thought.priority and job.rank(now, ageing) > thought.rank(now, ageing)
            if is_lower and job.route and job.route.endpoint in endpoints and not (job.is_preempted or job.is_probe):
                job.is_preempted = True
                if job.work:
                    job.work.cancel()
                return

    def _settle(self, key: tuple[str, str], endpoint: Endpoint) -> None:
        self._affinities.pop(key, None)
        self._affinities[key] = endpoint
        if len(self._affinities) > MAX_AFFINITIES:
            del self._affinities[next(iter(self._affinities))]

    def _no_endpoint(self, job: Job, now: float) -> NoEndpoint:
        statuses = self.status({route.endpoint: None for route in job.source.routes})
        soonest = min(statuses, key=lambda status: status.retry_seconds, default=None)
        if soonest is None:
            return NoEndpoint(f"{job.source.name} has no endpoint.", remedy="Give it one in config/models.md.")
        when = f"It is tried again in {soonest.retry_seconds:.0f} s."
        return NoEndpoint(f"{soonest.problem} {when}", remedy=soonest.remedy)

    def _leave(self, job: Job) -> None:
        if job in self._jobs.jobs:
            self._jobs.jobs.remove(job)
        self._release(job)
        self._close_retired()
        self._start_next()

    def _release(self, job: Job) -> None:
        if job in self._running:
            self._running.remove(job)
        if job.route:
            job.route.endpoint.end(job.is_probe, self.now())
            job.route = None

    async def _completed(self, job: Job, make: BuildRequest, on_text: OnText | None) -> Completion:
        while route := await self._turn(job):
            try:
                completion = await self._answered(job, route, make, on_text)
            except ModelError as error:
                if self._stopped or not self._goes_elsewhere(job, route, error):
                    raise
            else:
                if self._stopped or not job.is_preempted or (completion and completion.finish != "cancelled"):
                    return completion or _nothing(route.model.name)
                self._wait_again(job)
        return _nothing(job.source.name)

    async def _answered(self, job: Job, route: Route, make: BuildRequest, on_text: OnText | None) -> Completion | None:
        """Return a model's answer to the request that `make` builds; None if nobody wants it any more."""
        # Only a model that has been started says for sure what it can do, and so what it should be asked.
        if job.is_probe and not await self._attempted(job, route, _try_start(route.model)):
            return None
        request = None if self._stopped else await job.source.built(route.model, make)
        if request is None or self._stopped or job.is_preempted:
            return None
        waited, limit = self.now() - job.asked, request.timeout_seconds + self._grace_seconds
        work = _within(limit, route.model, lambda: route.model.complete(request, on_text))
        completion = await self._attempted(job, route, work)
        if completion is None or completion.finish == "cancelled":
            return completion
        route.endpoint.answer(completion, self.now())
        return replace(completion, timing=replace(completion.timing, queue=waited))

    async def _turn(self, job: Job) -> Route | None:
        """Return the route on which the job may run; None if it is withdrawn."""
        try:
            async with asyncio.timeout(self._longest_wait_seconds):
                while (home := self._affinities.get(job.key)) and not job.turn.done():
                    await asyncio.wait([job.turn], timeout=home.patience_seconds)
                    if home.is_stuck(self.now()):
                        self._start_next()  # others that wait for it go elsewhere
                return await asyncio.shield(job.turn)
        except TimeoutError as error:
            waited = f"A request of {job.owner} waited {self._longest_wait_seconds:g} s for {job.source.name}."
            raise WaitedTooLong(
                waited, remedy="Use more or faster endpoints, or let agents think less often."
            ) from error

    async def _attempted(self, job: Job, route: Route, work: Coroutine[Any, Any, T]) -> T | None:
        """Return the result of work on an endpoint; None if it was withdrawn. Raises: ModelError."""
        # A task of its own, so that `stop` can end the work without ending the caller's task.
        job.work = task = asyncio.create_task(work)
        try:
            return await task
        except asyncio.CancelledError:
            if _current_task_is_cancelled():
                raise
            return None
        except ModelError as error:
            route.endpoint.fail(error, self.now())
            raise
        finally:
            job.work = None

    def _goes_elsewhere(self, job: Job, route: Route, error: ModelError) -> bool:
        """Put a job that an endpoint has failed back into the queue, if another endpoint may take it."""
        if error.about_request:
            return False
        job.tried.add(route.endpoint)
        job.last_error = error
        if is_unroutable(job, self.now()):
            return False
        self._wait_again(job)
        return True

    def _wait_again(self, job: Job) -> None:
        """Put a job that has run back into the queue."""
        self._release(job)
        job.is_preempted = False
        job.turn = asyncio.get_running_loop().create_future()
        self._jobs.jobs.append(job)
        self._start_next()

    def _close_retired(self) -> None:
        used = [job.route.model for job in self._running if job.route]
        for model in [model for model in self._retired if model not in used]:
            self._retired.remove(model)
            closing = asyncio.create_task(model.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)


async def _try_start(model: LanguageModel) -> bool:
    await _within(CHECK_SECONDS, model, model.start)
    return True


async def _within(seconds: float, model: LanguageModel, begin: Callable[[], Coroutine[Any, Any, T]]) -> T:
    # The work is begun in here: a task that is cancelled before its first step would leave it behind, never awaited.
    try:
        async with asyncio.timeout(seconds):
            return await begin()
    except TimeoutError as error:
        raise ModelError(f"{model.name} did not answer within {seconds:g} s.") from error


def _nothing(name: str) -> Completion:
    return Completion("", name, 0, 0, 0, 0.0, "cancelled")


def _current_task_is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
