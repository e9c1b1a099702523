"""What the world is told of how long somebody has been still, or gone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

from server.session.registry import presence_by
from world.world import Presence

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)


def test_who_plays_is_still_and_who_does_not_is_gone_for_so_many_seconds():
    seen = {"Dan": NOW - timedelta(hours=2), "Ben": NOW - timedelta(days=9)}
    playing = {"Ben": SimpleNamespace(idle_seconds=61.9)}
    presence = presence_by(playing, seen.get, lambda: int(NOW.timestamp() * 1000))
    assert [presence(name) for name in ("Ben", "Dan", "Rook")] == [
        Presence(idle_seconds=61),
        Presence(away_seconds=7200),
        Presence(),
    ]
