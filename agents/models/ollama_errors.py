"""What goes wrong between us and Ollama, in words that say what to do."""

from __future__ import annotations

import httpx
import ollama

from agents.models.addresses import why_unreached
from agents.models.bounded import AnswerTooLong
from agents.models.model import LESS_OFTEN, ModelError

# All that the client library lets through: its own errors, httpx's, and what reading a reply that is not
# Ollama's raises (JSON that is none is a ValueError, JSON of another shape an AttributeError or TypeError, JSON of
# a hundred thousand brackets a RecursionError).
TROUBLE = (
    ollama.ResponseError,
    ollama.RequestError,
    httpx.HTTPError,
    httpx.InvalidURL,
    httpx.StreamError,
    OSError,
    EOFError,
    TimeoutError,
    ValueError,
    AttributeError,
    TypeError,
    KeyError,
    RecursionError,
)
LONGEST_REASON = 200
CHECK_ADDRESS = "Check the address in config/models.md; it ends with the port, as in http://127.0.0.1:11434."
OTHER_API = f"{CHECK_ADDRESS} Servers such as vLLM and llama.cpp's want api: openai."
LOOK_THERE = "Look into Ollama's own log if this goes on."
START_OLLAMA = "Start it with: ollama serve (https://ollama.com/download), or use --model embedded."


def explained(
    error: Exception,
    host: str,
    model: str,
    timeout_seconds: float | None = None,
    checked_seconds: float | None = None,
) -> ModelError:
    """Return the error as one for a person, naming host, model and remedy.

    `timeout_seconds` is how long an answer was waited for, `checked_seconds` how long the names of models were.
    """
    match error:
        case ollama.ResponseError():
            return _refused(error, host, model)
        case httpx.ConnectError() | httpx.ConnectTimeout() | ConnectionError():
            # The library's own words add nothing but length.
            message = f"Ollama does not answer at {host} (asked for {model!r}).{why_unreached(error)}"
            return ModelError(message, remedy=START_OLLAMA, is_gone=True)
        case TimeoutError() | httpx.TimeoutException() if checked_seconds:
            message = f"What answers at {host} did not say within {checked_seconds:g} s whether it has {model!r}."
            return ModelError(message, remedy=f"Start it anew if it hangs. {CHECK_ADDRESS}")
        case TimeoutError() | httpx.TimeoutException():
            limit = f" within {timeout_seconds:g} s" if timeout_seconds is not None else " in time"
            message = f"Ollama at {host} did not finish its answer with {model!r}{limit}."
            return ModelError(message, remedy="Use a smaller model or a longer timeout.")
        case AnswerTooLong():
            message = f"What answers at {host} for {model!r} sends {error}, more than any answer has."
            return ModelError(message, remedy=CHECK_ADDRESS)
        case EOFError() | httpx.HTTPError() | httpx.StreamError() | OSError():
            message = f"The answer of {model!r} from Ollama at {host} broke off: {_reason(error)}."
            return ModelError(message, remedy=LOOK_THERE, is_gone=isinstance(error, httpx.TransportError))
    message = f"What answers at {host} for {model!r} does not speak Ollama's API: {_reason(error)}."
    return ModelError(message, remedy=OTHER_API)


def lacks_model(host: str, model: str, names: list[str]) -> ModelError:
    """Return the error for a host without the model; `names` are those it has."""
    has = ", ".join(sorted(names)) or "none"
    message = f"Ollama at {host} has no model {model!r} (it has: {has})."
    return ModelError(message, remedy=f"Run: ollama pull {model}", retryable=False)


def _refused(error: ollama.ResponseError, host: str, model: str) -> ModelError:
    said = " ".join(str(error.error).split())[:LONGEST_REASON] or "no reason given"
    if said.startswith("<"):
        page = f"it answers with a web page (status {error.status_code})"
        message = f"What answers at {host} for {model!r} does not speak Ollama's API: {page}."
        return ModelError(message, remedy=CHECK_ADDRESS)
    if error.status_code == 404 and "model" in said:
        message = f"Ollama at {host} has no model {model!r}: {said}."
        return ModelError(message, remedy=f"Run: ollama pull {model}", retryable=False)
    if error.status_code < 0:
        message = f"The answer of {model!r} from Ollama at {host} broke off: {said}."
        return ModelError(message, remedy=LOOK_THERE)
    if 300 <= error.status_code < 400:
        message = f"What answers at {host} for {model!r} sends us elsewhere (status {error.status_code})."
        return ModelError(message, remedy=CHECK_ADDRESS, retryable=False)
    if error.status_code in (404, 405):
        message = f"What answers at {host} for {model!r} does not know what it is asked (status {error.status_code})."
        return ModelError(message, remedy=OTHER_API, retryable=False)
    message = f"Ollama at {host} refused the request for {model!r} with status {error.status_code}: {said}."
    retryable = error.status_code >= 500 or error.status_code in (408, 429)
    remedy = LOOK_THERE if retryable else "Take out the option that it names, in config/models.md."
    return ModelError(message, remedy=LESS_OFTEN if error.status_code == 429 else remedy, retryable=retryable)


def _reason(error: Exception) -> str:
    if isinstance(error, AttributeError | TypeError | KeyError | RecursionError):
        return "its answer is JSON of another kind"
    return str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
