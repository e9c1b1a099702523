"""What is whispered, told as a secret or plainly to be remembered: kept word for word, once, by weight and bounded."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.facts.extraction import extract_facts
from agents.memory.facts.file import FactRegistry
from agents.memory.facts.speech_acts import (
    MAX_SENTENCE_CHARACTERS,
    SPEECH_IN_PIECES,
    classify,
    is_secret,
    replaces,
    secret_spans,
    secret_weight,
)
from agents.memory.facts.store import (
    MAX_FACTS_IN_A_SECTION,
    FactStore,
    fact_text,
    fit_budget,
    in_order,
    rank_by_relevance,
    stated_words,
)
from agents.memory.summary_verifier import Source, judge
from tests.agents.house import House
from vault.markdown import LINE_BREAK, one_line
from vault.memory.facts_note import CONFIDED, LESSONS, PROMISES, REQUESTS, TELLABLE, THINGS, Fact
from vault.memory.journal import Journal
from vault.memory.memory_line import Memory
from vault.vault import Vault

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
    ("text", "kept"),
    [
        (KEY, [KEY]),
        ("psst... moss stole the bell", ["moss stole the bell"]),
        ("It is 4711.", ["It is 4711."]),
        ("My sister is Marta.", ["My sister is Marta."]),
        ("Hello Eliza! Come closer. The ford is safe after dusk. Thanks.", ["The ford is safe after dusk."]),
        ("I hid the page. Have you seen the miller? He must not find it.", None),
        ("The ford is safe. Tell nobody.", ["The ford is safe. Tell nobody."]),
        ("I have found the letter under the stairs.", ["I have found the letter under the stairs."]),
        ("鍵は三段目の下にあるよ", ["鍵は三段目の下にあるよ"]),
        ("Der Schlüssel liegt unter der dritten Stufe.", ["Der Schlüssel liegt unter der dritten Stufe."]),
        ("Good morning, Eliza.", []),
        ("Hello!", []),
        ("Have you seen the miller?", []),
        ("I love you.", []),
        ("Tell nobody.", []),
        ("...", []),
        ("", []),
    ],
)
def test_a_whisper_is_kept_in_its_own_words_without_the_small_talk_around_it(text: str, kept: list[str] | None):
    assert secret_spans(text) == ([text] if kept is None else kept)
    assert facts(whispered(text), CONFIDED) == [(CONFIDED, value) for value in ([text] if kept is None else kept)]


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


def test_a_secret_told_twice_is_one_fact_with_its_newest_evidence():
    (fact,) = (one for one in learnt(whispered(KEY, "Hm.", KEY.upper())).facts.values() if one.section == CONFIDED)
    assert (fact.value, fact.since, fact.last) == (KEY, 1, 3)


def test_a_secret_told_anew_replaces_the_one_before():
    first, second = "The ring is hidden at Corwick.", "The ring is hidden at Dunmere now; tell nobody."
    (fact,) = (one for one in learnt(whispered(first, second)).facts.values() if one.section == CONFIDED)
    assert (fact.value, fact.was, fact.since) == (second, first, 2)


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


def test_the_same_words_of_two_people_are_two_tellings():
    known = learnt([*whispered(KEY), *whispered(KEY, who="Ana", first=2)])
    assert {fact.subject for fact in known.facts.values() if fact.section == CONFIDED} == {"Moss", "Ana"}


def test_what_is_promised_or_asked_in_a_whisper_is_not_kept_a_second_time():
    text = "I will bring you the lantern. The ford is safe. Please bring me the keys."
    kept = facts(whispered(text), PROMISES, REQUESTS, LESSONS, CONFIDED)
    assert kept == [
        (PROMISES, "I will bring you the lantern."),
        (REQUESTS, "Please bring me the keys."),
        (CONFIDED, "The ford is safe."),
    ]


def test_a_secret_that_is_also_to_be_remembered_is_kept_as_that_alone():
    asked = "Remember: the ring is hidden at Corwick."
    for order in ([asked, "The ring is hidden at Corwick."], ["The ring is hidden at Corwick.", asked]):
        assert [section for section, _ in facts(whispered(*order))] == [LESSONS]


def test_what_somebody_wants_forgotten_is_no_longer_known_if_it_was_theirs():
    known = learnt([*whispered(KEY), *whispered("Forget what I told you about the key.", who="Ana", first=2)])
    assert [fact.value for fact in known.facts.values() if fact.section == CONFIDED] == [KEY]
    assert facts(whispered(KEY, "The ford is safe.", "Forget what I told you about the key.")) == [
        (CONFIDED, "The ford is safe.")
    ]


def test_what_the_agent_whispers_itself_is_nothing_that_it_was_told():
    assert facts([Memory(1, AT, "acted", MILL, f"whisper Moss {KEY}")]) == []


def test_a_whisper_that_nobody_heard_promises_nothing(tmp_path: Path):
    journal = Journal(Vault(tmp_path), "Eliza")
    journal.load()
    registry = FactRegistry(Vault(tmp_path), "Eliza", journal, lambda: AT)
    for refused in (True, False):
        journal.append(Memory(0, AT, "acted", MILL, "whisper Moss I will bring you the keys."))
        registry.take_in()
        assert [fact for fact in registry.facts if fact.section == PROMISES] == []  # it may yet be refused
        assert not registry.is_behind
        result = "There is no Moss here." if refused else "You wait."
        journal.append(Memory(0, AT, "result", MILL, result, refused=refused))
        registry.take_in()
        owed = [fact.since for fact in registry.facts if fact.section == PROMISES]
        assert owed == ([] if refused else [3])


# Bounds and the prompt


def test_of_what_is_confided_the_secrets_with_details_come_first_and_stay_longest():
    secret = "Tell nobody: Corwin keeps 4711 coins in the well."
    letters = "abcdefghijklmnopqrst"
    pairs = [one + other for one in letters for other in letters][: MAX_FACTS_IN_A_SECTION + 30]
    idle = [f"goose{pair} lost feather{pair}" for pair in pairs]
    known = learnt(whispered(secret, *idle))
    kept = [fact for fact in known.facts.values() if fact.section == CONFIDED]
    assert len(kept) == MAX_FACTS_IN_A_SECTION
    assert rank_by_relevance(kept, NOBODY, "")[0].value == secret
    assert rank_by_relevance(kept, NOBODY, "")[1].value == idle[-1]
    assert [secret_weight(text) for text in (secret, "Tell nobody!", "It is 12.", idle[0])] == [2, 1, 1, 0]


def test_what_names_a_person_place_or_number_comes_before_idle_words_and_who_has_what():
    has = [Memory(1, AT, "observed", MILL, "Ana takes the brass lantern.", ("Ana",))]
    idle = [Memory(2, AT, "observed", MILL, 'Moss says, "I will bring you some bread later."', ("Moss",))]
    kept = [Memory(3, AT, "observed", MILL, 'Moss says, "I will bring you the lamp from Corwick."', ("Moss",))]
    ranked = rank_by_relevance(
        learnt([*has, *idle, *kept, *whispered("the goose is fat", first=4)]).facts.values(), NOBODY, ""
    )
    assert [fact.since for fact in ranked if fact.section in (PROMISES, CONFIDED, THINGS)] == [3, 2, 4, 1]
    assert ranked[0].section == PROMISES


def test_a_secret_stays_in_the_prompt_when_it_is_summarised_and_within_the_budget(tmp_path: Path):
    house = House(tmp_path)
    ana = house.player("Ana")
    ana.types(f"whisper Rook {KEY} Tell nobody.")
    for number in range(300):
        ana.types(f"say It is day {number} of the frost.")
        if number % 60 == 0:
            house.compact("Rook")
    prompt = house.prompt("Rook")
    assert f'- Ana confided: "{KEY} Tell nobody."' in prompt
    assert prompt.count(KEY) == 1
    lines = [fact_text(fact) for fact in rank_by_relevance(house.agents["Rook"].facts.facts, NOBODY, "")]
    count = house.agents["Rook"].count_tokens
    assert count("\n".join(fit_budget(lines, count, 40))) <= 40


def test_a_summary_may_name_what_was_confided_and_nothing_else_unheard_of():
    memories = tuple(said(*(f"It rained on the roof all night, and Moss sang song{n}." for n in range(9))))
    known = stated_words(learnt(whispered("The ring is hidden at Corwick.")).facts.values())
    assert known == {"Moss: The ring is hidden at Corwick."}
    for words, accepted in (("Corwick", True), ("Dunmere", False)):
        text = f"I heard Moss sing in the rain and thought of the ring at {words}."
        verdict = judge(text, Source(memories, (), known, "Eliza", cap_tokens=300), lambda text: len(text) // 4)
        assert verdict.accepted is accepted, verdict.objections


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
