"""Time: the parts of a reactor and of the process that the server uses, and the clock of the world."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from twisted.internet.defer import Deferred, execute

from config.settings import WorldSettings
from world.game import Game
from world.game_time import GameTime, game_time_at
from world.run_triggers import ambience

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
        self._clock = clock
        self._local_ms = local_ms
        self._rng = rng
        self._next: DelayedCall | None = None

    def start(self) -> None:
        """Begin: set the world's clock without anything happening for it."""
        self._game.world.time = self._moment()
        self._next = self._clock.callLater(TICK_SECONDS, self._tick)

    def stop(self) -> None:
        """Stop; the world's clock stands still."""
        cancel(self._next)

    def _tick(self) -> None:
        self._next = self._clock.callLater(TICK_SECONDS, self._tick)
        self._game.advance_time(self._moment())
        minutes = self._settings().ambient_minutes
        share = TICK_SECONDS / (minutes * 60) if minutes else 0.0
        self._game.publish(tuple(ambience(self._game.world, share, self._rng.random)))

    def _moment(self) -> GameTime:
        return game_time_at(self._local_ms(), self._settings().day_minutes)
