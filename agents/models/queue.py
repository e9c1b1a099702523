"""The model queue: agents send requests through it to one model, or to several that replace each other.

Requests wait in `agents.models.pool`, in the order of `agents.models.scheduler`.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace

from agents.models.endpoint import (
    CircuitBreaker,
    ConcurrencyLimit,
    Endpoint,
    EndpointStatus,
    RequestStats,
    RequestStatsSnapshot,
    Route,
)
from agents.models.model import (
    Capabilities,
    Completion,
    LanguageModel,
    ModelError,
    ModelTraits,
    NotCountedYet,
    OnText,
    ReadAheadModel,
    Request,
    SlowTokenizer,
)
from agents.models.pool import ModelPool, Stage
from agents.models.scheduler import (
    BuildRequest,
    Priority,
)
from agents.models.thoughts import shows_thoughts, without_thoughts

log = logging.getLogger(__name__)

COUNT_BUDGET_CHARACTERS = 900
LINE_COST_CHARACTERS = 200
"""The budget, in characters, for counting new text while a request is built, and the fixed cost of each new line: a few
milliseconds together. Beyond it, text is counted ahead, and the request is built again."""

LEAST_UNREAD_CHARACTERS = 400
"""A prompt of which less is new is not read ahead: that takes no long time anyway."""

SLOW_SECONDS = 20.0
"""Slower answers, the wait included, are logged."""

THOUGHT_SHARE = 4
"""Thoughts may take up to 1 / THOUGHT_SHARE of the context window."""


class RoutedModel:
    """The model that a request is being built for; between requests, the model of the first healthy route."""

    def __init__(self, routes: Sequence[Route], now: Callable[[], float]) -> None:
        self.routes = tuple(routes)
        self._now = now
        self._meant: LanguageModel | None = None
        self._budget_characters: float = 0

    @property
    def name(self) -> str:
        return self._voice.name

    @property
    def capabilities(self) -> Capabilities:
        return self._voice.capabilities

    @property
    def context_tokens(self) -> int:
        return self._voice.context_tokens

    def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has. Raises: NotCountedYet, if that would hold up a request."""
        voice = self._voice
        if self._meant and isinstance(voice, SlowTokenizer):
            self._budget_characters -= sum(LINE_COST_CHARACTERS + len(line) for line in voice.uncounted(text))
            if self._budget_characters < 0:
                raise NotCountedYet(text)
        return voice.count_tokens(text)

    @property
    def keeps_prompts(self) -> bool:
        """True if one of the models keeps what it has read."""
        return any(isinstance(route.model, ReadAheadModel) for route in self.routes)

    def unread(self, request: Request) -> int:
        """Return how many characters of a request the model would have to read; none if it keeps no prompts."""
        voice = self._voice
        return voice.unread(request) if isinstance(voice, ReadAheadModel) else 0

    @contextmanager
    def using(self, model: LanguageModel, budget_characters: float = COUNT_BUDGET_CHARACTERS) -> Iterator[None]:
        """Be one of the models within `with`; new text is counted up to the budget."""
        before, self._meant, self._budget_characters = self._meant, model, budget_characters
        try:
            yield
        finally:
            self._meant = before

    @property
    def _voice(self) -> ModelTraits:
        if self._meant:
            return self._meant
        now = self._now()
        well = [route for route in self.routes if route.endpoint.breaker.state(now) != "open"]
        return min(well or self.routes, key=lambda route: route.tier).model


OVERRIDABLE = ("temperature", "top_p", "repeat_penalty", "seed", "max_tokens", "timeout_seconds")


@dataclass(frozen=True)
class SamplingOverrides:
    """Options of a profile that replace a request's own; None leaves it. Prices are per million tokens.

    `prompt_tokens` is the longest prompt of an agent; 0 leaves it to the model. `speaks` is whether the model finds
    words for agents; None leaves it to its size.
    """

    temperature: float | None = None
    top_p: float | None = None
    repeat_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    max_tokens: int | None = None
    timeout_seconds: float | None = None
    price_in: float = 0.0
    price_out: float = 0.0
    prompt_tokens: int = 0
    speaks: bool | None = None

    def applied(self, request: Request) -> Request:
        """Return a request with these options; its own stops stay."""
        given = {name: value for name in OVERRIDABLE if (value := getattr(self, name)) is not None}
        return replace(request, stop=tuple(dict.fromkeys([*request.stop, *self.stop])), **given)

    def price(self, completion: Completion) -> float:
        """Return the cost of a completion by the prices of the profile."""
        return (completion.prompt_tokens * self.price_in + completion.completion_tokens * self.price_out) / 1e6


class ModelQueue:
    """Has the requests of agents completed, each in its turn; see `ModelPool` for whose turn that is.

    Made of a model, it has that model to itself and lets at most `concurrency` jobs use it at a time. Made by
    `Profiles`, it shares the endpoints of a pool with other queues, and `overrides` are the sampling options of its
    profile. `reads_ahead` is false where a clock jumps from thought to thought and leaves no idle time. `spent` is the
    cost of its answers since the start, by the prices of the profile. `thinks` is true if one of them had a reasoning
    model's thoughts in it.
    """

    def __init__(
        self,
        model: LanguageModel | Sequence[Route],
        *,
        concurrency: int = 1,
        now: Callable[[], float] = time.monotonic,
        pool: ModelPool | None = None,
        name: str = "",
        overrides: SamplingOverrides | None = None,
        reads_ahead: bool = True,
    ) -> None:
        """Put a queue before the model; without a `pool` it has its own, whose `now` returns seconds."""
        if isinstance(model, Sequence):
            routes = tuple(model)
        else:
            # With one model there is nothing better to do than to ask it again and again.
            breaker = CircuitBreaker(random.Random(0), failures_to_open=float("inf"))
            routes = (Route(Endpoint(model.name, ConcurrencyLimit(concurrency), breaker), model),)
        self._pool = pool or ModelPool(now=now)
        self._given_name = name
        self.overrides = overrides or SamplingOverrides()
        self.spent = 0.0
        self.thinks = False
        self._reads_ahead = reads_ahead
        self.model = RoutedModel(routes, self._pool.now)
        self._record = RequestStats(self.name)
        self._latest: dict[str, Completion] = {}

    @property
    def name(self) -> str:
        """The name of the queue: its profile, or its model."""
        return self._given_name or self.model.name

    @property
    def routes(self) -> Sequence[Route]:
        """The routes that its jobs may take."""
        return self.model.routes

    def adopt(self, routes: Sequence[Route], overrides: SamplingOverrides) -> None:
        """Use other models and options from the next request on."""
        self.model.routes = tuple(routes)
        self.overrides = overrides

    @property
    def speaks(self) -> bool:
        """True if its model finds words for agents; else they say lines that their author wrote."""
        return self.model.capabilities.speaks if self.overrides.speaks is None else self.overrides.speaks

    async def built(self, model: LanguageModel, make: BuildRequest) -> Request | None:
        """Return the request that `make` builds for one of its models, with the options of the profile.

        `make` is called again if it had to count much new text, which is then counted off the event loop. Requests of
        the whole pool are built one at a time with turns of the loop between, so that no tick is long.
        """
        budget_characters: float = COUNT_BUDGET_CHARACTERS
        while True:
            try:
                async with self._pool.building:
                    with self.model.using(model, budget_characters):
                        request = make()
            except NotCountedYet as missing:
                assert isinstance(model, SlowTokenizer)
                await model.count_ahead(missing.text)
                if model.uncounted(missing.text):  # it cannot be counted, and will be estimated
                    budget_characters = math.inf
            else:
                return self.overrides.applied(request) if request else None

    async def ask(
        self, owner: str, priority: Priority, make: BuildRequest, on_text: OnText | None = None
    ) -> Completion:
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
            self.spent += self.overrides.price(completion)
            self.thinks = self.thinks or shows_thoughts(completion.text)
        return completion

    async def read_ahead(self, owner: str, make: BuildRequest) -> None:
        """Have the prompt of a request read when nothing else waits, so that one that begins alike is answered sooner.

        `make` returning None withdraws it. Nothing is done if the model keeps no prompts, or has read most of it. A
        failure is left to the next question. Raises: whatever `make` raises.
        """

        if not self._reads_ahead or not self.model.keeps_prompts:
            return

        def worth_reading() -> Request | None:
            request = None if self._pool.is_busy() else make()
            return request if request and self.model.unread(request) >= LEAST_UNREAD_CHARACTERS else None

        with suppress(ModelError):
            job = self._pool.enter(self, owner, Priority.OTHER)
            completion = await self._pool.complete(job, worth_reading, lambda text: True)
            self._record.read_ahead += completion.finish != "cancelled"

    def latest(self, owner: str) -> Completion | None:
        """Return the last answer to an owner, with what it cost; None before the first."""
        return self._latest.get(owner)

    @property
    def is_awaited(self) -> bool:
        """True if somebody waits for an answer from one of the models that it shares."""
        return self._pool.is_awaited()

    def hurry(self, owner: str, priority: Priority) -> None:
        """Let the thought of an owner have this priority at least; see `ModelPool.hurry`."""
        self._pool.hurry(owner, priority)

    def stage(self, owner: str) -> Stage | None:
        """Return whether a thought of the owner waits or runs; None if it has none under way."""
        return self.stages().get(owner)

    def stages(self) -> dict[str, Stage]:
        """Return of every owner with a thought under way whether that waits or runs."""
        return self._pool.stages()

    def withdraw(self, owner: str) -> None:
        """End the thought of an owner as cancelled, so that no server goes on with it."""
        self._pool.withdraw(owner)

    def status(self) -> RequestStatsSnapshot:
        """Return the state of the queue and of its models, as of this moment."""
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


async def complete_text(queue: ModelQueue, owner: str, priority: Priority, make: BuildRequest) -> Completion:
    """Have the request completed that `make` builds, and return what was written; see `ModelQueue.ask`.

    Raises: as `ModelQueue.ask` does.
    """
    asked: list[Request] = []

    def with_room() -> Request | None:
        request = make()
        if request is not None:
            asked[:] = [request]
        return with_room_for_thoughts(request, queue) if request and queue.thinks else request

    completion = await queue.ask(owner, priority, with_room)
    text = without_thoughts(completion.text)
    if text == completion.text:
        return completion
    for stop in asked[0].stop:
        text = text.lstrip("\n").partition(stop)[0]
    return replace(completion, text=text)


def with_room_for_thoughts(request: Request, queue: ModelQueue) -> Request:
    """Return a request with room for thoughts, which do not end at an empty line as the text after them does."""
    model = queue.model
    free = model.context_tokens - model.count_tokens(request.text) - request.max_tokens
    thoughts = max(0, min(free, model.context_tokens // THOUGHT_SHARE))
    stop = tuple(one for one in request.stop if one.strip())
    return replace(request, max_tokens=request.max_tokens + thoughts, stop=stop)
