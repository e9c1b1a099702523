"""Situations take many good turns for right, worded in many ways, and bad ones for wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.minds.situation import situations_of
from tests.bench.minds.test_situations import played
from tests.rows import rows_in

EVERY = situations_of("all")
HELD_BACK = rows_in(Path(__file__).with_name("held_back_turns.yaml"))
TURNS = {**rows_in(Path(__file__).with_name("more_turns.yaml")), **HELD_BACK}


@pytest.mark.parametrize("situation", [one for one in EVERY if one.name in TURNS], ids=lambda one: one.name)
def test_good_turns_are_right_and_bad_ones_wrong(situation):
    right, wrong = TURNS[situation.name]["right"], TURNS[situation.name]["wrong"]
    assert {line: why for line in right if (why := situation.judge(played(situation, line)))} == {}
    assert [line for line in wrong if not situation.judge(played(situation, line))] == []


def test_every_situation_that_is_held_back_has_three_more_good_turns():
    found = {name for name, turns in HELD_BACK.items() if len(turns["right"]) >= 3}
    assert found == {one.name for one in situations_of("held-back")}


def test_all_turns_are_in_situations_that_there_are():
    assert set(TURNS) <= {one.name for one in EVERY}
