"""Endpoints for tests: models that answer when they are told to, and a pool before them."""

from __future__ import annotations

import asyncio
import random
from dataclasses import fields
from typing import Any, TypeVar

from agents.models.endpoint import CircuitBreaker, ConcurrencyLimit, Endpoint, Route
from agents.models.model import Capabilities, Completion, ModelError, ModelOptions, OnText, Request
from agents.models.pool import ModelPool
from agents.models.queue import ModelQueue
from agents.models.scheduler import Priority

T = TypeVar("T")


async def settle() -> None:
    """Let everything happen that can happen without time."""
    for _ in range(12):
        await asyncio.sleep(0)


class Place:
    """A model that answers a request when told to. `dead` is what it says at once instead, if anything."""

    capabilities = Capabilities()
    cached_tokens: int | None = 0
    context_tokens = 8192

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[str] = []
        self.under_way: list[asyncio.Future[str]] = []
        self.most = 0
        self.cancelled = 0
        self.started = 0
        self.closed = 0
        self.dead: ModelError | None = None

    async def start(self) -> None:
        self.started += 1
        if self.dead:
            raise self.dead

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        self.asked.append(request.prompt)
        if self.dead:
            raise self.dead
        answer = asyncio.get_running_loop().create_future()
        self.under_way.append(answer)
        self.most = max(self.most, len(self.under_way))
        try:
            text = await answer
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.under_way.remove(answer)
        return Completion(text, self.name, 10, self.cached_tokens, 2, 1.0, "stop")

    @property
    def is_asked(self) -> bool:
        """True if a request waits for its answer."""
        return any(not one.done() for one in self.under_way)

    def answer(self) -> None:
        """Answer the oldest request."""
        self._oldest().set_result("look")

    def fail(self, error: ModelError) -> None:
        """Fail the oldest request."""
        self._oldest().set_exception(error)

    def die(self) -> None:
        """Fail all there is, and all that comes."""
        self.dead = ModelError(f"{self.name} does not answer.", remedy="Start it.")
        for answer in [one for one in self.under_way if not one.done()]:
            answer.set_exception(self.dead)

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    async def close(self) -> None:
        self.closed += 1

    def _oldest(self) -> asyncio.Future[str]:
        return next(one for one in self.under_way if not one.done())


class Places:
    """A pool before places of these names, each with so many requests at a time; those after `tiers` stand in."""

    def __init__(
        self,
        *names: str,
        limit: int = 1,
        tiers: int = 99,
        untried: bool = False,
        kind: type[Place] = Place,
        **arguments: object,
    ) -> None:
        self.clock = 0.0
        self.limit = limit
        self.places = [kind(name) for name in names]
        self.pool = ModelPool(now=lambda: self.clock, **arguments)  # type: ignore[arg-type]
        self.routes = [
            Route(
                Endpoint(place.name, ConcurrencyLimit(limit), CircuitBreaker(random.Random(1), untried=untried)),
                place,
                int(index >= tiers),
            )
            for index, place in enumerate(self.places)
        ]
        self.queue = ModelQueue(self.routes, pool=self.pool, name="thinker")

    def ask(self, owner: str, priority: Priority = Priority.THOUGHT) -> asyncio.Task[Completion]:
        """Ask on behalf of an owner, whose name is the prompt."""
        return asyncio.create_task(self.queue.ask(owner, priority, lambda: Request(owner)))

    async def asked(self, *owners: str, priority: Priority = Priority.THOUGHT) -> list[asyncio.Task[Completion]]:
        """Ask for each, one after the other."""
        tasks = []
        for owner in owners:
            tasks.append(self.ask(owner, priority))
            await settle()
        return tasks

    @property
    def ended(self) -> tuple[int, int, int]:
        """The numbers of jobs that were answered, failed and cancelled."""
        status = self.queue.status()
        return status.answered, status.failed, status.cancelled

    async def end(self, *tasks: asyncio.Task[T]) -> list[T]:
        """Answer whatever is asked, at each place one after the other, until these tasks are done."""
        await settle()
        while not all(task.done() for task in tasks):
            for place in self.places:
                if place.is_asked:
                    place.answer()
            await settle()
        return list(await asyncio.gather(*tasks))


def options_in(arguments: dict[str, Any]) -> ModelOptions:
    """Take the options of a model out of some arguments."""
    names = {one.name for one in fields(ModelOptions)}
    return ModelOptions(**{name: arguments.pop(name) for name in names & arguments.keys()})
