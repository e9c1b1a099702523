"""OpenAI's HTTP API: a streamed answer, errors with remedies, and detection of what a server supports."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx

from agents.models.adapter import StreamBuffer, connection_hint
from agents.models.http_limits import AnswerTooLong
from agents.models.model import RATE_LIMIT_REMEDY, ModelError, Timing

CLIENT_ERRORS = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, EOFError, TimeoutError, ValueError)
CHECK_ADDRESS = "Check the address in config/models.md; it mostly ends with /v1, as in http://127.0.0.1:8000/v1."
SHORTEN = "Set num_ctx in config/models.md to the context of the server, or shorten the remembered window."
LOOK_THERE = "Look into that server's own log if this goes on."

THOUGHTS = ("reasoning_content", "reasoning")
"""The fields in which servers send thoughts: llama.cpp's and older vLLM's, and that of newer vLLM and others."""

Mode = Literal["chat", "raw"]
Constraint = Literal["auto", "none", "grammar", "guided_grammar", "structured_outputs", "json_schema"]
"""The request fields that constrain an answer: llama.cpp's, vLLM's older and newer ones, or a schema."""

PATHS: Mapping[Mode, str] = {"chat": "chat/completions", "raw": "completions"}
GRAMMARS = ("grammar", "guided_grammar", "structured_outputs")
TRIED: Mapping[Mode, tuple[Constraint, ...]] = {
    "chat": ("json_schema",),
    "raw": ("grammar", "structured_outputs", "guided_grammar", "json_schema"),
}
NOT_SUPPORTED = (400, 404, 405, 415, 422, 501)

WORD = "fallwater"
SCHEMA = {
    "type": "object",
    "properties": {"answer": {"enum": [WORD]}},
    "required": ["answer"],
    "additionalProperties": False,
}
GRAMMAR = f'root ::= "{WORD}"'
QUESTION = "Name a town in one word."
TRIAL_TOKENS = 24

Post = Callable[[str, dict[str, Any]], Awaitable[tuple[int, bytes]]]
"""Posts a body to a path; returns the status and the body of the reply."""


class Refusal(ModelError):
    """A request that a server has refused with a status."""

    def __init__(
        self, problem: str, status: int, remedy: str, *, retryable: bool = False, about_request: bool = False
    ) -> None:
        super().__init__(problem, remedy=remedy, retryable=retryable, about_request=about_request)
        self.status = status


class NotOpenAI(ValueError):
    """A reply that is not of OpenAI's API."""


def model_error(
    error: Exception,
    address: str,
    model: str,
    timeout_seconds: float | None = None,
    checked_seconds: float | None = None,
) -> ModelError:
    """Return the error as one for a person, naming address, model and remedy.

    `timeout_seconds` is how long an answer was waited for, `checked_seconds` how long the names of models were.
    """
    match error:
        case httpx.ConnectError() | httpx.ConnectTimeout() | ConnectionError():
            message = f"No server answers at {address} (asked for {model!r}).{connection_hint(error)}"
            remedy = "Start it there, or change the address in config/models.md."
            return ModelError(message, remedy=remedy, is_gone=True)
        case TimeoutError() | httpx.TimeoutException() if checked_seconds:
            message = f"The server at {address} did not say within {checked_seconds:g} s whether it has {model!r}."
            return ModelError(message, remedy=f"Restart it if it hangs. {CHECK_ADDRESS}")
        case TimeoutError() | httpx.TimeoutException():
            limit = f" within {timeout_seconds:g} s" if timeout_seconds is not None else " in time"
            message = f"The server at {address} did not finish its answer with {model!r}{limit}."
            return ModelError(message, remedy="Use a smaller model or a longer timeout.")
        case AnswerTooLong():
            message = f"What answers at {address} for {model!r} sends {error}, more than any answer may have."
            return ModelError(message, remedy=CHECK_ADDRESS)
        case httpx.InvalidURL() | httpx.UnsupportedProtocol():
            return ModelError(f"{address!r} is no address: {error}.", remedy=CHECK_ADDRESS, retryable=False)
        case EOFError() | httpx.HTTPError() | httpx.StreamError() | OSError():
            message = f"The answer of {model!r} from {address} broke off: {_reason(error)}."
            return ModelError(message, remedy=LOOK_THERE, is_gone=isinstance(error, httpx.TransportError))
    message = f"What answers at {address} for {model!r} does not speak OpenAI's API: {_reason(error)}."
    return ModelError(message, remedy=CHECK_ADDRESS)


def request_error(status: int, body: bytes, address: str, model: str) -> Refusal:
    """Return the error for a reply with a status that is none of success."""
    said = reason_in(body)
    if status in (401, 403):
        message = f"The server at {address} wants another key for {model!r} (status {status}): {said}."
        remedy = "Set api_key_from in config/models.md to the name of the environment variable that holds the key."
        return Refusal(message, status, remedy)
    if status == 404 and "model" in said.lower():
        message = f"The server at {address} has no model {model!r}: {said}."
        return Refusal(message, status, "Load it there, or change model in config/models.md.")
    if 300 <= status < 400:
        message = f"The server at {address} redirects the request for {model!r} (status {status})."
        return Refusal(message, status, CHECK_ADDRESS)
    if status in (404, 405):
        message = f"The server at {address} does not know this request (status {status}): {said}."
        return Refusal(message, status, CHECK_ADDRESS)
    if status in (400, 413) and is_about_length(said):
        message = f"The server at {address} has no room for so long a request to {model!r}: {said}."
        return Refusal(message, status, SHORTEN, about_request=True)
    message = f"The server at {address} refused the request for {model!r} with status {status}: {said}."
    retryable = status >= 500 or status in (408, 429)
    remedy = LOOK_THERE if retryable else "Take out the option that it names, in config/models.md."
    return Refusal(message, status, RATE_LIMIT_REMEDY if status == 429 else remedy, retryable=retryable)


def is_about_length(said: str) -> bool:
    """Return whether a server says of a request that it is too long for the model."""
    return bool(re.search(r"context (length|size|window)|exceed_context|too long", said, re.IGNORECASE))


def lacks_model(address: str, model: str, names: list[str]) -> ModelError:
    """Return the error for a server without the model; `names` are those it has."""
    has = ", ".join(sorted(names)[:8]) or "none"
    message = f"The server at {address} has no model {model!r} (it has: {has})."
    return ModelError(message, remedy="Load it there, or change model in config/models.md.", retryable=False)


def reason_in(body: bytes) -> str:
    """Return the reason that a server gives, in one line."""
    text = body.decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return _short(text)
    for _ in range(3):
        if isinstance(found, dict):
            found = found.get("error") or found.get("message") or found.get("detail") or str(found)
    return _short(str(found))


def _short(text: str) -> str:
    return " ".join(text.split())[:160].rstrip(".") or "no reason given"


def _reason(error: Exception) -> str:
    return _short(str(error)) if str(error).strip() else type(error).__name__


@dataclass
class OpenAIAnswer:
    """The parts of a streamed answer so far; `cached_tokens` and the seconds are None if the server did not tell."""

    said: StreamBuffer = field(default_factory=StreamBuffer)
    finish: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int | None = None
    first_at: float | None = None
    prompt_seconds: float | None = None
    answer_seconds: float | None = None

    @property
    def text(self) -> str:
        return self.said.text

    def take_in(self, event: dict[str, Any], is_chat: bool, now: float) -> bool:
        """Add an event that came at `now`, in seconds; return whether there is more text now.

        Raises: ModelError if the event is an error, NotOpenAI if it is none of this API.
        """
        if event.get("error"):
            message = f"It failed in the midst of its answer: {reason_in(json.dumps(event).encode())}."
            raise ModelError(message, remedy="Look into that server's log.")
        self._take_in_costs(event)
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else {}
        if not isinstance(choice, dict):
            raise NotOpenAI("a choice that is none")
        said = choice.get("delta") if is_chat else choice
        piece = said.get("content" if is_chat else "text") if isinstance(said, dict) else ""
        if choice.get("finish_reason"):
            self.finish = str(choice["finish_reason"])
        thoughts = (said.get(name) for name in THOUGHTS) if isinstance(said, dict) else ()
        self.said.think(next((one for one in thoughts if one and isinstance(one, str)), ""))
        if not isinstance(piece, str):
            return False
        self.said.say(piece)
        if self.text and self.first_at is None:
            self.first_at = now
        return bool(piece)

    def timing(self, began: float, ended: float) -> Timing:
        """Return where the time went between these moments: as the server told, or as it could be seen from here."""
        if self.answer_seconds is not None:
            return Timing(prompt=self.prompt_seconds, answer=self.answer_seconds)
        first = ended if self.first_at is None else self.first_at
        return Timing(prompt=first - began, answer=ended - first)

    def _take_in_costs(self, event: dict[str, Any]) -> None:
        """Read the cost of the answer, from OpenAI's `usage` or llama.cpp's `timings`."""
        usage, timings = dict_in(event, "usage"), dict_in(event, "timings")
        details = dict_in(usage, "prompt_tokens_details")
        self.prompt_tokens = count_in(usage, "prompt_tokens") or self.prompt_tokens
        self.completion_tokens = count_in(usage, "completion_tokens") or self.completion_tokens
        for told, name in ((details, "cached_tokens"), (timings, "cache_n")):
            if isinstance(told.get(name), int):
                self.cached_tokens = count_in(told, name)
        if (seconds := _seconds_in(timings, "predicted_ms")) is not None:
            self.prompt_seconds, self.answer_seconds = _seconds_in(timings, "prompt_ms"), seconds


def object_of(content: str | bytes) -> dict[str, Any]:
    """Return the JSON object that a text is. Raises: NotOpenAI if it is none."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        text = content if isinstance(content, str) else content.decode("utf-8", "replace")
        raise NotOpenAI(f"it says {' '.join(text.split())[:60]!r}") from error
    if not isinstance(found, dict):
        raise NotOpenAI(f"it says {str(found)[:60]!r}")
    return found


def dict_in(told: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the object of a name; empty if there is none."""
    value = told.get(name)
    return value if isinstance(value, dict) else {}


def count_in(told: dict[str, Any], name: str) -> int:
    """Return the whole number of a name; 0 if there is none above 0."""
    value = told.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _seconds_in(told: dict[str, Any], name: str) -> float | None:
    """Return the milliseconds of a name in seconds; None if there are none."""
    value = told.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < math.inf:
        return None
    return value / 1000


@dataclass(frozen=True)
class RequestFormat:
    """The format of a server's requests: messages or plain text, and the field for the constraint on an answer."""

    mode: Mode
    constraint: Constraint


async def detect_format(post: Post, address: str, model: str, mode: str, constraint: Constraint) -> RequestFormat:
    """Return how a server takes requests: messages if it can, and the first constraint that it keeps to.

    `mode` and `constraint` are "auto", or what is given and not tried. A constraint counts only if an answer that it
    leaves no choice is as it has to be: many servers pass over what they do not know.

    Raises: Refusal if it takes neither messages nor plain text, or refuses for another reason.
    """
    last: tuple[int, bytes] = (0, b"")
    for each in _modes(mode):
        is_taken = False
        for one in (*(TRIED[each] if constraint == "auto" else ()), "none"):
            if one == "none" and is_taken:
                break
            last = await post(PATHS[each], _trial(each, one, model))
            if last[0] != 200 and last[0] not in NOT_SUPPORTED:
                raise request_error(*last, address, model)
            is_taken = is_taken or last[0] == 200
            if last[0] == 200 and _keeps_to(each, one, last[1]):
                return RequestFormat(each, one)
        if is_taken:
            return RequestFormat(each, "none" if constraint == "auto" else constraint)
    raise request_error(*last, address, model)


def constraint_fields(constraint: Constraint, grammar: str | None, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the fields of a request that hold its answer to a grammar or a JSON schema."""
    if grammar and constraint in ("grammar", "guided_grammar"):
        return {constraint: grammar}
    if grammar and constraint == "structured_outputs":
        return {"structured_outputs": {"grammar": grammar}}
    if schema and constraint == "json_schema":
        schema_of_reply = {"name": "reply", "schema": dict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": schema_of_reply}}
    return {}


def is_refusal_of_constraint(error: Exception) -> bool:
    """Return whether a server may have refused a request for what its answer was to be held to."""
    if not isinstance(error, Refusal):
        return False
    said = error.problem.lower()
    return error.status in NOT_SUPPORTED or any(word in said for word in ("grammar", "schema", "response_format"))


def _modes(mode: str) -> Iterable[Mode]:
    if mode == "auto":
        return ("chat", "raw")
    return ("chat",) if mode == "chat" else ("raw",)


def _trial(mode: Mode, constraint: Constraint, model: str) -> dict[str, Any]:
    asked = {"messages": [{"role": "user", "content": QUESTION}]} if mode == "chat" else {"prompt": QUESTION}
    held = constraint_fields(constraint, GRAMMAR, SCHEMA)
    return {"model": model, "max_tokens": TRIAL_TOKENS, "temperature": 0.0, **asked, **held}


def _keeps_to(mode: Mode, constraint: Constraint, body: bytes) -> bool:
    """Return whether an answer is the only one that its constraint leaves."""
    try:
        choice = json.loads(body)["choices"][0]
        text = str(choice["message"]["content"] if mode == "chat" else choice["text"]).strip()
        return bool(json.loads(text) == {"answer": WORD} if constraint == "json_schema" else text == WORD)
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return False
