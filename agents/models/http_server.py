"""HTTP to a model server: limits of every connection, and its failures in words that a person can act on."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

import httpx

from agents.models.adapter import redact_address
from agents.models.model import ModelError, ModelMissing

MAX_ANSWER_BYTES = 16_000_000
CONNECT_SECONDS = 5.0
CHECK_SECONDS = 10.0  # how long a server may take to say which models it has
READ_TIMEOUT_SECONDS = 300.0  # loading a large model from a slow disk; the request's own timeout is shorter
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
MAX_REASON_CHARACTERS = 160

NOT_SUPPORTED = (400, 404, 405, 415, 422, 501)
"""The statuses of servers that do not know a request or a part of it."""

CLIENT_ERRORS = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, EOFError, TimeoutError, ValueError)
RATE_LIMIT_REMEDY = "Set concurrency to 1 for it in config/models.md, or let agents think less often (think_seconds)."
SHORTEN = "Set num_ctx in config/models.md to the context of the server, or shorten the remembered window."


class Compressed(ValueError):
    """A compressed answer, though none was requested: its length cannot be bounded."""


class AnswerTooLong(httpx.StreamError):
    """An answer longer than any model's."""


def client_arguments(address: str, transport: httpx.AsyncBaseTransport | None = None) -> dict[str, Any]:
    """Return the arguments of an HTTP client for a server at this address. Raises: ValueError if it is none."""
    parts = urlsplit(address if "://" in address else f"http://{address}")
    at = parts.hostname
    if parts.scheme not in ("http", "https") or not at:
        raise ValueError("an address begins with http:// or https:// and names a host")
    if parts.port == 0:  # reading it refuses what is no number, and numbers that are too high
        raise ValueError("nobody can be reached at port 0")
    return {
        "timeout": httpx.Timeout(READ_TIMEOUT_SECONDS, connect=CONNECT_SECONDS),
        "transport": transport,
        # A proxy set for the web must not get between us and a server on this machine.
        "trust_env": at not in LOOPBACK,
        "event_hooks": {"request": [_ask_for_plain], "response": [_bound]},
        # A question that is sent elsewhere arrives there as another one, without its prompt.
        "follow_redirects": False,
        # The pool says how many requests go to a server; a second limit here would only hide where they wait.
        "limits": httpx.Limits(max_connections=None, max_keepalive_connections=20),
    }


async def _ask_for_plain(request: httpx.Request) -> None:
    request.headers["accept-encoding"] = "identity"


async def _bound(response: httpx.Response) -> None:
    packed = response.headers.get("content-encoding", "identity")
    if packed != "identity":
        raise Compressed(f"it compresses its answers ({packed[:20]}), though it is asked not to")
    response.stream = _Counted(cast("httpx.AsyncByteStream", response.stream))


class _Counted(httpx.AsyncByteStream):
    """Counts bytes: an endless answer ends here."""

    def __init__(self, inner: httpx.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = 0
        async for part in self._inner:
            total += len(part)
            if total > MAX_ANSWER_BYTES:
                raise AnswerTooLong(f"more than {MAX_ANSWER_BYTES // 1_000_000} MB")
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


class Refusal(ModelError):
    """A request that a server has refused with a status, and the reason that it gave."""

    def __init__(
        self, problem: str, status: int, said: str, *, remedy: str, retryable: bool = False, about_request: bool = False
    ) -> None:
        super().__init__(problem, remedy=remedy, retryable=retryable, about_request=about_request)
        self.status = status
        self.said = said


def is_refusal_of_constraint(error: ModelError) -> bool:
    """Return whether a server may have refused a request for what its answer was to be held to."""
    if not isinstance(error, Refusal):
        return False
    names_it = re.search(r"grammar|schema|format|sampl", error.said, re.IGNORECASE)
    return error.status in NOT_SUPPORTED or bool(names_it)


@dataclass(frozen=True)
class ServerKind:
    """The words for a kind of server: `name` begins a sentence, `api` is whose API it speaks, the others are remedies.

    `no_server` is the beginning of the sentence for an address at which nothing answers, `get_model` has a place for
    the name of the model.
    """

    name: str
    api: str
    no_server: str
    start: str
    check_address: str
    other_api: str
    look_there: str
    get_model: str
    set_key: str


@dataclass(frozen=True)
class ModelServer:
    """A model at an address, as errors name it."""

    kind: ServerKind
    address: str
    model: str

    def error(
        self,
        error: Exception,
        timeout_seconds: float | None = None,
        checked_seconds: float | None = None,
        has_begun: bool = True,
    ) -> ModelError:
        """Return the error as one for a person, naming address, model and remedy.

        `timeout_seconds` is how long an answer was waited for, `checked_seconds` how long the names of models were;
        `has_begun` is whether anything was answered by then.
        """
        kind, what_answers = self.kind, f"What answers at {self.address} for {self.model!r}"
        match error:
            case httpx.ConnectError() | httpx.ConnectTimeout() | ConnectionError():
                message = f"{kind.no_server} at {self.address} (asked for {self.model!r}).{connection_hint(error)}"
                return ModelError(message, remedy=kind.start, is_gone=True)
            case TimeoutError() | httpx.TimeoutException() if checked_seconds:
                late = f"did not say within {checked_seconds:g} s whether it has {self.model!r}."
                remedy = f"Restart it if it hangs. {kind.check_address}"
                return ModelError(f"What answers at {self.address} {late}", remedy=remedy)
            case TimeoutError() | httpx.TimeoutException():
                limit = f" within {timeout_seconds:g} s" if timeout_seconds is not None else " in time"
                message = f"{kind.name} at {self.address} did not finish its answer with {self.model!r}{limit}."
                if not has_begun:
                    message += " It had not begun: it was loading the model, reading the prompt, or busy with others."
                return ModelError(message, remedy="Use a smaller model or a longer timeout.")
            case AnswerTooLong():
                message = f"{what_answers} sends {error}, more than any answer may have."
                return ModelError(message, remedy=kind.check_address)
            case httpx.InvalidURL() | httpx.UnsupportedProtocol():
                return self.invalid_address(error)
            case EOFError() | httpx.HTTPError() | httpx.StreamError() | OSError():
                return self.broken_off(_reason(error), is_gone=isinstance(error, httpx.TransportError))
        return ModelError(f"{what_answers} does not speak {kind.api} API: {_reason(error)}.", remedy=kind.other_api)

    def broken_off(self, reason: str, *, is_gone: bool = False) -> ModelError:
        """Return the error for an answer without its end."""
        message = f"The answer of {self.model!r} from {self.address} broke off: {reason}."
        return ModelError(message, remedy=self.kind.look_there, is_gone=is_gone)

    def lacks_text(self, received: str) -> ModelError:
        """Return the error for an answer without any text; `received` is what came in its place."""
        message = f"{self.kind.name} at {self.address} sent no text for {self.model!r}: it sent {one_line(received)}."
        return ModelError(message, remedy="Use a model that answers in text, or more tokens if it thinks unseen.")

    def invalid_address(self, error: Exception) -> ModelError:
        """Return the error for an address that is none."""
        message = f"{redact_address(self.address)!r} is no address for the model {self.model!r}: {error}."
        return ModelError(message, remedy=self.kind.check_address, retryable=False)

    def refusal(self, status: int, said: str) -> ModelError:
        """Return the error for a reply with a status that is none of success, and the reason in it."""
        kind, said = self.kind, one_line(said)
        server, what_answers = f"{kind.name} at {self.address}", f"What answers at {self.address} for {self.model!r}"
        if status in (401, 403):
            message = f"{server} wants another key for {self.model!r} (status {status}): {said}."
            return Refusal(message, status, said, remedy=kind.set_key)
        if 300 <= status < 400:
            message = f"{what_answers} redirects the request (status {status})."
            return Refusal(message, status, said, remedy=kind.check_address)
        if said.startswith("<"):
            page = f"it answers with a web page (status {status})"
            return ModelError(f"{what_answers} does not speak {kind.api} API: {page}.", remedy=kind.check_address)
        if status == 404 and "model" in said.lower():
            message = f"{server} has no model {self.model!r}: {said}."
            return ModelMissing(message, remedy=kind.get_model.format(model=self.model), retryable=False)
        if status in (404, 405):
            message = f"{what_answers} does not know this request (status {status}): {said}."
            return Refusal(message, status, said, remedy=kind.other_api)
        if status in (400, 413) and is_about_length(said):
            message = f"{server} has no room for so long a request to {self.model!r}: {said}."
            return Refusal(message, status, said, remedy=SHORTEN, about_request=True)
        message = f"{server} refused the request for {self.model!r} with status {status}: {said}."
        retryable = status >= 500 or status in (408, 429)
        remedy = kind.look_there if retryable else "Take out the option that it names, in config/models.md."
        return Refusal(
            message, status, said, remedy=RATE_LIMIT_REMEDY if status == 429 else remedy, retryable=retryable
        )

    def lacks_model(self, names: list[str]) -> ModelMissing:
        """Return the error for a server without the model; `names` are those it has."""
        has = ", ".join(sorted(names)[:8]) or "none"
        message = f"{self.kind.name} at {self.address} has no model {self.model!r} (it has: {has})."
        return ModelMissing(message, remedy=self.kind.get_model.format(model=self.model), retryable=False)


def is_about_length(said: str) -> bool:
    """Return whether a server says of a request that it is too long for the model."""
    return bool(re.search(r"context (length|size|window)|exceed_context|too long", said, re.IGNORECASE))


def connection_hint(error: BaseException) -> str:
    """Return a hint at why a connection failed, such as an unknown host name; empty if there is none."""
    said = f"{error} {error.__context__} {error.__cause__}"
    if "SSL" in said or "CERTIFICATE" in said:
        return " It does not speak TLS as https:// wants, or its certificate is not known."
    if re.search(r"Name or service not known|nodename nor servname|name resolution|getaddrinfo", said):
        return " Its name is not known here."
    return ""


def one_line(text: str) -> str:
    """Return the beginning of what a server says, in one line."""
    return " ".join(text.split())[:MAX_REASON_CHARACTERS].rstrip(".") or "no reason given"


def _reason(error: Exception) -> str:
    if isinstance(error, AttributeError | TypeError | KeyError | RecursionError):
        return "its answer is JSON of another kind"
    said = str(error).strip()
    return one_line(said.splitlines()[0]) if said else type(error).__name__
