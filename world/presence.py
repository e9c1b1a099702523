"""How long somebody has been still, or gone: what the world is told from outside, as it has no clock."""

from __future__ import annotations

from dataclasses import dataclass

from world.wording import Wording

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


@dataclass(frozen=True)
class Presence:
    """Seconds since somebody awake typed something, and since somebody asleep was here; None where nobody knows."""

    idle_seconds: int | None = None
    away_seconds: int | None = None


def unknown(character_id: str) -> Presence:
    """Return that nothing is known of somebody."""
    return Presence()


def span(seconds: int, wording: Wording) -> str:
    """Return a span of time as it is said: `5 minutes`, `an hour`; by its largest unit."""
    for unit, name in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        count = seconds // unit
        if count == 1:
            return wording(f"presence.one_{name}")
        if count:
            return wording(f"presence.some_{name}s", count=count)
    return wording("presence.a_moment")
