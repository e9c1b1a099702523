"""A coroutine of the agents is a Deferred to the server."""

from __future__ import annotations

import asyncio
from typing import Any

from twisted.internet.defer import CancelledError, Deferred

from server.bridge import deferred_from


def outcome(coroutine, cancel=False):
    """Return what a coroutine comes to as a Deferred."""

    async def run():
        results: list[Any] = []
        deferred: Deferred[Any] = deferred_from(coroutine)
        deferred.addCallbacks(results.append, results.append)
        await asyncio.sleep(0)
        if cancel:
            deferred.cancel()
        for _ in range(5):
            await asyncio.sleep(0)
        return results[0]

    return asyncio.run(run())


async def three():
    return 3


async def failing():
    raise ValueError("not today")


def test_a_result_comes_through():
    assert outcome(three()) == 3


def test_a_failure_comes_through():
    assert outcome(failing()).check(ValueError)


def test_cancelling_the_deferred_cancels_the_coroutine():
    ended = []

    async def waiting():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    assert outcome(waiting(), cancel=True).check(CancelledError, asyncio.CancelledError)
    assert ended == ["cancelled"]
