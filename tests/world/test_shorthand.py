"""Commands of one's own are looked up once, and keep what stands behind the bar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.english import ENGLISH
from tests.world.inn import Player, inn_game
from world.commands.comforts import MOST_ALIASES
from world.events import Altered
from world.parsing import parse_line
from world.shorthand import expanded, is_kept

OWN = {"gs": "go south", "ask": "say %2, where is %1?", "all": "say %*!", "loop": "loop again"}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("gs", "go south"),
        ("  GS  ", "go south"),
        ("gs slowly", "go south slowly"),
        ("gs | away from Ben", "go south  | away from Ben"),
        ("ask Dan Ben", "say Ben, where is Dan?"),
        ("ask Dan", "say , where is Dan?"),
        ("all of us | quietly", "say of us! | quietly"),
        ("all one \\| two", "say one \\| two!"),
        ("loop", "loop again"),
        ("go south", "go south"),
        ("gsx", "gsx"),
        ("", ""),
    ],
)
def test_a_word_of_ones_own_becomes_what_it_stands_for(typed, meant):
    assert " ".join(expanded(typed, OWN, ENGLISH).split()) == " ".join(meant.split())


@given(st.text(), st.sampled_from(sorted(OWN)))
def test_the_private_reason_is_the_same_before_and_after(reason, name):
    typed = f"{name} Ben | {reason}"
    assert parse_line(expanded(typed, OWN, ENGLISH)).reason == parse_line(typed).reason


def test_what_begins_with_an_at_sign_is_not_kept_to_be_repeated():
    assert [is_kept(line) for line in ("say hi", " @undo", "@password x", "", "  ")] == [
        True,
        False,
        False,
        False,
        False,
    ]


def test_there_is_an_end_to_commands_of_ones_own_and_each_change_is_to_be_saved():
    game = inn_game()
    ana = Player(game, "Ana")
    for number in range(MOST_ALIASES):
        done = game.perform("Ana", f"alias a{number} = say {number}")
        assert done.events[-1] == Altered("Ana", "character", "Ana")
    ana.screen()
    ana.types("alias onemore = say no")
    assert ana.screen() == [
        "You have 50 commands of your own, which is as many as there can be. Forget one: unalias gs"
    ]
    assert game.perform("Ana", "alias a1 = say one").accepted
    assert len(game.world.characters["Ana"].preferences) == MOST_ALIASES
