"""A fleet of simulated endpoints before which the real pool is put, in a time of its own.

Time leaps from event to event, so that a machine that is busy changes nothing. An endpoint has so many slots, a time to
read what of a prompt is not in its cache, a time to write, some chance, and faults. It keeps the prompts of the agents
that it has answered last, of half of all. Each agent has a prompt of 1,400 tokens, to which a turn adds 35.
"""

from __future__ import annotations

import asyncio
import random
import selectors
import statistics
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from agents.models.endpoint import CircuitBreaker, ConcurrencyLimit, Endpoint, Route
from agents.models.model import Capabilities, Completion, ModelError, OnText, Request
from agents.models.pool import ModelPool
from agents.models.queue import ModelQueue
from agents.models.scheduler import Priority

PROMPT_TOKENS = 1400
TOKENS_A_TURN = 35
PAUSE_SECONDS = 0.5
FAULTS = 0.02
WARM_UP = 0.2
HOSTS = ((4, 0.5, 4000.0), (4, 0.5, 4000.0), (2, 1.0, 2000.0), (2, 1.5, 2000.0))
"""Slots, seconds to write an answer, and prompt tokens read a second, of each endpoint."""


class Leaping(selectors.DefaultSelector):
    """A selector that waits for nothing: it lets the time go on instead."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += max(0.0, timeout or 0.0)
        return super().select(0)


@dataclass
class Host:
    """A simulated endpoint; a `LanguageModel`. `busy` is how long its slots have worked since `counted_from`."""

    name: str
    slots: int
    write_seconds: float
    read_rate: float
    kept_prompts: int
    rng: random.Random
    now: Callable[[], float]
    faults: float = 0.0
    counted_from: float = 0.0
    capabilities: Capabilities = field(default_factory=Capabilities)
    context_tokens: int = 8192
    is_dead: bool = False
    busy: float = 0.0
    turns: int = 0
    read_tokens: int = 0
    _cache: OrderedDict[str, int] = field(default_factory=OrderedDict)
    _free: asyncio.Semaphore | None = None
    _under_way: set[asyncio.Task[Any]] = field(default_factory=set)

    async def start(self) -> None:
        self._refuse()

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        self._refuse()
        self._free = self._free or asyncio.Semaphore(self.slots)
        working = asyncio.create_task(self._worked(self._free, request.prompt, int(request.seed or 0)))
        self._under_way.add(working)
        try:
            return await working
        except asyncio.CancelledError:
            if self.is_dead:
                raise ModelError(f"{self.name} broke off.") from None
            raise
        finally:
            self._under_way.discard(working)
            working.cancel()

    def die(self) -> None:
        """Break off every answer and give none any more."""
        self.is_dead = True
        self._cache.clear()
        for working in self._under_way:
            working.cancel()

    def count_tokens(self, text: str) -> int:
        return len(text)

    async def close(self) -> None:
        """Let go of nothing."""

    def _refuse(self) -> None:
        if self.is_dead:
            raise ModelError(f"{self.name} does not answer.")

    async def _worked(self, free: asyncio.Semaphore, agent: str, tokens: int) -> Completion:
        began = self.now()
        async with free:
            fails = self.rng.random() < self.faults
            known = self._cache.pop(agent, 0)
            seconds = (tokens - known) / self.read_rate + self.write_seconds * self.rng.uniform(0.8, 1.2)
            since = self.now()
            await asyncio.sleep(seconds / 2 if fails else seconds)
            self.busy += max(0.0, self.now() - max(since, self.counted_from))
            if fails:
                raise ModelError(f"{self.name} failed by chance.")
            self._cache[agent] = tokens
            if len(self._cache) > self.kept_prompts:
                self._cache.popitem(last=False)
        if since >= self.counted_from:
            self.turns += 1
            self.read_tokens += tokens - known
        return Completion("look", self.name, tokens, known, 20, self.now() - began, "stop")


@dataclass
class Outcome:
    """What came of a run: `busy` is a share, `waits` are by agent and in seconds, counts are of jobs."""

    busy: float
    turns: int
    read_tokens: float
    waits: list[list[float]]
    asked: int
    answered: int
    failed: int

    @property
    def mean_over_median(self) -> float:
        """The longest mean wait of an agent, as a multiple of the median wait."""
        return max(statistics.mean(one) for one in self.waits if one) / self._median

    @property
    def longest_over_median(self) -> float:
        """The longest single wait, as a multiple of the median wait."""
        return max(wait for one in self.waits for wait in one) / self._median

    @property
    def _median(self) -> float:
        return statistics.median(wait for one in self.waits for wait in one)


@dataclass(frozen=True)
class Case:
    """A run: how many agents for how long, each endpoint so many times, and what is done to it."""

    agents: int
    seconds: float
    times: int = 1
    is_measured: bool = False
    is_killed: bool = False
    faults: float = 0.0


def outcome(case: Case) -> Outcome:
    """Run a case to its end, in a time that leaps."""
    selector = Leaping()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = lambda: selector.now  # type: ignore[method-assign]  # asyncio has no other way to give it a clock
    try:
        return loop.run_until_complete(_outcome(case, loop.time))
    finally:
        loop.close()


async def _outcome(case: Case, now: Callable[[], float]) -> Outcome:
    rng, kept = random.Random(1), case.agents // 2
    hosts = [
        Host(f"host {number}", *figures, kept, random.Random(number), now, case.faults, case.seconds * WARM_UP)
        for number, figures in enumerate(HOSTS * case.times, 1)
    ]
    pool = ModelPool(now=now)
    routes = [
        Route(Endpoint(host.name, ConcurrencyLimit(0 if case.is_measured else host.slots), CircuitBreaker(rng)), host)
        for host in hosts
    ]
    queue = ModelQueue(routes, pool=pool, name="thinker")
    waits: list[list[float]] = [[] for _ in range(case.agents)]
    counts = [0, 0, 0]
    lives = [
        asyncio.create_task(_life(queue, number, waits[number], counts, now, case, random.Random(number)))
        for number in range(case.agents)
    ]
    if case.is_killed:
        await asyncio.sleep(case.seconds * 0.4)
        hosts[0].die()
        await asyncio.sleep(case.seconds * 0.2)
        hosts[0].is_dead = False
    await asyncio.sleep(case.seconds - now())
    counted = case.seconds * (1 - WARM_UP)
    busy = sum(host.busy for host in hosts) / (counted * sum(host.slots for host in hosts))
    turns = sum(host.turns for host in hosts)
    read = sum(host.read_tokens for host in hosts) / max(1, turns)
    await asyncio.gather(*lives)  # whatever was asked comes to its end
    asked, answered, failed = counts
    return Outcome(busy, turns, read, waits, asked, answered, failed)


async def _life(
    queue: ModelQueue,
    number: int,
    waits: list[float],
    counts: list[int],
    now: Callable[[], float],
    case: Case,
    rng: random.Random,
) -> None:
    """Let an agent think again and again until the time is over."""
    name, tokens = f"agent {number}", PROMPT_TOKENS
    await asyncio.sleep(rng.uniform(0, PAUSE_SECONDS))
    while now() < case.seconds:
        asked = now()
        begun: list[float] = []

        def make(begun: list[float] = begun, tokens: int = tokens) -> Request:
            begun.append(now())
            return Request(name, seed=tokens, timeout_seconds=120.0)

        counts[0] += 1
        try:
            await queue.ask(name, Priority.THOUGHT, make)
            counts[1] += 1
            if asked > case.seconds * WARM_UP and now() < case.seconds:
                waits.append(begun[0] - asked)
        except ModelError:
            counts[2] += 1
        tokens += TOKENS_A_TURN
        await asyncio.sleep(PAUSE_SECONDS * rng.uniform(0.5, 1.5))
