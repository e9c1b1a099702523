"""Work that waits for a disk, done in threads aside, so that the world does not wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")

AT_ONCE = 4
"""What several force to a disk at the same time it writes together; more threads would only wait."""


class Aside:
    """Does pieces of work in threads of its own, in no order: what must not overtake waits for what it follows.

    It begins when `is_open`, in a world that goes on by itself: where time is virtual, all is done in its turn.
    """

    def __init__(self) -> None:
        self.is_open = False
        self._threads = ThreadPoolExecutor(AT_ONCE, "aside")

    def begin(self, work: Callable[[], T], ended: Callable[[], None]) -> Future[T] | None:
        """Begin a piece of work and return what becomes of it, or None if nothing would go on meanwhile.

        `ended` is called in the event loop when it has ended, whether it has failed or not, unless the loop has closed.
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
        """Wait for what was begun; what is asked for after that is done in its turn."""
        self.is_open = False
        self._threads.shutdown()


def _tell(loop: asyncio.AbstractEventLoop, ended: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the loop is closed, and whoever needs to know has waited
        loop.call_soon_threadsafe(ended)
