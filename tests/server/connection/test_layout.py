"""Text fits the screen and keeps its shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from server.connection.text_screen import MAX_COLUMNS, columns_in, lay_out, wrap_wide
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


COLUMN = "@memory-why <text>    Tell why a memory is or is not in the prompt."
SAY = "  say <text>                       Say something to everyone in the room."
LATE = "It is late.  The fire is out, and the cat has gone to bed."
ROW = "".join(f"{word:<16}" for word in ("get", "give", "go", "goal")).rstrip()
WRAPPED = {
    "a long line breaks between words": ("one two three four five six", 21, ["one two three four", "five six"]),
    "each line keeps its indentation": (
        "  one two three four five six\nseven",
        21,
        ["  one two three four", "  five six", "seven"],
    ),
    "empty lines stay": ("one\n\ntwo", 80, ["one", "", "two"]),
    "wide characters count as two columns": ("水" * 15, 21, ["水" * 10, "水" * 5]),
    "a second column stays one": (
        COLUMN,
        50,
        ["@memory-why <text>    Tell why a memory is or is", "                      not in the prompt."],
    ),
    "a second column without room stands below the first": (
        SAY,
        40,
        ["  say <text>", "      Say something to everyone in the", "      room."],
    ),
    "an indentation without room is cut": (f"{' ' * 35}Say something.", 40, ["    Say something."]),
    "two spaces behind a sentence make no column": (
        LATE,
        31,
        ["It is late.  The fire is out,", "and the cat has gone to bed."],
    ),
    "a row of many words goes on": (ROW, 40, ["get             give            go", "goal"]),
    **{f"at {width} columns it has twenty": ("a" * 20, width, ["a" * 20]) for width in (-3, 0, 1, 20)},
}


@pytest.mark.parametrize(("text", "width", "lines"), WRAPPED.values(), ids=WRAPPED)
def test_text_fits_the_screen_and_keeps_its_shape(text, width, lines):
    assert lay_out(text, width).split("\n") == lines


def test_lines_are_no_longer_than_is_good_to_read():
    assert max(map(len, lay_out("word " * 200, 500).split("\n"))) <= MAX_COLUMNS


@given(st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Mn", "Me", "Mc", "Zl", "Zp"]), max_size=200))
def test_nothing_is_lost_but_spaces_and_nothing_is_too_wide(text):
    lines = lay_out(text, 40).split("\n")
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(wcswidth(line) <= 39 for line in lines)
