"""Every situation can be set up, takes good turns for right and bad ones for wrong."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.minds.situation import AGENTS, Scene, ScriptError, Situation
from bench.minds.situations.every import EVERY, HALVES, chosen
from bench.minds.turns import PlayedTurn


def played(situation: Situation, line: str) -> PlayedTurn:
    """Return the turn in which the agent gives one command, or none."""
    scene = Scene(situation)
    for name in AGENTS:
        scene.game.wake(name, lambda event, text: None)
    scene.wake_people()
    scene.play_script(scene.game.perform)
    if line:
        scene.game.perform(situation.agent, line)
    return scene.turn()


@pytest.mark.parametrize("situation", EVERY, ids=lambda one: one.name)
def test_good_turns_are_right_and_bad_ones_wrong(situation):
    verdicts = {line: situation.judge(played(situation, line)) for line in (*situation.right, *situation.wrong)}
    assert {line: wrong for line, wrong in verdicts.items() if line in situation.right and wrong} == {}
    assert [line for line in situation.wrong if not verdicts[line]] == []


def test_nonsense_is_no_answer_but_to_nonsense():
    asked = [one for one in EVERY if one.asks_for_words]
    passed = [one for one in asked if not one.judge(played(one, nonsense(one)))]
    assert [one.name for one in passed if not one.is_held_back] == [
        "is_fed_the_marks_of_a_template",
        "is_told_what_to_say",
        "is_told_gibberish",
        "is_given_another_part_to_play",
        "is_told_to_repeat_words",
        "is_told_words_of_no_language",
    ]
    assert [one.group for one in passed if one.is_held_back] == []


def test_what_is_held_back_is_proved_with_two_good_turns_and_two_bad_ones_at_least():
    found = {one.name: (len(set(one.right)), len(set(one.wrong))) for one in chosen("held-back")}
    assert {name: counts for name, counts in found.items() if min(counts) < 2} == {}


def nonsense(situation: Situation) -> str:
    verb, _, rest = situation.right[0].partition(" ")
    return f"{verb} Blue elbows sing." if verb == "say" else f"{verb} {rest.partition(' ')[0]} Blue elbows sing."


@pytest.mark.parametrize("half", HALVES)
def test_each_half_has_enough_situations_of_every_agent(half):
    assert len(chosen(half)) >= 40
    assert {one.agent for one in chosen(half)} == set(AGENTS)


def test_no_two_situations_have_one_name():
    assert len({one.name for one in EVERY}) == len(EVERY)


def test_the_halves_have_the_groups_in_about_the_same_shares():
    tuning, held_back = (Counter(one.group for one in chosen(half)) for half in ("tuning", "held-back"))
    expected = {group: count / tuning.total() * held_back.total() for group, count in tuning.items()}
    assert held_back == {group: pytest.approx(count, abs=3.5) for group, count in expected.items()}


def test_the_halves_are_told_apart_by_the_flag():
    assert [*chosen("tuning"), *chosen("held-back")] == sorted(EVERY, key=lambda one: one.is_held_back)
    assert chosen("all") == list(EVERY)


def test_nobody_stands_by_whom_the_situation_does_not_name():
    assert {one.name: odd for one in EVERY if (odd := unnamed(one))} == {}


def unnamed(situation: Situation) -> list[str]:
    scene = Scene(situation)
    return [name for name in AGENTS if name not in situation.places and is_near(scene, name)]


def is_near(scene: Scene, name: str) -> bool:
    return scene.game.world.characters[name].room_id == scene.agent.room_id


def test_a_script_that_cannot_be_played_is_told():
    odd = Situation("odd", "talk", "Eliza", {"Eliza": "The Landing"}, ("Eliza> get moon",), lambda turn: "", (), ())
    with pytest.raises(ScriptError, match="odd: 'Eliza> get moon': "):
        played(odd, "")


def test_an_unknown_situation_is_told():
    with pytest.raises(ValueError, match="There is no situation 'supper'"):
        chosen("all", "supper")
