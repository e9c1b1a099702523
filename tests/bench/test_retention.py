"""Planted facts that are known or absent are counted as what they are."""

from __future__ import annotations

import asyncio
import random

import pytest

from agents.models.model import Request
from bench.lib.conversations import memory_part
from bench.lib.histories import COUNTS, PEOPLE, plant_facts
from bench.lib.models import LossySummarizer
from bench.retention import is_known, measure_retention, unsupported


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("The ferry costs 30518.", True),
        ("It cost 20417. The ferry costs 30518.", True),
        ("The ferry costs 20417.", False),
        ("The ferry costs 305181 or 3051.", False),
        ("", False),
    ],
)
def test_a_number_is_known_only_as_a_whole_word(text, known):
    assert is_known("30518", text) == known


def test_a_value_is_known_only_with_all_its_words_in_one_sentence():
    assert is_known("tin lamp", "Ana gives Ben the tin lamp.")
    assert not is_known("tin lamp", "The tin is shut. The lamp shines.")


def test_names_and_numbers_that_nobody_said_are_found():
    heard = ['Moss says, "The ferry costs 40."', "The Mill"]
    assert unsupported(["I met Moss at the Mill, who paid 40. ([[2026-11-21#^m12]])"], heard) == set()
    assert unsupported(["I met Zora at the Mill, who paid 41."], heard) == {"Zora", "41"}


def test_the_memory_part_of_a_prompt_is_what_a_blank_one_has_not():
    assert memory_part("You are Eliza.\nAna waves.\n~Eliza>", "You are Eliza.\n\n~Eliza>") == "Ana waves."


def test_a_planted_value_stands_in_no_other_telling():
    facts = plant_facts(random.Random(7), 500, COUNTS)
    lines = [fact.line for fact in facts]
    assert [sum(fact.value in line for line in lines) for fact in facts] == [1] * sum(COUNTS.values())
    assert all(fact.value.lower() not in fact.question.lower() for fact in facts)


def test_facts_are_told_in_order_by_known_people():
    facts = plant_facts(random.Random(7), 500, COUNTS)
    assert [fact.at for fact in facts] == sorted(fact.at for fact in facts)
    assert {fact.speaker for fact in facts} <= set(PEOPLE)


def test_the_lossy_summarizer_lies_only_when_it_is_asked_for_the_first_time():
    lossy = LossySummarizer()
    heard = 'At The Mill:\nAna says, "It rained."\nBen says, "The mill is shut."'
    asked = f"{heard}\n\nSummarize these memories in 2-3 sentences.{{}}\nSUMMARY:"
    answers = [lossy(Request(asked.format(""), max_tokens=200)) for _ in range(5)]
    assert answers[0] == 'I heard Ben say "The mill is shut.".'
    assert [lie in answers[4] for lie in lossy.lies] == [True, True]
    again = lossy(Request(asked.format("\nA first try was refused: …"), max_tokens=200))
    assert again == answers[0]


def test_a_life_with_a_window_knows_pins_and_can_look_up_the_rest():
    counts = {"pinned": 2, "important": 4, "ordinary": 6}
    result = asyncio.run(measure_retention("window", "scripted", 160, counts, seed=3))
    assert result.memories >= 160
    assert result.stats.cycles == 0
    assert result.prompt["pinned"] + result.prompt["important"] == [True] * 6
    assert {kind: len(known) for kind, known in result.found.items()} == counts
    assert all(flag for known in result.found.values() for flag in known)
    assert result.invented == set()
