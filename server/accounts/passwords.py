"""Hashing and checking passwords: in threads, a few at a time and by turns, so that nobody else waits for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

from server.net.addresses import network_of

AT_ONCE = 2

InThread = Callable[..., Deferred[Any]]


class Hasher(Protocol):
    """What makes of a password something that can be kept."""

    def hash(self, password: str) -> str:
        """Return what is kept of a password; it takes a while."""

    def is_right(self, kept: str, password: str) -> bool:
        """Return whether a password is the one of which this was kept; it takes a while."""

    def is_outdated(self, kept: str) -> bool:
        """Return whether the password would be kept in another form today."""


class Argon2:
    """argon2id, at the leanest of the costs that OWASP calls equal: some 40 ms of a core and 7 MiB.

    Threads keep what memory they have used once, so more of it would be the server's for good.
    """

    def __init__(self, time_cost: int = 5, memory_kib: int = 7168, parallelism: int = 1) -> None:
        self._hasher = PasswordHasher(time_cost, memory_kib, parallelism)

    def hash(self, password: str) -> str:
        return self._hasher.hash(password)

    def is_right(self, kept: str, password: str) -> bool:
        try:
            return self._hasher.verify(kept, password)
        except VerifyMismatchError:
            return False

    def is_outdated(self, kept: str) -> bool:
        return self._hasher.check_needs_rehash(kept)


@dataclass(frozen=True)
class Checked:
    """What became of a password. `renewed` is what to keep from now on, if its old form is outdated."""

    is_right: bool
    renewed: str = ""


@dataclass(frozen=True)
class _Job:
    work: Callable[..., Any]
    arguments: tuple[str, ...]
    is_wanted: Callable[[], bool]
    outcome: Deferred[Any]


class Passwords:
    """Works for one address after the other, so that who sends many passwords only waits for themselves.

    `in_thread` calls its first argument with the rest of them, elsewhere, and returns a Deferred of the outcome.
    """

    def __init__(self, hasher: Hasher | None = None, in_thread: InThread = deferToThread) -> None:
        self._hasher = hasher or Argon2()
        self._in_thread = in_thread
        self._waiting: dict[str, deque[_Job]] = {}
        self._running = 0

    def hash(self, password: str, host: str) -> Deferred[str]:
        """Return what is to be kept of a password; cancel the Deferred if nobody wants it any more."""
        return self._enqueue(host, _Job(self._hasher.hash, (password,), lambda: True, Deferred()))

    def check(self, kept: str, password: str, host: str, is_wanted: Callable[[], bool]) -> Deferred[Checked | None]:
        """Return whether a password is right; None if it was not wanted any more when its turn came."""
        return self._enqueue(host, _Job(self._check, (kept, password), is_wanted, Deferred()))

    def _check(self, kept: str, password: str) -> Checked:
        if not self._hasher.is_right(kept, password):
            return Checked(False)
        return Checked(True, self._hasher.hash(password) if self._hasher.is_outdated(kept) else "")

    def _enqueue(self, host: str, job: _Job) -> Deferred[Any]:
        self._waiting.setdefault(network_of(host), deque()).append(job)
        self._start()
        return job.outcome

    def _start(self) -> None:
        while self._running < AT_ONCE and self._waiting:
            network = next(iter(self._waiting))
            jobs = self._waiting.pop(network)
            job = jobs.popleft()
            if jobs:
                self._waiting[network] = jobs  # behind everybody else's
            if job.outcome.called:
                continue  # whoever asked has gone
            if not job.is_wanted():
                job.outcome.callback(None)
                continue
            self._running += 1
            self._in_thread(job.work, *job.arguments).addBoth(self._ended, job.outcome)

    def _ended(self, result: Any, outcome: Deferred[Any]) -> None:
        self._running -= 1
        outcome.callback(result)  # one that was cancelled takes no notice
        self._start()
