"""What the grammar admits, read as a regular expression since it has no recursion, and what a schema admits."""

from __future__ import annotations

import random
import re

import jsonschema
import pytest

from agents.choices.constraints import (
    MAX_WORDS,
    MOST_WORDS,
    command_schema,
    gbnf,
    line_schema,
    tidied,
    verbs_in,
    words_schema,
)
from agents.choices.possible import possible
from agents.models.adapter import gbnf_literal
from tests.agents.choices.test_possible import TABLE, a_world, lines
from world.parsing import parse_line

_TOKEN = re.compile(r"\"(?:\\.|[^\"\\])*\"|\[(?:\\.|[^\]\\])*\]|[a-z]+|\{\d+,\d+\}|[()|?]|\s+")


def admits(grammar: str) -> re.Pattern[str]:
    """Return a GBNF grammar without recursion as a regular expression."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.splitlines())

    def translated(token: str) -> str:
        if token.isspace():
            return ""
        if token[0] == '"':
            return re.escape(token[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape"))
        if token[0].isalpha():
            return f"(?:{expression(rules[token])})"
        return "(?:" if token == "(" else token

    def expression(rule: str) -> str:
        assert "".join(_TOKEN.findall(rule)) == rule
        # A literal is several characters, and a quantifier counts the whole of it.
        parts = [translated(token) for token in _TOKEN.findall(rule)]
        return "".join(parts)

    return re.compile(expression(rules["root"]))


def the_grammar(*verbs: str) -> re.Pattern[str]:
    world = a_world()
    found = possible(world, world.characters["Ana"], TABLE)
    return admits(gbnf({verb: form for verb, form in found.items() if not verbs or verb in verbs}))


def test_every_possible_line_is_admitted():
    world = a_world()
    grammar = the_grammar()
    forms = possible(world, world.characters["Ana"], TABLE).values()
    possible_lines = [line for form in forms for line in lines(form)]
    assert [line for line in possible_lines if not grammar.fullmatch(f" {line}\n")] == []


@pytest.mark.parametrize(
    "line",
    [
        " say Good morning, Moss.\n",
        " say Hello to you.\n",
        " say Who's that by the river?\n",
        " think Für heute ist es genug.\n",
    ],
)
def test_a_sentence_is_admitted(line):
    assert the_grammar().fullmatch(line)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("say Hello to you.\n", "the space in front is missing"),
        (" say Hello to you. | I am glad of you\n", "own reasons are not asked for"),
        (" say Hello to you.", "the line does not end"),
        (" say hello to you.\n", "speech begins with a capital"),
        (" say Hello to you\n", "a sentence ends with a mark"),
        (" say Hello.\n", "one word is not said"),
        (" say ...\n", "speech has words"),
        (" say 4 feet.\n", "speech begins with a letter"),
        (" say I | am here.\n", "a bar in speech"),
        (' say Moss says, "Hello to you."\n', "a quotation"),
        (" go south\n", "no such exit"),
        (" get letter\n", "it is carried already"),
        (" quit\n", "not for agents"),
        (f" say {'Go ' * MOST_WORDS}away.\n", "too long"),
    ],
)
def test_a_line_is_not_admitted(line, why):
    assert not the_grammar().fullmatch(line), why


def test_only_the_verbs_given_are_admitted():
    grammar = the_grammar("go")
    assert grammar.fullmatch(" go north\n")
    assert not grammar.fullmatch(" say Hello to you.\n")


def test_names_with_quotes_backslashes_and_bars_are_spelt_so_that_they_read_back():
    world = a_world()
    world.things['a "b" \\ c|d'] = type(world.things["lamp"])('a "b" \\ c|d', "Landing")
    grammar = admits(gbnf({"get": possible(world, world.characters["Ana"], TABLE)["get"]}))
    line = ' get a "b" \\ c\\|d'
    assert grammar.fullmatch(f"{line}\n")
    assert parse_line(line).arguments == 'a "b" \\ c|d'


def test_a_literal_holds_no_bare_quote_backslash_or_line_break():
    assert gbnf_literal('a "b"\\\n') == '"a \\"b\\"\\\\\\n"'


def test_the_longest_sentence_is_admitted_and_one_word_more_is_not():
    grammar = the_grammar("say")
    words = random.Random(1).choices(["river", "water", "morning"], k=MOST_WORDS - 1)
    assert grammar.fullmatch(f" say The {' '.join(words)}.\n")
    assert not grammar.fullmatch(f" say The {' '.join(words)} again.\n")


LONG = "There is a red door at the end of the town and I"  # 13 words


@pytest.mark.parametrize(
    ("line", "tidy"),
    [
        (f"say {LONG} am in the.", f"say {LONG.removesuffix(' and I')}."),
        (f"say {LONG.replace('town and', 'town, and')} am in the.", f"say {LONG.removesuffix(' and I')}."),
        (f"say {LONG} like the river.", f"say {LONG} like the river."),
        ("say What are you looking at?", "say What are you looking at?"),
        ("go north", "go north"),
        ("look", "look"),
    ],
)
def test_half_a_thought_loses_its_loose_end(line, tidy):
    assert len(f"{LONG} am in the".split()) == MOST_WORDS
    assert tidied(line) == tidy


def test_the_verbs_of_a_grammar_can_be_read_from_it_and_nothing_else():
    grammar = (
        'root ::= " " ("say" " " sentence | "go" (" north" | " under | bridge") | "@my-note") "\\n"\n'
        'sentence ::= "look"'
    )
    assert verbs_in(grammar) == ["say", "go", "@my-note"]


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
