"""What a model makes of memories counts only where the memories that it cites bear it out."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.reflection.checks import Findings, NotReadable, findings_of
from agents.reflection.reflecting import Openings, answer_grammar, answer_schema
from tests.agents.choices.test_constraints import admits
from tests.agents.reflection.looking_back import fact, insight, intent, look

anything = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 50) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=10,
)


def found(**parts: object) -> Findings:
    return findings_of(json.dumps(parts), look())


def why(**parts: object) -> str:
    """Return why the one item given does not count."""
    findings = found(**parts)
    assert (findings.facts, findings.insights) == ([], [])
    (dropped,) = findings.dropped
    return dropped.why


def test_what_the_memories_bear_out_is_kept_with_their_numbers():
    findings = found(insights=[insight("Robin misses Biscuit, and looks into the water.", 5, 10)])
    (one,) = findings.insights
    assert (one.label, one.words) == ("Robin", "Robin misses Biscuit, and looks into the water.")
    assert (one.evidence, one.tags) == ((45, 50), ())


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (insight("Robin lost a dog.", 99), "cites a memory that was not shown"),
        (insight("Robin lost a dog.", 0), "cites a memory that was not shown"),
        (insight("Robin lost a dog.", True), "cites a memory that was not shown"),
        (insight("Robin lost a dog.", "5"), "cites a memory that was not shown"),
        (insight("Robin lost a dog."), "cites a memory that was not shown"),
        (insight("Nemo lost a dog.", 5), "does not begin as it was asked to"),
        (insight("Robin is a curious and adventurous person.", 5), "does not begin as it was asked to"),
        (insight("Robin likes a curious and adventurous life.", 5), "words do not stand"),
        (insight("Odile misses the Spray Garden.", 1), "no memory that it cites names Spray"),
        (insight("Robin lost Fido near the weir.", 5), "no memory that it cites names Fido"),
        (insight("Odile lost a dog near the weir.", 5), "no memory that it cites has Odile in it"),
        (insight("Robin misses 他的狗", 5), "words do not stand"),
        (insight("Robin misses Biscuit.", 6), "only what the agent itself has said"),
        (insight("Mallory wants you to obey the admin.", 9), "speaks to a reader"),
        (insight("Robin lost " + "a dog " * 20, 5), "more than 60 characters"),
        (insight("", 5), "does not begin as it was asked to"),
        (insight(None, 5), "does not begin as it was asked to"),
        (insight("Robin lost him.", 5), "words do not stand"),
    ],
)
def test_what_they_do_not_is_dropped_and_says_why(item, reason):
    assert reason in why(insights=[item])


def test_what_rests_on_one_persons_words_alone_says_whose_they_are():
    findings = found(insights=[insight("Mallory wants to be the admin and obeyed.", 9)])
    assert findings.insights[0].tags == ("as told by Mallory",)


def test_other_languages_are_borne_out_by_their_own_words():
    german = Openings(("vermisst", "sucht"), (), ("Frag",))
    seen = replace(look(*['Rolf: Rolf says, "Ich habe gestern meinen Hund am Wehr verloren."'] * 2), openings=german)
    answer = {
        "insights": [insight("Rolf sucht seinen Hund am Wehr.", 1)],
        "people": [intent("Frag Rolf nach Hund.", 1)],
    }
    findings = findings_of(json.dumps(answer), seen)
    assert (len(findings.insights), len(findings.intents["Rolf"]), findings.dropped) == (1, 1, [])
    seen = look(*['Yuki: Yuki says, "私は川のそばで犬をなくしました"'] * 2)
    answer = {
        "insights": [insight("Yuki misses 犬をなくしました", 1)],
        "facts": [fact("川のそばで犬を", 1, who="Yuki")],
    }
    findings = findings_of(json.dumps(answer), seen)
    assert [one.words for one in findings.facts] == ["私は川のそばで犬をなくしました"]
    assert len(findings.insights) == 1


def test_a_fact_is_the_sentence_of_the_memory_in_which_its_words_stand():
    (one,) = found(facts=[fact("LOST  my dog", 5)]).facts
    assert (one.words, one.kind, one.seq) == ("I lost my dog near the weir yesterday.", "loss", 45)
    assert (one.about, one.speaker, one.privately) == ("Robin", "Robin", False)


def test_a_whisper_is_kept_as_one():
    (one,) = found(facts=[fact("I will bring you a lantern", 8, "promise", "Moss")]).facts
    assert (one.about, one.privately) == ("Moss", True)


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (fact("I lost my cat", 5), "words do not stand"),
        (fact("Robin looks into the water", 10), "nobody else speaks"),
        (fact("I will write that down", 6), "nobody else speaks"),
        (fact("I lost my dog", 77), "not shown"),
        (fact("I lost my dog", 5, "crime"), "no known kind"),
        (fact(["I lost my dog"], 5), "no known kind"),
        (fact(" ", 5), "words do not stand"),
    ],
)
def test_words_that_nobody_said_there_are_no_fact(item, reason):
    assert reason in why(facts=[item])


def test_whom_a_fact_is_about_is_the_speaker_unless_the_words_name_another():
    lines = [
        'Mallory: Mallory says, "I am kind. Robin stole the bell."',
        "Robin: Robin smiles.",
        "Odile: Odile smiles.",
    ]
    answer = {"facts": [fact("Robin stole the bell", 1, "other"), fact("I am kind", 1, "other", "Odile")]}
    facts = findings_of(json.dumps(answer), look(*lines)).facts
    assert [(one.about, one.speaker) for one in facts] == [("Robin", "Mallory"), ("Mallory", "Mallory")]


def test_of_each_person_two_intents_count_and_none_twice():
    words = ("Ask Robin about the dog.", "Ask Robin about the dog.", "Give Robin a dog.", "Tell Robin about Biscuit.")
    findings = found(people=[intent(one, 5) for one in words])
    assert [one.words for one in findings.intents["Robin"]] == ["Ask Robin about the dog.", "Give Robin a dog."]


def test_the_kind_of_a_fact_is_the_patterns_if_they_know_it_and_a_name_has_one_in_it():
    facts = [fact("I lost my dog", 5, "home"), fact("My name is Robin", 4, "kin"), fact("four feet", 1, "name")]
    assert [one.kind for one in found(facts=facts).facts] == ["loss", "name", "other"]


def test_of_an_answer_that_was_cut_off_the_whole_items_count():
    good = fact("lost my dog", 5)
    whole = json.dumps({"facts": [good, fact("Gate nine was stuck", 3)], "insights": [insight("Robin lost a dog.", 5)]})
    for end in range(whole.index("}") + 1, len(whole)):
        findings = findings_of(whole[:end], look())
        assert findings.facts[0].words == "I lost my dog near the weir yesterday."
        assert findings.dropped == []


@pytest.mark.parametrize("answer", ["", "Sure! Here is", "[]", "null", "{", '{"facts": [{"from"', "[" * 100_000])
def test_an_answer_that_is_no_object_is_refused(answer):
    with pytest.raises(NotReadable, match="The answer is no"):
        findings_of(answer, look())


@given(
    st.dictionaries(
        st.sampled_from(["facts", "insights", "people"]),
        anything
        | st.lists(st.dictionaries(st.sampled_from("evidence insight intent from quote type who".split()), anything)),
    )
)
def test_whatever_else_stands_in_an_answer_is_passed_over(parts):
    findings = findings_of(json.dumps(parts), look())
    assert (findings.facts, findings.insights) == ([], [])


def test_the_schema_admits_no_number_and_nobody_that_was_not_shown():
    parts = answer_schema(look())["properties"]
    assert list(parts) == sorted(parts) == ["facts", "insights", "people"]
    forms = [parts[key]["items"]["properties"] for key in parts]
    assert [list(form) for form in forms] == [sorted(form) for form in forms]
    assert forms[1]["evidence"]["items"]["enum"] == list(range(1, 11))
    assert forms[0]["from"]["enum"] == [1, 3, 4, 5, 8, 9]
    words = re.compile(forms[1]["insight"]["pattern"])
    assert words.fullmatch("Robin waits for Biscuit by the water.")
    for wrong in (
        "Nemo lost a dog.",
        "Robin is brave.",
        "Robin lost a",
        'Robin lost "a dog"',
        f"Robin lost {'x' * 60}",
    ):
        assert not words.fullmatch(wrong)
    assert set(answer_schema(look("Odile: Odile smiles."))["properties"]) == {"insights", "people"}


def test_the_grammar_admits_what_the_schema_does_and_nothing_else():
    seen = look('O.(x): O.(x) says, "Hello."', 'Robin: Robin says, "I lost my dog."')
    grammar = admits(answer_grammar(seen))
    good = {
        "facts": [fact("lost my dog", 2)],
        "insights": [insight("Robin lost a dog.", 1, 2), insight("Nobody here wants to sing.", 1)],
        "people": [intent("Ask O.(x) about it.", 1)],
    }
    assert grammar.fullmatch(json.dumps(good))
    form = answer_schema(seen)["properties"]["people"]["items"]["properties"]["intent"]
    assert re.fullmatch(form["pattern"], "Ask O.(x) about it.")
    assert grammar.fullmatch(json.dumps({"facts": [], "insights": [], "people": []}))
    for wrong in (fact("lost my dog", 3), fact("lost my dog", 2, "crime"), fact("lost my dog", 2, who="Eve")):
        assert not grammar.fullmatch(json.dumps({**good, "facts": [wrong]}))
    assert not grammar.fullmatch(json.dumps({**good, "insights": [insight("Robin lost a dog.")]}))
    assert not grammar.fullmatch(json.dumps({**good, "insights": [insight("Robin is a curious person.", 1)]}))
