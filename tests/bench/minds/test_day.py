"""A day of three agents is counted as it was lived."""

from __future__ import annotations

import asyncio
from random import Random

from agents.metrics.statistics import Share
from agents.models.profiles import Profiles
from agents.models.queue import ModelQueue
from bench.lib.models import ScriptedModel
from bench.minds.day import ERRANDS, Day, DayTurn, Errand, play_day
from bench.minds.situation import Scene, Situation, Step
from bench.minds.stage import WatchedQueue
from bench.minds.turns import Act, act_of
from world.events import Said
from world.game import CommandResult


def act(who: str, line: str) -> Act:
    verb = line.partition(" ")[0]
    return Act(who, line, CommandResult(verb, (Said(who, "", line),) if verb == "say" else ()))


def turn(who: str, outcome: str, *lines: str, in_company: bool = True, seconds: float = 0.0) -> DayTurn:
    return DayTurn(who, outcome, tuple(act(who, line) for line in lines), in_company, seconds, round(10 * seconds))


def test_every_share_of_a_day_is_of_what_it_says():
    day = Day(
        [
            turn("Moss", "acted", "say Hello.", seconds=2.0),
            turn("Eliza", "acted", "say Hello."),  # her first
            turn("Moss", "acted", "go north", in_company=False),
            turn("Moss", "acted", "go north"),  # walking is no repeat
            turn("Moss", "acted", "say hello", seconds=1.0),
            turn("Moss", "refused", "get moon", in_company=False),
            turn("Moss", "speechless"),
            turn("Moss", "resting"),
        ],
        {"Eliza": 3, "Moss": 2, "Odile": 3},
    )
    assert day.shares() == {
        "valid commands": Share(5, 7),
        "exact repeats": Share(1, 4),
        "speech in company": Share(3, 4),
        "errands of three steps done": Share(2, 3),
    }
    assert {name: (amount.mean, amount.of) for name, amount in day.amounts().items()} == {
        "seconds a turn": (3 / 8, 8),
        "new prompt tokens a turn": (30 / 8, 8),
    }


def test_the_steps_of_an_errand_count_in_their_order():
    nobody = Situation("", "", "Odile", {"Eliza": "Gauge House", "Odile": "Gauge House"}, (), lambda turn: "", (), ())
    scene = Scene(nobody)
    scene.game.wake("Eliza", lambda event, text: None)
    errand = Errand("Odile", (Step("The Weir"), Step("Gauge House", "get gauge slip"), *ERRANDS["Odile"][2:]))
    done = []
    for line in ("get gauge slip", "go west", "go east", "give gauge slip to Eliza"):
        acts = [act_of("Odile", line, scene.game.perform("Odile", line))]
        errand.follow(scene.game.world, acts)
        done.append(errand.done)
    assert done == [0, 2, 2, 3]


def queue_of(model: ScriptedModel) -> WatchedQueue:
    return WatchedQueue(ModelQueue(model), Profiles(Random(0)))


def test_a_day_is_lived_and_nothing_is_said_by_who_has_no_words():
    queue = queue_of(ScriptedModel("silent", lambda request: ""))
    day = asyncio.run(play_day(queue, 1, 12))
    assert len(day.turns) == 12
    assert {turn.agent for turn in day.turns} == set(ERRANDS)
    assert day.shares()["speech in company"].hits == 0
    assert [one.new_tokens <= one.prompt_tokens for one in queue.thoughts] == [True] * len(queue.thoughts)
