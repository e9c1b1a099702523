"""What a JSON schema admits: words that are speech, a choice of what to hand over, and the lines of the menu alone."""

from __future__ import annotations

import jsonschema
import pytest

from agents.choices.schema import MAX_WORDS, command_schema, line_schema, words_schema


def is_admitted(answer: object, schema: object) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid(answer))


@pytest.mark.parametrize(
    ("words", "admitted"),
    [
        ("Good morning, Robin. What is the river doing?", True),
        ("4 feet.", True),
        ("Ça va bien.", True),
        ("小明，你好！", True),
        ("Что нового?", True),
        ("'Hello,' she said.", False),
        ("(waves) Hello.", False),
        ("*smiles*", False),
        ("Hello | she is kind", False),
        ("Hello.\nMoss says hello.", False),
        ("", False),
        ("x" * (MAX_WORDS + 1), False),
    ],
)
def test_a_speech_begins_with_a_letter_or_digit_and_is_one_line(words, admitted):
    assert is_admitted({"words": words}, words_schema()) == admitted


def test_what_is_handed_over_follows_from_the_words_and_may_be_nothing():
    schema = words_schema(["ink bottle"])
    assert sorted(schema["properties"]) == list(schema["properties"])  # servers write them in this order
    assert is_admitted({"words": "Here it is.", "you_give": "ink bottle"}, schema)
    assert is_admitted({"words": "It is mine.", "you_give": "nothing"}, schema)
    assert not is_admitted({"words": "Here it is.", "you_give": "river"}, schema)
    assert not is_admitted({"words": "Here it is."}, schema)


def test_a_command_is_one_of_the_menu_and_nothing_else():
    menu = ["go north", 'look "old" bell']
    assert all(is_admitted({"command": line}, command_schema(menu)) for line in menu)
    assert not is_admitted({"command": "go south"}, command_schema(menu))
    assert not is_admitted({"command": "go north", "reason": "x"}, command_schema(menu))
    assert [is_admitted(line, line_schema(menu)) for line in (*menu, "go south")] == [True, True, False]


def test_whether_it_goes_along_is_asked_where_that_is_the_question():
    assert is_admitted({"words": "Gladly.", "you_follow": "yes"}, words_schema(asked_along=True))
    assert not is_admitted({"words": "Gladly."}, words_schema(asked_along=True))
    assert not is_admitted({"words": "Gladly.", "you_follow": "yes"}, words_schema())
