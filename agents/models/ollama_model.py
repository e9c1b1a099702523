"""A model served by Ollama, through its own client library."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Literal, cast

import httpx
import ollama

from agents.models.addresses import shown
from agents.models.bounded import connection
from agents.models.model import Completion, Finish, ModelError, OnText, Request
from agents.models.ollama_errors import CHECK_ADDRESS, TROUBLE, explained, lacks_model
from agents.models.said import Said
from agents.models.token_estimate import TokenEstimate

Mode = Literal["raw", "generate", "chat"]
Think = bool | Literal["low", "medium", "high"]

CHECK_SECONDS = 10.0


class OllamaModel:
    """One model on one Ollama host.

    `mode` says how a prompt is sent: "raw" as it is, for base models; "generate" through the model's
    template; "chat" as the one message of a user. Ollama takes no GBNF, so grammars are left out; a schema goes
    along if `constraint` is "json_schema".

    Ollama would cut a prompt that does not fit, and the client library cannot tell it not to. So a prompt
    that does not fit is refused here.
    """

    constrains = False

    def __init__(
        self,
        host: str,
        model: str,
        *,
        mode: Mode = "raw",
        num_ctx: int = 8192,
        keep_alive: str | float = "30m",
        think: Think | None = None,
        constraint: str = "none",
        check_seconds: float = CHECK_SECONDS,
        transport: httpx.AsyncBaseTransport | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Choose the host ("http://127.0.0.1:11434") and the model ("llama3.2").

        `num_ctx` is in tokens; the host loads the model again whenever it changes. `keep_alive` is how long
        the host keeps the model loaded ("30m", or seconds). `think` is for reasoning models only (None: not
        sent). `check_seconds` bounds `start`.

        Raises: ModelError if the host is no address.
        """
        self.name = f"ollama:{model}@{shown(host)}"
        self.context_tokens = num_ctx
        self.takes_schema = constraint == "json_schema"
        self._host = shown(host)
        self._model = model
        self._mode = mode
        self._keep_alive = keep_alive
        self._think = think
        self._check_seconds = check_seconds
        self._now = now
        self._estimate = TokenEstimate()
        self._client = _client(host, model, transport)

    async def start(self) -> None:
        """Check that the host answers and has the model. Raises: ModelError."""
        try:
            async with asyncio.timeout(self._check_seconds):
                listed = await self._client.list()
        except TROUBLE as error:
            raise explained(error, self._host, self._model, checked_seconds=self._check_seconds) from error
        names = [entry.model for entry in listed.models if entry.model]
        if self._model not in names and f"{self._model}:latest" not in names:
            raise lacks_model(self._host, self._model, names)

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Continue the prompt; see `LanguageModel.complete`. Raises: ModelError."""
        self._refuse_what_would_be_cut(request)
        began = self._now()
        try:
            async with asyncio.timeout(request.timeout_seconds), aclosing(self._chunks(request)) as chunks:
                text, last = await self._read(chunks, on_text)
        except TimeoutError as error:
            raise explained(error, self._host, self._model, request.timeout_seconds) from error
        return self._completion(request, text, last, self._now() - began)

    def count_tokens(self, text: str) -> int:
        """Return an estimate, calibrated by the host's own counts."""
        return self._estimate.count(text)

    async def close(self) -> None:
        """Close the connections to the host."""
        await cast("Any", self._client).close()  # the library forgot its type

    async def _ask(self, request: Request) -> AsyncGenerator[Any, None]:
        common: dict[str, Any] = {
            "model": self._model,
            "stream": True,
            "think": self._think,
            "keep_alive": self._keep_alive,
            "options": self._options(request),
            "format": request.schema if self.takes_schema else None,
        }
        if self._mode == "chat":
            stream = await self._client.chat(messages=[{"role": "user", "content": request.prompt}], **common)
        else:
            stream = await self._client.generate(prompt=request.prompt, raw=self._mode == "raw", **common)
        return cast("AsyncGenerator[Any, None]", stream)

    def _options(self, request: Request) -> dict[str, Any]:
        options: dict[str, Any] = {
            "num_ctx": self.context_tokens,
            "num_predict": request.max_tokens,
            "temperature": request.temperature,
            "repeat_penalty": request.repeat_penalty,
        }
        if request.stop:
            options["stop"] = list(request.stop)
        if request.seed is not None:
            options["seed"] = request.seed
        if request.top_p is not None:
            options["top_p"] = request.top_p
        return options

    async def _chunks(self, request: Request) -> AsyncGenerator[Any, None]:
        """Yield the chunks of the answer. Closing this early closes the request, and the host stops."""
        try:
            async with aclosing(await self._ask(request)) as stream:
                async for chunk in stream:
                    yield chunk
        except TROUBLE as error:
            raise explained(error, self._host, self._model) from error

    async def _read(self, chunks: AsyncGenerator[Any, None], on_text: OnText | None) -> tuple[str, Any]:
        """Return the whole text and the last chunk, which is None if `on_text` had enough."""
        said = Said()
        async for chunk in chunks:
            told = chunk.message if self._mode == "chat" else chunk
            piece = (told.content if self._mode == "chat" else told.response) or ""
            said.think(told.thinking or "")
            said.say(piece)
            if chunk.done:
                return said.text, chunk
            if piece and on_text is not None and on_text(said.text):
                return said.text, None
        raise explained(EOFError("it ended before it was done"), self._host, self._model)

    def _completion(self, request: Request, text: str, last: Any, seconds: float) -> Completion:
        counted = (last.prompt_eval_count if last else None) or 0
        self._estimate.observe(request.prompt, counted)
        expected = self._estimate.count(request.prompt)
        # Some versions count only what was not in the cache. Half of what is expected cannot be the whole.
        counted_part = counted < expected / 2
        finish: Finish = "length" if last and last.done_reason == "length" else "stop"
        return Completion(
            text=text,
            model=self.name,
            prompt_tokens=expected if counted_part else counted,
            cached_tokens=expected - counted if counted_part and last else 0,
            completion_tokens=last.eval_count or 0 if last else self._estimate.count(text),
            seconds=seconds,
            finish=finish,
            is_counted=last is not None,
        )

    def _refuse_what_would_be_cut(self, request: Request) -> None:
        needed = self.count_tokens(request.prompt) + request.max_tokens
        if needed > self.context_tokens:
            message = (
                f"The prompt and its answer need about {needed} tokens; {self.name} is used with num_ctx "
                f"{self.context_tokens}, and Ollama would cut the prompt silently."
            )
            remedy = "Raise num_ctx or shorten the remembered window."
            raise ModelError(message, remedy=remedy, retryable=False, about_request=True)


def _client(host: str, model: str, transport: httpx.AsyncBaseTransport | None) -> ollama.AsyncClient:
    try:
        return ollama.AsyncClient(host, **connection(host, transport))
    except (ValueError, httpx.InvalidURL) as error:
        message = f"{shown(host)!r} is not the address of an Ollama host for the model {model!r}: {error}."
        raise ModelError(message, remedy=CHECK_ADDRESS, retryable=False) from error
