"""Disk work in threads, so that the world does not wait for a disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")

MAX_THREADS = 4
"""Maximum number of threads: a disk writes the flushes of several at once, so more threads would only wait."""


class WritePool:
    """Runs jobs in a thread pool, unordered. Callers that need an order await the earlier job.

    It runs them only while `is_open`, in a world that goes on by itself. Where time is virtual, the caller does them.
    """

    def __init__(self) -> None:
        self.is_open = False
        self._threads = ThreadPoolExecutor(MAX_THREADS, "write-pool")

    def submit(self, work: Callable[[], T], ended: Callable[[], None]) -> Future[T] | None:
        """Start a job and return its future, or None if the pool is closed or no event loop runs: then do it yourself.

        `ended` is called in the event loop when the job has ended or failed, unless the loop has closed.
        """
        try:
            loop = asyncio.get_running_loop() if self.is_open else None
        except RuntimeError:
            loop = None
        if loop is None:
            return None
        future = self._threads.submit(work)
        future.add_done_callback(lambda _: _tell(loop, ended))
        return future

    def close(self) -> None:
        """Wait for the jobs that have started; no later one is accepted."""
        self.is_open = False
        self._threads.shutdown()


def _tell(loop: asyncio.AbstractEventLoop, ended: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the loop is closed, and the callers that need to know have waited
        loop.call_soon_threadsafe(ended)
