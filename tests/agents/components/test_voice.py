"""How an agent talks: the example nearest to what was said stands before its answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agents.components.voice import SURE, Voice
from agents.memory.facts.narration_parser import ENGLISH
from tests.agents.components.test_asked import Asking
from vault.entities.voice_note import Exchange
from vault.memory.memory_line import Memory

EXCHANGES: tuple[Exchange, ...] = (
    Exchange(("how are you", "what's up"), "Dry, thank you."),
    Exchange(("what is your job", "what do you do all day"), "I count beds."),
    Exchange(("I lost my job", "I failed"), "There is always the inn."),
    Exchange(("do you like it here",), "It is warm."),
    Exchange(("do you like the soup",), "It is hot."),
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
        ("", ""),
    ],
)
def test_the_nearest_example_shares_the_rarest_words_and_is_about_the_same_person(voice, words, answer):
    found = voice.nearest(words, ())
    assert (found[0].answer if found else "") == answer


def test_an_answer_is_said_as_it_stands_only_where_nearly_the_same_was_said_and_not_twice(voice):
    assert voice.nearest("Do you like it here when the rain comes in?", ())[0].near < SURE
    assert voice.answer_to("Do you like it here when the rain comes in?", ()) == ""
    assert voice.answer_to("how are you", ()) == "Dry, thank you."
    said = Memory(1, 0, "acted", "The Common Room", "say Dry, thank you.")
    assert voice.answer_to("how are you", [said]) == ""
    assert voice.nearest("how are you", [said]) == []


def test_edited_examples_count_at_once():
    now = [EXCHANGES]
    voice = Voice(lambda: now[0], ENGLISH)
    assert voice.answer_to("how are you", ()) == "Dry, thank you."
    now[0] = (replace(EXCHANGES[0], answer="Wet."),)
    assert voice.answer_to("how are you", ()) == "Wet."


def test_a_prompt_tells_the_example_to_a_person_and_nothing_to_another_agent(tmp_path):
    inn = Asking(tmp_path)
    (tmp_path / "agents" / "Rook").mkdir(parents=True, exist_ok=True)
    rook = inn.agents["Rook"]
    rook.mind.adopt(replace(rook.note, voice=EXCHANGES), rook.mind._templates)
    assert inn.told_after("Hello, how are you?", "voice") == (
        'When somebody says "how are you", Rook answers: "Dry, thank you."'
    )
    assert inn.told_after("The river is brown.", "voice") == ""
