"""Loops: stretches of a life or a walk that repeat."""

from __future__ import annotations

import pytest

from agents.metrics.acting import loops_in


@pytest.mark.parametrize(
    ("steps", "loops"),
    [
        ("", 0),
        ("ab", 0),
        ("aa", 0),
        ("aaa", 1),
        ("aaaaaaaa", 1),
        ("abab", 1),
        ("ababab", 1),
        ("abcabc", 1),
        ("abcab", 0),
        ("aaabbb", 2),
        ("xababyababz", 2),
        ("abcdabcd", 0),
    ],
)
def test_a_loop_is_one_thing_thrice_or_two_or_three_twice_however_long_it_goes_on(steps, loops):
    assert loops_in(steps) == loops


@pytest.mark.parametrize(("rooms", "loops"), [("ABAB", 1), ("ABA", 0), ("ABCABC", 1), ("ABCD", 0)])
def test_a_walk_is_a_loop_from_two_rooms_on(rooms, loops):
    assert loops_in(rooms, 2) == loops
