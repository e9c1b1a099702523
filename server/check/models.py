"""What the agents think with: whether it is there, and answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from agents.models.model import ModelError
from agents.models.model_selection import EMBEDDED, GGUF, IN_PROCESS, ModelSpec, largest_suitable, refused_schema
from agents.models.profiles import specs_of
from agents.models.weights import PACKAGE, default_cache_dir, load_package, read_gguf
from config.profiles import THINKER, ModelProfile, legacy_thinker
from server.check.checks import Result, ok, problem, warning
from vault.config_notes import Settings

CHECK_SECONDS = 5.0
RUNTIME = "xllamacpp"

Try = Callable[[ModelSpec], str]
"""Tries a model and returns why it cannot be used, or an empty string."""

NO_SCHEMA = "Set constraint to none for it in config/models.md, or use a newer server."


def try_model(spec: ModelSpec) -> str:
    """Ask an endpoint for its model, or look for the packages of the embedded one; load nothing."""
    try:
        if spec.api in IN_PROCESS:
            load_package(RUNTIME)
            load_package(PACKAGE) if spec.api == EMBEDDED else read_gguf(spec.file)
            return ""
        model = spec.build(default_cache_dir(), CHECK_SECONDS)
        try:
            asyncio.run(model.start())
        finally:
            with suppress(RuntimeError):  # its connections belong to a loop that has ended
                asyncio.run(model.close())
    except ModelError as error:
        return str(error)
    return ""


def best_there(host: str) -> str:
    """Return the model that `auto` takes from an Ollama that lacks the one it looks for; empty if it takes none."""
    from agents.models.ollama_api import list_models  # heavy, and not always needed

    return largest_suitable(asyncio.run(list_models(host)))


def find_refusal(spec: ModelSpec) -> str:
    """Ask a server one question held to a JSON schema; return why it refused that, or an empty string."""
    return asyncio.run(refused_schema(spec.build(default_cache_dir(), CHECK_SECONDS)))


def models(
    settings: Settings,
    try_one: Try = try_model,
    find_best: Callable[[str], str] = best_there,
    find_refusal: Try = find_refusal,
) -> list[Result]:
    """Return how each model is that the settings name, the thinker's first, and what their servers refuse."""
    profiles = settings.profiles_in_force
    thinker = profiles.get(THINKER, ModelProfile(THINKER)).inherit_from(legacy_thinker(settings.models))
    usable: dict[ModelSpec, None] = {}

    def tried(spec: ModelSpec) -> str:
        if not (why := try_one(spec)):
            usable[spec] = None
        return why

    if thinker.settings.endpoints:
        specs = list(specs_of(thinker, ()))
        found = [_needed(spec, tried) for spec in specs]
    else:
        specs, found = [], [_chosen(settings, thinker, tried, find_best)]
    for spec in _others(profiles.values(), thinker):
        if spec not in specs:
            specs.append(spec)
            found.append(_needed(spec, tried))
    refusals = {spec: find_refusal(spec) for spec in usable if spec.api not in IN_PROCESS}
    return found + [_refusing(spec, why) for spec, why in refusals.items() if why]


def _refusing(spec: ModelSpec, why: str) -> Result:
    what = f"{_capital(spec.place)} refuses a JSON schema, and answers without it. {why}"
    return warning("model", what, NO_SCHEMA)


def _others(profiles: Iterable[ModelProfile], thinker: ModelProfile) -> Iterator[ModelSpec]:
    for profile in profiles:
        if profile.name != THINKER and profile.settings.endpoints:
            yield from specs_of(profile.inherit_from(thinker), ())


def _needed(spec: ModelSpec, try_one: Try) -> Result:
    if why := try_one(spec):
        return problem("model", f"{_capital(spec.place)} cannot be used.", why)
    return ok("model", f"{_capital(spec.place)} can be used.")


def _chosen(settings: Settings, thinker: ModelProfile, try_one: Try, find_best: Callable[[str], str]) -> Result:
    said, models = thinker.settings, settings.models
    embedded = ModelSpec(EMBEDDED, num_ctx=said.num_ctx)

    def ollama(name: str) -> ModelSpec:
        return ModelSpec("ollama", models.ollama_host, name, said.mode, said.num_ctx, said.keep_alive)

    kind, _, name = models.model.partition(":")
    if kind == "none":
        return ok("model", "No model is wanted: the agents sleep.")
    if kind == EMBEDDED:
        return _needed(embedded, try_one)
    if kind == "ollama":
        return _needed(ollama(name), try_one)
    if kind == GGUF:
        return _needed(ModelSpec(GGUF, model=name, num_ctx=said.num_ctx), try_one)
    wanted = ollama(said.model or models.ollama_model)
    if not (why := try_one(wanted)):
        return ok("model", f"{wanted.place} can be used.")
    if best := find_best(models.ollama_host):
        return ok("model", f"{ollama(best).place} can be used, in place of {wanted.model}: {why}")
    if other := try_one(embedded):
        return warning("model", "The agents sleep: there is neither Ollama nor the embedded model.", f"{why} {other}")
    return ok("model", f"The embedded model can be used; Ollama cannot: {why}")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
