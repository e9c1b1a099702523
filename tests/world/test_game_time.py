"""The time of day in the world."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from world.game_time import DAY_PARTS, GameTime, day_parts_started, game_time_at

NOON_OF_A_SUNDAY = 1_763_899_200_000  # 23 November 2025, 12:00


def test_a_moment_has_a_weekday_and_a_clock():
    noon = game_time_at(NOON_OF_A_SUNDAY, 1440)
    assert (noon.weekday, noon.clock, noon.part) == ("sunday", "12:00", "day")


@pytest.mark.parametrize(
    ("clock", "part"),
    [
        *(("00:00", "night"), ("04:59", "night"), ("05:00", "dawn"), ("06:59", "dawn"), ("07:00", "day")),
        *(("18:59", "day"), ("19:00", "dusk"), ("20:59", "dusk"), ("21:00", "night"), ("23:59", "night")),
    ],
)
def test_a_day_has_four_parts(clock, part):
    hours, minutes = map(int, clock.split(":"))
    moment = GameTime(hours * 60 + minutes)
    assert (moment.clock, moment.part) == (clock, part)


def test_a_short_day_goes_by_faster():
    hour = 60 * 60 * 1000
    assert game_time_at(hour, 120).minutes - game_time_at(0, 120).minutes == 12 * 60


@given(st.integers(0, 2**45), st.integers(0, 2**33), st.integers(4, 1440))
def test_time_never_goes_back(ms, later, day_minutes):
    assert game_time_at(ms, day_minutes).minutes <= game_time_at(ms + later, day_minutes).minutes


@given(st.integers(0, 10**8), st.integers(0, 10**4))
def test_the_part_that_has_begun_is_the_one_that_it_is(minutes, more):
    before, after = GameTime(minutes), GameTime(minutes + more)
    assert day_parts_started(before, after) == ([] if before.part == after.part else [after.part])
    assert after.part in DAY_PARTS


def test_a_clock_that_is_set_back_begins_nothing():
    assert day_parts_started(GameTime(8 * 60), GameTime(6 * 60)) == []
