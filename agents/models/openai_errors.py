"""What goes wrong between us and a server that speaks OpenAI's API, in words that say what to do."""

from __future__ import annotations

import json
import re

import httpx

from agents.models.addresses import why_unreached
from agents.models.bounded import AnswerTooLong
from agents.models.model import LESS_OFTEN, ModelError

TROUBLE = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, EOFError, TimeoutError, ValueError)
CHECK_ADDRESS = "Check the address in config/models.md; it mostly ends with /v1, as in http://127.0.0.1:8000/v1."
SHORTEN = "Set num_ctx in config/models.md to the context of the server, or shorten the remembered window."
LOOK_THERE = "Look into that server's own log if this goes on."


class Refusal(ModelError):
    """A request that a server has refused with a status."""

    def __init__(
        self, problem: str, status: int, remedy: str, *, retryable: bool = False, about_request: bool = False
    ) -> None:
        super().__init__(problem, remedy=remedy, retryable=retryable, about_request=about_request)
        self.status = status


class NotOurs(ValueError):
    """A reply that is not of OpenAI's API."""


def explained(
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
            message = f"No server answers at {address} (asked for {model!r}).{why_unreached(error)}"
            remedy = "Start it there, or change the address in config/models.md."
            return ModelError(message, remedy=remedy, is_gone=True)
        case TimeoutError() | httpx.TimeoutException() if checked_seconds:
            message = f"The server at {address} did not say within {checked_seconds:g} s whether it has {model!r}."
            return ModelError(message, remedy=f"Start it anew if it hangs. {CHECK_ADDRESS}")
        case TimeoutError() | httpx.TimeoutException():
            limit = f" within {timeout_seconds:g} s" if timeout_seconds is not None else " in time"
            message = f"The server at {address} did not finish its answer with {model!r}{limit}."
            return ModelError(message, remedy="Use a smaller model or a longer timeout.")
        case AnswerTooLong():
            message = f"What answers at {address} for {model!r} sends {error}, more than any answer has."
            return ModelError(message, remedy=CHECK_ADDRESS)
        case httpx.InvalidURL() | httpx.UnsupportedProtocol():
            return ModelError(f"{address!r} is no address: {error}.", remedy=CHECK_ADDRESS, retryable=False)
        case EOFError() | httpx.HTTPError() | httpx.StreamError() | OSError():
            message = f"The answer of {model!r} from {address} broke off: {_reason(error)}."
            return ModelError(message, remedy=LOOK_THERE, is_gone=isinstance(error, httpx.TransportError))
    message = f"What answers at {address} for {model!r} does not speak OpenAI's API: {_reason(error)}."
    return ModelError(message, remedy=CHECK_ADDRESS)


def refused(status: int, body: bytes, address: str, model: str) -> Refusal:
    """Return the error for a reply with a status that is none of success."""
    said = said_in(body)
    if status in (401, 403):
        message = f"The server at {address} wants another key for {model!r} (status {status}): {said}."
        remedy = "Set api_key_from in config/models.md to the name of the environment variable that holds the key."
        return Refusal(message, status, remedy)
    if status == 404 and "model" in said.lower():
        message = f"The server at {address} has no model {model!r}: {said}."
        return Refusal(message, status, "Load it there, or change model in config/models.md.")
    if 300 <= status < 400:
        message = f"The server at {address} sends us elsewhere for {model!r} (status {status})."
        return Refusal(message, status, CHECK_ADDRESS)
    if status in (404, 405):
        message = f"The server at {address} does not know what it is asked (status {status}): {said}."
        return Refusal(message, status, CHECK_ADDRESS)
    if status in (400, 413) and is_about_length(said):
        message = f"The server at {address} has no room for so long a request to {model!r}: {said}."
        return Refusal(message, status, SHORTEN, about_request=True)
    message = f"The server at {address} refused the request for {model!r} with status {status}: {said}."
    retryable = status >= 500 or status in (408, 429)
    remedy = LOOK_THERE if retryable else "Take out the option that it names, in config/models.md."
    return Refusal(message, status, LESS_OFTEN if status == 429 else remedy, retryable=retryable)


def is_about_length(said: str) -> bool:
    """Return whether a server says of a request that it is too long for the model."""
    return bool(re.search(r"context (length|size|window)|exceed_context|too long", said, re.IGNORECASE))


def lacks_model(address: str, model: str, names: list[str]) -> ModelError:
    """Return the error for a server without the model; `names` are those it has."""
    has = ", ".join(sorted(names)[:8]) or "none"
    message = f"The server at {address} has no model {model!r} (it has: {has})."
    return ModelError(message, remedy="Load it there, or change model in config/models.md.", retryable=False)


def said_in(body: bytes) -> str:
    """Return what a server gives as its reason, in one line."""
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
