"""Letting time pass: the world's clock follows the real one, and rooms with people in them have something to notice."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from twisted.internet.defer import Deferred, fail
from twisted.internet.task import Clock

from config.settings import WorldSettings
from server.clock import TICK_SECONDS, RepeatingCall, WorldClock
from tests.world.inn import Player, inn_game

HOUR_MS = 60 * 60 * 1000
MIDDAY_MS = 1_763_899_200_000


class House:
    """The inn, and a clock that stands at noon."""

    def __init__(self, settings: WorldSettings) -> None:
        self.settings = settings
        self.game = inn_game()
        self.ms = MIDDAY_MS
        self.clock = Clock()
        self.ana = Player(self.game, "Ana")
        self.game.world.rooms["The Common Room"].ambient = ("A log falls.",)
        self.passing = WorldClock(self.game, lambda: self.settings, self.clock, lambda: self.ms, random.Random(7))
        self.passing.start()

    def tick(self, times: int = 1) -> None:
        self.clock.pump([TICK_SECONDS] * times)


def test_the_world_is_set_by_the_clock_and_follows_it():
    house = House(WorldSettings(ambient_minutes=0))
    assert house.game.world.time.clock == "12:00"
    house.ms += HOUR_MS
    house.tick()
    assert house.game.world.time.clock == "13:00"


def test_a_short_day_is_taken_up_while_the_world_runs():
    house = House(WorldSettings(day_minutes=1440, ambient_minutes=0))
    house.settings = replace(house.settings, day_minutes=144)
    house.tick()
    before = house.game.world.time.minutes
    house.ms += HOUR_MS
    house.tick()
    assert house.game.world.time.minutes - before == 10 * 60


def test_the_light_goes_when_its_time_has_come():
    house = House(WorldSettings(ambient_minutes=0))
    house.ms += 7 * HOUR_MS
    house.tick()
    assert house.ana.screen() == ["The light is going."]


def test_there_is_something_to_notice_now_and_then_where_somebody_is():
    house = House(WorldSettings(ambient_minutes=1))
    ticks = 2400
    house.tick(ticks)
    visible_to = house.ana.screen()
    assert set(visible_to) == {"A log falls."}
    expected = ticks * TICK_SECONDS / 60
    assert 0.75 * expected < len(visible_to) < 1.25 * expected


def test_nothing_is_noticed_where_only_agents_are_or_when_it_is_switched_off():
    house = House(WorldSettings(ambient_minutes=0.1))
    house.game.world.rooms["The Kitchen"].ambient = ("Steam.",)
    rook = Player(house.game, "Rook")
    house.tick(100)
    assert rook.screen() == []
    house.settings = replace(house.settings, ambient_minutes=0)
    house.ana.screen()
    house.tick(100)
    assert house.ana.screen() == []


def test_a_stopped_clock_stands_still():
    house = House(WorldSettings())
    house.passing.stop()
    assert house.clock.getDelayedCalls() == []


def broken() -> None:
    raise KeyError("lightning")


@pytest.mark.parametrize("fails", [broken, lambda: fail(KeyError("lightning"))])
def test_repeating_call_survives_each_failure(fails: Callable[[], Deferred[None] | None], caplog):
    clock, times = Clock(), list[float]()

    def call() -> Deferred[None] | None:
        times.append(clock.seconds())
        return fails()

    calls = RepeatingCall(clock, 2, call, "the tide")
    calls.start()
    clock.pump([1] * 6)
    calls.stop()
    clock.pump([1] * 6)
    assert times == [2, 4, 6]
    assert caplog.text.count("the tide failed") == 3
    assert "lightning" in caplog.text


def test_repeating_call_waits_for_the_one_before():
    clock, running = Clock(), list[Deferred[None]]()

    def call() -> Deferred[None]:
        running.append(Deferred())
        return running[-1]

    calls = RepeatingCall(clock, 1, call, "the tide")
    calls.start()
    clock.pump([1] * 5)
    assert len(running) == 1
    running[0].callback(None)
    clock.advance(1)
    assert len(running) == 2
    calls.stop()
    running[1].callback(None)
    clock.pump([1] * 5)
    assert len(running) == 2
