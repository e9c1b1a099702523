"""Words that are spoken: free of what a model puts round them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.replies.speech import (
    MAX_SPOKEN,
    Speech,
    called_rightly,
    speech_in,
    to_the_point,
    told_to_asker,
    without_asking_name,
)

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
        f"analysisShe is new.assistantfinal{WORDS}",
        f'{{"words": "<think>She is new.</think>{WORDS}"}}',
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
    counted = " ".join(f"I see {number}." for number in range(100, 200))
    words = speech_in(counted, "Eliza", "say").words
    assert counted.startswith(words) and MAX_SPOKEN - len("I see 100. ") < len(words) <= MAX_SPOKEN
    assert words.endswith(".")


def test_a_sentence_is_said_once():
    assert speech_in("Gate nine sticks. I know. Gate nine sticks.", "Odile", "say").words == "Gate nine sticks. I know."


@pytest.mark.parametrize(
    ("read", "told"),
    [
        ("They wanted sixty, and I paid forty.", "They wanted sixty, and you paid forty."),
        ("I am afraid of the dark.", "You are afraid of the dark."),
        ("Yes, I remember. My cat is ill.", "Yes, I remember. Your cat is ill."),
        ("I do not know. I am Moss.", "I do not know. I am Moss."),
        ("You told me that my gate sticks.", "You told me that my gate sticks."),
        ("Jens likes pears.", "You like pears."),
        ("Jens has three, and Jens's cat has two.", "You have three, and your cat has two."),
        ("Jens watches the boat.", "You watch the boat."),
    ],
)
def test_what_is_read_of_the_asker_is_told_to_them(read, told):
    assert told_to_asker(read, "Moss", "Jens", "What about my things?") == told


def test_who_asks_of_another_is_not_meant_by_i():
    assert told_to_asker("I saw him. Jens did too.", "Moss", "Jens", "Who saw him?") == "I saw him. You did too."


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
        ("Tilda: what is it?", "What is it?"),
        ("Tilda, it is: wet.", "Tilda, it is: wet."),
    ],
)
def test_who_calls_itself_means_the_other(words, right):
    assert called_rightly(words, "Eliza", "Tilda") == right


def test_thoughts_behind_the_end_of_an_answer_are_not_spoken():
    assert speech_in("It is falling. }`** The correct answer is: ...", "Eliza", "say").words == "It is falling."


@pytest.mark.parametrize(
    ("read", "told"),
    [
        ("I said for the cart on Thursday.", "You said for the cart on Thursday."),
        ("I told you that Ilse comes, and I am afraid.", "You told me that Ilse comes, and you are afraid."),
        ("I told you that!", "You told me that!"),
        ("We sing in our loft.", "We sing in our loft."),
    ],
)
def test_who_asks_what_they_have_said_is_told_that_they_said_it(read, told):
    assert told_to_asker(read, "Odile", "Wim", "what did i say for the cart") == told


def test_what_the_asker_does_with_others_is_told_to_all_of_them():
    assert told_to_asker("We sing in our loft.", "Moss", "Jens", "Where do we sing?") == "You sing in your loft."


@pytest.mark.parametrize(
    ("words", "heard", "said"),
    [
        ("Knock knock. Who's there?", "knock knock", "Who's there?"),
        (
            "No, I do not leave this town. I am here for a reason.",
            "do you ever leave?",
            "No, I do not leave this town.",
        ),
        ("It is the Flood Stairs. They lead to the weir.", "where do they lead?", None),
        ("I like them. The eels bite.", "do you like ferns?", None),
        ("Good morning. How did you sleep?", "good evening", None),
        ("", "hello", None),
    ],
)
def test_a_small_model_says_nothing_for_the_sake_of_saying_something(words, heard, said):
    assert to_the_point(words, heard, "Eliza sees the Eel Stage. Eels are smoked here.") == (
        words if said is None else said
    )


def test_nothing_is_asked_again_or_of_one_who_takes_leave():
    words = "It is late. What did you eat? Is it far?"
    assert to_the_point(words, "how late is it", "", ["And what did you eat?"]) == "It is late. Is it far?"
    assert to_the_point(words, "bye", "", is_parting=True) == "It is late."


def test_nobody_asks_for_a_name_that_they_know():
    assert without_asking_name("I am Eliza. What is your name?") == "I am Eliza."
    assert without_asking_name("What is your name?") == "What is your name?"


def test_who_told_the_agent_did_not_tell_themselves():
    assert (
        told_to_asker("You told you about the lamp.", "Odile", "Brock", "who told u?") == "You told me about the lamp."
    )
