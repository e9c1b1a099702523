"""Ollama's HTTP API: a client, model facts, a streamed answer, and errors with remedies."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, cast

import httpx
import ollama

from agents.models import http_server
from agents.models.adapter import billions
from agents.models.http_server import ModelServer, Refusal, ServerKind, client_arguments
from agents.models.model import Capabilities, ModelError
from agents.models.streaming import StreamedAnswer, count_in, dict_in, seconds_in

# All that the client library lets through when it asks about models: its own errors, httpx's, and what reading a reply
# that is not Ollama's raises (JSON that is none is a ValueError, JSON of another shape an AttributeError or TypeError,
# JSON of a hundred thousand brackets a RecursionError).
CLIENT_ERRORS = (
    *http_server.CLIENT_ERRORS,
    ollama.ResponseError,
    ollama.RequestError,
    AttributeError,
    TypeError,
    KeyError,
    RecursionError,
)
CHECK_ADDRESS = "Check the address in config/models.md; it ends with the port, as in http://127.0.0.1:11434."
OLLAMA = ServerKind(
    name="Ollama",
    api="Ollama's",
    no_server="Ollama does not answer",
    start="Start it with: ollama serve (https://ollama.com/download), or use --model embedded.",
    check_address=CHECK_ADDRESS,
    other_api=f"{CHECK_ADDRESS} Servers such as vLLM and llama.cpp's want api: openai.",
    look_there="If this goes on, start Ollama with OLLAMA_DEBUG=1 and look into its log.",
    get_model="Run: ollama pull {model}",
    set_key="Set the environment variable OLLAMA_API_KEY to the key.",
)

Mode = Literal["auto", "raw", "generate", "chat"]

_DIRECTIVE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_STOP = re.compile(r'^stop\s+"?(.*?)"?\s*$', re.MULTILINE)

MAX_MODELS = 64
REMOTE = "cloud"
"""The end of the names of models that Ollama has elsewhere: nothing leaves this machine unless somebody says so."""


def model_error(error: Exception, server: ModelServer, checked_seconds: float) -> ModelError:
    """Return an error of the client library as one for a person; see `ModelServer.error`."""
    if isinstance(error, ollama.ResponseError):
        return server.refusal(error.status_code, str(error.error))
    return server.error(error, checked_seconds=checked_seconds)


def is_refusal_of_template(error: ModelError) -> bool:
    """Return whether a host could not make a prompt of messages with the template of the model."""
    return isinstance(error, Refusal) and bool(re.search(r"template|jinja", error.said, re.IGNORECASE))


@dataclass(frozen=True)
class OllamaFacts:
    """The facts about a model from `/api/show`; None where it said nothing.

    `is_instructed` is whether its template has roles: a base model has the template `{{ .Prompt }}` or none.
    `has_bad_template` is true as soon as the template has failed. `is_completing` is false for models that only embed.
    `stops` are the stop texts of its Modelfile.
    """

    is_instructed: bool | None = None
    is_completing: bool = True
    is_thinking: bool = False
    context_tokens: int | None = None
    parameters_billion: float | None = None
    stops: tuple[str, ...] = ()
    has_bad_template: bool = False


def model_facts(redacted: ollama.ShowResponse) -> OllamaFacts:
    """Return the facts of a reply of `/api/show`."""
    capabilities = redacted.capabilities or ["completion"]  # older versions tell none
    known: Mapping[str, Any] = redacted.modelinfo or {}
    context = known.get(f"{known.get('general.architecture')}.context_length")
    parameters = known.get("general.parameter_count")
    told = billions(redacted.details.parameter_size if redacted.details else None)
    return OllamaFacts(
        has_roles(redacted.template or ""),
        "completion" in capabilities,
        "thinking" in capabilities,
        context if isinstance(context, int) and context > 0 else None,
        parameters / 1e9 if isinstance(parameters, int) and parameters > 0 else told,
        tuple(stop for stop in _STOP.findall(redacted.parameters or "") if stop),
    )


def has_roles(template: str) -> bool:
    """Return whether a template sets apart who speaks: a Jinja template does, one of Go if it has text of its own."""
    return "{%" in template or bool(_DIRECTIVE.sub("", template).strip())


def capabilities_of(facts: OllamaFacts, mode: Mode, constraint: str, num_ctx: int) -> Capabilities:
    """Return the capabilities of a model in this mode, with this constraint and context in tokens."""
    is_chat = mode == "chat" or (mode == "auto" and bool(facts.is_instructed) and not facts.has_bad_template)
    takes_schema = constraint in ("auto", "json_schema")
    parts = [_kind(facts)]
    if facts.parameters_billion:
        parts.append(f"{facts.parameters_billion:.2g} billion parameters")
    parts.append(f"mode auto takes {'chat' if is_chat else 'raw'}" if mode == "auto" else f"mode {mode}")
    parts.append(f"constraint {'json_schema' if takes_schema else 'none'}")
    if facts.context_tokens and facts.context_tokens < num_ctx:
        parts.append(f"context {facts.context_tokens} tokens, as it was trained for, not num_ctx {num_ctx}")
    else:
        parts.append(f"context {num_ctx} tokens")
    if facts.is_instructed and mode == "raw":
        parts.append("mode raw keeps its template from it: set mode to auto")
    return Capabilities(
        chat=is_chat,
        raw=not is_chat and mode != "generate",
        json_schema=takes_schema,
        parameters_billion=facts.parameters_billion,
        explanation=f"{'; '.join(parts)}.",
    )


def _kind(facts: OllamaFacts) -> str:
    if facts.is_instructed is None:
        return "its host does not tell whether it was instructed"
    if facts.has_bad_template:
        return "an instructed model whose template fails"
    return "an instructed model" if facts.is_instructed else "a base model (its template has no roles)"


def duration_field(duration: str | float) -> str | float:
    """Return a duration as Ollama takes it: seconds have to be a number, since "-1" lacks a unit."""
    try:
        return float(duration)
    except ValueError:
        return duration


def take_in(answer: StreamedAnswer, chunk: dict[str, Any], now: float) -> bool:
    """Add a chunk that came at `now`, in seconds, to an answer; return whether text came. Raises: OtherApi."""
    said = dict_in(chunk, "message") or chunk
    if chunk.get("done"):
        answer.finish = str(chunk.get("done_reason") or "stop")
        answer.prompt_tokens = count_in(chunk, "prompt_eval_count")
        answer.completion_tokens = count_in(chunk, "eval_count")
        if count_in(chunk, "eval_duration"):
            answer.load_seconds = seconds_in(chunk, "load_duration", 1e9)
            answer.prompt_seconds = seconds_in(chunk, "prompt_eval_duration", 1e9)
            answer.answer_seconds = seconds_in(chunk, "eval_duration", 1e9)
    return answer.add(said, now)


def open_client(host: str, model: str, transport: httpx.AsyncBaseTransport | None = None) -> ollama.AsyncClient:
    """Return a client of an Ollama host; `model` is for the error. Raises: ModelError if the host is no address."""
    try:
        return ollama.AsyncClient(host, **client_arguments(host, transport))
    except (ValueError, httpx.InvalidURL) as error:
        raise ModelServer(OLLAMA, host, model).invalid_address(error) from error


def http_of(client: ollama.AsyncClient) -> httpx.AsyncClient:
    """Return the HTTP client in the library's, for what that does not ask, or cannot read.

    It ends lines where Unicode does, and so in the middle of a JSON string. `truncate` it does not know.
    """
    return cast("httpx.AsyncClient", cast("Any", client)._client)


async def list_models(host: str) -> Mapping[str, OllamaFacts]:
    """Return Ollama's list of the models on this machine; empty if it does not answer in time."""
    client, found = open_client(host, ""), dict[str, OllamaFacts]()
    try:
        with suppress(*CLIENT_ERRORS):
            async with asyncio.timeout(http_server.CHECK_SECONDS):
                names = [entry.model for entry in (await client.list()).models if entry.model]
                for name in [one for one in names if not one.endswith(REMOTE)][:MAX_MODELS]:
                    found[name] = model_facts(await client.show(name))
    finally:
        await http_of(client).aclose()
    return found
