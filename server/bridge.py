"""The bridge between Twisted, asyncio and threads: coroutines and work in threads become Deferreds of the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from twisted.internet.defer import Deferred

from server.clock import InThread, Threads

T = TypeVar("T")


def deferred_from(coroutine: Coroutine[Any, Any, T]) -> Deferred[T]:
    """Start a coroutine and return its outcome as a Deferred; cancelling the Deferred cancels the coroutine.

    Needs the asyncio reactor, and its loop running or about to.
    """
    return Deferred.fromFuture(asyncio.ensure_future(coroutine))


def in_threads(name: str, most: int) -> InThread:
    """Return a thread pool of its own, with at most so many threads; needs the asyncio reactor, as `deferred_from`."""
    executor = ThreadPoolExecutor(most, thread_name_prefix=name)

    def in_thread(work: Callable[..., T], *arguments: Any) -> Deferred[T]:
        return Deferred.fromFuture(asyncio.wrap_future(executor.submit(work, *arguments)))

    return in_thread


def server_threads() -> Threads:
    """Return the threads of a server. Hashing a password takes 64 MB, and one commit runs at a time."""
    return Threads(in_threads("commit", 1), in_threads("password", 2), in_threads("reader", 2), in_threads("health", 1))
