"""The world's clock: advances the time of day, and triggers ambience."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from config.settings import WorldSettings
from server.clock import DelayedCall, ReactorClock, cancel
from world.game import Game
from world.game_time import GameTime, game_time_at
from world.run_triggers import ambience

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
