"""Limits of every HTTP connection: timeouts, and bounds on what a server may send."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, cast
from urllib.parse import urlsplit

import httpx

MAX_ANSWER_BYTES = 16_000_000
MAX_LINE_BYTES = 1_000_000
CONNECT_SECONDS = 5.0
READ_TIMEOUT_SECONDS = 300.0  # loading a large model from a slow disk; the request's own timeout is shorter
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


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
    """Counts bytes in all and since the last line break: an endless answer ends here."""

    def __init__(self, inner: httpx.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = line = 0
        async for part in self._inner:
            total += len(part)
            end = part.rfind(b"\n")
            line = len(part) - end - 1 if end >= 0 else line + len(part)
            if total > MAX_ANSWER_BYTES:
                raise AnswerTooLong(f"more than {MAX_ANSWER_BYTES // 1_000_000} MB")
            if line > MAX_LINE_BYTES:
                raise AnswerTooLong(f"a line of more than {MAX_LINE_BYTES // 1_000_000} MB")
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()
