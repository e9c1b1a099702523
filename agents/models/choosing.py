"""Choose the model that a world starts with, and say in plain sentences what was chosen and why."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from agents.models.embedded_model import LICENCE_NOTICE
from agents.models.model import LanguageModel, ModelError
from agents.models.specs import ModelSpec
from agents.models.weights import default_cache_dir, is_assembled

if TYPE_CHECKING:
    from agents.models.ollama_model import Mode

LOOK_SECONDS = 1.0  # how long `auto` waits for an Ollama that may not be there
ASLEEP = "No language model: the world is open, and its agents sleep."


@dataclass(frozen=True)
class Choice:
    """The model to use, already started, or None; and the sentences to print at start-up.

    `summary_models` are those for summaries if they are others, in the order in which they are asked. `specs` say of
    all of them how they were made.
    """

    model: LanguageModel | None
    sentences: tuple[str, ...]
    summary_models: tuple[LanguageModel, ...] = ()
    specs: tuple[ModelSpec, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """What a choice is made from: Ollama's host, model and mode, the context in tokens, the cache folder.

    `have` are models that are started already.
    """

    ollama_host: str
    ollama_model: str
    ollama_mode: Mode
    num_ctx: int
    keep_alive: str | float
    cache_dir: Path
    have: Mapping[ModelSpec, LanguageModel] = field(default_factory=dict)


async def choose_model(
    choice: str,
    *,
    ollama_host: str = "http://127.0.0.1:11434",
    ollama_model: str = "llama3.2",
    ollama_mode: Mode = "raw",
    num_ctx: int = 8192,
    keep_alive: str | float = "30m",
    cache_dir: Path | None = None,
    summary_model: str = "",
    have: Mapping[ModelSpec, LanguageModel] | None = None,
) -> Choice:
    """Return the started model for "auto", "embedded", "none" or "ollama:NAME".

    `auto` takes Ollama if it answers within a second and has `ollama_model`, else the embedded model, else
    none: it never fails. `num_ctx` is in tokens and holds for either model. `summary_model` names other models
    in Ollama for summaries, with commas between them; one that cannot be used is left out. Of the models that are in
    `have` none is made a second time.

    Raises: ModelError if the choice is none of these, or the model asked for by name cannot be used.
    """
    cache_dir = cache_dir or default_cache_dir()
    wanted = Wanted(ollama_host, ollama_model, ollama_mode, num_ctx, keep_alive, cache_dir, have or {})
    chosen = await _chosen(choice, wanted)
    return await _with_summary_models(chosen, summary_model, wanted) if chosen.model else chosen


async def _chosen(choice: str, wanted: Wanted) -> Choice:
    match choice.strip().partition(":"):
        case ("auto", "", ""):
            return await _whatever_works(wanted)
        case ("embedded", "", ""):
            return await _embedded(wanted, "as asked")
        case ("none", "", ""):
            return Choice(None, (ASLEEP,))
        case ("ollama", ":", name) if name.strip():
            return await _ollama(wanted, name.strip(), "as asked")
    message = f"{choice!r} is not a model to choose. Valid choices: auto, embedded, none, ollama:NAME."
    raise ModelError(message, remedy="For example --model ollama:llama3.2.", retryable=False)


async def _whatever_works(wanted: Wanted) -> Choice:
    try:
        return await _ollama(wanted, wanted.ollama_model, "it answers and has the model", LOOK_SECONDS)
    except ModelError as error:
        why = error.problem
    try:
        chosen = await _embedded(wanted, "Ollama cannot be used")
        return replace(chosen, sentences=(why, *chosen.sentences))
    except ModelError as error:
        return Choice(None, (why, f"Not the embedded model: {error}", ASLEEP))


async def _ollama(wanted: Wanted, name: str, why: str, check_seconds: float = 10.0) -> Choice:
    spec = ModelSpec("ollama", wanted.ollama_host, name, wanted.ollama_mode, wanted.num_ctx, wanted.keep_alive)
    sentence = f"The agents think with {name} on Ollama at {wanted.ollama_host} ({why})."
    return await _started(wanted, spec, sentence, check_seconds)


async def _with_summary_models(chosen: Choice, names: str, wanted: Wanted) -> Choice:
    models, sentences, specs = list[LanguageModel](), [*chosen.sentences], [*chosen.specs]
    for name in filter(None, (part.strip().removeprefix("ollama:") for part in names.split(","))):
        try:
            found = await _ollama(wanted, name, "for summaries")
        except ModelError as error:
            sentences.append(f"Summaries are made without {name}: {error}")
            continue
        models += [found.model] if found.model else []
        specs += found.specs
        sentences.append(f"Summaries are made with {name} on Ollama at {wanted.ollama_host}.")
    return Choice(chosen.model, tuple(sentences), tuple(models), tuple(specs))


async def _embedded(wanted: Wanted, why: str) -> Choice:
    spec = ModelSpec("embedded", num_ctx=wanted.num_ctx)
    first_time = spec not in wanted.have and not await asyncio.to_thread(is_assembled, wanted.cache_dir)
    chosen = await _started(wanted, spec, f"The agents think with the embedded model, Gemma 3 270M ({why}).")
    return replace(chosen, sentences=(*chosen.sentences, LICENCE_NOTICE)) if first_time else chosen


async def _started(wanted: Wanted, spec: ModelSpec, sentence: str, check_seconds: float = 10.0) -> Choice:
    model = wanted.have.get(spec) or spec.made(wanted.cache_dir, check_seconds)
    try:
        await model.start()
    except BaseException:
        if spec not in wanted.have:
            await model.close()
        raise
    return Choice(model, (sentence,), specs=(spec,))
