"""Text fits the screen and keeps its shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from server.rendering.layout import WIDEST, columns_in, wrap_wide, wrapped
from tests.hostile import hostile_input
from world.sanitize import clean_line


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("äb cd", ["äb cd"]),
        ("äb  cd ef", ["äb  cd", "ef"]),
        ("日本語の", ["日本語", "の"]),
        ("a 日本語の文", ["a 日本", "語の文"]),
        ("überlanges", ["überla", "nges"]),
        ("ää überlanges Wort", ["ää übe", "rlange", "s Wort"]),
        ("z\u0301e\u0301\u0301", ["z\u0301e\u0301\u0301"]),
    ],
)
def test_a_line_breaks_at_a_space_or_where_there_is_none_at_the_edge(text, lines):
    assert wrap_wide(text, 6) == lines


def test_lines_after_the_first_stand_behind_what_hangs():
    assert wrap_wide("äh bee cee dee", 8, "  ") == ["äh bee", "  cee", "  dee"]


@given(hostile_input.map(clean_line), st.integers(4, 40))
def test_nothing_is_lost_and_nothing_is_too_wide(text, room):
    lines = wrap_wide(text, room)
    assert "".join("".join(lines).split()) == "".join(text.split(" "))
    assert all(columns_in(line) <= room for line in lines)


@given(st.text("aé字𝐖ﬁ한 ", max_size=30))
def test_columns_are_those_that_a_terminal_takes(text):
    assert columns_in(text) == wcswidth(text)


def test_a_long_line_breaks_between_words():
    assert wrapped("one two three four five six", 21) == "one two three four\nfive six"


def test_each_line_keeps_its_indentation():
    assert wrapped("  one two three four five six\nseven", 21) == "  one two three four\n  five six\nseven"


def test_empty_lines_stay():
    assert wrapped("one\n\ntwo", 80) == "one\n\ntwo"


def test_lines_are_no_longer_than_is_good_to_read():
    assert max(map(len, wrapped("word " * 200, 500).split("\n"))) <= WIDEST


def test_wide_characters_count_as_two_columns():
    assert wrapped("水" * 15, 21) == f"{'水' * 10}\n{'水' * 5}"


@pytest.mark.parametrize("width", [-3, 0, 1, 20])
def test_the_narrowest_screen_has_twenty_columns(width):
    assert wrapped("a" * 20, width) == "a" * 20


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Mn", "Me", "Mc", "Zl", "Zp"]), max_size=200))
def test_nothing_is_lost_but_spaces_and_nothing_is_too_wide(text):
    lines = wrapped(text, 40).split("\n")
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(wcswidth(line) <= 39 for line in lines)


def test_a_second_column_stays_one_when_it_is_wrapped():
    line = "@memory-why <text>    Tell why a memory is or is not in the prompt."
    assert wrapped(line, 50).split("\n") == [
        "@memory-why <text>    Tell why a memory is or is",
        "                      not in the prompt.",
    ]


def test_where_two_columns_have_no_room_the_second_stands_below_the_first():
    line = "  say <text>                       Say something to everyone in the room."
    assert wrapped(line, 40).split("\n") == [
        "  say <text>",
        "      Say something to everyone in the",
        "      room.",
    ]
    assert wrapped(f"{' ' * 35}Say something to everyone.", 40).split("\n") == ["    Say something to everyone."]


def test_two_spaces_behind_a_sentence_make_no_column():
    assert wrapped("It is late.  The fire is out, and the cat has gone to bed.", 31).split("\n") == [
        "It is late.  The fire is out,",
        "and the cat has gone to bed.",
    ]


def test_a_row_of_many_words_goes_on_in_the_next_line():
    row = "".join(f"{word:<16}" for word in ("get", "give", "go", "goal")).rstrip()
    assert wrapped(row, 40).split("\n") == ["get             give            go", "goal"]
