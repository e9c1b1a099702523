"""What others may know of somebody's comings and goings."""

from __future__ import annotations

import pytest

from tests.english import ENGLISH
from tests.world.inn import Player, inn_game
from world.room_view import format_duration
from world.world import Presence


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "a moment"),
        (59, "a moment"),
        (60, "a minute"),
        (119, "a minute"),
        (120, "2 minutes"),
        (3600, "an hour"),
        (7199, "an hour"),
        (86399, "23 hours"),
        (86400, "a day"),
        (864000, "10 days"),
    ],
)
def test_a_span_of_time_is_told_by_its_largest_unit(seconds, said):
    assert format_duration(seconds, ENGLISH) == said


def test_who_is_still_for_long_is_shown_as_such_and_who_sleeps_since_when():
    game = inn_game()
    known = {"Ben": Presence(idle_seconds=600), "Dan": Presence(away_seconds=7200)}
    game.world.presence = lambda one: known.get(one, Presence())
    ana = Player(game, "Ana")
    for line in ("who", "lastseen dan", "lastseen ben", "tell dan hello"):
        ana.types(line)
    assert ana.screen() == [
        "In the world now: 4",
        "  Ana (you)",
        "  Ben, still for 10 minutes",
        "  Cat",
        "  Rook (agent)",
        "Dan is asleep, and was last seen 2 hours ago.",
        "Ben is in The Common Room.",
        "Ben has been still for 10 minutes.",
        "Dan is asleep, and was last seen 2 hours ago.",
    ]
