"""When agents think: every so often, and sooner when somebody speaks to them."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.python.failure import Failure

from server.clock import DelayedCall, ReactorClock

log = logging.getLogger(__name__)

LATEST_FIRST_SECONDS = 8.0


class Heartbeat:
    """Calls `think` again and again, the next beat only after the last has ended, whatever became of it.

    `pause_seconds` gives the time from one beat to the next, before jitter. `think` returns a Deferred.
    """

    def __init__(
        self,
        think: Callable[[], Deferred[None]],
        pause_seconds: Callable[[], float],
        jitter: Callable[[], float],
        clock: ReactorClock,
        rng: random.Random,
    ) -> None:
        self._think = think
        self._pause_seconds = pause_seconds
        self._jitter = jitter
        self._clock = clock
        self._rng = rng
        self._next: DelayedCall | None = None
        self._beating: Deferred[None] | None = None
        self._hurried: float | None = None
        self._stopped = True

    def start(self) -> None:
        """Begin, with a first beat soon, so that a newcomer sees life."""
        self._stopped = False
        self._schedule(self._rng.uniform(0, min(self._pause_seconds(), LATEST_FIRST_SECONDS)))

    def hurry(self, seconds: float) -> None:
        """Let the next beat come within so many seconds, or so long after the one that is going on.

        It never comes later for that: who is spoken to all the time thinks all the same.
        """
        if self._beating:
            self._hurried = seconds if self._hurried is None else min(seconds, self._hurried)
        elif self._next and self._next.active() and self._clock.seconds() + seconds < self._next.getTime():
            self._next.cancel()
            self._schedule(seconds)

    def stop(self) -> Deferred[None] | None:
        """Stop; a beat that is going on is cancelled and returned to be waited for."""
        self._stopped = True
        if self._next and self._next.active():
            self._next.cancel()
        if self._beating:
            self._beating.cancel()
        return self._beating

    def _schedule(self, seconds: float) -> None:
        self._next = self._clock.callLater(seconds, self._beat)

    def _beat(self) -> None:
        self._hurried = None
        beating = maybeDeferred(self._think)
        self._beating = beating
        beating.addErrback(self._log_failure)
        beating.addCallback(lambda _: self._rest())

    def _rest(self) -> None:
        self._beating = None
        if self._stopped:
            return
        jitter = self._jitter()
        pause = self._pause_seconds() * self._rng.uniform(1 - jitter, 1 + jitter)
        self._schedule(pause if self._hurried is None else min(pause, self._hurried))

    def _log_failure(self, failure: Failure) -> None:
        if not self._stopped:
            log.error("an agent's beat failed and the next one follows", exc_info=failure.value)
