"""How long people have been still or gone, for the world, which has no clock of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from server.session.registry import Connected
from world.presence import Presence


def presence_by(
    playing: Mapping[str, Connected],
    last_seen: Callable[[str], datetime | None],
    now_ms: Callable[[], int],
) -> Callable[[str], Presence]:
    """Return what tells of a character how long it has been still, if somebody plays it, or else gone."""

    def presence(character_id: str) -> Presence:
        session = playing.get(character_id)
        if session:
            return Presence(idle_seconds=int(session.idle_seconds))
        seen = last_seen(character_id)
        if seen is None:
            return Presence()
        away = datetime.fromtimestamp(now_ms() / 1000, UTC) - seen
        return Presence(away_seconds=max(0, int(away.total_seconds())))

    return presence
