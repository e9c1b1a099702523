"""The queue before a model: fair, bounded, and never silent about how a job ended."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

from agents.models.model import Completion, LanguageModel, ModelError, OnText, Request
from agents.models.queue_record import QueueRecord, QueueStatus

# After so long a wait a job counts as one priority higher, and goes on rising: nothing starves.
AGEING_SECONDS = 30.0
# A model that forgets its own timeout is cut off this much later, so that it cannot hold the queue.
GRACE_SECONDS = 2.0


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


@dataclass(eq=False)
class _Job:
    owner: str
    priority: Priority
    number: int
    asked: float
    turn: asyncio.Future[bool] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    work: asyncio.Task[Completion] | None = None


class ModelQueue:
    """Lets at most `concurrency` jobs use the model at a time.

    The next job is the one of the highest priority, counting what it gained by waiting; among these the
    owner served longest ago goes first, then the job asked first. Every job ends in exactly one of
    answered, failed and cancelled, and its owner hears which.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        concurrency: int = 1,
        max_waiting: int = 256,
        now: Callable[[], float] = time.monotonic,
        ageing_seconds: float = AGEING_SECONDS,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        """Put a queue before the model; `now` returns seconds from any fixed moment."""
        self.model = model
        self._concurrency = concurrency
        self._max_waiting = max_waiting
        self._now = now
        self._ageing_seconds = ageing_seconds
        self._grace_seconds = grace_seconds
        self._numbers = itertools.count()
        self._waiting: list[_Job] = []
        self._running: list[_Job] = []
        self._served: dict[str, int] = {}
        self._record = QueueRecord(model.name)
        self._stopped = False

    async def ask(
        self,
        owner: str,
        priority: Priority,
        make: Callable[[], Request | None],
        on_text: OnText | None = None,
    ) -> Completion:
        """Wait for the model and have it complete the request that `make` builds when the turn has come.

        `make` returning None withdraws the job, and so does `stop`: the completion is then empty and its
        `finish` is "cancelled". Cancelling the caller's task withdraws it as well, at any moment.

        Raises: AlreadyWaiting for a second thought of the owner, QueueFull, QueueStopped (in these cases
            there was no job); ModelError if the model fails; whatever `make` or `on_text` raise.
        """
        job = self._enter(owner, priority)
        try:
            completion = await self._completed(job, make, on_text)
        except asyncio.CancelledError:
            self._record.cancelled += 1
            raise
        except Exception as error:
            self._record.fail(error, self._now())
            raise
        finally:
            self._leave(job)
        if completion.finish == "cancelled":
            self._record.cancelled += 1
        else:
            self._record.answer(completion)
        return completion

    def status(self) -> QueueStatus:
        """Return what the queue is doing and how the model has been, as of this moment."""
        return self._record.status(len(self._waiting), len(self._running), self._now())

    async def stop(self) -> None:
        """Withdraw every job, waiting or running, and take no more. Returns when the model has let go, or soon."""
        self._stopped = True
        for job in self._waiting:
            _give_turn(job, False)
        works = [job.work for job in self._running if job.work is not None]
        for work in works:
            work.cancel()
        if works:
            await asyncio.wait(works, timeout=self._grace_seconds)

    async def close(self) -> None:
        """Stop, and let the model go."""
        await self.stop()
        await self.model.close()

    def _enter(self, owner: str, priority: Priority) -> _Job:
        if self._stopped:
            raise QueueStopped("The model queue has been stopped.", retryable=False)
        if priority is Priority.THOUGHT and self._thinks(owner):
            raise AlreadyWaiting(f"{owner} already has a thought under way; wait for its answer.")
        if len(self._waiting) >= self._max_waiting:
            message = f"{len(self._waiting)} jobs already wait for {self.model.name}, the most allowed."
            raise QueueFull(message, remedy="Use a faster model, or let agents think less often.")
        job = _Job(owner, priority, next(self._numbers), self._now())
        self._waiting.append(job)
        self._start_next()
        return job

    def _thinks(self, owner: str) -> bool:
        jobs = itertools.chain(self._waiting, self._running)
        return any(job.owner == owner and job.priority is Priority.THOUGHT for job in jobs)

    def _leave(self, job: _Job) -> None:
        for jobs in (self._waiting, self._running):
            if job in jobs:
                jobs.remove(job)
        self._start_next()

    def _start_next(self) -> None:
        while self._waiting and len(self._running) < self._concurrency and not self._stopped:
            job = min(self._waiting, key=self._place)
            self._waiting.remove(job)
            self._running.append(job)
            self._note_served(job.owner)
            _give_turn(job, True)

    def _place(self, job: _Job) -> tuple[int, int, int]:
        gained = int((self._now() - job.asked) // self._ageing_seconds)
        return job.priority - gained, self._served.get(job.owner, -1), job.number

    def _note_served(self, owner: str) -> None:
        self._served.pop(owner, None)
        self._served[owner] = next(self._numbers)
        if len(self._served) > 4 * self._max_waiting:
            del self._served[next(iter(self._served))]  # forget who was served longest ago

    async def _completed(self, job: _Job, make: Callable[[], Request | None], on_text: OnText | None) -> Completion:
        if not await job.turn:
            return self._nothing()
        request = None if self._stopped else make()
        if request is None:
            return self._nothing()
        # A task of its own, so that `stop` can end the work without ending the task of whoever asked.
        job.work = asyncio.create_task(self._worked(request, on_text))
        try:
            return await job.work
        except asyncio.CancelledError:
            if _current_task_is_cancelled():
                raise
            return self._nothing()

    async def _worked(self, request: Request, on_text: OnText | None) -> Completion:
        limit = request.timeout_seconds + self._grace_seconds
        try:
            async with asyncio.timeout(limit):
                return await self.model.complete(request, on_text)
        except TimeoutError as error:
            raise ModelError(f"{self.model.name} did not answer within {limit:g} s.") from error

    def _nothing(self) -> Completion:
        return Completion("", self.model.name, 0, 0, 0, 0.0, "cancelled")


def _give_turn(job: _Job, granted: bool) -> None:
    if not job.turn.done():
        job.turn.set_result(granted)


def _current_task_is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
