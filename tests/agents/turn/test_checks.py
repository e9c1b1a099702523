"""What is wrong with an answer is told without reading any language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.turn.checks import objection_to, scripts_in

PROMPT = 'You are Rook. You hum. Ana says, "How is the mill today?" ~Rook> say It stands.'
LONG = "The mill has stood since my grandfather laid its stones by hand."
GERMAN = "Die Mühle steht, seit mein Großvater ihre Steine mit der Hand gesetzt hat."
GREEK = "Ο μύλος στέκει από τότε που ο παππούς μου έβαλε τις πέτρες του."


def objection(words: str, **more) -> str:
    more = {"prompt": PROMPT, "heard": "", **more}
    return objection_to(words, "Rook", **more)


@pytest.mark.parametrize("words", [LONG, "It stands.", "Ja.", "Yes?", "42", "…", "È così!", GERMAN, "Hm — “no”."])
def test_words_of_its_own_are_said(words):
    assert objection(words) == ""


@pytest.mark.parametrize("words", ["", " ", "\n\t "])
def test_an_answer_needs_words(words):
    assert objection(words) == "wordless"


@pytest.mark.parametrize(
    "words", ["~Rook> look", "(hums)", "[Ana leaves]", "# Rook", "--- so", '{"words"', "<hums>", "Well. ~Rook> look"]
)
def test_marks_of_the_prompt_are_no_words(words):
    assert objection(words) == "narrates"


def test_what_the_world_has_just_told_is_not_the_agents_line():
    told = {"Ana leaves north to The Kitchen."}
    assert objection("Ana leaves north to The Kitchen.", narrated=told) == "narrates"
    assert objection("She leaves north.", narrated=told) == ""


@pytest.mark.parametrize("words", [LONG, GERMAN, GREEK])
@pytest.mark.parametrize(("kind", "given"), [("repeats", "own"), ("echoes", "heard")])
def test_the_same_words_again_are_told_whoever_said_them(words, kind, given):
    before = {"own": [words]} if given == "own" else {"heard": f"Well then.\n{words}"}
    assert objection(words, **before, prompt=words) == kind
    assert objection(words.upper().replace(".", "!"), **before, prompt=words) == kind


@pytest.mark.parametrize("words", ["Yes.", "Good morning."])
def test_a_few_words_may_come_again(words):
    assert objection(words, own=[words], heard=words) == ""


@pytest.mark.parametrize("foreign", ["Мельница стоит.", "水車は古い。", "It is μύλος.", "الطاحونة"])
def test_a_script_that_nobody_has_used_is_foreign(foreign):
    assert objection(foreign) == "script"
    assert objection(foreign, prompt=f"{PROMPT} {foreign}") == ""
    assert objection(foreign, heard=f"{LONG} {foreign} {GERMAN}") == ""


@given(st.text(), st.text(), st.lists(st.text(), max_size=3))
def test_any_words_have_one_objection_or_none(words, heard, own):
    found = objection(words, heard=heard, own=own)
    assert found in ("", "wordless", "repeats", "echoes", "narrates", "script")
    assert (found == "wordless") is (not words.strip())


@given(st.text(st.characters(categories=("P", "N", "S", "Z"))))
def test_digits_and_marks_are_of_no_script(text):
    assert scripts_in(text) == frozenset()
