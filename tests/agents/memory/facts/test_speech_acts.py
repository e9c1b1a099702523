"""What is whispered, told as a secret or plainly to be remembered: kept word for word, once, by weight and bounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.facts.extraction import extract_facts
from agents.memory.facts.speech_acts import (
    MAX_SENTENCE_CHARACTERS,
    SPEECH_IN_PIECES,
    classify,
    is_secret,
    replaces,
    secret_weight,
)
from agents.memory.facts.store import (
    FactStore,
    fact_text,
    in_order,
)
from vault.markdown import LINE_BREAK, one_line
from vault.memory.facts_note import CONFIDED, LESSONS, PROMISES, REQUESTS, TELLABLE, Fact
from vault.memory.memory_line import Memory

AT = 1_795_248_000_000
MILL = "The Mill"
KEY = "The key hangs behind the clock."
NOBODY: frozenset[str] = frozenset()


def whispered(*texts: str, who: str = "Moss", first: int = 1) -> list[Memory]:
    return [
        Memory(seq, AT + seq * 60_000, "told", MILL, one_line(f'{who} whispers to you, "{text}"'), (who,))
        for seq, text in enumerate(texts, first)
    ]


def said(*texts: str, who: str = "Moss") -> list[Memory]:
    return [
        Memory(seq, AT + seq * 60_000, "observed", MILL, f'{who} says, "{text}"', (who,))
        for seq, text in enumerate(texts, 1)
    ]


def learnt(memories: list[Memory]) -> FactStore:
    known = FactStore()
    for memory in memories:
        extract_facts(known, memory)
    return known


def facts(memories: list[Memory], *sections: str) -> list[tuple[str, str]]:
    found = in_order(learnt(memories).facts.values())
    return [(fact.section, fact.value) for fact in found if fact.section in (sections or TELLABLE)]


# What is kept


@pytest.mark.parametrize(
    "text",
    [
        "Between you and me, the miller waters his flour.",
        "Don't tell Ana, but we are baking her a cake.",
        "Keep this to yourself: the bridge is unsafe.",
        "Can you keep a secret? I am the one who rang the bell.",
        "The duke is ill, and nobody must know.",
        "I'll be plain, in strict confidence: the mill is sold.",
        "You did not hear it from me; the ferry is to close.",
    ],
)
def test_what_asks_for_secrecy_is_kept_though_it_is_said_aloud(text: str):
    assert is_secret(text)
    assert any(section == CONFIDED for section, _ in facts(said(text)))


@pytest.mark.parametrize(
    "text", [KEY, "He told nobody.", "Don't mention it.", "Don't tell me that!", "The secret garden is in bloom."]
)
def test_what_is_merely_said_aloud_is_no_confidence(text: str):
    assert facts(said(text)) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I promise to keep your page dry.", PROMISES),
        ("I'll bring you the lantern tomorrow.", PROMISES),
        ("I will gladly fetch the keys.", PROMISES),
        ("You have my word.", PROMISES),
        ("I'm going to meet Odile at the weir.", PROMISES),
        ("Please bring me a seed bun.", REQUESTS),
        ("Could you lend me your umbrella?", REQUESTS),
        ("Eliza, give me the slip.", REQUESTS),
        ("I need you to watch the gauge.", REQUESTS),
        ("Remember that the page is under the third step.", LESSONS),
        ("Don't forget: the gate closes at nine.", LESSONS),
        ("Please remember that Odile is deaf in one ear.", LESSONS),
        ("I can't promise anything.", ""),
        ("Did I promise that?", ""),
        ("If I promise, it is done.", ""),
        ("I will not bring it.", ""),
        ("I remember the flood.", ""),
        ("The lantern is lovely.", ""),
        ("I bring good news.", ""),
        ("Will it rain?", ""),
        ("The gate closes at nine, remember.", LESSONS),
        ("Remember my birthday is in May.", LESSONS),
        ("Eliza, remember the third step.", LESSONS),
        ("Could you keep in mind that I hate fish?", LESSONS),
        ("I want you to remember my name: Odile.", LESSONS),
        ("Never forget who raised you.", LESSONS),
        ("Note that the ferry is late.", LESSONS),
        ("Please bear in mind that the ice is thin.", LESSONS),
        ("Remember to lock the gate.", REQUESTS),
        ("Do you remember that evening?", ""),
        ("I remember that Odile is deaf.", ""),
        ("I will never forget the flood.", ""),
        ("We sat and remember the dead.", ""),
        ("As far as I remember it is blue.", ""),
    ],
)
def test_promises_requests_and_what_is_to_be_kept_in_mind_are_told_by_their_form(text: str, kind: str):
    assert classify(text) == kind


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Remember this. The ford is safe after dusk.", "The ford is safe after dusk."),
        ("The ford is safe after dusk. Will you remember that?", "The ford is safe after dusk."),
        ("Keep this in mind: the ford is safe after dusk.", "Keep this in mind: the ford is safe after dusk."),
    ],
)
def test_what_this_and_that_mean_is_kept_with_the_asking_to_remember_them(text: str, value: str):
    assert facts(said(text)) == [(LESSONS, value)]


# Once, the newest, no more than was said


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The pewter goblet is hidden at Corwick; tell nobody.",
            "The silver goblet is hidden at Dunmere; tell nobody.",
        ),
        ("My mother is ill.", "My father is ill."),
        ("The north gate opens with 4711.", "The south gate opens with 4712."),
        ("Tell nobody!", "Tell nobody!"),
    ],
)
def test_two_secrets_about_similar_things_stay_two(one: str, other: str):
    assert not replaces(other, one)


def test_what_the_agent_whispers_itself_is_nothing_that_it_was_told():
    assert facts([Memory(1, AT, "acted", MILL, f"whisper Moss {KEY}")]) == []


# Bounds and the prompt


@given(st.lists(st.text(max_size=300), max_size=6))
def test_nothing_is_invented_and_everything_kept_has_its_evidence(texts: list[str]):
    memories = whispered(*texts)
    for fact in learnt(memories).facts.values():
        if fact.section in TELLABLE:
            source = memories[fact.since - 1].text.replace(LINE_BREAK, " ")
            assert fact.value
            assert fact.value in source
            assert fact.subject == "Moss"
            assert 1 <= fact.since <= fact.last <= len(memories)


pieces = st.sampled_from(
    [
        "Remember this.",
        "The ford is safe.",
        "Hm!",
        "Why?",
        "I will bring bread.",
        "Never mind.",
        "Tell nobody.",
        "x" * 90,
    ]
)


@given(st.lists(pieces, max_size=40))
def test_of_one_whisper_no_sentence_is_kept_twice_and_no_more_than_is_bounded(said_in_turn: list[str]):
    kept = [value for _, value in facts(whispered(" ".join(said_in_turn)))]
    assert len(kept) <= SPEECH_IN_PIECES
    assert all(len(value) <= MAX_SENTENCE_CHARACTERS for value in kept)
    assert all("I will bring bread." not in value for value in kept)
    assert len(set(kept)) == len(kept)


@given(st.lists(st.text(max_size=60), max_size=5))
def test_weight_and_sameness_can_be_told_of_any_texts(texts: list[str]):
    assert all(0 <= secret_weight(text) <= 2 for text in texts)
    assert all(replaces(one, other) == replaces(one, other) for one in texts for other in texts)
    assert all(isinstance(fact_text(Fact(CONFIDED, "Moss", text or "x")), str) for text in texts)
