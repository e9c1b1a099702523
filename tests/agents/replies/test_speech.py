"""Words that are spoken: free of what a model puts round them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.replies.speech import MAX_SPOKEN, Speech, called_rightly, speech_in

WORDS = "Good morning, Robin."


@pytest.mark.parametrize(
    "answer",
    [
        WORDS,
        f" {WORDS}\n",
        f'"{WORDS}"',
        f"“{WORDS}”",
        f"Eliza: {WORDS}",
        f'Eliza says, "{WORDS}"',
        f"say {WORDS}",
        f"~Eliza> say {WORDS}",
        f"{WORDS}\nRobin says, hello.",
        f"<think>She is new.</think>{WORDS}",
        f'{{"words": "{WORDS}"}}',
        f'{{"words": "{WORDS}", "you_give": "nothing"}}',
        f'{{"words": "{WORDS}',
        f"**{WORDS}**",
    ],
)
def test_the_words_are_found(answer):
    assert speech_in(answer, "Eliza", "say") == Speech(WORDS)


@pytest.mark.parametrize("answer", ["", "  \n ", "{}", '{"words": ""}', "<think>hm", "```\n```", '{"words": 7', "[1]"])
def test_where_nothing_is_said_there_are_no_words_or_harmless_ones(answer):
    assert speech_in(answer, "Eliza", "say").words in ("", "[1]", "7")


def test_a_reason_behind_a_bar_is_no_part_of_the_words():
    assert speech_in(f"{WORDS} | she spoke to me", "Eliza", "say") == Speech(WORDS, reason="she spoke to me")


def test_only_what_is_offered_is_handed_over():
    answer = '{"words": "Here it is.", "you_give": "ink bottle"}'
    assert speech_in(answer, "Eliza", "say", ("ink bottle",)) == Speech("Here it is.", "ink bottle")
    assert speech_in(answer, "Eliza", "say", ("lamp",)) == Speech("Here it is.")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ('{"words": "I know leaves. They take the', "I know leaves."),
        ('{"words": "They take the', "They take the"),
        ('{"words": "I know leaves. And ferns"}', "I know leaves. And ferns"),
    ],
)
def test_of_an_answer_that_the_model_broke_off_the_whole_sentences_are_said(answer, said):
    assert speech_in(answer, "Eliza", "say").words == said


def test_words_that_go_on_and_on_are_cut_at_a_sentence():
    assert speech_in("I see. " * 200, "Eliza", "say").words == ("I see. " * 200)[: MAX_SPOKEN - 1].strip()


@given(st.text(max_size=2000))
def test_whatever_is_answered_the_words_are_one_line_of_bounded_length(answer):
    words = speech_in(answer, "Eliza", "whisper Ana").words
    assert len(words) <= MAX_SPOKEN
    assert "\n" not in words


@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("I am sorry, Eliza. I have no key.", "I am sorry, Tilda. I have no key."),
        ("Eliza, wait!", "Tilda, wait!"),
        ("I am Eliza, and this is my desk.", "I am Eliza, and this is my desk."),
        ("Good morning, Elizabeth.", "Good morning, Elizabeth."),
    ],
)
def test_who_calls_itself_means_the_other(words, right):
    assert called_rightly(words, "Eliza", "Tilda") == right


def test_thoughts_behind_the_end_of_an_answer_are_not_spoken():
    assert speech_in("It is falling. }`** The correct answer is: ...", "Eliza", "say").words == "It is falling."
