"""What the agents think with, as an admin is told of it while it is looked for."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from itertools import pairwise

import pytest
from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.internet.task import Clock

from agents.population import Population
from server.agent_scheduler import MAX_FIRST_SECONDS, SEARCHING_REASON, AgentScheduler, AgentTimer
from tests.vault.vault_of import vault_of
from vault.config_notes import load_settings
from vault.entities.load import load_world
from world.commands.table import world_commands
from world.game import Game


class Mind:
    """Thinks for `seconds`, or until told; remembers when it began and whether it was cancelled."""

    def __init__(self, clock: Clock, seconds: float = 0.0) -> None:
        self.clock = clock
        self.seconds = seconds
        self.began: list[float] = []
        self.busy = 0
        self.most_busy = 0
        self.cancelled = 0
        self.fails_with: Exception | None = None
        self.begins = True

    def think(self) -> Deferred[None]:
        self.began.append(self.clock.seconds())
        if not self.begins and self.fails_with:
            raise self.fails_with
        if not self.seconds and not self.fails_with:
            return succeed(None)
        self.busy += 1
        self.most_busy = max(self.most_busy, self.busy)
        thought: Deferred[None] = Deferred(self._cancel)
        self.clock.callLater(self.seconds, self._end, thought)
        return thought

    def _end(self, thought: Deferred[None]) -> None:
        if thought.called:
            return
        self.busy -= 1
        if self.fails_with:
            thought.errback(self.fails_with)
        else:
            thought.callback(None)

    def _cancel(self, thought: Deferred[None]) -> None:
        self.busy -= 1
        self.cancelled += 1

    @property
    def pauses(self) -> list[float]:
        return [later - earlier for earlier, later in pairwise(self.began)]


def ticking(mind: Mind, pause: float = 20.0, jitter: float = 0.3, seed: int = 1) -> AgentTimer:
    """Return the timer of a mind."""
    heart = AgentTimer(mind.think, lambda: pause, lambda: jitter, mind.clock, random.Random(seed))
    heart.start()
    return heart


@pytest.fixture
def clock():
    return Clock()


@pytest.mark.parametrize("seed", range(5))
def test_the_first_tick_comes_soon(clock, seed):
    mind = Mind(clock)
    ticking(mind, pause=600, seed=seed)
    clock.advance(MAX_FIRST_SECONDS)
    assert len(mind.began) == 1


def test_ticks_come_at_the_pace_within_its_jitter_and_not_in_step(clock):
    mind = Mind(clock)
    ticking(mind)
    clock.pump([0.1] * 40_000)
    assert len(mind.began) == pytest.approx(200, abs=10)
    assert all(14 <= pause <= 26.2 for pause in mind.pauses)
    assert max(mind.pauses) - min(mind.pauses) > 8


def test_without_jitter_ticks_are_even(clock):
    mind = Mind(clock)
    ticking(mind, jitter=0)
    clock.pump([1] * 100)
    assert mind.pauses == [20] * len(mind.pauses)


def test_the_pause_begins_when_the_thought_has_ended(clock):
    mind = Mind(clock, seconds=30)
    ticking(mind, jitter=0)
    clock.pump([1] * 300)
    assert mind.pauses == [50] * len(mind.pauses)
    assert mind.most_busy == 1


def test_whoever_is_spoken_to_thinks_within_the_time_given(clock):
    mind = Mind(clock)
    heart = ticking(mind, pause=600)
    clock.advance(MAX_FIRST_SECONDS)
    clock.advance(10)
    heart.hurry(1)
    clock.advance(1)
    assert len(mind.began) == 2


def test_whoever_is_spoken_to_all_the_time_thinks_all_the_same(clock):
    mind = Mind(clock)
    heart = ticking(mind, pause=600)
    clock.advance(MAX_FIRST_SECONDS)
    for _ in range(50):
        heart.hurry(1)
        clock.advance(0.5)
    assert len(mind.began) == pytest.approx(25, abs=2)


def test_hurrying_never_makes_a_tick_later(clock):
    mind = Mind(clock)
    heart = ticking(mind, jitter=0)
    clock.advance(MAX_FIRST_SECONDS)
    clock.advance(mind.began[0] + 20 - clock.seconds() - 0.5)
    heart.hurry(5)
    clock.advance(0.5)
    assert len(mind.began) == 2


def test_whoever_is_spoken_to_while_thinking_thinks_again_soon_after(clock):
    mind = Mind(clock, seconds=30)
    heart = ticking(mind, pause=600)
    clock.advance(MAX_FIRST_SECONDS)
    heart.hurry(1)
    heart.hurry(5)
    assert len(mind.began) == 1
    clock.pump([1] * 33)
    assert mind.pauses == [pytest.approx(31, abs=1)]
    assert mind.most_busy == 1


@pytest.mark.parametrize(
    ("failure", "begins"),
    [(RuntimeError("no words"), True), (RuntimeError("no loop"), False), (CancelledError("by someone else"), True)],
    ids=str,
)
def test_a_thought_that_fails_is_logged_and_the_next_one_follows(clock, caplog, failure, begins):
    mind = Mind(clock)
    mind.fails_with, mind.begins = failure, begins
    ticking(mind, jitter=0)
    clock.pump([1] * 50)
    assert len(mind.began) >= 2
    assert {r.getMessage() for r in caplog.records} == {"an agent could not think; it tries again at its next tick"}


def test_a_stopped_timer_does_not_tick(clock):
    mind = Mind(clock)
    heart = ticking(mind)
    assert heart.stop() is None
    heart.hurry(1)
    clock.advance(1000)
    assert mind.began == []
    assert clock.getDelayedCalls() == []


def test_stopping_cancels_the_thought_that_is_going_on_and_says_nothing_of_it(clock, caplog):
    mind = Mind(clock, seconds=30)
    heart = ticking(mind)
    clock.advance(MAX_FIRST_SECONDS)
    heart.stop()
    assert mind.cancelled == 1
    clock.advance(1000)
    assert len(mind.began) == 1
    assert caplog.records == []


def test_while_a_model_is_looked_for_nobody_is_told_that_there_is_none_for_good(tmp_path):
    vault = vault_of(tmp_path, {"rooms/The Landing.md": "Green planks.\n"})
    settings = load_settings(vault)
    settings = replace(settings, models=replace(settings.models, model="none"))
    agents = Population(
        vault, settings, Game(load_world(vault, settings.world), world_commands()), random.Random(1), lambda: 0
    )

    async def looked_for() -> list[str]:
        minds = AgentScheduler(
            agents, lambda: settings, Clock(), random.Random(1), lambda said: None, lambda told: None
        )
        why = [minds.no_model_reason]
        minds.start()
        why.append(minds.no_model_reason)
        await asyncio.sleep(0.01)
        return [*why, minds.no_model_reason]

    assert asyncio.run(looked_for()) == ["", SEARCHING_REASON, ""]
