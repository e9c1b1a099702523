"""A model behind OpenAI's API: vLLM, llama.cpp's server, LM Studio and many others."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast
from urllib.parse import urlsplit

import httpx

from agents.models.adapter import ConstraintFallback, redact_address
from agents.models.http_server import (
    CHECK_SECONDS,
    CLIENT_ERRORS,
    ModelServer,
    client_arguments,
    is_refusal_of_constraint,
)
from agents.models.model import (
    DEFAULT_OPTIONS,
    Capabilities,
    Completion,
    ModelOptions,
    OnText,
    Request,
)
from agents.models.openai_api import (
    GRAMMARS,
    OPENAI,
    PATHS,
    Constraint,
    RequestFormat,
    constraint_fields,
    detect_format,
    size_in_name,
    take_in,
)
from agents.models.streaming import StreamClient, count_in, dict_in, object_of, reason_in

log = logging.getLogger(__name__)

TRIAL_SECONDS = 20.0
_NOT_TOLD: tuple[int | None, float | None] = (None, None)
TAKES_ANY_NAME = "llamacpp"  # the owner that llama.cpp's server names; it has one model, whatever it is called


class OpenAIModel:
    """One model of one server.

    `mode` is "chat" for messages, "raw" for plain text; "auto" tries which the server takes, and `constraint` "auto"
    what it keeps to. Grammars and schemas go along in the field that the constraint names, and only then. A prompt that
    does not fit is refused here.
    """

    def __init__(
        self,
        address: str,
        model: str,
        options: ModelOptions = DEFAULT_OPTIONS,
        *,
        check_seconds: float = CHECK_SECONDS,
        trial_seconds: float = TRIAL_SECONDS,
        transport: httpx.AsyncBaseTransport | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Choose the address ("http://127.0.0.1:8000/v1") and the model, by the name that the server has for it.

        `num_ctx` is as the server was started with; a `think` of None is not sent. `check_seconds` bounds the first
        question of `start`, and `trial_seconds` the trials after it.

        Raises: ModelError if the address is none.
        """
        self.name = f"openai:{model}@{redact_address(address)}"
        self._num_ctx = options.num_ctx
        self._server = ModelServer(OPENAI, redact_address(address), model)
        self._model = model
        self._mode = mode = options.mode
        self._constraint = constraint = cast("Constraint", options.constraint)
        # Until it was tried: messages, which most servers take, and nothing that an answer is held to.
        self._is_tried = mode != "auto" and constraint != "auto"
        first = "none" if constraint == "auto" else constraint
        self._manner = RequestFormat("chat" if mode in ("chat", "auto") else "raw", first)
        self._trained, self._billions = _NOT_TOLD
        self._fallback = ConstraintFallback(self.name)
        self._think = None if options.think is None else bool(options.think)
        self._check_seconds = check_seconds
        self._trial_seconds = trial_seconds
        self._client = _client(address, model, options.api_key, transport)
        self._stream = StreamClient(self.name, self._server, self._client, now)

    @property
    def context_tokens(self) -> int:
        """The context for prompt and answer together, in tokens: `num_ctx`, or the server's figure if that is less."""
        return min(self._num_ctx, self._trained or self._num_ctx)

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities of the model; final once its server has been tried."""
        manner, constraint = self._manner, self._held_by
        chosen = "mode auto takes" if self._mode == "auto" else "mode"
        parts = [
            *([] if self._is_tried else ["its server has not been tried yet"]),
            *([f"{self._billions:.2g} billion parameters"] if self._billions else []),
            f"{chosen} {manner.mode}",
            f"constraint {constraint}",
            f"context {self.context_tokens} tokens",
        ]
        return Capabilities(
            chat=manner.mode == "chat",
            raw=manner.mode == "raw",
            grammar=constraint in GRAMMARS,
            json_schema=constraint == "json_schema",
            parameters_billion=self._billions,
            explanation=f"{'; '.join(parts)}.",
            refusal=self._fallback.problem,
        )

    @property
    def _held_by(self) -> Constraint:
        return "none" if self._fallback.is_off else self._manner.constraint

    async def start(self) -> None:
        """Check that the server answers and has the model, and try how it wants to be asked. Raises: ModelError."""
        try:
            async with asyncio.timeout(self._check_seconds):
                reply = await self._client.get("models")
                if reply.status_code != 200:
                    raise self._server.refusal(reply.status_code, reason_in(reply.content))
                listed = object_of(reply.content).get("data")
        except CLIENT_ERRORS as error:
            raise self._server.error(error, checked_seconds=self._check_seconds) from error
        entries = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        names = [str(one.get("id", "")) for one in entries]
        own = next((one for one in entries if one.get("id") == self._model), None)
        own = own or next((one for one in entries if one.get("owned_by") == TAKES_ANY_NAME), None)
        if own is None:
            raise self._server.lacks_model(names)
        meta = dict_in(own, "meta")  # llama.cpp's; vLLM has its own field
        self._trained = count_in(own, "max_model_len") or count_in(meta, "n_ctx_train") or None
        self._billions = count_in(meta, "n_params") / 1e9 or size_in_name(self._model)
        with suppress(TimeoutError):  # it may be loading the model: the first request tries again
            await self._try(self._trial_seconds)

    async def _try(self, seconds: float) -> None:
        """Find out how the server wants to be asked, if that is not known. Raises: ModelError, TimeoutError."""
        if self._is_tried:
            return
        try:
            async with asyncio.timeout(seconds):
                self._manner = await detect_format(self._post, self._server, self._mode, self._constraint)
        except TimeoutError:
            raise
        except CLIENT_ERRORS as error:
            raise self._server.error(error) from error
        self._is_tried = True
        log.info("%s: %s", self.name, self.capabilities.explanation)

    async def _post(self, path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        reply = await self._client.post(path, json=body)
        return reply.status_code, reply.content

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Continue the prompt, or answer the messages; see `LanguageModel.complete`. Raises: ModelError.

        A schema or a grammar that the server refuses is left out, and that is said once.
        """
        remedy = "Raise num_ctx, there and in config/models.md, or shorten the remembered window."
        self._stream.check_fits(request, self.context_tokens, remedy)
        try:
            await self._try(request.timeout_seconds)
        except TimeoutError as error:
            raise self._server.error(error, request.timeout_seconds) from error
        held = self.capabilities.constraints_of(request)
        return await self._fallback.complete(held, lambda one: self._ask(one, on_text), is_refusal_of_constraint)

    async def _ask(self, request: Request, on_text: OnText | None) -> Completion:
        return await self._stream.complete(PATHS[self._manner.mode], self._body(request), request, take_in, on_text)

    def count_tokens(self, text: str) -> int:
        """Return an estimate, calibrated by the server's own counts."""
        return self._stream.estimate.count(text)

    async def close(self) -> None:
        """Close the connections to the server."""
        await self._client.aclose()

    def _body(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if self._manner.mode == "chat":
            body["messages"] = [{"role": one.role, "content": one.content} for one in request.chat]
            if self._think is not None:
                body["chat_template_kwargs"] = {"enable_thinking": self._think}
        else:
            body["prompt"] = request.text
        wanted = {"stop": list(request.stop) or None, "seed": request.seed, "top_p": request.top_p}
        body |= {key: value for key, value in wanted.items() if value is not None}
        if request.repeat_penalty != 1.0:  # as llama.cpp calls it, and as vLLM does
            body |= {"repeat_penalty": request.repeat_penalty, "repetition_penalty": request.repeat_penalty}
        return body | constraint_fields(self._held_by, request.grammar, request.schema)


def _client(address: str, model: str, api_key: str, transport: httpx.AsyncBaseTransport | None) -> httpx.AsyncClient:
    headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        if "://" not in address:
            raise ValueError("an address begins with http:// or https://")
        base = address if urlsplit(address).path.strip("/") else f"{address.rstrip('/')}/v1"
        return httpx.AsyncClient(base_url=base, headers=headers, **client_arguments(address, transport))
    except (ValueError, httpx.InvalidURL) as error:
        raise ModelServer(OPENAI, address, model).invalid_address(error) from error
