"""Text fits the screen and keeps its shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from server.rendering.layout import WIDEST, wrapped


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
