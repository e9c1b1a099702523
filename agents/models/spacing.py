"""Pieces of work that take their time, spaced: between two of them the event loop comes to everything else."""

from __future__ import annotations

import asyncio

TURNS_BETWEEN = 3
"""What came in while one piece was done is read in the first turn of the loop after it, and answered in the second."""


class Spaced:
    """Lets one at a time go on within `async with`, first come first served, the next some turns of the loop later.

    It is by turns, not by time: where nothing else is to be done, nobody waits.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._free = asyncio.Lock()

    async def __aenter__(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:  # what another loop has not passed on, it never will
            self._loop, self._free = loop, asyncio.Lock()
        await self._free.acquire()

    async def __aexit__(self, *error: object) -> None:
        _release(self._free, TURNS_BETWEEN)


def _release(lock: asyncio.Lock, turns: int) -> None:
    if turns:
        asyncio.get_running_loop().call_soon(_release, lock, turns - 1)
    else:
        lock.release()
