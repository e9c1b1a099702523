"""Every string is a line, what stands behind the bar is for nobody else, and names are never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.english import ENGLISH
from tests.world.inn import Player, inn_game
from world.commands.preferences import MAX_ALIASES
from world.entities import Thing
from world.errors import CommandError
from world.events import EntityChanged
from world.parsing import (
    Line,
    candidates,
    count_name_words,
    expand_alias,
    find,
    is_named,
    is_number,
    is_repeatable,
    parse_line,
    strip_article,
    suggestions,
)

TYPED = st.text() | st.text("say|\\ '\":?x\t\n") | st.sampled_from(["say hi", "'hi", ":waves", "go north", "who", ""])
SECRET = "quartz"

OWN = {"gs": "go south", "ask": "say %2, where is %1?", "all": "say %*!", "loop": "loop again"}
BRASS = Thing("brass lamp", "here", aliases=("lamp",))
OIL = Thing("oil lamp", "here", aliases=("lamp",))
LAMPSHADE = Thing("lampshade", "here")
KEY = Thing("Iron Key", "here")
THINGS = [BRASS, OIL, LAMPSHADE, KEY]
TOMS = [Thing(name, "here", aliases=("Sir Tom",)) for name in ("Old Tom", "Old Tom Miller the Elder", "The Cat", "Tom")]


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
    assert ana.screen() == ["You have 50 commands of your own, the maximum. Remove one: unalias gs"]
    assert game.perform("Ana", "alias a1 = say one").accepted
    assert len(game.world.characters["Ana"].preferences) == MAX_ALIASES


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
