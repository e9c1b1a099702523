"""Facts from speech by rule: a few English patterns that take the very words, and the third person where it is safe."""

from __future__ import annotations

import pytest

from agents.memory.facts.extraction import Utterance
from agents.reflection.speech_facts import (
    HOME,
    KIN,
    LIKE,
    LOSS,
    NAME,
    answered_name,
    heard_facts,
    in_first_person,
    in_second_person,
    in_third_person,
    told_name,
    whole_sentences,
)


def heard(text: str) -> list[tuple[str, str]]:
    return [(one.kind, one.words) for one in heard_facts(Utterance("Robin", text), 43)]


def test_name_and_loss_are_taken_word_for_word_with_number_and_speaker():
    said = "Good morning, Eliza! My name is Robin. I lost my dog near the weir yesterday. He is brown. Is it open?"
    name, loss = heard_facts(Utterance("Robin", said, privately=True), 43, "2026-11-22")
    assert (name.kind, name.words) == (NAME, "My name is Robin.")
    assert (loss.kind, loss.words) == (LOSS, "I lost my dog near the weir yesterday. He is brown.")
    assert (loss.about, loss.speaker, loss.seq, loss.privately, loss.day) == ("Robin", "Robin", 43, True, "2026-11-22")


def test_a_sentence_may_tell_two_things():
    assert heard("My name is Robin, and I lost my dog near the weir. And I sing.") == [
        (NAME, "My name is Robin"),
        (LOSS, "I lost my dog near the weir."),
    ]
    assert heard("I love the river and my boat.") == [(LIKE, "I love the river and my boat.")]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("i am robin", NAME),
        ("Hello, I'm Wren.", NAME),
        ("hi, I'm Wren I'm new here", NAME),
        ("please call me Ish", NAME),
        ("I am called Robin.", NAME),
        ("im called Robin.", NAME),
        ("Most people call me Rob.", NAME),
        ("Robin is my name.", NAME),
        ("The name's Robin.", NAME),
        ("hello Moss, it's Robin", NAME),
        ("it's Robin, the new one", NAME),
        ("Good morning, this is Robin from the boat", NAME),
        ("hi Moss, Robin here", NAME),
        ("I've lost my keys!", LOSS),
        ("My old dog has died.", LOSS),
        ("I can’t find my hat anywhere.", LOSS),
        ("my brother is called Tom", KIN),
        ("I have two sisters.", KIN),
        ("I come from Lisbon", HOME),
        ("I'm allergic to nuts.", LIKE),
        ("I love the river.", LIKE),
    ],
)
def test_what_somebody_says_of_itself_is_a_fact(text, kind):
    assert heard(text) == [(kind, text)]


@pytest.mark.parametrize(
    "text",
    [
        "Is your name Robin?",
        "Did I say that my name is Robin?",
        "If I lost my dog I would cry.",
        "I have lost my way.",
        "I'm tired.",
        "I am called lazy by everybody.",
        "My name is not important.",
        "They call me when it rains.",
        "I am Scottish.",
        "Hello, it's Monday.",
        "good evening, it's cold here",
        "Nobody here.",
        "I like it.",
        "I love you.",
        "I would like a dog.",
        "You lost your dog.",
        "I" + " lost my dog" * 40,
        "",
        "…!?",
    ],
)
def test_questions_suppositions_and_small_talk_are_none(text):
    assert heard(text) == []


def test_of_one_speech_only_so_much_is_taken():
    assert len(heard("I love cats. " * 50)) == 4


def test_words_grow_to_the_sentences_that_they_stand_in():
    text = "Oh. My name is  Robin. I lost\tmy dog! Bye."
    assert whole_sentences(text, "LOST my dog") == "I lost\tmy dog!"
    assert whole_sentences(text, "Robin. I lost") == "My name is  Robin. I lost\tmy dog!"
    assert whole_sentences("私は犬をなくしました", "犬を") == "私は犬をなくしました"


@pytest.mark.parametrize("words", ["lost my cat", "", " ", "my.*dog"])
def test_words_that_do_not_stand_in_a_text_have_no_sentences(words):
    with pytest.raises(ValueError, match="does not stand"):
        whole_sentences("I lost my dog.", words)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("I lost my dog near the weir yesterday. He is brown.", "lost their dog near the weir yesterday; he is brown"),
        ("I'm allergic to nuts.", "is allergic to nuts"),
        ("I’ve lost my keys!", "has lost their keys"),
        ("I really love the river.", "really loves the river"),
        ("I will bring the lantern.", "will bring the lantern"),
        ("My brother is called Tom.", "their brother is called Tom"),
        ("I have two sisters", "has two sisters"),
        ("i lost my dog", "lost their dog"),
    ],
)
def test_the_first_person_becomes_the_third_where_that_is_safe(words, told):
    assert in_third_person(words) == told


@pytest.mark.parametrize(
    "words",
    [
        "I lost it when I was young.",
        "I will bring you the lantern.",
        "I tinker with clocks.",
        "My dear, what a day?",
        "He is brown.",
        "Ich habe meinen Hund verloren.",
        "I cani abbaiano.",
        'I said "no".',
        "",
    ],
)
def test_where_it_is_not_safe_nothing_is_reworded(words):
    assert in_third_person(words) == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("I lost my dog near the weir yesterday.", "you lost your dog near the weir yesterday"),
        ("I'm from Bree.", "you're from Bree"),
        ("I was born by the sea!", "you were born by the sea"),
        ("My brother told me so.", "your brother told you so"),
        ("I like you.", ""),
        ("im Jonna, i paint birds", "you're Jonna, you paint birds"),
        ("Im Garten ist es kalt.", ""),
        ("Ich komme aus Bree.", ""),
    ],
)
def test_the_first_person_becomes_the_second_where_that_is_safe(words, told):
    assert in_second_person(words) == told


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Robin.", "Robin"),
        ("robin", "Robin"),
        ("It's Robin, and yours?", "Robin"),
        ("Robin! I have come for the eels.", "Robin"),
        ("Sorry?", ""),
        ("Why do you ask?", ""),
        ("no", ""),
        ("that is a secret", ""),
        ("porridge, mostly", ""),
        ("im Tilly, i teach at the school", "Tilly"),
        ("I am Tilly", "Tilly"),
        ("im tired", ""),
    ],
)
def test_who_is_asked_for_a_name_may_say_no_more_than_that(text, name):
    fact = answered_name(Utterance("Guest1", text), 7, "2026-11-22")
    assert (told_name(fact.words) if fact else "") == name
    assert fact is None or (fact.kind, fact.about, fact.seq) == (NAME, "Guest1", 7)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Odile", "Its level is drawn, and I tell it to all. My aunt watches. Moss is about, and I am."),
        ("Moss", "Its level is drawn, and Odile tells it to all. Odile's aunt watches. I am about, and Odile is."),
    ],
)
def test_what_is_known_of_somebody_they_tell_of_themselves(name, told):
    lore = "Its level is drawn, and Odile tells it to all. Odile's aunt watches. Moss is about, and Odile is."
    assert in_first_person(lore, name) == told
