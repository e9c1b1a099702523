"""A queue for each model profile, over one pool; profiles can change while requests run."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakSet

from agents.models.endpoint import CircuitBreaker, ConcurrencyLimit, Endpoint, Route
from agents.models.model import LanguageModel, ModelError
from agents.models.model_selection import EMBEDDED, GGUF, IN_PROCESS, ModelSpec, select_model
from agents.models.pool import ModelPool
from agents.models.queue import OVERRIDABLE, ModelQueue, SamplingOverrides
from config.profiles import THINKER, ModelProfile, ProfileSettings, legacy_thinker
from config.settings import ModelSettings

Make = Callable[[ModelSpec], LanguageModel]


class Profiles:
    """`queues` are those of the profiles, by name; `later` are further models for summaries, in their order.

    Both are empty while the agents have no model. A queue stays the same when its profile changes.
    """

    def __init__(self, rng: random.Random, make: Make | None = None) -> None:
        """Begin without any model; `make` replaces the making of models, `rng` is for how long breakers stay open."""
        self.queues: dict[str, ModelQueue] = {}
        self.later: list[ModelQueue] = []
        self.pool = ModelPool()
        self._rng = rng
        self._make: Make = make or (lambda spec: spec.build(None))
        self._models: dict[ModelSpec, LanguageModel] = {}
        self._endpoints: dict[tuple[str, str, str], Endpoint] = {}
        # What waits in a queue that is no more, or is being summarised by it, goes on with the thinker's models.
        self._gone: WeakSet[ModelQueue] = WeakSet()

    @property
    def thinker(self) -> ModelQueue | None:
        """The queue of agents without a profile of their own; None while there is no model."""
        return self.queues.get(THINKER)

    async def set_up(self, models: ModelSettings, profiles: Mapping[str, ModelProfile]) -> tuple[str, ...]:
        """Apply the settings from now on; return the sentences to print.

        What runs goes on with the model that it has; what waits goes to the new one. Endpoints that do not answer are
        tried again later.

        Raises: ModelError if the model of the settings before the first profile cannot be used; all stays as it was.
        """
        thinker = profiles.get(THINKER, ModelProfile(THINKER)).inherit_from(legacy_thinker(models))
        sentences, specs, later = await self._specs_of_thinker(models, thinker)
        if not specs:
            return sentences
        if "model" in thinker.given and not thinker.settings.endpoints:  # it is the one that was found in its place
            thinker = replace(thinker, settings=replace(thinker.settings, model=specs[0].model))
        merged = {name: one.inherit_from(thinker) for name, one in profiles.items()} | {THINKER: thinker}
        wanted, united = unify_models({name: specs_of(one, specs) for name, one in merged.items()})
        sentences += united
        for spec in [spec for found in (*wanted.values(), later) for spec in found]:
            if spec not in self._models:
                self._models[spec] = self._make(spec)
        sentences += await self._probe(specs if thinker.settings.endpoints else ())
        self._adopt(merged, wanted, later)
        return sentences

    async def _specs_of_thinker(
        self, models: ModelSettings, thinker: ModelProfile
    ) -> tuple[tuple[str, ...], tuple[ModelSpec, ...], tuple[ModelSpec, ...]]:
        said = thinker.settings
        if said.endpoints:
            return (), specs_of(thinker, ()), ()
        like = ModelSpec("ollama", models.ollama_host, said.model or models.ollama_model, **_options(said))
        choice = await select_model(models.model, like, summary_model=models.summary_model, have=self._models)
        found = [choice.model] if choice.model else []
        self._models |= dict(zip(choice.specs, (*found, *choice.summary_models), strict=True))
        first = choice.specs[: len(found)]
        return choice.sentences, first, choice.specs[len(found) :]

    async def _probe(self, specs: Iterable[ModelSpec]) -> tuple[str, ...]:
        """Ask each endpoint whether it has its model; return sentences for the host of the world."""
        tried = list(specs)
        failures = await asyncio.gather(*(self._failure_of(spec) for spec in tried))
        sentences = []
        for spec, failure in zip(tried, failures, strict=True):
            endpoint = self._endpoint(spec)
            if failure:
                endpoint.fail(failure, self.pool.now())
                sentences.append(f"For now, {spec.place} is not used: {failure}")
            else:
                endpoint.breaker.succeed()
                sentences.append(f"The agents think with {spec.place}.")
        return tuple(sentences)

    async def _failure_of(self, spec: ModelSpec) -> ModelError | None:
        try:
            await self._models[spec].start()
        except ModelError as error:
            return error
        return None

    def _adopt(
        self,
        profiles: Mapping[str, ModelProfile],
        wanted: Mapping[str, tuple[ModelSpec, ...]],
        later: Iterable[ModelSpec],
    ) -> None:
        """Apply everything in one step of the event loop."""
        self._limit(profiles, wanted)
        for name, profile in profiles.items():
            routes = self._routes(profiles, wanted, name)
            if name in self.queues:
                self.queues[name].adopt(routes, overrides_of(profile))
            else:
                self.queues[name] = ModelQueue(routes, pool=self.pool, name=name, overrides=overrides_of(profile))
        for name in self.queues.keys() - profiles.keys():
            self._gone.add(self.queues.pop(name))
        self._gone.update(self.later)
        for queue in self._gone:
            queue.adopt(self.queues[THINKER].routes, queue.overrides)
        self.later = [
            ModelQueue([Route(self._endpoint(spec), self._models[spec])], pool=self.pool, name=spec.place)
            for spec in later
        ]
        used = {spec for found in wanted.values() for spec in found} | set(later)
        self.pool.retire([self._models.pop(spec) for spec in self._models.keys() - used])
        self.pool.reload()

    def _routes(
        self, profiles: Mapping[str, ModelProfile], wanted: Mapping[str, tuple[ModelSpec, ...]], name: str
    ) -> list[Route]:
        """Return the routes of a profile, then those of its fallback, and so on."""
        routes: list[Route] = []
        seen: list[str] = []
        while name and name not in seen:
            routes += [Route(self._endpoint(spec), self._models[spec], len(seen)) for spec in wanted[name]]
            seen.append(name)
            name = profiles[name].settings.fallback
        return routes

    def _limit(self, profiles: Mapping[str, ModelProfile], wanted: Mapping[str, tuple[ModelSpec, ...]]) -> None:
        """Give each endpoint as many requests at a time as the profiles say, the fewest if they do not agree."""
        given: dict[Endpoint, tuple[int, set[int]]] = {}
        for name, specs in wanted.items():
            for spec in specs:
                _, said = given.setdefault(self._endpoint(spec), (default_concurrency(spec), set()))
                said.add(profiles[name].settings.concurrency)
        for endpoint, (default, said) in given.items():
            concurrency, now = min(said - {0}, default=default), endpoint.concurrency
            if (0 if now.is_measured else now.limit) != concurrency:
                endpoint.concurrency = ConcurrencyLimit(concurrency)

    def _endpoint(self, spec: ModelSpec) -> Endpoint:
        key = (spec.api, spec.address, spec.model)
        found = self._endpoints.get(key)
        if found is None:
            found = Endpoint(
                spec.place, ConcurrencyLimit(default_concurrency(spec)), CircuitBreaker(self._rng, untried=True)
            )
            self._endpoints[key] = found
        return found


def overrides_of(profile: ModelProfile) -> SamplingOverrides:
    """Return the options that a profile sets itself."""
    settings = profile.settings
    given = {name: getattr(settings, name) for name in OVERRIDABLE if name in profile.given}
    stops = (one.strip(" ").replace("\\n", "\n") for one in settings.stop.split("|"))
    stop = tuple(one for one in stops if one)
    return SamplingOverrides(
        **given,
        stop=stop,
        price_in=settings.price_in,
        price_out=settings.price_out,
        prompt_tokens=settings.prompt_tokens,
        speaks={"yes": True, "no": False}.get(settings.speaks),
    )


def specs_of(profile: ModelProfile, thinkers: tuple[ModelSpec, ...]) -> tuple[ModelSpec, ...]:
    """Return the models of a profile: at its endpoints, or where the thinker has its own."""
    said = profile.settings
    addresses = dict.fromkeys(one.strip().rstrip("/") for one in said.endpoints.split(",") if one.strip())
    places = [_place(one, said.api) for one in addresses] or [(one.api, one.address, one.model) for one in thinkers]
    return tuple(
        ModelSpec(EMBEDDED, num_ctx=said.num_ctx)
        if api == EMBEDDED
        else ModelSpec(
            api,
            address,
            model if api == GGUF else said.model or model,
            api_key_from="" if api == GGUF else said.api_key_from,
            **_options(said),
        )
        for api, address, model in places
    )


def _options(said: ProfileSettings) -> dict[str, Any]:
    return {name: getattr(said, name) for name in ("mode", "num_ctx", "keep_alive", "think", "constraint")}


def unify_models(
    wanted: Mapping[str, tuple[ModelSpec, ...]],
) -> tuple[Mapping[str, tuple[ModelSpec, ...]], tuple[str, ...]]:
    """Return the models of the profiles such that none is loaded twice, and the sentences that tell of a change.

    Ollama reloads a model for every other `num_ctx`; weights in this process would be there twice. So what one
    profile wants of a model holds for all: the thinker's wish, or else the first.
    """
    firsts: dict[tuple[str, str, str], ModelSpec] = {}
    for name in sorted(wanted, key=lambda name: name != THINKER):
        for spec in wanted[name]:
            firsts.setdefault((spec.api, spec.address, spec.model), spec)
    united, sentences = dict[str, tuple[ModelSpec, ...]](), dict[str, None]()
    for name, specs in wanted.items():
        found = []
        for spec in specs:
            first = firsts[spec.api, spec.address, spec.model]
            if spec.api in (*IN_PROCESS, "ollama") and spec.num_ctx != first.num_ctx:
                sentences[f"num_ctx of {name} is {first.num_ctx} for {spec.place}, as for others who use it."] = None
            same = first if spec.api in IN_PROCESS else replace(spec, num_ctx=first.num_ctx)
            found.append(same if spec.api != "openai" else spec)
        united[name] = tuple(found)
    return united, tuple(sentences)


def default_concurrency(spec: ModelSpec) -> int:
    """Return the default number of concurrent requests of a model: one, or 0 to measure how many pay.

    A model in this process has one thread, and Ollama answers one request at a time by default. Further requests wait
    there, where no answer to a person can go first.
    """
    return 1 if spec.api in (*IN_PROCESS, "ollama") else 0


def _place(endpoint: str, api: str) -> tuple[str, str, str]:
    """Return the API, the address and the model of an endpoint, as far as it says."""
    if endpoint == EMBEDDED:
        return EMBEDDED, "", ""
    kind, _, file = endpoint.partition(":")
    return (GGUF, "", file) if kind == GGUF else (api, endpoint, "")
