"""Time: the parts of a reactor and of the process that the server uses, and the clock of the world."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from twisted.internet.defer import Deferred, execute, maybeDeferred
from twisted.python.failure import Failure

from config.settings import WorldSettings
from world.game import Game
from world.game_time import GameTime, game_time_at
from world.run_triggers import ambience

log = logging.getLogger(__name__)

InThread = Callable[..., Deferred[Any]]
"""Calls its first argument with the rest in another thread, and returns a Deferred of the result."""


@dataclass(frozen=True)
class Threads:
    """The threads of a server, a few for each kind of work, so that no kind waits for another.

    `commits` force writes to disk, `passwords` hash them, `readers` read the past, `health` looks at the disk. By
    default everything is done at once in the caller's thread, as where time is virtual.
    """

    commits: InThread = execute
    passwords: InThread = execute
    readers: InThread = execute
    health: InThread = execute


class DelayedCall(Protocol):
    """A call to come, as Twisted's reactor makes it."""

    def active(self) -> bool:
        """True while it is to come."""

    def getTime(self) -> float:
        """Return when it is to come, in seconds of its clock."""

    def cancel(self) -> None:
        """See that it never comes."""


def cancel(call: DelayedCall | None) -> None:
    """See that a call never comes, if it is still to come."""
    if call is not None and call.active():
        call.cancel()


class ReactorClock(Protocol):
    """The part of a reactor (or of `twisted.internet.task.Clock`) that is needed here."""

    def seconds(self) -> float:
        """Return the time, in seconds since whenever."""

    def callLater(self, delay: float, callable: Callable[..., object], *args: Any) -> DelayedCall:
        """Call after `delay` seconds; 0 is the next turn."""


class RepeatingCall:
    """Calls something every so many seconds; where that returns a Deferred, it waits for it before it counts on.

    A failure is logged, with `what` it was to do, and the next call comes all the same.
    """

    def __init__(
        self, clock: ReactorClock, seconds: float, call: Callable[[], Deferred[Any] | None], what: str
    ) -> None:
        self._clock = clock
        self._seconds = seconds
        self._call = call
        self._what = what
        self._next: DelayedCall | None = None
        self._is_on = False

    @property
    def due(self) -> float | None:
        """When the next call comes, by the clock; None if none is waited for."""
        return self._next.getTime() if self._next and self._next.active() else None

    def start(self) -> None:
        """Begin; the first call comes after the first wait."""
        self._is_on = True
        self._wait()

    def stop(self) -> None:
        """Call no more."""
        self._is_on = False
        cancel(self._next)

    def _wait(self) -> None:
        if self._is_on:
            self._next = self._clock.callLater(self._seconds, self._run)

    def _run(self) -> None:
        maybeDeferred(self._call).addErrback(self._log).addCallback(lambda _: self._wait())

    def _log(self, failure: Failure) -> None:
        log.error("%s failed; it goes on in %g s", self._what, self._seconds, exc_info=failure.value)


@dataclass(frozen=True)
class Runtime:
    """The services of the process to a world: time, chance, and a way to print to the operator.

    `echo` prints sentences for the operator. Another thread uses `in_reactor` to call something in the reactor's
    thread. `on_shutdown` is called when an admin closes the world from inside, with whether it restarts.
    """

    reactor: ReactorClock
    rng: random.Random
    now_ms: Callable[[], int]
    echo: Callable[[str], None]
    in_reactor: Callable[[Callable[[], None]], None]
    on_shutdown: Callable[[bool], None] = lambda restart: None
    threads: Threads = field(default_factory=Threads)


TICK_SECONDS = 5.0


def local_ms(now_ms: int) -> int:
    """Return a time in milliseconds since 1970 as the clocks of this machine show it."""
    return now_ms + time.localtime(now_ms // 1000).tm_gmtoff * 1000


class WorldClock:
    """Tells the game every few seconds what time it is.

    `local_ms` gives the time where the world is, in milliseconds since 1970 there.
    """

    def __init__(
        self,
        game: Game,
        settings: Callable[[], WorldSettings],
        clock: ReactorClock,
        local_ms: Callable[[], int],
        rng: random.Random,
    ) -> None:
        self._game = game
        self._settings = settings
        self._local_ms = local_ms
        self._rng = rng
        self._ticks = RepeatingCall(clock, TICK_SECONDS, self._tick, "the clock of the world")

    def start(self) -> None:
        """Begin: set the world's clock without anything happening for it."""
        self._game.world.time = self._moment()
        self._ticks.start()

    def stop(self) -> None:
        """Stop; the world's clock stands still."""
        self._ticks.stop()

    def _tick(self) -> None:
        self._game.advance_time(self._moment())
        minutes = self._settings().ambient_minutes
        share = TICK_SECONDS / (minutes * 60) if minutes else 0.0
        self._game.publish(tuple(ambience(self._game.world, share, self._rng.random)))

    def _moment(self) -> GameTime:
        return game_time_at(self._local_ms(), self._settings().day_minutes)
