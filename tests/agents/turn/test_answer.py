"""From what a model wrote to the words that are said and the act that was chosen, whatever it wrote."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.offer import Act
from agents.turn.answer import MAX_SPOKEN, Answer, answer_in
from tests.hostile import hostile_input

NOTHING, SILENT, GIVE, LEAD = (
    Act("nothing"),
    Act("stay silent", is_silence=True),
    Act("give lamp to Ana"),
    Act("führe Ána zur Mühle"),
)
ACTS = (NOTHING, SILENT, GIVE, LEAD)


def read(text: str, opening: str = "say", acts: tuple[Act, ...] = ACTS) -> Answer:
    return answer_in(text, "Rook", opening, acts)


def answer(words: str, act: str = "", **more: str) -> str:
    return json.dumps({"words": words, "you_do": act, **more} if act else {"words": words}, ensure_ascii=False)


@pytest.mark.parametrize(
    ("text", "words", "act"),
    [
        (answer("It is warm."), "It is warm.", None),
        (answer("Here.", GIVE.label), "Here.", GIVE),
        (answer("Here.", "GIVE Lamp to ana "), "Here.", GIVE),
        (answer("Hier lang.", LEAD.label), "Hier lang.", LEAD),
        (answer("No.", NOTHING.label), "No.", None),
        (answer("No.", "give moon to Ana"), "No.", None),
        (answer("So be it.", SILENT.label), "", SILENT),
        (f" \n{answer('Here.', GIVE.label)}\n ", "Here.", GIVE),
        (json.dumps({"you_do": GIVE.label, "words": "Here."}), "Here.", GIVE),
        ('{"words": "It is warm. And the fi', "It is warm.", None),
        ('{"words": "It is warm and the fi', "It is warm and the fi", None),
        ('{"words": "Here.", "you_do": "give lamp to Ana"', "Here.", GIVE),
        ('{"words": "Here.", "you_do": "give lamp to A', "Here.", None),
        ('{"words": null}', "", None),
        ('{"you_do": "give lamp to Ana"}', "", GIVE),
        ("{}", "", None),
        ("", "", None),
        (answer('"It is warm."'), "It is warm.", None),
        (answer("»Es ist warm.«"), "Es ist warm.", None),
        (answer("„Es ist warm.“"), "Es ist warm.", None),
        (answer('"Yes" and "no"'), '"Yes" and "no"', None),
        (answer("Two\nlines."), "Two lines.", None),
        (answer("I \x1b[2Jam\x07 here."), "I am here.", None),
        ("<think>Shall I say it?</think>" + answer("Yes.", GIVE.label), "Yes.", GIVE),
        (answer("<think>Shall I?</think>Yes."), "Yes.", None),
    ],
)
def test_json_gives_words_and_an_act_that_was_offered(text, words, act):
    found = read(text)
    assert (found.words, found.act) == (words, act)


@pytest.mark.parametrize(
    ("text", "opening", "words", "act", "reason"),
    [
        (" It is warm.\n", "say", "It is warm.", None, ""),
        (" say It is warm.\n~Rook> nothing\n", "say", "It is warm.", None, ""),
        (" say Here.\n~Rook> give lamp to Ana\n", "say", "Here.", GIVE, ""),
        ("~Rook> say Here.\n~Rook>give lamp to Ana", "say", "Here.", GIVE, ""),
        (" say Here.\n~Rook> get moon\n", "say", "Here.", None, ""),
        (" Here.\n\n```\n~Rook> give lamp to Ana\n", "say", "Here.", GIVE, ""),
        (" whisper Ana Psst.\n", "whisper Ana", "Psst.", None, ""),
        ("Rook: Well then. | they asked", "say", "Well then.", None, "they asked"),
        (" stay silent\n", "say", "", SILENT, ""),
        ("<think>Hm.\nHm.</think> say Well.\n", "say", "Well.", None, ""),
        (" say Say no more.\n", "say", "Say no more.", None, ""),
        (" say ¿Qué? — 水が冷たい。\n", "say", "¿Qué? — 水が冷たい。", None, ""),
        ("\n \n", "say", "", None, ""),
    ],
)
def test_a_transcript_gives_the_line_and_the_act_below_it(text, opening, words, act, reason):
    assert read(text, opening) == Answer(words, act, reason)


def test_the_place_among_the_acts_counts_and_the_first_is_nothing():
    acts = (Act("nichts"), Act("schweige", is_silence=True), Act("nothing"))
    assert read(answer("Ja.", "nothing"), acts=acts).act is acts[2]
    assert read(answer("Ja.", "nichts"), acts=acts).act is None
    assert read(answer("Ja.", "stay silent"), acts=acts).act is None


LETTERS = st.text(st.characters(categories=("L", "N"), max_codepoint=0xFFFF), min_size=1, max_size=12)


@given(st.lists(LETTERS, min_size=1, max_size=8), st.sampled_from(".!?。？؟…"), st.sampled_from([GIVE, LEAD]))
def test_words_of_any_script_are_said_as_they_stand(parts, end, act):
    words = " ".join(parts) + end
    if read(answer(words)).words != read(f" say {words}\n").words:
        assert words.casefold().startswith(("rook:", "say "))
    once = read(answer(words, act.label))
    assert (read(answer(once.words)).words, once.act) == (once.words, act)
    assert sorted(once.words.split()) == sorted(words.split()) or not words.isascii()


@given(hostile_input | st.text())
def test_whatever_is_written_gives_one_short_line_and_an_act_that_was_offered(text):
    for written in (text, answer(text, GIVE.label), f" say {text}\n~Rook> {text}", '{"words": "' + text):
        found = read(written)
        assert found.act in (None, *ACTS[1:])
        for line in (found.words, found.reason):
            assert len(line) <= MAX_SPOKEN
            assert line == line.strip() and not {*line} & {"\n", "\r", "\x1b", "\x07", "\u2028"}
        assert not (found.is_silent and found.words)


def test_what_goes_on_and_on_ends_with_a_sentence():
    words = read(answer("It is warm here. " * 40)).words
    assert (len(words) <= MAX_SPOKEN, words.endswith("warm here.")) == (True, True)
    words = read(answer("warm " * 200)).words
    assert (len(words) <= MAX_SPOKEN, words.endswith(" warm")) == (True, True)


def test_deep_or_endless_json_is_read_as_no_more_than_a_line():
    for text in ('{"words": ' * 5000, "{" * 100_000, '{"words": "' + "a" * 1_000_000, "[" * 50_000):
        assert len(read(text).words) <= MAX_SPOKEN
