"""The queue before a model, or before several that stand in for each other: what agents ask."""

from __future__ import annotations

import asyncio
import logging
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from agents.models.breaker import Breaker
from agents.models.concurrency import Concurrency
from agents.models.endpoint import Endpoint, EndpointStatus, Route
from agents.models.jobs import AlreadyWaiting as AlreadyWaiting
from agents.models.jobs import Make
from agents.models.jobs import NoEndpoint as NoEndpoint
from agents.models.jobs import Priority as Priority
from agents.models.jobs import QueueError as QueueError
from agents.models.jobs import QueueFull as QueueFull
from agents.models.jobs import QueueStopped as QueueStopped
from agents.models.jobs import TooOld as TooOld
from agents.models.model import Completion, CountsSlowly, LanguageModel, OnText, Request, Uncounted
from agents.models.pool import AGEING_SECONDS, GRACE_SECONDS, ModelPool, Stage
from agents.models.queue_record import QueueRecord, QueueStatus
from agents.models.voices import MOST_AT_ONCE, Asked, Voices
from agents.replies.reply_text import shows_thoughts

log = logging.getLogger(__name__)

SLOW_SECONDS = 20.0
"""An answer that took longer, with the wait for it, is worth a line in the log."""


class ModelQueue:
    """Has the requests of agents completed, each in its turn; see `ModelPool` for whose turn that is.

    Made of a model, it has that model to itself and lets at most `concurrency` jobs use it at a time. Made by
    `Profiles`, it shares the endpoints of a pool with other queues, and `asked` is what its profile wants otherwise
    than agents do. `spent` is what its answers have cost since the start, by the prices of the profile. `thinks` is
    whether one of them had a reasoning model's thoughts in it.
    """

    def __init__(
        self,
        model: LanguageModel | Sequence[Route],
        *,
        concurrency: int = 1,
        max_waiting: int = 256,
        now: Callable[[], float] = time.monotonic,
        ageing_seconds: float = AGEING_SECONDS,
        grace_seconds: float = GRACE_SECONDS,
        pool: ModelPool | None = None,
        name: str = "",
        asked: Asked | None = None,
    ) -> None:
        """Put a queue before the model; `now` returns seconds from any fixed moment."""
        if isinstance(model, Sequence):
            routes = tuple(model)
        else:
            # Whoever has one model only asks it again and again: there is nothing better to do.
            breaker = Breaker(random.Random(0), failures_to_open=float("inf"))
            routes = (Route(Endpoint(model.name, Concurrency(concurrency), breaker), model),)
        self._pool = pool or ModelPool(
            max_waiting=max_waiting, now=now, ageing_seconds=ageing_seconds, grace_seconds=grace_seconds
        )
        self._given_name = name
        self.asked = asked or Asked()
        self.spent = 0.0
        self.thinks = False
        self.model = Voices(routes, self._pool.now)
        self._record = QueueRecord(self.name)
        self._latest: dict[str, Completion] = {}

    @property
    def name(self) -> str:
        """What the queue is called: its profile, or its model."""
        return self._given_name or self.model.name

    @property
    def routes(self) -> Sequence[Route]:
        """Where its jobs may go."""
        return self.model.routes

    def adopt(self, routes: Sequence[Route], asked: Asked) -> None:
        """Go on with other models and options; what runs goes on with those that it has."""
        self.model.routes = tuple(routes)
        self.asked = asked

    async def built(self, model: LanguageModel, make: Make) -> Request | None:
        """Return the request that `make` builds for one of its models, with the options of the profile.

        `make` is called again after what it had to count was counted without holding anybody up. Requests of the whole
        pool are built one by one and spaced, so that answers that come together do not stop the world several times
        as long.
        """
        may_count: float = MOST_AT_ONCE
        while True:
            try:
                async with self._pool.building:
                    with self.model.standing_for(model, may_count):
                        request = make()
            except Uncounted as missing:
                assert isinstance(model, CountsSlowly)
                await model.count_ahead(missing.text)
                if model.uncounted(missing.text):  # it cannot be counted, and will be estimated
                    may_count = math.inf
            else:
                return self.asked.applied(request) if request else None

    async def ask(self, owner: str, priority: Priority, make: Make, on_text: OnText | None = None) -> Completion:
        """Wait for the model and have it complete the request that `make` builds when the turn has come.

        `make` returning None withdraws the job, and so does `stop`: the completion is then empty and its
        `finish` is "cancelled". Cancelling the caller's task withdraws it as well, at any moment. When an endpoint
        fails, `make` is called again for the next one; so it is when it counts tokens of texts that are new to a slow
        counter, so it should count before it changes anything.

        Raises: AlreadyWaiting for a second thought of the owner, QueueFull, QueueStopped (in these cases
            there was no job); ModelError if the model fails; whatever `make` or `on_text` raise.
        """
        job = self._pool.enter(self, owner, priority)
        try:
            completion = await self._pool.complete(job, make, on_text)
        except asyncio.CancelledError:
            self._record.cancelled += 1
            raise
        except Exception as error:
            self._record.fail(error, self._pool.now())
            raise
        if completion.finish == "cancelled":
            self._record.cancelled += 1
        else:
            self._record.answer(completion)
            self._latest[owner] = completion
            _log_if_slow(owner, completion)
            self.spent += self.asked.price(completion)
            self.thinks = self.thinks or shows_thoughts(completion.text)
        return completion

    def latest(self, owner: str) -> Completion | None:
        """Return the last answer to an owner, with what it cost; None before the first."""
        return self._latest.get(owner)

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for an answer from one of the models that it shares."""
        return self._pool.is_awaited()

    def hurry(self, owner: str) -> None:
        """Let a thought of the owner that still waits be an answer: its request is made only when its turn comes."""
        self._pool.hurry(owner)

    def stage(self, owner: str) -> Stage | None:
        """Return whether a thought of the owner waits or runs; None if it has none under way."""
        return self._pool.stage(owner)

    def withdraw(self, owner: str) -> None:
        """End the thought of an owner as cancelled, so that no server goes on with it."""
        self._pool.withdraw(owner)

    def status(self) -> QueueStatus:
        """Return what the queue is doing and how its models have been, as of this moment."""
        status = self._record.status(*self._pool.counts(self), self._pool.now())
        return replace(status, model=self.model.name)

    def endpoints(self) -> tuple[EndpointStatus, ...]:
        """Return how its endpoints are, as of this moment, those first that are asked first."""
        return self._pool.status({route.endpoint: None for route in self.routes})

    async def stop(self) -> None:
        """Withdraw every job, waiting or running, and take no more. Returns when the model has let go, or soon."""
        await self._pool.stop()

    async def close(self) -> None:
        """Stop, and let the models go."""
        await self.stop()
        for route in self.routes:
            await route.model.close()


def _log_if_slow(owner: str, completion: Completion) -> None:
    timing = completion.timing
    seconds = completion.seconds + (timing.queue or 0.0)
    if seconds >= SLOW_SECONDS:
        told = [f"{name} {value:.1f}" for name, value in asdict(timing).items() if value is not None]
        log.info(
            "An answer to %s took %.1f s (%s); %d tokens were read and %d written.",
            owner,
            seconds,
            ", ".join(told) or "where is unknown",
            completion.prompt_tokens,
            completion.completion_tokens,
        )
