"""Every string is a line, and what stands behind the bar is for nobody else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.english import ENGLISH
from tests.world.inn import Player, inn_game
from world.commands.preferences import MAX_ALIASES
from world.events import EntityChanged
from world.parsing import Line, expand_alias, is_number, is_repeatable, parse_line

TYPED = st.text() | st.text("say|\\ '\":?x\t\n") | st.sampled_from(["say hi", "'hi", ":waves", "go north", "who", ""])
SECRET = "quartz"


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("", Line("", "")),
        ("   \t ", Line("", "")),
        ("LOOK", Line("look", "")),
        ("  give  lamp   to Ana ", Line("give", "lamp to Ana")),
        ("'hello there", Line("say", "hello there")),
        ('"hello there', Line("say", "hello there")),
        (":waves", Line("emote", "waves")),
        ("?", Line("help", "")),
        ("say hi | she is kind", Line("say", "hi", "she is kind")),
        ("say hi |she is kind", Line("say", "hi", "she is kind")),
        ("say hi| she is kind", Line("say", "hi", "she is kind")),
        ("say hi |", Line("say", "hi")),
        ("| only a reason", Line("", "", "only a reason")),
        ("say one | two | three", Line("say", "one", "two | three")),
        ("say yes|no", Line("say", "yes|no")),
        ("say one \\| two | why", Line("say", "one | two", "why")),
        ("say one\ntwo", Line("say", "one two")),
    ],
)
def test_a_line_is_a_verb_its_arguments_and_a_reason(typed, line):
    assert parse_line(typed) == line


@given(TYPED)
def test_no_string_is_an_error_and_every_part_is_one_trimmed_line(typed):
    line = parse_line(typed)
    for part in (line.verb, line.arguments, line.reason):
        assert part == " ".join(part.split())
    assert " " not in line.verb
    assert line.verb == line.verb.lower()


@given(TYPED, st.sampled_from([" | ", " |", "| ", "\t|\t"]))
def test_a_reason_is_in_nothing_that_anybody_perceives(typed, bar):
    game = inn_game()
    ana, ben = Player(game, "Ana"), Player(game, "Ben")
    ana.types(f"{typed.rstrip(chr(92))}{bar}{SECRET}")
    seen = "".join([*ana.screen(), *ben.screen(), *map(repr, ana.events), *map(repr, ben.events)])
    assert SECRET not in seen


@pytest.mark.parametrize(
    ("text", "is_one"), [("12", True), ("9" * 15, True), ("9" * 16, False), ("-1", False), ("²", False), ("", False)]
)
def test_a_number_is_of_digits_alone_and_of_no_more_than_can_be_meant(text, is_one):
    assert is_number(text) is is_one


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
    assert " ".join(expand_alias(typed, OWN, ENGLISH).split()) == " ".join(meant.split())


@given(st.text(), st.sampled_from(sorted(OWN)))
def test_the_private_reason_is_the_same_before_and_after(reason, name):
    typed = f"{name} Ben | {reason}"
    assert parse_line(expand_alias(typed, OWN, ENGLISH)).reason == parse_line(typed).reason


def test_what_begins_with_an_at_sign_is_not_kept_to_be_repeated():
    assert [is_repeatable(line) for line in ("say hi", " @undo", "@password x", "", "  ")] == [
        True,
        False,
        False,
        False,
        False,
    ]


def test_there_is_an_end_to_commands_of_ones_own_and_each_change_is_to_be_saved():
    game = inn_game()
    ana = Player(game, "Ana")
    for number in range(MAX_ALIASES):
        done = game.perform("Ana", f"alias a{number} = say {number}")
        assert done.events[-1] == EntityChanged("Ana", "character", "Ana")
    ana.screen()
    ana.types("alias onemore = say no")
    assert ana.screen() == [
        "You have 50 commands of your own, which is as many as there can be. Forget one: unalias gs"
    ]
    assert game.perform("Ana", "alias a1 = say one").accepted
    assert len(game.world.characters["Ana"].preferences) == MAX_ALIASES
