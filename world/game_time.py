"""The time of day in the world, computed from a given time."""

from __future__ import annotations

from dataclasses import dataclass

MINUTES_PER_DAY = 24 * 60
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAY_PARTS = ("night", "dawn", "day", "dusk")

_PART_STARTS = ((21 * 60, "night"), (19 * 60, "dusk"), (7 * 60, "day"), (5 * 60, "dawn"), (0, "night"))
_FIRST_WEEKDAY = 3
"""The day that minute 0 belongs to, 1 January 1970, was a Thursday."""


@dataclass(frozen=True)
class GameTime:
    """A moment of the world. `minutes` counts from the midnight at which 1 January 1970 began there."""

    minutes: int = 0

    @property
    def weekday(self) -> str:
        """The English name of the day, in lower case."""
        return WEEKDAYS[(self.minutes // MINUTES_PER_DAY + _FIRST_WEEKDAY) % len(WEEKDAYS)]

    @property
    def clock(self) -> str:
        """The time as `HH:MM`."""
        return f"{self._of_day // 60:02}:{self._of_day % 60:02}"

    @property
    def part(self) -> str:
        """The part of the day: dawn from 5, day from 7, dusk from 19, night from 21 o'clock."""
        return next(part for beginning, part in _PART_STARTS if self._of_day >= beginning)

    @property
    def _of_day(self) -> int:
        return self.minutes % MINUTES_PER_DAY


def game_time_at(local_ms: int, day_minutes: int) -> GameTime:
    """Return the world's moment at a real one; a day of the world takes `day_minutes` real minutes.

    `local_ms` are milliseconds since 1970 where the world is. With 1440 the world keeps real time.
    """
    return GameTime(local_ms * MINUTES_PER_DAY // (day_minutes * 60_000))


def day_parts_started(before: GameTime, after: GameTime) -> list[str]:
    """Return the part of the day that began between two moments: one at most, the one that it is now."""
    return [after.part] if after.minutes > before.minutes and after.part != before.part else []
