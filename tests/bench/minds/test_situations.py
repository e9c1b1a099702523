"""Every situation can be set up, and takes good turns for right, worded in many ways, and bad ones for wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bench.minds.situation import (
    AGENTS,
    HALVES,
    Scene,
    ScriptError,
    Situation,
    Step,
    parse_check,
    situations_in,
    situations_of,
)
from bench.minds.turns import PlayedTurn
from tests.rows import rows_in

EVERY = situations_of("all")
HELD_BACK = rows_in(Path(__file__).with_name("held_back_turns.yaml"))
MORE = {**rows_in(Path(__file__).with_name("more_turns.yaml")), **HELD_BACK}
"""Lines beside the situation's own that are right or wrong in it, worded in many ways."""

CHANGE_NOTHING = ("", "say", "whisper", "tell", "emote", "look")
"""Verbs after which the next line finds the scene as it was."""


def set_up(situation: Situation) -> Scene:
    """Return the scene when its script has been played."""
    scene = Scene(situation)
    for name in AGENTS:
        scene.game.wake(name, lambda event, text: None)
    scene.wake_people()
    scene.play_script(scene.game.perform)
    return scene


def turn_in(scene: Scene, line: str) -> PlayedTurn:
    """Return the turn in which the agent gives one command, or none; earlier ones in this scene do not count."""
    before = len(scene.turn().acts)
    if line:
        scene.game.perform(scene.situation.agent, line)
    turn = scene.turn()
    return replace(turn, acts=turn.acts[before:])


def played(situation: Situation, line: str) -> PlayedTurn:
    """Return the turn in which the agent gives one command at the end of the script, or none."""
    return turn_in(set_up(situation), line)


def turns(situation: Situation, lines: Iterable[str]) -> Iterator[PlayedTurn]:
    """Yield for each line what `played` returns; one scene serves until a line has changed it."""
    scene = None
    for line in lines:
        scene = scene or set_up(situation)
        yield turn_in(scene, line)
        if line.partition(" ")[0] not in CHANGE_NOTHING:
            scene = None


@pytest.mark.parametrize("group", sorted({one.group for one in EVERY}))
def test_good_turns_are_right_and_bad_ones_wrong(group):
    misjudged = {}
    for situation in (one for one in EVERY if one.group == group):
        more = MORE.get(situation.name, {"right": [], "wrong": []})
        right, wrong = [*situation.right, *more["right"]], [*situation.wrong, *more["wrong"]]
        for line, turn in zip([*right, *wrong], turns(situation, [*right, *wrong]), strict=True):
            if bool(fault := situation.judge(turn)) is (line in right):
                misjudged[situation.name, line] = fault
    assert misjudged == {}


def test_every_situation_that_is_held_back_has_three_more_good_turns():
    found = {name for name, more in HELD_BACK.items() if len(more["right"]) >= 3}
    assert found >= {one.name for one in situations_of("held-back")}


def test_all_more_turns_are_in_situations_that_there_are():
    assert set(MORE) <= {one.name for one in EVERY}


def test_what_is_held_back_is_proved_with_two_good_turns_and_two_bad_ones_at_least():
    found = {one.name: (len(set(one.right)), len(set(one.wrong))) for one in situations_of("held-back")}
    assert {name: counts for name, counts in found.items() if min(counts) < 2} == {}


@pytest.mark.parametrize("half", HALVES)
def test_each_half_has_enough_situations_of_every_agent(half):
    assert len(situations_of(half)) >= 40
    assert {one.agent for one in situations_of(half)} == set(AGENTS)


def test_no_two_situations_have_one_name():
    assert len({one.name for one in EVERY}) == len(EVERY)


def test_what_is_held_back_leans_on_talk_and_recall_and_has_the_other_groups_in_about_the_same_shares():
    tuning, held_back = (Counter(one.group for one in situations_of(half)) for half in ("tuning", "held-back"))
    expected = {group: count / tuning.total() * held_back.total() for group, count in tuning.items()}
    assert held_back["recall"] > 1.25 * expected.pop("recall")
    assert held_back["talk"] > expected.pop("talk")
    assert {group: held_back[group] for group in expected} == {
        group: pytest.approx(count, abs=4) for group, count in expected.items()
    }
    assert set(held_back) <= set(tuning)


def test_the_halves_are_told_apart_by_the_flag():
    assert [*situations_of("tuning"), *situations_of("held-back")] == sorted(EVERY, key=lambda one: one.is_held_back)


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
        situations_of("all", "supper")


GOOD = """
talk:
  is_greeted:
    places: {Eliza: The Landing, Bruno: Eel Stage}
    clock: 21:30
    carries: {Eliza: [ink bottle]}
    errand: {The Mill: get brass lantern, Pump Yard}
    theirs: [kite, no]
    script: |
      Bruno> go west
      Bruno> say Moin: I am Bruno.
    wanted: answers("Bruno") and (mentions("Bruno") or NODS)
    right: say Good day, Bruno.
    wrong: nothing | say I am Bruno.
"""


def test_a_file_says_all_that_a_situation_is(tmp_path):
    (tmp_path / "talk.yaml").write_text(GOOD)
    (found,) = situations_in(tmp_path / "talk.yaml", is_held_back=True)
    assert found == Situation(
        "is_greeted",
        "talk",
        "Eliza",
        {"Eliza": "The Landing", "Bruno": "Eel Stage"},
        ("Bruno> go west", "Bruno> say Moin: I am Bruno."),
        found.wanted,
        ("say Good day, Bruno.",),
        ("", "say I am Bruno."),
        {"Eliza": ("ink bottle",)},
        (Step("The Mill", "get brass lantern"), Step("Pump Yard")),
        ("kite", "no"),
        "21:30",
        is_held_back=True,
    )


def test_a_check_is_read_from_its_words():
    check = parse_check('answers("Bruno") and (mentions("kite") or NODS)')
    situation = situations_of("all", "is_joined_without_a_word")
    turn = replace(played(situation[0], "say Your kite?"), people=frozenset({"Eliza", "Bruno"}))
    assert (check(turn), parse_check("keeps_quiet")(turn)) == ("", "said 'Your kite?'")
    assert parse_check('mentions("moon") and stays')(turn) == "did not speak of moon"
    assert "neither: did not speak of moon; nor: " in parse_check('mentions("moon") or NODS')(turn)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ('answer("Bruno")', "there is no 'answer'; there are: "),
        ("answers", "'answers' is no check"),
        ("answers()", "missing 1 required positional argument"),
        ("stays and 'Bruno'", "\"'Bruno'\" is no check"),
        ("not stays", "'not stays' is not understood"),
        ("().__class__", "is not understood"),
        ("stays and", "invalid syntax"),
    ],
)
def test_an_expression_that_is_no_check_is_told(wrong, told, tmp_path):
    (tmp_path / "talk.yaml").write_text(GOOD.replace('answers("Bruno") and (mentions("Bruno") or NODS)', wrong))
    with pytest.raises(ScriptError, match=f"talk.yaml: is_greeted: .*(?:{told})"):
        list(situations_in(tmp_path / "talk.yaml"))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("    people: Bruno", "talk.yaml: is_greeted: there is no 'people'; a situation has places, "),
        ("    script: Bruno> go west", "talk.yaml: .*'script' is there twice"),
        ("  is_greeted: {}", "talk.yaml: .*'is_greeted' is there twice"),
        ("  is_left: {places: {Eliza: The Weir}}", "talk.yaml: is_left: 'wanted' is missing"),
        ("  is_left: {places: [Eliza], wanted: stays, right: x, wrong: x}", "talk.yaml: is_left: 'places' is no dict"),
        ("  is_left: Eliza", "talk.yaml: is_left: "),
        ("  - is_left", "talk.yaml: "),
    ],
)
def test_a_file_that_is_wrong_is_told_with_its_place(line, told, tmp_path):
    (tmp_path / "talk.yaml").write_text(f"{GOOD}{line}\n")
    with pytest.raises(ScriptError, match=told):
        list(situations_in(tmp_path / "talk.yaml"))
