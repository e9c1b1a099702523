"""A model served by Ollama, through its own client library."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

import httpx
import ollama

from agents.models.adapter import ConstraintFallback, redact_address
from agents.models.http_server import CHECK_SECONDS, ModelServer, is_refusal_of_constraint
from agents.models.model import (
    DEFAULT_OPTIONS,
    Capabilities,
    Completion,
    ModelError,
    ModelOptions,
    OnText,
    Provenance,
    Request,
)
from agents.models.ollama_api import (
    CLIENT_ERRORS,
    OLLAMA,
    Mode,
    OllamaFacts,
    capabilities_of,
    duration_field,
    http_of,
    is_refusal_of_template,
    model_error,
    model_facts,
    open_client,
    take_in,
)
from agents.models.prompt_cache import PromptCache
from agents.models.streaming import StreamClient

log = logging.getLogger(__name__)

LOAD_SECONDS = 0.5
"""Seconds of a load from which an answer may come from another model of that name than was inspected before."""

CALIBRATING_TOKENS = 100
"""Until the host has counted a prompt, an answer that may have no more tokens than these is read to its end."""


class OllamaModel:
    """One model on one Ollama host.

    `mode` says how a prompt is sent: "raw" as it is, for base models; "generate" through the model's template; "chat"
    as messages; "auto" as messages if the model's template has roles, else raw. Ollama takes no GBNF, so grammars are
    left out; a schema goes along if `constraint` is "json_schema" or "auto".

    A prompt that does not fit is refused here, and Ollama is asked not to cut one that is longer than was estimated.
    A long prompt is sent in pieces, see `PromptCache`.
    """

    def __init__(
        self,
        host: str,
        model: str,
        options: ModelOptions = DEFAULT_OPTIONS,
        *,
        check_seconds: float = CHECK_SECONDS,
        transport: httpx.AsyncBaseTransport | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Choose the host ("http://127.0.0.1:11434") and the model ("llama3.2").

        The host loads the model again whenever `num_ctx` changes. With a `think` of None models that can do without
        thoughts do not think. `check_seconds` bounds `start`.

        Raises: ModelError if the host is no address.
        """
        self.name = f"ollama:{model}@{redact_address(host)}"
        self._num_ctx = options.num_ctx
        self._server = ModelServer(OLLAMA, redact_address(host), model)
        self._model = model
        self._mode = cast("Mode", options.mode)
        self._keep_alive = duration_field(options.keep_alive)
        self._think = options.think
        self._constraint = options.constraint
        self._check_seconds = check_seconds
        self._facts = OllamaFacts()
        self._fallback = ConstraintFallback(self.name)
        self._explained = ""
        self._prompts = PromptCache()
        self._client = open_client(host, model, transport)
        self._stream = StreamClient(self.name, self._server, http_of(self._client), now)

    @property
    def context_tokens(self) -> int:
        """The context for prompt and answer together, in tokens: `num_ctx`, or the trained context if less."""
        return min(self._num_ctx, self._facts.context_tokens or self._num_ctx)

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities of the model; final once it has been started."""
        constraint = "none" if self._fallback.is_off else self._constraint
        found = capabilities_of(self._facts, self._mode, constraint, self._num_ctx)
        return replace(found, refusal=self._fallback.problem) if self._fallback.problem else found

    async def start(self) -> None:
        """Check that the host answers and has the model, and ask what that can do. Raises: ModelError."""
        try:
            async with asyncio.timeout(self._check_seconds):
                listed = await self._client.list()
                names = [entry.model for entry in listed.models if entry.model]
                if self._model in names or f"{self._model}:latest" in names:
                    await self._inquire()
        except CLIENT_ERRORS as error:
            raise model_error(error, self._server, self._check_seconds) from error
        if self._model not in names and f"{self._model}:latest" not in names:
            raise self._server.lacks_model(names)

    async def provenance(self) -> Provenance:
        """Return the host's version, and the digest under which it has the model."""
        with suppress(*CLIENT_ERRORS, AttributeError, KeyError):
            async with asyncio.timeout(self._check_seconds):
                listed = await self._client.list()
                names = (self._model, f"{self._model}:latest")
                digest = next((entry.digest for entry in listed.models if entry.model in names), None)
                told = await http_of(self._client).get("/api/version")
                return Provenance(f"ollama {told.json()['version']}", str(digest or ""))
        return Provenance()

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Continue the prompt, or answer the messages; see `LanguageModel.complete`. Raises: ModelError.

        A schema or a template that the host refuses is left out, and that is said once.
        """
        self._check_fits_context(request)
        held = self.capabilities.constraints_of(request)
        pieces = await self._read_pieces(request)
        completion = await self._fallback.complete(
            held, lambda one: self._with_template(one, on_text), is_refusal_of_constraint
        )
        if any((one.timing.load or 0.0) > LOAD_SECONDS for one in (*pieces, completion)):
            with suppress(*CLIENT_ERRORS):
                async with asyncio.timeout(self._check_seconds):
                    await self._inquire()
        return _with_time_of(pieces, completion)

    def unread(self, request: Request) -> int:
        """Return how many characters of a request the host has not read lately, as far as that can be known here."""
        return self._prompts.unread(request.text)

    def count_tokens(self, text: str) -> int:
        """Return an estimate, calibrated by the host's own counts."""
        return self._stream.estimate.count(text)

    async def close(self) -> None:
        """Close the connections to the host."""
        await http_of(self._client).aclose()

    async def _inquire(self) -> None:
        """Ask what the model can do; a host that does not know the question leaves that open."""
        try:
            self._facts = model_facts(await self._client.show(self._model))
        except (ollama.ResponseError, ValueError, AttributeError, TypeError, KeyError):
            self._facts = OllamaFacts()
        explanation = self.capabilities.explanation
        if explanation != self._explained:
            keeps_template = self._facts.is_instructed and self._mode == "raw"
            log.log(logging.WARNING if keeps_template else logging.INFO, "%s: %s", self.name, explanation)
        self._explained = explanation

    async def _read_pieces(self, request: Request) -> list[Completion]:
        """Have the host read a long prompt but for its end; what goes wrong with that, the request itself will tell."""
        read: list[Completion] = []
        with suppress(ModelError):
            for piece in self._prompts.pieces(request):
                read.append(await self._completed(piece, None))
        return read

    async def _with_template(self, request: Request, on_text: OnText | None) -> Completion:
        try:
            return await self._completed(request, on_text)
        except ModelError as error:
            if self._mode != "auto" or not self.capabilities.chat or not is_refusal_of_template(error):
                raise
            self._facts = replace(self._facts, has_bad_template=True)
            log.warning("%s gets plain text from now on, because its template fails: %s", self.name, error.problem)
        return await self._completed(request, on_text)

    async def _completed(self, request: Request, on_text: OnText | None) -> Completion:
        unread, is_chat = self.unread(request), self.capabilities.chat
        body = {key: value for key, value in self._body(request, is_chat).items() if value is not None}
        path = "/api/chat" if is_chat else "/api/generate"
        try:
            completion = await self._stream.complete(path, body, request, take_in, on_text, self._calibrates(request))
        except ModelError as error:
            if error.about_request:
                self._stream.estimate.observe(request.text, self.context_tokens)  # it has at least so many
            raise
        if (completion.timing.load or 0.0) > LOAD_SECONDS:
            self._prompts.forget()
            unread = 0  # nobody knows what was read before it was loaded again
        self._prompts.note(request.text, unread, completion.timing.prompt)
        return completion

    def _body(self, request: Request, is_chat: bool) -> dict[str, Any]:
        messages = [{"role": one.role, "content": one.content} for one in request.chat]
        asked = {"messages": messages} if is_chat else {"prompt": request.text, "raw": self._mode != "generate"}
        return asked | {
            "model": self._model,
            "stream": True,
            # A model thinks by default, and is held to no schema meanwhile.
            "think": False if self._think is None and self._facts.is_thinking else self._think,
            "keep_alive": self._keep_alive,
            "options": self._options(request),
            "format": request.schema,
            # Nothing is cut silently: neither a prompt that is too long, nor the beginning of a full context.
            "truncate": False,
            "shift": False,
        }

    def _options(self, request: Request) -> dict[str, Any]:
        options: dict[str, Any] = {
            "num_ctx": self.context_tokens,
            "num_predict": request.max_tokens,
            "temperature": request.temperature,
            "repeat_penalty": request.repeat_penalty,
        }
        if request.stop:  # they take the place of those of the model's Modelfile
            options["stop"] = list(dict.fromkeys([*request.stop, *self._facts.stops]))
        if request.seed is not None:
            options["seed"] = request.seed
        if request.top_p is not None:
            options["top_p"] = request.top_p
        return options

    def _calibrates(self, request: Request) -> bool:
        """Return whether an answer is worth reading to its end, for the count of its prompt that comes then."""
        estimate = self._stream.estimate
        is_short = request.max_tokens <= CALIBRATING_TOKENS
        return is_short and not estimate.is_calibrated and estimate.can_learn_from(request.text)

    def _check_fits_context(self, request: Request) -> None:
        remedy = "Raise num_ctx or shorten the remembered window."
        if self.context_tokens < self._num_ctx:
            remedy = "It was trained for no more: use another model, or shorten the remembered window."
        self._stream.check_fits(request, self.context_tokens, remedy)


def _with_time_of(pieces: Sequence[Completion], completion: Completion) -> Completion:
    """Return an answer with the time that it took to have its prompt read in pieces before."""
    if not pieces:
        return completion
    every = (*pieces, completion)
    load = sum(one.timing.load or 0.0 for one in every)
    prompt = sum(one.timing.prompt or 0.0 for one in every)
    timing = replace(completion.timing, load=load, prompt=prompt)
    return replace(completion, seconds=sum(one.seconds for one in every), timing=timing)
