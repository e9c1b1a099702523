"""Slots of an endpoint that several processes share, as a limit on concurrent requests.

A slot is a file that is locked while a request runs, so a process that dies gives it back. Requests wait at one more
file, the turnstile: the first to come is the first to get a slot, so every world goes on as fast as the others.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

LOOK_SECONDS = 0.004
"""Interval in which the next one in line looks for a free slot, in seconds."""

MAX_WAIT_SECONDS = 86_400.0
"""Maximum wait of a request for a slot, in seconds, not counted by its own timeout."""


class SharedSlots:
    """The slots of one endpoint. A world comes back to the slot that it had, if it is free: its prefix may be there."""

    def __init__(self, folder: Path, endpoint: str, slots: int) -> None:
        """`folder` is where all processes look; `endpoint` names the server, and `slots` are at least one."""
        self._folder = folder / hashlib.sha256(endpoint.encode()).hexdigest()[:16]
        self._slots = slots
        self._last = os.getpid() % slots

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[int]:
        """Wait for a slot and have it until the end; yields its number. Raises: OSError if the folder is no use."""
        claim = _Claim()
        try:
            number, lock = await asyncio.to_thread(self._lock_first_free, claim)
        except asyncio.CancelledError:
            claim.withdraw()
            raise
        self._last = number
        try:
            yield number
        finally:
            os.close(lock)

    def _lock_first_free(self, claim: _Claim) -> tuple[int, int]:
        self._folder.mkdir(parents=True, exist_ok=True)
        turnstile = _open_file(self._folder / "turnstile")
        try:
            fcntl.flock(turnstile, fcntl.LOCK_EX)
            while (found := self._free()) is None:
                if claim.is_withdrawn:
                    raise asyncio.CancelledError
                time.sleep(LOOK_SECONDS)
        finally:
            os.close(turnstile)
        claim.keep(found[1])
        return found

    def _free(self) -> tuple[int, int] | None:
        """Lock and return a free slot and its file, its own last one first; None if there is none."""
        for step in range(self._slots):
            number = (self._last + step) % self._slots
            lock = _open_file(self._folder / f"slot-{number}")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
            else:
                return number, lock
        return None


class _Claim:
    """The claim of a waiting thread on a slot; it may be withdrawn before the slot comes."""

    def __init__(self) -> None:
        self.is_withdrawn = False
        self._held: int | None = None
        self._lock = threading.Lock()

    def withdraw(self) -> None:
        """Give back what has come, or will come."""
        with self._lock:
            self.is_withdrawn = True
            if self._held is not None:
                os.close(self._held)

    def keep(self, lock: int) -> None:
        """Hold a slot; it is given back at once if it is not wanted any more."""
        with self._lock:
            self._held = lock
            if self.is_withdrawn:
                os.close(lock)


def _open_file(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
