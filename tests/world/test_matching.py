"""What somebody means by a name: exact before partial, and never a guess between two."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.english import ENGLISH
from world.entities import Thing
from world.errors import CommandError
from world.parsing import candidates, count_name_words, find, is_named, join_and, join_or, strip_article, suggestions

BRASS = Thing("brass lamp", "here", aliases=("lamp",))
OIL = Thing("oil lamp", "here", aliases=("lamp",))
LAMPSHADE = Thing("lampshade", "here")
KEY = Thing("Iron Key", "here")
THINGS = [BRASS, OIL, LAMPSHADE, KEY]


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("brass lamp", [BRASS]),
        ("the brass lamp", [BRASS]),
        ("  BRASS LAMP ", [BRASS]),
        ("lamp brass", [BRASS]),
        ("my iron", [KEY]),
        ("lamp", [BRASS, OIL]),
        ("lam", [BRASS, OIL, LAMPSHADE]),
        ("lamps", [LAMPSHADE]),
        ("iron k", [KEY]),
        ("k", []),
        ("ron", []),
        ("", []),
        ("the ", []),
    ],
)
def test_a_full_name_wins_over_words_and_words_over_beginnings(wanted, meant):
    assert candidates(wanted, THINGS) == meant


@pytest.mark.parametrize(
    ("wanted", "meant"), [("1.lamp", BRASS), ("2.lamp", OIL), ("lamp 2", OIL), ("2. the lamp", OIL)]
)
def test_a_number_chooses_among_several(wanted, meant):
    assert find(wanted, THINGS, "none", ENGLISH) is meant


@pytest.mark.parametrize("wanted", ["0.lamp", "3.lamp", "lamp 99", "2.iron key", "999999999999.lamp", "2."])
def test_a_number_that_nothing_has_finds_nothing(wanted):
    with pytest.raises(CommandError, match="^none$"):
        find(wanted, THINGS, "none", ENGLISH)


def test_a_name_that_ends_in_a_number_is_found_by_it():
    crate = Thing("crate 7", "here")
    assert find("crate 7", [crate], "none", ENGLISH) is crate


def test_several_that_fit_are_all_named():
    with pytest.raises(CommandError) as refused:
        find("the lamp", THINGS, "none", ENGLISH)
    assert str(refused.value) == (
        "Which one do you mean by 'the lamp': brass lamp or oil lamp? (Or give a number: 2.lamp.)"
    )


@pytest.mark.parametrize(
    ("wanted", "suggested"),
    [("whispr", ["whisper"]), ("wh", ["where", "whisper", "who"]), ("SAY", ["say"]), ("zzz", []), ("", [])],
)
def test_suggestions_are_beginnings_and_near_misses(wanted, suggested):
    assert suggestions(wanted, ["who", "where", "whisper", "say", "say"]) == suggested


def test_lists_are_joined_as_one_speaks():
    assert [join_and([]), join_and(["a"]), join_and(["a", "b"]), join_and(["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert join_or(["a", "b", "c"]) == "a, b or c"


@given(st.text())
def test_any_text_can_be_looked_for(text):
    assert all(thing in THINGS for thing in candidates(text, THINGS))
    assert strip_article(text) == strip_article(text.upper()) or not text.isascii()


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("Moss", "moss, come here", True),
        ("Moss", "Mossy stones", False),
        ("Moss", "I saw a mossy stone, Moss", True),
        ("Old Tom", "where is OLD TOM?", True),
        ("O'Hara", "Did O'Hara leave?", True),
        ("Zoë", "ZOË!", True),
        ("Moss", "MOſS", True),  # the long s is an s in another case
        ("Moss", "Tell 世界 of Moss.", True),
        ("Moss", "", False),
        ("Moss", "Mossy, Moss", True),
        ("小明", "你好小明!", True),
        ("ミラ", "ミラさん", True),
        ("राम", "रामा", False),
        ("José", "Jose\u0301!", True),
        ("Straße", "in der STRASSE", True),
        ("", "anything", False),
    ],
)
def test_somebody_is_named_by_a_word_of_its_own_in_whatever_case(name, text, named):
    assert is_named(name, text) is named


@pytest.mark.parametrize(
    ("wanted", "name"),
    [("cafe\u0301", "café"), ("STRASSE", "Straße"), ("ΟΔΟΣ", "οδος"), ("  grüne   Tür ", "Grüne Tür")],
)
def test_a_name_is_the_same_however_its_letters_are_encoded(wanted, name):
    door = Thing(name, "here")
    assert candidates(wanted, [door]) == [door]
    assert suggestions(wanted, [name]) == [name]


TOMS = [Thing(name, "here", aliases=("Sir Tom",)) for name in ("Old Tom", "Old Tom Miller the Elder", "The Cat", "Tom")]


@pytest.mark.parametrize(
    ("line", "whole", "part"),
    [
        ("Old Tom hello", 2, 2),
        ("OLD tom, hello", 2, 2),
        ("old tom miller hello", 2, 3),
        ("Old Tom Miller the Elder hello", 5, 0),
        ("Tom Old hello", 1, 0),
        ("Old, Tom hello", 0, 0),
        ("sir tom", 2, 0),
        ("the cat sat", 2, 0),
        ("the dog sat", 0, 0),
        ("the", 0, 0),
        ("", 0, 0),
    ],
)
def test_the_longest_name_at_the_beginning_of_a_line_is_the_name(line, whole, part):
    assert count_name_words(line.split(), TOMS) == (whole, part)
