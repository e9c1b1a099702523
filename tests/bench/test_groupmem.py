"""Questions on conversations: what counts as an answer, the talk that is generated, data sets, and intervals."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from datetime import datetime

import pytest

from bench.groupmem import FACTS, generate_group_talk
from bench.lib.conversations import (
    UNSAID,
    AnswerRecord,
    Question,
    answers,
    asked_table,
    mean_of,
    score,
    share_of,
    words_of,
)
from bench.lib.datasets import DatasetError, convomem, locomo, longmemeval
from bench.lib.histories import Words, at_ms


def test_the_share_of_an_answer_is_that_of_its_words():
    assert share_of(frozenset({"adoption", "agency"}), "We spoke of ADOPTION.") == 0.5


NEED = Question("", "Who besides Ana knows it?", needs=(words_of("Ben pewter goblet"),))


@pytest.mark.parametrize(
    ("text", "is_answer"),
    [
        ('Ana says, "It rains. Only Ben and I know where the pewter goblet is."', True),
        ("I heard much. I heard that Ben knows of the pewter goblet.", True),
        ("Ben was there. The pewter goblet is buried.", False),
        ('Ben says, "It rains."\nAna says, "The pewter goblet is buried."', False),
        ('I heard Ben say "No." I heard Ana say "The pewter goblet is buried."', False),
    ],
)
def test_an_answer_has_all_words_in_one_sentence_or_one_line_of_speech(text, is_answer):
    assert answers(NEED, text) == is_answer
    assert score(NEED, text) == float(is_answer)


def test_an_answer_in_two_steps_needs_both():
    both = Question("", "", needs=(words_of("Alric Brenna"), words_of("Brenna Thorpe")))
    assert not answers(both, "Alric knows Brenna.")
    assert answers(both, "Brenna sleeps at Thorpe. Alric knows Brenna.")


def test_to_what_was_never_said_silence_is_the_answer():
    asked = Question(UNSAID, "Who owns the flute?")
    assert [score(asked, text) for text in ("", " \n", "Ana says something.")] == [1, 1, 0]


def test_a_talk_answers_each_question_in_its_evidence_and_nowhere_else():
    talk = generate_group_talk(3, 200, 42)
    lines = [f'{speaker} says, "{text}"' for _, speaker, text in talk.turns]
    rng = random.Random(0)
    kinds = [fact(rng, Words(rng)).category for fact in FACTS]
    assert Counter(one.category for one in talk.questions) == dict.fromkeys(kinds, 6)
    for question in talk.questions:
        if question.category == UNSAID:
            subject = words_of(question.text) - words_of("Who owns the where did learn to swim why was given up")
            assert subject and (question.evidence, question.needs) == ((), ())
            assert not any(subject <= words_of(line) for line in lines)
        else:
            evidence = [lines[turn] for turn in question.evidence]
            assert answers(question, "\n".join(evidence)), question
            rest = [line for line in lines if line not in evidence]
            assert not answers(question, "\n".join(rest)), question


def test_a_seed_gives_one_talk_and_too_many_questions_are_refused():
    assert generate_group_talk(3, 200, 42) == generate_group_talk(3, 200, 42) != generate_group_talk(4, 200, 42)
    with pytest.raises(ValueError, match="^42 questions need 54 turns, and 50 have room for 47"):
        generate_group_talk(3, 50, 42)


def test_without_data_there_are_no_conversations(tmp_path):
    for read in (locomo, longmemeval, convomem):
        assert read(tmp_path) == read(tmp_path / "nowhere") == []


def test_locomo_is_read_as_it_is_published(tmp_path):
    def said(turn: str, who: str, text: str) -> dict[str, str]:
        return {"dia_id": turn, "speaker": who, "text": text}

    qa = [
        {"question": "Where does Ana live?", "answer": "Brae", "evidence": ["D2:1"], "category": 4},
        {"question": "When did Ana go?", "answer": 2022, "evidence": ["D10:1", "D9:9"], "category": 2},
        {"question": "What did Ben sell?", "adversarial_answer": "A boat", "evidence": ["D2:1"], "category": 5},
    ]
    conversation = {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_10_date_time": "10:37 am on 27 June, 2023",
        "session_10": [said("D10:1", "Ana", "I went in 2022.")],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [{**said("D2:1", "Ana", "I live in Brae."), "img_url": ["x"]}, said("D2:2", "Ben", "I know.")],
        "session_3_date_time": "1:56 pm on 9 May, 2023",
    }
    record = {"sample_id": "conv-1", "conversation": conversation, "qa": qa, "event_summary": {}}
    (tmp_path / "locomo10.json").write_text(json.dumps([record]))
    (read,) = locomo(tmp_path)
    assert (read.name, read.speakers) == ("conv-1", ("Ana", "Ben"))
    assert read.turns == (
        (at_ms(datetime(2023, 5, 8, 13, 56)), "Ana", "I live in Brae."),
        (at_ms(datetime(2023, 5, 8, 13, 56)), "Ben", "I know."),
        (at_ms(datetime(2023, 6, 27, 10, 37)), "Ana", "I went in 2022."),
    )
    assert read.questions == (
        Question("single-hop", "Where does Ana live?", frozenset({"brae"}), (0,)),
        Question("temporal", "When did Ana go?", frozenset({"2022"}), (2,)),
        Question(UNSAID, "What did Ben sell?"),
    )


def test_longmemeval_is_read_in_the_order_of_its_sessions(tmp_path):
    record = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "What breed is my dog?",
        "answer": "A beagle.",
        "question_date": "2023/06/15 (Thu) 09:12",
        "haystack_session_ids": ["b", "a"],
        "haystack_dates": ["2023/05/22 (Mon) 10:41", "2023/05/20 (Sat) 14:03"],
        "haystack_sessions": [
            [{"role": "user", "content": "When does\nit close?"}],
            [
                {"role": "assistant", "content": "Hello."},
                {"role": "user", "content": " "},
                {"role": "user", "content": "I have a beagle.", "has_answer": True},
            ],
        ],
        "answer_session_ids": ["a"],
    }
    (tmp_path / "longmemeval_s.json").write_text(json.dumps([record, {**record, "question_id": "q1_abs"}]))
    first, unsaid = longmemeval(tmp_path)
    begun = at_ms(datetime(2023, 5, 20, 14, 3))
    assert first.turns == (
        (begun, "Assistant", "Hello."),
        (begun + 30_000, "User", "I have a beagle."),
        (at_ms(datetime(2023, 5, 22, 10, 41)), "User", "When does it close?"),
    )
    asked = Question("single-session-user", "What breed is my dog?", frozenset({"beagle"}), (1,))
    assert first.questions == (asked,)
    assert unsaid.questions == (Question(UNSAID, "What breed is my dog?"),)


def test_convomem_is_read_mixed_and_as_evidence_alone(tmp_path):
    item = {
        "question": "What is my favourite colour?",
        "answer": "teal",
        "message_evidences": [{"speaker": "User", "text": "I like teal."}],
    }
    messages = [{"speaker": who, "text": text} for who, text in (("assistant", "Hi."), ("User", ""))]
    messages.append({"speaker": "User", "text": "I like teal."})
    conversations = [{"messages": messages}]
    for kind, count in (("user_evidence", "1_evidence"), ("abstention_evidence", "1_abstention")):
        folder = tmp_path / kind / count
        folder.mkdir(parents=True)
        mixed = [{"evidenceItems": [item], "conversations": conversations, "contextSize": 1}]
        (folder / "batched_000.json").write_text(json.dumps(mixed))
    alone = {"evidence_items": [{**item, "conversations": conversations}]}
    (tmp_path / "user_evidence" / "1_evidence" / "person.json").write_text(json.dumps(alone))
    unsaid, mixed_case, alone_case = convomem(tmp_path)
    asked = Question("user_evidence", "What is my favourite colour?", frozenset({"teal"}), (1,))
    assert unsaid.questions == (Question(UNSAID, "What is my favourite colour?"),)
    assert mixed_case.questions == alone_case.questions == (asked,)
    assert [turn[1:] for turn in mixed_case.turns] == [("Assistant", "Hi."), ("User", "I like teal.")]


@pytest.mark.parametrize("text", ["{", "[{}]", '[{"question_id": 3}]', "[1]"])
def test_a_file_of_something_else_is_refused_by_its_name(tmp_path, text):
    (tmp_path / "longmemeval_s.json").write_text(text)
    with pytest.raises(DatasetError, match=r"^longmemeval_s\.json is "):
        longmemeval(tmp_path)


def test_a_mean_of_scores_has_wilsons_interval_unless_one_has_none():
    low, high = mean_of([0.5] * 100).interval
    assert (round(low, 3), round(high, 3)) == (0.404, 0.596)
    assert mean_of([]).text == mean_of([1.0, math.nan]).text == "–"


def test_a_table_tells_what_was_asked_by_strategy_and_category():
    def asked(category: str, view: float, is_old: bool = False) -> AnswerRecord:
        return AnswerRecord("window", category, is_old, view, 1.0, 1.0, 0.5, 100)

    rows = [asked("updated", 0.0, True), asked("updated", 1.0), asked(UNSAID, math.nan)]
    found = asked_table(rows)
    shown = [[row[1], row[2], row[4]] for row in found.rows]
    assert shown == [
        ["all", "2", "50% (9%–91%) of 2"],
        ["updated", "2", "50% (9%–91%) of 2"],
        [UNSAID, "1", "–"],
        ["older than the window", "1", "0% (0%–79%) of 1"],
    ]
    assert found.rows[0][-1] == "2.00"
