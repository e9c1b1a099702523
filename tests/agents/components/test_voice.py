"""How an agent talks: the example nearest to what was said stands before its answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.components.voice import SURE, Voice
from agents.memory.facts.narration_parser import ENGLISH
from tests.agents.components.test_asked import Asking
from vault.entities.voice_note import Exchange, load_voice
from vault.memory.memory_line import Memory
from vault.vault import STARTER, Vault

EXCHANGES: tuple[Exchange, ...] = (
    Exchange(("how are you", "what's up"), ("Dry, thank you.", "Dry as before.")),
    Exchange(("what is your job", "what do you do all day"), ("I count beds.",)),
    Exchange(("I lost my job", "I failed"), ("There is always the inn.",)),
    Exchange(("do you like it here",), ("It is warm.",)),
    Exchange(("ok", "lol"), ("Say it again.",)),
    Exchange(("do you like the soup",), ("It is hot.",)),
    Exchange((), ("Was the {word} wet?",), ("my hat", "my best coat")),
    Exchange((), ("Does your {word} travel?",), ("my sister",)),
    Exchange((), ("Mind the eels.",), ("swim?",)),
    Exchange((), ("Which goose?",), ("goose",)),
    Exchange((), ("Was it high?",), ("fell off",)),
    Exchange((), ("Go on.", "And then?"), to_any="told"),
    Exchange((), ("Ask the cook.",), to_any="asked"),
    Exchange((), ("No.",), to_any="pressing"),
)


@pytest.fixture
def voice():
    return Voice(lambda: EXCHANGES, ENGLISH)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("How are you?", "Dry, thank you."),
        ("hi! whats up", "Dry, thank you."),
        ("Good day. So, what do u do here all day?", "I count beds."),
        ("what's your job?", "I count beds."),
        ("I've lost my job.", "There is always the inn."),
        ("Do you like it?", "It is warm."),
        ("do you like this soup", "It is hot."),
        ("What does she do all day?", ""),
        ("Is it warm in the kitchen?", ""),
        ("The river is brown.", ""),
        ("It rained, and I lost my job.", "There is always the inn."),
        ("I've sat on MY hat, of all things.", "Was the hat wet?"),
        ("My sister has my best coat.", "Was the coat wet?"),
        ("I have no sister. My cat is old.", ""),
        ("My sister puts the milk in first, and she is wrong.", ""),
        ("A goose, if you ask me, ate half of the bread on the table.", ""),
        ("The goose is loose.", "Which goose?"),
        ("At noon I fell off the roof of the old mill.", "Was it high?"),
        ("My sister is late. What do you do all day?", "I count beds."),
        ("Where is my hat?", ""),
        ("Can one swim in the cellar?", "Mind the eels."),
        ("I swim.", ""),
        ("ok.", "Say it again."),
        ("Ok. My cat is old.", ""),
        ("ok, well... My sister is late.", "Does your sister travel?"),
        ("", ""),
    ],
)
def test_the_nearest_example_shares_the_rarest_words_or_has_the_first_subject_that_is_told(voice, words, answer):
    found = voice.nearest(words, (), is_asked="?" in words)
    assert (found[0].answers[0] if found else "") == answer


def test_of_words_that_ask_without_a_mark_only_the_last_sentence_is_looked_at(voice):
    assert not voice.nearest("what's up. where do those big stairs go", (), is_asked=True)


def test_an_answer_is_said_as_it_stands_only_where_nearly_the_same_was_said_and_not_twice(voice):
    words = "Do you like it here in the winter?"
    assert voice.nearest(words, (), is_asked=True)[0].near < SURE
    assert voice.answer_to(words, (), is_asked=True) == ""
    assert voice.answer_to("how are you", (), is_asked=True) == "Dry, thank you."
    said = [Memory(1, 0, "acted", "The Common Room", "say Dry, thank you.")]
    assert voice.answer_to("how are you", said, is_asked=True) == "Dry as before."
    said.append(Memory(2, 0, "acted", "The Common Room", "say Dry as before."))
    assert voice.nearest("how are you", said, is_asked=True) == []


def test_what_is_said_to_anything_is_not_said_twice(voice):
    assert voice.to_any("asked", ()) == "Ask the cook."
    assert voice.to_any("pressing", ()) == "No."
    assert voice.to_any("told", ()) == "Go on."
    said = [Memory(1, 0, "acted", "The Common Room", "say Go on.")]
    assert voice.to_any("told", said) == "And then?"
    said.append(Memory(2, 0, "acted", "The Common Room", "say And then?"))
    assert voice.to_any("told", said) == ""


@pytest.mark.parametrize(
    ("words", "is_foreign"),
    [
        ("Ich habe hier gestern meinen Hut verloren.", True),
        ("Olá! Estou à procura do meu irmão.", True),
        ("Привет! Как дела?", True),
        ("hey im wren, just got here", False),
        ("88!! skipped some tho", False),
        ("Ja, gern.", False),
    ],
)
def test_words_are_foreign_of_which_hardly_one_stands_in_a_long_note(words, is_foreign):
    starter = load_voice(Vault(STARTER), "Eliza")
    assert Voice(lambda: starter, ENGLISH).is_foreign(words) is is_foreign
    assert not Voice(lambda: EXCHANGES, ENGLISH).is_foreign(words)


def test_edited_examples_count_at_once():
    now = [EXCHANGES]
    voice = Voice(lambda: now[0], ENGLISH)
    assert voice.answer_to("how are you", (), is_asked=True) == "Dry, thank you."
    now[0] = (replace(EXCHANGES[0], answers=("Wet.",)),)
    assert voice.answer_to("how are you", (), is_asked=True) == "Wet."


def test_a_prompt_tells_the_example_to_a_person_and_nothing_to_another_agent(tmp_path):
    inn = Asking(tmp_path)
    (tmp_path / "agents" / "Rook").mkdir(parents=True, exist_ok=True)
    rook = inn.agents["Rook"]
    rook.mind.adopt(replace(rook.note, voice=EXCHANGES), rook.mind._templates)
    assert inn.told_after("Hello, how are you?", "voice") == (
        'When somebody says "how are you", Rook answers: "Dry, thank you."'
    )
    assert inn.told_after("The river is brown.", "voice") == ""
