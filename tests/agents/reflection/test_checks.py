"""What a model makes of memories counts only by the numbers that it cites, in any language."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.facts.narration_parser import ENGLISH
from agents.reflection.acquaintances import Acquaintances
from agents.reflection.checks import Findings, NotReadable, findings_of
from agents.reflection.reflecting import (
    MAX_CHOSEN,
    Openings,
    ReflectionPrompt,
    answer_grammar,
    answer_schema,
    reflection_prompt,
)
from tests.agents.choices.test_constraints import admits
from tests.agents.reflection.looking_back import DAY, insight, intent, memories, role_of
from tests.english import ENGLISH as WORDING
from vault.vault import STARTER, Vault

PEOPLE = Acquaintances(Vault(STARTER), "Eliza", str, lambda seq: None, lambda text: None, role_of)
OWN, AT_THE_WEIR = 6, 5
"""Numbers of lines of the day: the agent's own, and the one on the dog."""

anything = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 50) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=10,
)


def look(*lines: str) -> ReflectionPrompt:
    """Return Eliza's look back on some lines, by default a day's; their numbers begin at 1."""
    return reflection_prompt(memories(*(lines or DAY)), PEOPLE, ENGLISH, WORDING)


def found(**parts: object) -> Findings:
    return findings_of(json.dumps(parts), look())


def test_chosen_lines_are_quoted_from_the_memory():
    quotes = found(chosen=[5, 3, 5, OWN, 9, 7, 99, "4", True, None]).quotes
    assert [(one.speaker, one.words[:14], one.seq, one.parties) for one in quotes] == [
        ("Odile", "Toast. Standin", 43, ()),
        ("Robin", "I lost my dog ", 45, ()),
    ]
    crowd = look(*(f'Robin: Robin says, "Number {number}."' for number in range(20)))
    assert len(findings_of(json.dumps({"chosen": list(range(1, 21))}), crowd).quotes) == MAX_CHOSEN
    assert [found(chosen=one).quotes for one in ("5", {"5": 5}, 5)] == [[], [], []]


def test_opinions_keep_the_numbers_of_their_memories():
    (one,) = found(insights=[insight("Robin misses Biscuit, and looks into the water.", 5, 9)]).insights
    assert (one.label, one.words) == ("Robin", "Robin misses Biscuit, and looks into the water.")
    assert (one.evidence, one.tags) == ((45, 50), ())


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        *[(insight("Robin lost a dog.", number), "cites a memory that was not shown") for number in (99, 0, True, "5")],
        (insight("Robin lost a dog."), "cites a memory that was not shown"),
        (insight("Nemo lost a dog.", 5), "does not begin as it was asked to"),
        (insight("Robin is a curious and adventurous person.", 5), "does not begin as it was asked to"),
        (insight("Odile lost a dog near the weir.", 5), "no memory that it cites has Odile in it"),
        (insight("Robin misses Biscuit.", OWN), "only what the agent itself has said"),
        (insight("Robin lost " + "a dog " * 20, 5), "more than 60 characters"),
        (insight("Robin wants what she was asked.", 5), "copies the question"),
        (insight("", 5), "does not begin as it was asked to"),
        (insight(None, 5), "does not begin as it was asked to"),
    ],
)
def test_opinion_without_its_form_is_dropped_and_says_why(item, reason):
    asked = "Tell what you see, such as: Robin wants what she was asked."
    findings = findings_of(json.dumps({"insights": [item]}), look(), asked)
    assert findings.insights == []
    assert reason in findings.dropped[0].why


def test_opinion_on_one_persons_words_says_whose_they_are():
    assert found(insights=[insight("Mallory wants to be obeyed.", 8)]).insights[0].tags == ("as told by Mallory",)


@pytest.mark.parametrize(
    ("verb", "intents", "words", "asks"),
    [("sucht", "Frag", "Ich habe meinen Hund verloren.", "Frag Rolf nach dem Hund."),
     ("ψάχνει", "Ρώτα", "Έχασα τον σκύλο μου.", "Ρώτα Rolf για τον σκύλο."),
     ("misses", "Ask", "私は犬をなくしました", "Ask Rolf 犬をなくしました")],
)  # fmt: skip
def test_every_language_is_treated_alike(verb, intents, words, asks):
    seen = replace(look(f'Rolf: Rolf says, "{words}"'), openings=Openings((verb,), (), (intents,)))
    answer = {"chosen": [1], "insights": [insight(f"Rolf {verb} {words}", 1)], "people": [intent(asks, 1)]}
    findings = findings_of(json.dumps(answer), seen)
    assert [one.words for one in findings.quotes] == [words]
    assert (len(findings.insights), len(findings.intents["Rolf"]), findings.dropped) == (1, 1, [])


def test_of_each_person_two_intents_count_and_none_twice():
    words = ("Ask Robin about the dog.", "Ask Robin about the dog.", "Give Robin a dog.", "Tell Robin about Biscuit.")
    findings = found(people=[intent(one, 5) for one in words])
    assert [one.words for one in findings.intents["Robin"]] == ["Ask Robin about the dog.", "Give Robin a dog."]


def test_of_an_answer_that_was_cut_off_the_whole_items_count():
    whole = json.dumps({"chosen": [5], "insights": [insight("Robin lost a dog.", 5), insight("Robin lost hope.", 5)]})
    for end in range(whole.index("}") + 1, len(whole)):
        findings = findings_of(whole[:end], look())
        assert (len(findings.quotes), findings.insights[0].words) == (1, "Robin lost a dog.")
        assert findings.dropped == []


@pytest.mark.parametrize("answer", ["", "Sure! Here is", "[]", "null", "{", '{"insights": [{"from"', "[" * 100_000])
def test_an_answer_that_is_no_object_is_refused(answer):
    with pytest.raises(NotReadable, match="The answer is no"):
        findings_of(answer, look())


@given(
    st.dictionaries(
        st.sampled_from(["chosen", "insights", "people"]),
        anything | st.lists(st.dictionaries(st.sampled_from("evidence insight intent".split()), anything)),
    )
)
def test_whatever_else_stands_in_an_answer_is_passed_over(parts):
    findings = findings_of(json.dumps(parts), look())
    assert {one.seq for one in findings.quotes} <= {41, 43, 44, 45, 49}
    assert findings.insights == []


def test_schema_and_grammar_admit_no_number_that_was_not_shown():
    parts = answer_schema(look())["properties"]
    assert list(parts) == sorted(parts) == ["chosen", "insights", "people"]
    assert parts["chosen"]["items"]["enum"] == [1, 3, 4, 5, 8]
    assert parts["insights"]["items"]["properties"]["evidence"]["items"]["enum"] == list(range(1, 10))
    words = re.compile(parts["insights"]["items"]["properties"]["insight"]["pattern"])
    assert words.fullmatch("Robin waits for Biscuit by the water.")
    wrong = ("Nemo lost a dog.", "Robin is brave.", "Robin lost a", 'Robin lost "a dog"', f"Robin lost {'x' * 60}")
    assert not any(map(words.fullmatch, wrong))
    assert set(answer_schema(look("Odile: Odile smiles."))["properties"]) == {"insights", "people"}
    seen = look('O.(x): O.(x) says, "Hello."', 'Robin: Robin says, "I lost my dog."', "Robin: Robin smiles.")
    grammar = admits(answer_grammar(seen))
    good = {
        "chosen": [2, 1],
        "insights": [insight("Robin lost a dog.", 1, 2), insight("Nobody here wants to sing.", 1)],
        "people": [intent("Ask O.(x) about it.", 1)],
    }
    assert grammar.fullmatch(json.dumps(good))
    form = answer_schema(seen)["properties"]["people"]["items"]["properties"]["intent"]
    assert re.fullmatch(form["pattern"], "Ask O.(x) about it.")
    assert grammar.fullmatch(json.dumps({"chosen": [], "insights": [], "people": []}))
    for bad in ([3], ["2"], [1] * (MAX_CHOSEN + 1)):
        assert not grammar.fullmatch(json.dumps({**good, "chosen": bad}))
    assert not grammar.fullmatch(json.dumps({**good, "insights": [insight("Robin lost a dog.")]}))
    assert not grammar.fullmatch(json.dumps({**good, "insights": [insight("Robin is a curious person.", 1)]}))
