"""What the grammar admits, read as a regular expression since it has no recursion, and what a schema admits."""

from __future__ import annotations

import re

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.choices.constraints import (
    MAX_WORDS,
    command_schema,
    gbnf,
    line_schema,
    speech_grammar,
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


any_words = st.text(
    st.characters(exclude_characters="\r\n|", exclude_categories=["Cs"]), min_size=1, max_size=MAX_WORDS
).filter(lambda words: words[0] != " ")


@given(any_words)
def test_words_of_one_line_are_admitted_in_every_script_and_however_they_begin(words):
    assert the_grammar("say").fullmatch(f" say {words}\n")
    assert admits(speech_grammar("say", "Ana", ())).fullmatch(f" say {words}\n")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("say Hello to you.\n", "the space in front is missing"),
        (" say Hello to you. | I am glad of you\n", "own reasons are not asked for"),
        (" say Hello to you.", "the line does not end"),
        (" say Hello\nto you.\n", "a second line"),
        (" say \n", "no words"),
        (" say  Hello.\n", "two spaces"),
        (" go south\n", "no such exit"),
        (" get letter\n", "it is carried already"),
        (" quit\n", "not for agents"),
        (f" say {'x' * (MAX_WORDS + 1)}\n", "too long"),
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


LABELS = ("nothing", 'give a "b" \\ lamp to Ana', "promise to tell 小明", "take leave")
SILENCE = "stay silent"


@given(
    any_words,
    st.sampled_from(["say", "whisper Old Ben", "tell Zoë"]),
    st.lists(st.sampled_from(LABELS), unique=True),
    st.booleans(),
)
def test_a_speech_is_words_and_one_of_the_acts_below_them_or_silence_alone_where_it_is_offered(
    words, opening, labels, has_silence
):
    silence = SILENCE if has_silence else ""
    offered = [*labels[:1], SILENCE, *labels[1:]] if has_silence else labels
    grammar = admits(speech_grammar(opening, "Old Moss", offered, silence))
    spoken = f" {opening} {words}\n"
    for label in (*LABELS, SILENCE, "sing"):
        assert bool(grammar.fullmatch(f"{spoken}~Old Moss> {label}\n")) is (label in labels)
    assert bool(grammar.fullmatch(spoken)) is (not labels)
    assert bool(grammar.fullmatch(f" {SILENCE}\n")) is has_silence
    assert not grammar.fullmatch(f" {SILENCE}\n~Old Moss> nothing\n")
    assert not grammar.fullmatch(f"{spoken}~Old Moss> nothing\n~Old Moss> take leave\n")


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
        ("¿Qué tal?", True),
        ("小明，你好！", True),
        ("Что нового?", True),
        ("नमस्ते राजू।", True),
        ("x" * MAX_WORDS, True),
        ("'Hello,' she said.", False),
        ("(waves) Hello.", False),
        ("*smiles*", False),
        ("Hello | she is kind", False),
        ("Hello.\nMoss says hello.", False),
        (" Hello.", False),
        ("", False),
        ("x" * (MAX_WORDS + 1), False),
    ],
)
def test_a_speech_is_one_line_without_the_marks_of_a_story(words, admitted):
    for acts in ((), ("nothing", "take leave")):
        answer = {"words": words} | ({"you_do": "nothing"} if acts else {})
        assert is_admitted(answer, words_schema(acts)) == admitted
        assert is_admitted(answer, words_schema(acts, may_be_silent=True)) == (admitted or not words)


def test_what_is_done_follows_from_the_words_and_is_one_of_the_acts():
    schema = words_schema(LABELS)
    assert sorted(schema["properties"]) == list(schema["properties"])  # servers write them in this order
    assert all(is_admitted({"words": "Here it is.", "you_do": label}, schema) for label in LABELS)
    assert not is_admitted({"words": "Here it is.", "you_do": "sing"}, schema)
    assert not is_admitted({"words": "Here it is."}, schema)
    assert not is_admitted({"words": "Here it is.", "you_do": "nothing"}, words_schema())


def test_a_command_is_one_of_the_menu_and_nothing_else():
    menu = ["go north", 'look "old" bell']
    assert all(is_admitted({"command": line}, command_schema(menu)) for line in menu)
    assert not is_admitted({"command": "go south"}, command_schema(menu))
    assert not is_admitted({"command": "go north", "reason": "x"}, command_schema(menu))
    assert [is_admitted(line, line_schema(menu)) for line in (*menu, "go south")] == [True, True, False]
