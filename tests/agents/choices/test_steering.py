"""What the drawn verbs are like: answers when spoken to, no walking in circles, no talking to oneself."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from agents.choices.possible import NOTHING, Possible, possible
from agents.choices.steering import FEW_POSES, Moment, Steering, ways_back, ways_to_others, without_repeats
from tests.agents.choices.test_possible import TABLE, a_world

DRAWS = 150


def here(room_id: str = "Landing") -> Possible:
    world = a_world()
    world.characters["Ana"].room_id = room_id
    return possible(world, world.characters["Ana"], TABLE)


def verbs(moment: Moment, among: Possible | None = None) -> Counter[str]:
    """How often each verb is drawn at a moment."""
    steering, among = Steering(random.Random(1)), among or here()
    drawn = (steering.choose(among, moment) for _ in range(DRAWS))
    return Counter(verb for forms in drawn for verb in forms)


def test_one_verb_is_drawn_and_it_is_a_possible_one():
    forms = Steering(random.Random(1)).choose(here(), Moment(company=True))
    assert len(forms) == 1
    assert set(forms) <= set(here())


def test_the_same_seed_draws_the_same():
    draws = [[list(s.choose(here(), Moment())) for _ in range(20)] for s in (Steering(random.Random(7)) for _ in "ab")]
    assert draws[0] == draws[1]


def test_who_is_spoken_to_nearly_always_answers():
    assert verbs(Moment(addressed=True, company=True))["say"] > 0.9 * DRAWS


def test_a_person_is_always_answered():
    talked = ("say One. | x",) * 8
    assert verbs(Moment(talked, addressed=True, by_person=True, company=True)) == {"say": DRAWS}


def test_who_is_told_something_from_afar_tells_something_back_even_when_alone():
    world = a_world()
    world.characters["Ana"].doings.answer_to_id = "Dot"
    among = possible(world, world.characters["Ana"], TABLE)
    assert among["tell"].choices["anyone"] == ("Dot",)
    assert verbs(Moment(addressed=True, by_person=True, from_afar=True), among) == {"tell": DRAWS}
    assert verbs(Moment(addressed=True, by_person=True, company=True), among) == {"say": DRAWS}


def test_nobody_is_followed_where_nobody_is():
    assert "follow" not in verbs(Moment())
    assert verbs(Moment(company=True))["follow"] < 0.2 * DRAWS


def test_two_agents_come_to_an_end():
    talked = ("say One. | x",) * 5
    assert verbs(Moment(talked, addressed=True, company=True))["say"] < 0.4 * DRAWS


def test_nobody_talks_when_alone():
    assert set(verbs(Moment(addressed=True))) & {"say", "whisper", "give"} == set()


def test_nobody_goes_on_talking_unasked():
    quiet, talking = Moment(("look | x",), company=True), Moment(("say Hello. | x",), company=True)
    assert verbs(talking)["say"] < 0.5 * verbs(quiet)["say"]


def test_who_has_been_alone_for_long_moves_on():
    waited = ("look | x", "think Hm. | x", "inventory | x", "who | x", "think Well. | x")
    assert verbs(Moment(waited))["go"] > 1.5 * verbs(Moment(("go west | x",)))["go"]


def test_who_meets_somebody_does_not_leave_at_once():
    assert verbs(Moment(("go west | x",), company=True))["go"] < 0.05 * DRAWS


def test_the_way_back_is_taken_only_if_there_is_no_other():
    fresh = without_repeats(here(), Moment(ways_back=frozenset({"north"})))
    assert fresh["go"].choices["exit"] == ("east",)
    fresh = without_repeats(here(), Moment(ways_back=frozenset({"north", "east"})))
    assert fresh["go"].choices["exit"] == ("north", "east")


@pytest.mark.parametrize(
    ("visited", "back"),
    [
        ([], set()),
        (["Yard"], {"north"}),
        (["Yard", "Stage", "Landing"], {"north", "east"}),
        (["Yard", "Stage", "Mill", "Landing"], {"east"}),
    ],
)
def test_the_ways_back_lead_to_the_last_two_other_rooms(visited, back):
    assert ways_back(a_world().rooms["Landing"], visited) == back


def test_the_ways_to_others_are_the_exits_towards_whoever_is_awake_elsewhere():
    world = a_world()
    assert ways_to_others(world, world.characters["Ana"]) == {"north"}  # to Dot; Old Ben is here, Cat is asleep


def test_who_is_alone_often_goes_towards_others():
    only_go = {"go": here()["go"]}
    steering = Steering(random.Random(1))
    moment = Moment(ways_to_others=frozenset({"east"}))
    drawn = Counter(steering.choose(only_go, moment)["go"].choices["exit"] for _ in range(DRAWS))
    assert set(drawn) == {("east",), ("north", "east")}
    assert 0.4 * DRAWS < drawn[("east",)] < 0.6 * DRAWS


def test_the_same_thing_is_not_looked_at_again_soon():
    recent = ("look | x", "look river | x", "emote nods slowly | x")
    fresh = without_repeats(here(), Moment(recent))
    assert fresh["look"].choices["sight"] == ("Old Ben", "lamp", "letter")
    assert "river" not in fresh["examine"].choices["sight"]
    assert NOTHING in here()["look"].choices["sight"]
    assert "nods slowly" not in fresh["emote"].choices["text"]


def test_each_time_a_few_other_poses_are_offered():
    steering = Steering(random.Random(1))
    only_emote = {"emote": here()["emote"]}
    offered = [steering.choose(only_emote, Moment())["emote"].choices["text"] for _ in range(9)]
    assert {len(poses) for poses in offered} == {FEW_POSES}
    assert len(set(offered)) == 9


def test_what_was_put_down_is_not_taken_up_again_soon():
    assert "get" not in without_repeats(here(), Moment(("drop lamp | x",)))
    assert "get" in without_repeats(here(), Moment(("drop lamp | x", *("think Hm. | x",) * 10)))


def test_if_all_would_be_a_repetition_then_repeating_is_allowed():
    only = {"where": here()["where"]}
    assert Steering(random.Random(1)).choose(only, Moment(("where | x",))) == only
    alone = {"say": here()["say"]}
    assert Steering(random.Random(1)).choose(alone, Moment()) == alone


def test_an_unknown_command_is_drawn_now_and_then():
    among = {**here(), "dance": here()["where"]}
    assert 0 < verbs(Moment(), among)["dance"] < 0.2 * DRAWS


def test_a_shunned_verb_is_left_out_but_for_the_answer_to_a_person():
    shunned = frozenset({"say", "whisper"})
    assert not set(verbs(Moment(company=True, shunned=shunned))) & shunned
    assert not set(verbs(Moment(company=True, addressed=True, shunned=shunned))) & shunned
    assert verbs(Moment(company=True, addressed=True, by_person=True, shunned=shunned)) == {"say": DRAWS}
    assert verbs(Moment(shunned=frozenset(here()))).total() == DRAWS
