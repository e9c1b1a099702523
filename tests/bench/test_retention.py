"""Planted facts that are present, stale, contradictory or absent are counted as what they are."""

from __future__ import annotations

import argparse
import asyncio
import random

import pytest

from agents.models.model import Request
from bench.lib.histories import PEOPLE, Counts, Planted, Telling, plan_handovers, plant_facts, schedule_tellings
from bench.lib.models import LOSSY, LossySummarizer, ScriptedModel
from bench.lib.retained import Text, is_whole, measure_retention, memory_part, state_of, tally, unsupported
from vault.memory.memory_line import Memory

FERRY = Planted("updated", "number", "What does the ferry cost?", (("20417",), ("30518",)), ())
LAMP = Planted("updated", "given", "Who has the tin lamp?", (("tin lamp", "Ana"), ("tin lamp", "Ben")), ())


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("The ferry costs 30518.", "known"),
        ("It cost 20417. The ferry costs 30518.", "both"),
        ("The ferry costs 20417.", "stale"),
        ("The ferry costs 305181 or 3051.", "gone"),
        ("", "gone"),
    ],
)
def test_a_number_is_known_only_as_a_whole_word(text, state):
    assert state_of(FERRY, Text(text)) == state


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Ana gives Ben the tin lamp.", "known"),
        ("Moss gives Ana the tin lamp.\nAna gives Ben the tin lamp.", "both"),
        ("- tin lamp: Ana has it since 2026-11-21 08:00.", "stale"),
        ("The tin lamp shines. Ben and Ana are here.", "gone"),
    ],
)
def test_an_owner_is_known_only_in_one_sentence_with_the_thing(text, state):
    assert state_of(LAMP, Text(text)) == state


def test_shares_are_of_the_facts_of_a_kind():
    pinned = Planted("pinned", "number", "?", (("77001",),), ())
    counted = tally([FERRY, LAMP, pinned], Text("30518. The tin lamp is with Ana."))
    assert counted.kept("updated") == 0.5
    assert counted.share("updated", "stale") == 0.5
    assert counted.kept("pinned") == 0.0
    assert counted.kept("ordinary") != counted.kept("ordinary")  # of nothing there is no share
    assert counted.kept_of_all == 1 / 3


def test_a_fact_is_whole_if_every_telling_of_it_is_there():
    old, new = (Memory(seq, 0, "observed", "", f"It costs {n}.") for seq, n in ((3, "20417"), (9, "30518")))
    assert is_whole(FERRY, [3, 9], {3: old, 9: new})
    assert not is_whole(FERRY, [3, 9], {9: new})
    assert not is_whole(FERRY, [3, 9], {3: new, 9: new})


def test_names_and_numbers_that_nobody_said_are_found():
    heard = ['Moss says, "The ferry costs 40."', "The Mill"]
    assert unsupported(["I met Moss at the Mill, who paid 40. ([[2026-11-21#^m12]])"], heard) == set()
    assert unsupported(["I met Zora at the Mill, who paid 41."], heard) == {"Zora", "41"}


def test_the_memory_part_of_a_prompt_is_what_a_blank_one_has_not():
    assert memory_part("You are Eliza.\nAna waves.\n~Eliza>", "You are Eliza.\n\n~Eliza>") == "Ana waves."


def test_a_planted_value_stands_in_no_other_telling():
    facts = plant_facts(random.Random(7), 500, Counts())
    spoken = [fact for fact in facts if fact.form != "given"]
    lines = [telling.line for telling, _ in schedule_tellings(facts)]
    for fact in spoken:
        assert [sum(value in line for line in lines) for (value,) in fact.values] == [1] * len(fact.values)
    assert all(fact.values[-1][0].lower() not in fact.question.lower() for fact in spoken)
    assert plan_handovers(facts).keys() == {fact.values[0][0] for fact in facts if fact.form == "given"}


def test_tellings_come_in_order_and_updates_after_what_they_update():
    facts = plant_facts(random.Random(7), 500, Counts())
    assert [t.at for t, _ in schedule_tellings(facts)] == sorted(t.at for fact in facts for t in fact.tellings)
    assert all(len(fact.tellings) == len(fact.values) == 1 + (fact.kind == "updated") for fact in facts)
    assert all(isinstance(t, Telling) and t.speaker in PEOPLE for t, _ in schedule_tellings(facts))


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
    options = argparse.Namespace(seed=3, memories=160, counts=Counts(2, 4, 6, 3))
    lossy = LossySummarizer()
    result = asyncio.run(measure_retention("window", ScriptedModel(LOSSY, lossy), lossy.lies, options))
    assert result.memories >= 160
    assert result.cycles == 0
    assert result.prompt.kept("pinned") == result.prompt.kept("important") == 1.0
    assert result.expanded == 1.0
    assert result.found.of.total() == 15
    assert result.invented == set()
