"""Selects the model that a world starts with, and explains the choice."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from agents.models.adapter import redact_address
from agents.models.embedded_model import LICENCE_NOTICE, EmbeddedModel
from agents.models.model import LanguageModel, ModelError, ModelMissing, ModelOptions, Request, Think
from agents.models.weights import default_cache_dir, is_assembled
from config.settings import ModelSettings

if TYPE_CHECKING:
    from agents.models.ollama_api import OllamaFacts

EMBEDDED, GGUF = "embedded", "gguf"
IN_PROCESS = (EMBEDDED, GGUF)
THINK: dict[str, Think] = {"on": True, "off": False, "low": "low", "medium": "medium", "high": "high"}

PROBE_SECONDS = 1.0  # how long `auto` waits for an Ollama that may not be there
MIN_BILLION, MAX_BILLION = 0.5, 9.5
"""The sizes of models that `auto` takes in place of the one that it looks for, in billions of parameters: the embedded
one is as good as a smaller one, and most machines wait too long for a larger one."""

TRIAL_SECONDS = 15.0
QUESTION = "Is water wet? Answer in JSON:"
SCHEMA = {"type": "object", "properties": {"answer": {"type": "boolean"}}, "required": ["answer"]}

ASLEEP = "No language model: the world is open, and its agents sleep."
LARGER_MODEL_HINT = (
    "For better minds, install Ollama (https://ollama.com/download) and run: ollama pull {model}; "
    "or take any instructed model in a GGUF file: make run MODEL=gguf:FILE"
)


@dataclass(frozen=True)
class ModelSpec:
    """Two that are equal make the same model. `api` is embedded, gguf, ollama or openai; see `ProfileSettings`.

    The `model` of `gguf` is the path of a file; ~ is the user's home.

    What speaks to Ollama and to others over HTTP is imported when it is needed: it is a third of what a start takes.
    """

    api: str
    address: str = ""
    model: str = ""
    mode: str = "auto"
    num_ctx: int = 8192
    keep_alive: str | float = "30m"
    think: str = "auto"
    constraint: str = "auto"
    api_key_from: str = ""

    @property
    def place(self) -> str:
        """The name of the endpoint for people: its place, and the model that answers there."""
        if self.api == EMBEDDED:
            return "the embedded model"
        return (
            f"{self.file.name} in this process"
            if self.api == GGUF
            else f"{self.model} at {redact_address(self.address)}"
        )

    @property
    def file(self) -> Path:
        """The path of a GGUF's weights."""
        return Path(self.model).expanduser()

    def build(self, cache_dir: Path | None, check_seconds: float = 10.0) -> LanguageModel:
        """Return the model, not started; the embedded one's weights are in `cache_dir`. Raises: ModelError."""
        key = os.environ.get(self.api_key_from, "") if self.api_key_from else ""
        options = ModelOptions(
            self.mode, self.num_ctx, self.keep_alive, THINK.get(self.think), self.constraint, api_key=key
        )
        if self.api == EMBEDDED:
            return EmbeddedModel(cache_dir, ModelOptions(num_ctx=self.num_ctx))
        if self.api == GGUF:
            return EmbeddedModel(options=options, weights=self.file)
        if self.api == "ollama":
            from agents.models.ollama_model import OllamaModel

            return OllamaModel(self.address, self.model, options, check_seconds=check_seconds)
        from agents.models.openai_model import OpenAIModel

        return OpenAIModel(self.address, self.model, options, check_seconds=check_seconds)


@dataclass(frozen=True)
class ModelChoice:
    """The model to use, already started, or None; and the sentences to print at start-up.

    `summary_models` are the models for summaries if they differ, in the order in which they are asked. `specs` are the
    specs that all of them were made from.
    """

    model: LanguageModel | None
    sentences: tuple[str, ...]
    summary_models: tuple[LanguageModel, ...] = ()
    specs: tuple[ModelSpec, ...] = ()


@dataclass(frozen=True)
class SelectionContext:
    """The context of a choice: a spec for Ollama with all settings, the cache folder, and models started already."""

    like: ModelSpec
    cache_dir: Path
    have: Mapping[ModelSpec, LanguageModel] = field(default_factory=dict)


async def select_model(
    choice: str,
    like: ModelSpec | None = None,
    *,
    cache_dir: Path | None = None,
    summary_model: str = "",
    have: Mapping[ModelSpec, LanguageModel] | None = None,
) -> ModelChoice:
    """Return the started model for "auto", "embedded", "none", "ollama:NAME" or "gguf:FILE".

    `like` says where Ollama is, which model `auto` looks for in it, and how any model is asked. `auto` takes Ollama if
    it answers within a second: that model, or else the largest instructed one that is not too large; then the embedded
    model, or none: it never fails. `summary_model` names other models in Ollama for summaries, with commas between
    them; one that cannot be used is left out. Of the models that are in `have` none is made a second time.

    Raises: ModelError if the choice is none of these, or the model asked for by name cannot be used.
    """
    settings = ModelSettings()
    like = like or ModelSpec("ollama", settings.ollama_host, settings.ollama_model)
    wanted = SelectionContext(like, cache_dir or default_cache_dir(), have or {})
    chosen = await _choose(choice, wanted)
    return await _with_summary_models(chosen, summary_model, wanted) if chosen.model else chosen


async def _choose(choice: str, wanted: SelectionContext) -> ModelChoice:
    match choice.strip().partition(":"):
        case ("auto", "", ""):
            return await _first_that_works(wanted)
        case ("embedded", "", ""):
            return await _embedded(wanted, "as asked")
        case ("none", "", ""):
            return ModelChoice(None, (ASLEEP,))
        case ("ollama", ":", name) if name.strip():
            return await _ollama(wanted, name.strip(), "as asked")
        case ("gguf", ":", file) if file.strip():
            return await _gguf(wanted, file.strip())
    message = f"{choice!r} is not a model to choose. Valid choices: auto, embedded, none, ollama:NAME, gguf:FILE."
    raise ModelError(message, remedy="For example --model ollama:gemma3:4b.", retryable=False)


async def _first_that_works(wanted: SelectionContext) -> ModelChoice:
    wish = wanted.like.model
    try:
        return await _ollama(wanted, wish, "auto: it answers and has the model", PROBE_SECONDS)
    except ModelMissing as error:
        why = error.problem
        if best := await _best_there(wanted.like.address):
            reason = f"auto: it has no {wish}; of what it has, this is the largest instructed model up to 9 billion"
            return await _ollama(wanted, best, f"{reason} parameters")
    except ModelError as error:
        why = error.problem
    try:
        chosen = await _embedded(wanted, "auto: Ollama cannot be used")
        return replace(chosen, sentences=(why, *chosen.sentences, LARGER_MODEL_HINT.format(model=wish)))
    except ModelError as error:
        return ModelChoice(None, (why, f"Not the embedded model: {error}", ASLEEP))


async def _best_there(host: str) -> str:
    from agents.models.ollama_api import list_models

    return largest_suitable(await list_models(host))


def largest_suitable(models: Mapping[str, OllamaFacts]) -> str:
    """Return the largest instructed model that is neither too small nor too large; empty if there is none."""
    sizes = {
        name: facts.parameters_billion
        for name, facts in sorted(models.items())
        if facts.is_instructed and facts.is_completing and facts.parameters_billion
    }
    fitting = {name: size for name, size in sizes.items() if MIN_BILLION <= size <= MAX_BILLION}
    return max(fitting, key=lambda name: fitting[name], default="")


async def _ollama(wanted: SelectionContext, name: str, why: str, check_seconds: float = 10.0) -> ModelChoice:
    spec = replace(wanted.like, model=name)
    sentence = f"The agents think with {name} on Ollama at {spec.address} ({why})."
    return await _start_model(wanted, spec, sentence, check_seconds)


async def _gguf(wanted: SelectionContext, file: str) -> ModelChoice:
    spec = replace(wanted.like, api=GGUF, address="", model=file)
    return await _start_model(wanted, spec, f"The agents think with {file} in this process (as asked).")


async def _with_summary_models(chosen: ModelChoice, names: str, wanted: SelectionContext) -> ModelChoice:
    models, sentences, specs = list[LanguageModel](), [*chosen.sentences], [*chosen.specs]
    for name in filter(None, (part.strip().removeprefix("ollama:") for part in names.split(","))):
        try:
            found = await _ollama(wanted, name, "for summaries")
        except ModelError as error:
            sentences.append(f"Summaries are made without {name}: {error}")
            continue
        models += [found.model] if found.model else []
        specs += found.specs
        sentences.append(f"Summaries are made with {name} on Ollama at {wanted.like.address}.")
    return ModelChoice(chosen.model, tuple(sentences), tuple(models), tuple(specs))


async def _embedded(wanted: SelectionContext, why: str) -> ModelChoice:
    spec = ModelSpec(EMBEDDED, num_ctx=wanted.like.num_ctx)
    first_time = spec not in wanted.have and not await asyncio.to_thread(is_assembled, wanted.cache_dir)
    chosen = await _start_model(wanted, spec, f"The agents think with the embedded model, Gemma 3 270M ({why}).")
    return replace(chosen, sentences=(*chosen.sentences, LICENCE_NOTICE)) if first_time else chosen


async def _start_model(
    wanted: SelectionContext, spec: ModelSpec, sentence: str, check_seconds: float = 10.0
) -> ModelChoice:
    model = wanted.have.get(spec) or spec.build(wanted.cache_dir, check_seconds)
    try:
        await model.start()
    except BaseException:
        if spec not in wanted.have:
            await model.close()
        raise
    return ModelChoice(model, (sentence,), specs=(spec,))


async def refused_schema(model: LanguageModel, seconds: float = TRIAL_SECONDS) -> str:
    """Have a model on a server answer one question in JSON; return why it refused the schema, or an empty string.

    A server that takes longer than `seconds`, or fails for another reason, has refused nothing. Closes the model.
    """
    try:
        async with asyncio.timeout(seconds):
            await model.start()
            if model.capabilities.json_schema:
                await model.complete(Request(QUESTION, schema=SCHEMA, temperature=0.0, timeout_seconds=seconds))
    except (ModelError, TimeoutError):
        pass
    finally:
        await model.close()
    return model.capabilities.refusal
