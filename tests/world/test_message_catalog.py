"""What the world says, in whatever language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from world.message_catalog import Wording, variables
from world.parsing import join_and, join_or


@pytest.mark.parametrize(
    ("sentence", "said"), [("{who} sagt: »{text}«", "Ana sagt: »Ja.«"), ("Jemand spricht.", "Jemand spricht.")]
)
def test_a_sentence_is_filled_with_those_of_its_values_that_it_uses(sentence, said):
    assert Wording({"hall.says": sentence})("hall.says", who="Ana", text="Ja.") == said


def test_without_a_wording_the_name_and_the_values_are_said():
    assert Wording()("hall.says", who="Ana", text="Ja.") == "hall.says: Ana, Ja."
    assert Wording()("hall.empty") == "hall.empty"


@pytest.mark.parametrize("trick", ["{who.__class__}", "{who!r}", "{0}", "{who:>9999999}", "{", "}", "{{who}}", "{}"])
def test_only_a_plain_name_in_braces_is_a_variable(trick):
    said = Wording({"hall.trick": f"A {trick} B {{who}}."})("hall.trick", who="Ana")
    assert said == f"A {trick.replace('{who}', 'Ana')} B Ana."


@given(st.text(), st.text())
def test_a_value_is_never_read_for_variables(who, text):
    assert Wording({"hall.says": "{who}: {text}"})("hall.says", who=who, text=text) == f"{who}: {text}"


def test_the_variables_of_a_sentence_are_known():
    assert variables("{who} gives {to} the {thing}. {Not this} {nor.that}") == {"who", "to", "thing"}


def test_a_text_is_read_as_the_sentence_that_it_would_be():
    wording = Wording({"hall.gives": "{who} gives {to} the {thing}."})
    assert wording.read("hall.gives", "ana gives Ben the Lamp.") == {"who": "ana", "to": "Ben", "thing": "Lamp"}
    assert wording.read("hall.gives", "Ana takes the lamp.") is None


@pytest.mark.parametrize(
    ("sentence", "text", "known", "values"),
    [
        ("{who} goes {exit}.", "Ana goes up goes.", {}, {"who": "Ana", "exit": "up goes"}),
        (
            "{who} goes {exit}.",
            "Old goes up goes down.",
            {"who": "Old goes up"},
            {"who": "Old goes up", "exit": "down"},
        ),
        ("{who} goes {exit}.", "Ana goes .", {}, None),
        ("{who} goes {exit}.", "Ana goes up", {}, None),
        ("{who} goes {exit}.", "Ana goes up.", {"who": "Ben"}, None),
        ("{who} goes {exit}.", "Ana goes up.", {"to": "Ben"}, {"who": "Ana", "exit": "up"}),
        ("{a}{b}", "xyz", {}, {"a": "x", "b": "yz"}),
        ("{who}: {who} {what}", "Ana: Ana sings", {}, {"who": "Ana", "what": "sings"}),
        ("{who} and {who}", "Ana and Ben", {}, None),
        ("{who} and {who}", "Ana and Anabel", {}, None),
        ("Nothing.", "NOTHING.", {}, {}),
        ("Nothing.", "Nothing..", {}, None),
        ("DİNGİL {what}ς", "dingil beingΣ", {}, {"what": "being"}),
    ],
)
def test_the_first_variables_of_a_sentence_have_as_few_characters_as_can_be(sentence, text, known, values):
    assert Wording({"hall.one": sentence}).read("hall.one", text, **known) == values


@given(st.lists(st.text("ab. ", min_size=1, max_size=4), min_size=2, max_size=2))
def test_a_filled_sentence_is_read_again_whatever_is_in_it(values):
    wording = Wording({"hall.one": "a {x} b {y}."})
    found = wording.read("hall.one", wording("hall.one", x=values[0], y=values[1]))
    assert found is not None
    assert wording("hall.one", **found) == wording("hall.one", x=values[0], y=values[1])


@pytest.mark.parametrize(
    ("names", "all_of", "any_of"),
    [
        ([], "", ""),
        (["a"], "a", "a"),
        (["a", "b"], "a und b", "a oder b"),
        (["a", "b", "c"], "a, b und c", "a, b oder c"),
    ],
)
def test_names_are_joined_in_the_language_of_the_world(names, all_of, any_of):
    wording = Wording({"lists.and": "und", "lists.or": "oder"})
    assert (wording.join_and(names), wording.join_or(names)) == (all_of, any_of)
    assert join_and(names) == all_of.replace("und", "and")
    assert join_or(names) == any_of.replace("oder", "or")
