"""What goes wrong between us and Ollama, in words that say what to do."""

from __future__ import annotations

import re

import httpx
import ollama

from agents.models.addresses import why_unreached
from agents.models.bounded import AnswerTooLong
from agents.models.model import LESS_OFTEN, LacksModel, ModelError

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
LOOK_THERE = "If this goes on, start Ollama with OLLAMA_DEBUG=1 and look into its log."
START_OLLAMA = "Start it with: ollama serve (https://ollama.com/download), or use --model embedded."


def explained(
    error: Exception,
    host: str,
    model: str,
    timeout_seconds: float | None = None,
    checked_seconds: float | None = None,
    has_begun: bool = True,
) -> ModelError:
    """Return the error as one for a person, naming host, model and remedy.

    `timeout_seconds` is how long an answer was waited for, `checked_seconds` how long the names of models were;
    `has_begun` is whether anything was answered by then.
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
            if not has_begun:
                message += " It had not begun: it was loading the model, reading the prompt, or busy with others."
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
    return LacksModel(message, remedy=f"Run: ollama pull {model}", retryable=False)


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


def is_refusal_of_schema(error: ModelError) -> bool:
    """Return whether a host may have refused a request for the schema in it."""
    cause = error.__cause__
    if not isinstance(cause, ollama.ResponseError):
        return False
    names_it = re.search(r"grammar|schema|format|sampl", str(cause.error), re.IGNORECASE)
    return cause.status_code in (400, 422, 501) or (cause.status_code >= 500 and bool(names_it))


def is_refusal_of_template(error: ModelError) -> bool:
    """Return whether a host could not make a prompt of messages with the template of the model."""
    cause = error.__cause__
    return isinstance(cause, ollama.ResponseError) and bool(
        re.search(r"template|jinja", str(cause.error), re.IGNORECASE)
    )


def was_cut(counted: int, context_tokens: int) -> bool:
    """Return whether a prompt of so many tokens is what Ollama leaves of one that is too long: about half of a context.

    It keeps the first four or five tokens, and of the rest as many as half of what is left of the context.
    """
    return any(abs(counted - (kept + (context_tokens - kept) // 2)) <= 1 for kept in (4, 5))
