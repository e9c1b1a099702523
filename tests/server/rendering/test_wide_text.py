"""Text of wide and of accented characters on a screen: nothing lost, nothing too wide, and in next to no time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from server.rendering.wide_text import columns_in, wrapped_wide
from tests.hostile import hostile_input
from world.cleaning import clean_line


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
    assert wrapped_wide(text, 6) == lines


def test_lines_after_the_first_stand_behind_what_hangs():
    assert wrapped_wide("äh bee cee dee", 8, "  ") == ["äh bee", "  cee", "  dee"]


@given(hostile_input.map(clean_line), st.integers(4, 40))
def test_nothing_is_lost_and_nothing_is_too_wide(text, room):
    lines = wrapped_wide(text, room)
    assert "".join("".join(lines).split()) == "".join(text.split(" "))
    assert all(columns_in(line) <= room for line in lines)


@given(st.text("aé字𝐖ﬁ한 ", max_size=30))
def test_columns_are_those_that_a_terminal_takes(text):
    assert columns_in(text) == wcswidth(text)
