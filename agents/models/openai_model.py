"""A model behind OpenAI's API, as vLLM, llama.cpp's server, LM Studio and many others offer it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx

from agents.models.addresses import shown
from agents.models.bounded import connection
from agents.models.model import Completion, Finish, ModelError, OnText, Request
from agents.models.openai_errors import CHECK_ADDRESS, TROUBLE, NotOurs, explained, lacks_model, refused, said_in
from agents.models.said import Said
from agents.models.token_estimate import TokenEstimate

Constraint = Literal["none", "grammar", "guided_grammar", "structured_outputs", "json_schema"]
"""How a server is told what an answer has to be like: llama.cpp's field, vLLM's older and newer ones, or a schema."""

CHECK_SECONDS = 10.0
THOUGHTS = ("reasoning_content", "reasoning")
"""Where servers put what a model thinks: llama.cpp's and older vLLM's field, and that of newer vLLM and others."""

TAKES_ANY_NAME = "llamacpp"  # the owner that llama.cpp's server names; it has one model, whatever it is called


@dataclass
class _Heard:
    """What was read of an answer so far."""

    said: Said = field(default_factory=Said)
    finish: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    @property
    def text(self) -> str:
        return self.said.text


class OpenAIModel:
    """One model of one server. `mode` is "chat" for the prompt as a message of a user, else it goes as it is.

    Grammars go along in the field that `constraint` names, and only then; a prompt that does not fit is refused here.
    """

    def __init__(
        self,
        address: str,
        model: str,
        *,
        mode: str = "raw",
        num_ctx: int = 8192,
        constraint: Constraint = "none",
        api_key: str = "",
        think: bool | None = None,
        check_seconds: float = CHECK_SECONDS,
        transport: httpx.AsyncBaseTransport | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Choose the address ("http://127.0.0.1:8000/v1") and the model, by the name that the server has for it.

        `num_ctx` is in tokens, as the server was started with. `think` is for reasoning models in chat (None: not
        sent). `check_seconds` bounds `start`.

        Raises: ModelError if the address is none.
        """
        self.name = f"openai:{model}@{shown(address)}"
        self.context_tokens = num_ctx
        self.constrains = constraint in ("grammar", "guided_grammar", "structured_outputs")
        self.takes_schema = constraint == "json_schema"
        self._address = shown(address)
        self._model = model
        self._is_chat = mode == "chat"
        self._constraint = constraint
        self._think = think
        self._check_seconds = check_seconds
        self._now = now
        self._estimate = TokenEstimate()
        self._client = _client(address, api_key, transport)

    async def start(self) -> None:
        """Check that the server answers and has the model. Raises: ModelError."""
        try:
            async with asyncio.timeout(self._check_seconds):
                reply = await self._client.get("models")
                if reply.status_code != 200:
                    raise refused(reply.status_code, reply.content, self._address, self._model)
                listed = _object(reply.content).get("data")
        except TROUBLE as error:
            raise explained(error, self._address, self._model, checked_seconds=self._check_seconds) from error
        entries = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        names = [str(one.get("id", "")) for one in entries]
        if self._model not in names and not any(one.get("owned_by") == TAKES_ANY_NAME for one in entries):
            raise lacks_model(self._address, self._model, names)

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Continue the prompt; see `LanguageModel.complete`. Raises: ModelError."""
        self._refuse_what_would_not_fit(request)
        began, heard = self._now(), _Heard()
        try:
            async with asyncio.timeout(request.timeout_seconds), aclosing(self._events(request)) as events:
                async for event in events:
                    if self._take_in(heard, event) and on_text is not None and on_text(heard.text):
                        heard.finish = "stop"
                        break
        except TimeoutError as error:
            raise explained(error, self._address, self._model, request.timeout_seconds) from error
        if not heard.finish:
            raise explained(EOFError("it ended before it was done"), self._address, self._model)
        return self._completion(request, heard, self._now() - began)

    def count_tokens(self, text: str) -> int:
        """Return an estimate, calibrated by the server's own counts."""
        return self._estimate.count(text)

    async def close(self) -> None:
        """Close the connections to the server."""
        await self._client.aclose()

    async def _events(self, request: Request) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the events of the answer. Closing this early closes the request, and the server stops."""
        path = "chat/completions" if self._is_chat else "completions"
        try:
            async with self._client.stream("POST", path, json=self._body(request)) as reply:
                if reply.status_code != 200:
                    raise refused(reply.status_code, await reply.aread(), self._address, self._model)
                if "html" in reply.headers.get("content-type", ""):
                    raise NotOurs("it answers with a web page")
                async for line in reply.aiter_lines():
                    content = line.removeprefix("data:").strip()
                    if content == "[DONE]":
                        return
                    if content and not line.startswith((":", "event:", "id:", "retry:")):
                        yield _object(content)
        except TROUBLE as error:
            raise explained(error, self._address, self._model) from error

    def _take_in(self, heard: _Heard, event: dict[str, Any]) -> bool:
        """Add an event to what was heard; return whether there is more text now."""
        if event.get("error"):
            message = f"{self._model!r} at {self._address} failed in the midst of its answer: "
            raise ModelError(f"{message}{said_in(json.dumps(event).encode())}.", remedy="Look into that server's log.")
        _take_in_costs(heard, event)
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else {}
        if not isinstance(choice, dict):
            raise explained(NotOurs("a choice that is none"), self._address, self._model)
        said = choice.get("delta") if self._is_chat else choice
        piece = said.get("content" if self._is_chat else "text") if isinstance(said, dict) else ""
        if choice.get("finish_reason"):
            heard.finish = str(choice["finish_reason"])
        thoughts = (said.get(name) for name in THOUGHTS) if isinstance(said, dict) else ()
        heard.said.think(next((one for one in thoughts if one and isinstance(one, str)), ""))
        if not isinstance(piece, str):
            return False
        heard.said.say(piece)
        return bool(piece)

    def _body(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if self._is_chat:
            body["messages"] = [{"role": "user", "content": request.prompt}]
            if self._think is not None:
                body["chat_template_kwargs"] = {"enable_thinking": self._think}
        else:
            body["prompt"] = request.prompt
        wanted = {"stop": list(request.stop) or None, "seed": request.seed, "top_p": request.top_p}
        body |= {key: value for key, value in wanted.items() if value is not None}
        if request.repeat_penalty != 1.0:  # as llama.cpp calls it, and as vLLM does
            body |= {"repeat_penalty": request.repeat_penalty, "repetition_penalty": request.repeat_penalty}
        return body | self._constraining(request)

    def _constraining(self, request: Request) -> dict[str, Any]:
        match self._constraint:
            case "grammar" | "guided_grammar" if request.grammar:
                return {self._constraint: request.grammar}
            case "structured_outputs" if request.grammar:
                return {"structured_outputs": {"grammar": request.grammar}}
            case "json_schema" if request.schema:
                schema = {"name": "reply", "schema": dict(request.schema)}
                return {"response_format": {"type": "json_schema", "json_schema": schema}}
        return {}

    def _completion(self, request: Request, heard: _Heard, seconds: float) -> Completion:
        self._estimate.observe(request.prompt, heard.prompt_tokens)
        finish: Finish = "length" if heard.finish == "length" else "stop"
        prompt_tokens = heard.prompt_tokens or self._estimate.count(request.prompt)
        return Completion(
            text=heard.text,
            model=self.name,
            prompt_tokens=prompt_tokens,
            cached_tokens=min(heard.cached_tokens, prompt_tokens),
            completion_tokens=heard.completion_tokens or self._estimate.count(heard.text),
            seconds=seconds,
            finish=finish,
            is_counted=heard.prompt_tokens > 0,
        )

    def _refuse_what_would_not_fit(self, request: Request) -> None:
        needed = self.count_tokens(request.prompt) + request.max_tokens
        if needed > self.context_tokens:
            message = f"The prompt and its answer need about {needed} tokens; {self.name} has {self.context_tokens}."
            remedy = "Raise num_ctx, there and in config/models.md, or shorten the remembered window."
            raise ModelError(message, remedy=remedy, retryable=False, about_request=True)


def _take_in_costs(heard: _Heard, event: dict[str, Any]) -> None:
    """Read what an answer has cost, in OpenAI's `usage` or llama.cpp's `timings`."""
    usage, timings = _dict(event.get("usage")), _dict(event.get("timings"))
    details = _dict(usage.get("prompt_tokens_details"))
    heard.prompt_tokens = _count(usage.get("prompt_tokens")) or heard.prompt_tokens
    heard.completion_tokens = _count(usage.get("completion_tokens")) or heard.completion_tokens
    cached = _count(details.get("cached_tokens")) or _count(timings.get("cache_n"))
    heard.cached_tokens = cached or heard.cached_tokens


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _object(content: str | bytes) -> dict[str, Any]:
    """Raises: NotOurs if it is not a JSON object."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        text = content if isinstance(content, str) else content.decode("utf-8", "replace")
        raise NotOurs(f"it says {' '.join(text.split())[:60]!r}") from error
    if not isinstance(found, dict):
        raise NotOurs(f"it says {str(found)[:60]!r}")
    return found


def _client(address: str, api_key: str, transport: httpx.AsyncBaseTransport | None) -> httpx.AsyncClient:
    headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        if "://" not in address:
            raise ValueError("an address begins with http:// or https://")
        base = address if urlsplit(address).path.strip("/") else f"{address.rstrip('/')}/v1"
        return httpx.AsyncClient(base_url=base, headers=headers, **connection(address, transport))
    except (ValueError, httpx.InvalidURL) as error:
        problem = f"{shown(address)!r} is no address: {error}."
        raise ModelError(problem, remedy=CHECK_ADDRESS, retryable=False) from error
