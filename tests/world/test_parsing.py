"""Every string is a line, and what stands behind the bar is for nobody else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world.inn import Player, inn_game
from world.parsing import Line, is_number, parse_line

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
