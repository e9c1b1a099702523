"""The bridge between Twisted and asyncio: coroutines of the agents become Deferreds of the server."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from twisted.internet.defer import Deferred

T = TypeVar("T")


def deferred_from(coroutine: Coroutine[Any, Any, T]) -> Deferred[T]:
    """Start a coroutine and return its outcome as a Deferred; cancelling the Deferred cancels the coroutine.

    Needs the asyncio reactor, and its loop running or about to.
    """
    return Deferred.fromFuture(asyncio.ensure_future(coroutine))
