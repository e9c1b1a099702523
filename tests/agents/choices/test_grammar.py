"""What the grammar admits, read as a regular expression: it has no recursion, so it is one."""

from __future__ import annotations

import random
import re

import pytest

from agents.choices.grammar import MOST_WORDS, gbnf, literal, tidied, verbs_in
from agents.choices.possible import possible
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


def test_every_possible_line_is_admitted_with_a_reason():
    world = a_world()
    grammar = the_grammar()
    forms = possible(world, world.characters["Ana"], TABLE).values()
    possible_lines = [line for form in forms for line in lines(form)]
    assert [line for line in possible_lines if not grammar.fullmatch(f" {line} | to see the river\n")] == []


@pytest.mark.parametrize(
    "line",
    [
        " say Good morning, Moss. | he looks tired today\n",
        " say Hello to you. | I like to ask\n",
        " say Who's that by the river? | I've not seen him before\n",
        " think Für heute ist es genug. | es regnet wieder\n",
    ],
)
def test_a_sentence_with_a_reason_is_admitted(line):
    assert the_grammar().fullmatch(line)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("say Hello to you. | I am glad of you\n", "the space in front is missing"),
        (" say Hello to you.\n", "a reason is missing"),
        (" say Hello to you. | I am glad of you", "the line does not end"),
        (" say hello to you. | I am glad of you\n", "speech begins with a capital"),
        (" say Hello to you | I am glad of you\n", "a sentence ends with a mark"),
        (" say Hello. | I am glad of you\n", "one word is not said"),
        (" say ... | I am glad of you\n", "speech has words"),
        (" say 4 feet. | I am glad of you\n", "speech begins with a letter"),
        (" say Hello to you. | why\n", "one word is no reason"),
        (" say Hello to you. | I am glad -- really\n", "marks in a reason"),
        (" say I | am here. | I am glad of you\n", "a bar in speech"),
        (' say Moss says, "Hello to you." | I am glad of you\n', "a quotation"),
        (" go south | I am glad of you\n", "no such exit"),
        (" get letter | I am glad of you\n", "it is carried already"),
        (" quit | I am glad of you\n", "not for agents"),
        (f" say {'Go ' * MOST_WORDS}away. | I am glad of you\n", "too long"),
    ],
)
def test_a_line_is_not_admitted(line, why):
    assert not the_grammar().fullmatch(line), why


def test_only_the_verbs_given_are_admitted():
    grammar = the_grammar("go")
    assert grammar.fullmatch(" go north | I have not been there today\n")
    assert not grammar.fullmatch(" say Hello to you. | I have not been there today\n")


def test_names_with_quotes_backslashes_and_bars_are_spelt_so_that_they_read_back():
    world = a_world()
    world.things['a "b" \\ c|d'] = type(world.things["lamp"])('a "b" \\ c|d', "Landing")
    grammar = admits(gbnf({"get": possible(world, world.characters["Ana"], TABLE)["get"]}))
    line = ' get a "b" \\ c\\|d | because it is odd today'
    assert grammar.fullmatch(f"{line}\n")
    assert parse_line(line).arguments == 'a "b" \\ c|d'


def test_a_literal_holds_no_bare_quote_backslash_or_line_break():
    assert literal('a "b"\\\n') == '"a \\"b\\"\\\\\\n"'


def test_the_longest_sentence_is_admitted_and_one_word_more_is_not():
    grammar = the_grammar("say")
    words = random.Random(1).choices(["river", "water", "morning"], k=MOST_WORDS - 1)
    assert grammar.fullmatch(f" say The {' '.join(words)}. | it is true today\n")
    assert not grammar.fullmatch(f" say The {' '.join(words)} again. | it is true today\n")


LONG = "There is a red door at the end of the town and I"  # 13 words


@pytest.mark.parametrize(
    ("line", "tidy"),
    [
        (f"say {LONG} am in the.", f"say {LONG.removesuffix(' and I')}."),
        (f"say {LONG.replace('town and', 'town, and')} am in the.", f"say {LONG.removesuffix(' and I')}."),
        (f"say {LONG} like the river.", f"say {LONG} like the river."),
        ("say What are you looking at?", "say What are you looking at?"),
        ("go north | I am going to the river and then to the", "go north | I am going to the river"),
        ("go north | to see the", "go north | to see"),
        ("go north | I am in a", "go north"),
        ("look", "look"),
    ],
)
def test_half_a_thought_loses_its_loose_end(line, tidy):
    assert len(f"{LONG} am in the".split()) == MOST_WORDS
    assert tidied(line) == tidy


def test_the_verbs_of_a_grammar_can_be_read_from_it_and_nothing_else():
    grammar = (
        'root ::= " " ("say" " " sentence | "go" (" north" | " under | bridge") | "@my-note") " | " reason "\\n"\n'
        'sentence ::= "look"'
    )
    assert verbs_in(grammar) == ["say", "go", "@my-note"]
