"""An event loop in a thread of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """Runs one thing at a time in an event loop, while the caller waits for it. A notebook's own loop is left alone."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="fallwater", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine and return its result. Raises: its exceptions."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:  # Ctrl-C in the caller's thread ends the work, too
            future.cancel()
            raise

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a plain function where tasks can be started, and return its result. Raises: its exceptions."""
        return self.run(_called(function, arguments))

    def close(self) -> None:
        """End the thread; tasks that are left are cancelled."""
        if self._loop.is_closed():
            return
        self.run(_cancelled_others())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _called(function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    return function(*arguments)


async def _cancelled_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
