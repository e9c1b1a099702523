"""The models of a simulation: real or replayed, with their usage counted."""

from __future__ import annotations

import asyncio
import random
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from agents.models.endpoint import CircuitBreaker, ConcurrencyLimit, Endpoint, Route
from agents.models.model import LanguageModel, ModelError, Provenance, Request, TraceableModel
from agents.models.model_selection import IN_PROCESS
from agents.models.pool import ModelPool
from agents.models.profiles import Profiles
from agents.models.queue import ModelQueue, SamplingOverrides
from agents.population import Population
from agents.simulation.recording import Recording, ReplayedModels, SimulationError, TurnCursor, Usage, WatchedModel
from agents.simulation.shared_slots import MAX_WAIT_SECONDS, SharedSlots
from agents.simulation.simulation import Simulation, Span, VirtualClock
from config.profiles import THINKER
from vault.config_notes import Settings

Wake = Callable[[Mapping[str, ModelQueue], Sequence[ModelQueue]], None]

RoutePlan = Sequence[Sequence[int]]
"""The routes of a queue: for each, the number of the model among all models, and its tier."""


@dataclass(frozen=True)
class ModelPlan:
    """All models, the routes of each profile's queue by its name, and those of further queues for summaries."""

    models: Sequence[LanguageModel]
    queues: Mapping[str, RoutePlan]
    later: Sequence[RoutePlan] = ()
    asked: Mapping[str, SamplingOverrides] = field(default_factory=dict)
    places: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    """The endpoint of a model at a server, and its concurrent requests, by the number of the model."""


@dataclass
class SimulationModels:
    """The models of a simulation. `given` ones are taken as they are, the first for thoughts, others for summaries;
    without any a replay has its own, and else the settings say which. `about` goes into the heading of a recording.
    """

    place: TurnCursor
    settings: Settings
    say: Callable[[str], None]
    recording: Recording | None = None
    replay: ReplayedModels | None = None
    given: Sequence[LanguageModel] = ()
    about: dict[str, Any] = field(default_factory=dict)
    share: Path | None = None
    """A folder through which simulations share endpoints."""
    usage: Usage = field(default_factory=Usage)
    names: list[str] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)
    """For each model its name, its context window, its engine with the version, and the hash of its weights."""

    async def enter(self, clock: VirtualClock) -> tuple[dict[str, ModelQueue], list[ModelQueue]]:
        """Have the models ready; return the queue of each profile, and further ones for summaries.

        Raises: SimulationError.
        """
        plan = await self._plan()
        for model in plan.models:
            with suppress(ModelError):  # it is tried again when it is asked
                await model.start()
        self.names = [model.name for model in plan.models]
        known = (
            self.replay.heading.get("told") if self.replay else [await _model_record(model) for model in plan.models]
        )
        self.told = known or []
        if self.recording:
            asked = {name: asdict(one) for name, one in plan.asked.items()}
            heading = {**self.about, "queues": plan.queues, "later": plan.later, "asked": asked, "told": self.told}
            self.recording.begin(plan.models, **heading)
        slots = self._slots(plan)
        watched = [
            WatchedModel(model, number, self.usage, self.recording, slots.get(number))
            for number, model in enumerate(plan.models)
        ]
        # Built for each run, so that no endpoint has a history that a replay lacks.
        rng, pool = random.Random(0), ModelPool(now=clock.seconds)
        endpoints = [Endpoint(model.name, ConcurrencyLimit(1), CircuitBreaker(rng, untried=True)) for model in watched]

        def queue(wanted: RoutePlan, name: str, asked: SamplingOverrides) -> ModelQueue:
            routes = [Route(endpoints[number], watched[number], tier) for number, tier in wanted]
            return ModelQueue(routes, pool=pool, name=name, overrides=PatientOverrides.of(asked) if slots else asked)

        queues = {
            name: queue(ways, name, plan.asked.get(name, SamplingOverrides())) for name, ways in plan.queues.items()
        }
        return queues, [queue(ways, "", SamplingOverrides()) for ways in plan.later]

    def _slots(self, plan: ModelPlan) -> dict[int, SharedSlots]:
        if self.share is None:
            return {}
        return {number: SharedSlots(self.share, *place) for number, place in plan.places.items()}

    def check(self) -> None:
        """See to it after a turn that the recording is whole and the replay still fits. Raises: SimulationError."""
        if self.recording:
            self.recording.end_turn()
        if self.replay:
            self.replay.end_turn()
            if self.replay.divergence:
                raise SimulationError(self.replay.divergence + self._other_program(self.replay.heading))

    def _other_program(self, heading: Mapping[str, Any]) -> str:
        """Return which versions of the program recorded and replay, if they differ and are known."""
        recorded, now = heading.get("program"), self.about.get("program")
        if not recorded or not now or recorded == now:
            return ""
        return f"\n  It was recorded with Fallwater {recorded}; this is {now}."

    def leave(self) -> None:
        """Let go of the recording."""
        if self.recording:
            self.recording.close()

    async def _plan(self) -> ModelPlan:
        if self.given:
            return ModelPlan(self.given, {THINKER: [(0, 0)]}, [[(number, 0)] for number in range(1, len(self.given))])
        if self.replay:
            heading = self.replay.heading
            return ModelPlan(self.replay.models, heading["queues"], heading["later"], self.replay.asked)
        return await plan_models(self.settings, self.say)


@dataclass(frozen=True)
class PatientOverrides(SamplingOverrides):
    """Lets a request wait for a shared slot as long as it takes; its own timeout begins when it has one."""

    @classmethod
    def of(cls, overrides: SamplingOverrides) -> PatientOverrides:
        """Return the same options with patience."""
        return cls(**vars(overrides))

    def applied(self, request: Request) -> Request:
        """Return a request with these options, and with a day more of time."""
        found = super().applied(request)
        return replace(found, timeout_seconds=found.timeout_seconds + MAX_WAIT_SECONDS)


async def _model_record(model: LanguageModel) -> dict[str, Any]:
    found = await model.provenance() if isinstance(model, TraceableModel) else Provenance()
    return {"name": model.name, "context_tokens": model.context_tokens, **asdict(found)}


async def run_simulated(
    simulation: Simulation, cast: SimulationModels, clock: VirtualClock, agents: Population, wake: Wake, span: Span
) -> None:
    """Wake the agents, let them live for a span, and let everything go, however it ends; SIGTERM ends it too.

    Raises: SimulationError, CancelledError.
    """
    if life := asyncio.current_task():
        with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows has no such signals, a thread neither
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, life.cancel)
    try:
        wake(*await cast.enter(clock))
        await simulation.run(span)
    finally:
        cast.leave()
        await agents.stop()


async def plan_models(settings: Settings, say: Callable[[str], None]) -> ModelPlan:
    """Return the models that a world with these settings has. Raises: SimulationError if there is none."""
    profiles = Profiles(random.Random(0))
    try:
        sentences = await profiles.set_up(settings.models, settings.profiles_in_force)
    except ModelError as error:
        raise SimulationError(str(error)) from error
    if profiles.thinker is None:
        raise SimulationError(" ".join([*sentences, "Nobody would do anything; give a model with --model."]))
    for sentence in sentences:
        say(sentence)
    every = [*profiles.queues.values(), *profiles.later]
    models = list({id(route.model): route.model for queue in every for route in queue.routes}.values())
    numbers = {id(model): number for number, model in enumerate(models)}

    def ways(queue: ModelQueue) -> RoutePlan:
        return [(numbers[id(route.model)], route.tier) for route in queue.routes]

    return ModelPlan(
        models,
        {name: ways(queue) for name, queue in profiles.queues.items()},
        [ways(queue) for queue in profiles.later],
        {name: queue.overrides for name, queue in profiles.queues.items()},
        _places(every, numbers),
    )


def _places(queues: Sequence[ModelQueue], numbers: Mapping[int, int]) -> dict[int, tuple[str, int]]:
    """Return the endpoints that have a limit, by the numbers of their models; a model in this process has none."""
    routes = [route for queue in queues for route in queue.routes]
    return {
        numbers[id(route.model)]: (route.endpoint.name, route.endpoint.concurrency.limit)
        for route in routes
        if not route.endpoint.concurrency.is_measured and route.model.name.partition(":")[0] not in IN_PROCESS
    }
