"""Summaries beside their verifier: the six sections, lines that are picked, and times of which little is told."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.summaries.formats import (
    SECTIONS,
    memory_of_line,
    mentions_memory,
    picked_line,
    picked_words,
    section_faults,
    sections_of,
    sort_into_sections,
    without_headings,
)
from agents.memory.summary_verifier import Source, judge_in_form
from tests.agents.memory.lives import Life, windows
from tests.scripted_model import ScriptedModel
from vault.markdown import one_line
from vault.memory.memory_line import KINDS, Memory

SOUND = """\
## User Goal
Find the iron key.
## Confirmed Facts
Moss has the lantern.
The kettle is cold.
## Decisions Made
I went to The Landing because Moss was there.
## Open Issues
Perhaps the key is in the basket.
## Pending Actions
None.
## Important References
The gauge slip, ^m12."""


def kinds(text: str) -> list[str]:
    return [kind for kind, _ in section_faults(text)]


def test_sound_sections_have_no_fault():
    assert kinds(SOUND) == []


def test_the_lines_under_each_heading_are_told_in_order():
    told = sections_of(SOUND)
    assert list(told) == list(SECTIONS)
    assert told["Confirmed Facts"] == ["Moss has the lantern.", "The kettle is cold."]
    assert told["Pending Actions"] == ["None."]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I met Moss.",
        "## User Goal\nFind the key.",
        SOUND.replace("## Open Issues", "## Issues"),
        SOUND.replace("## Decisions Made", "**Decisions Made**"),
        SOUND + "\n## User Goal\nFind it again.",
        "\n".join(f"## {name}\nNone." for name in reversed(SECTIONS)),
        f"Here you are.\n{SOUND}",
        SOUND.replace("None.\n", ""),
    ],
)
def test_other_sections_others_around_them_and_empty_ones_are_a_fault(text):
    assert kinds(text)[:1] == ["wrong-sections"]


@pytest.mark.parametrize(
    "line", ["Maybe Moss has it.", "I think the key is lost.", "It is probably cold.", "Moss seems tired."]
)
def test_what_is_not_certain_is_no_fact_and_may_be_an_open_issue(line):
    assert kinds(SOUND.replace("The kettle is cold.", line)) == ["assumption-as-fact"]
    assert kinds(SOUND.replace("Perhaps the key is in the basket.", line)) == []


def test_only_what_is_told_is_left_without_the_headings():
    assert without_headings("## User Goal\nNone.\n\n## Confirmed Facts\nMoss came.") == "Moss came."


def test_picked_lines_are_sorted_into_the_sections_by_rule():
    remembered = [
        Memory(1, 0, "observed", "", "Moss arrives from The Weir."),
        Memory(2, 0, "acted", "", "go north"),
        Memory(3, 0, "result", "", "The shelf holds a tin."),
        Memory(4, 0, "acted", "", "say I promise you a bun, Moss."),
        Memory(5, 0, "thought", "", "I want to find the key."),
        Memory(6, 0, "observed", "", 'Moss says, "Where is the key?"'),
    ]
    lines = [picked_line(memory) for memory in remembered]
    told = sections_of(sort_into_sections(lines, lambda seq: remembered[seq - 1]))
    assert told == {
        "User Goal": [lines[4]],
        "Confirmed Facts": [lines[0]],
        "Decisions Made": [lines[1]],
        "Open Issues": [lines[5]],
        "Pending Actions": [lines[3]],
        "Important References": [lines[2]],
    }


def test_sections_are_judged_for_their_form_and_for_what_they_tell():
    heard = Memory(1, 0, "observed", "The Landing", "Moss says the lantern is his and the iron key lies in a basket.")
    source = Source((heard,) * 8, (), frozenset({"Moss", "The Landing"}), "Eliza")
    empty = {name: ["None."] for name in SECTIONS}

    def verdict(facts: str, **more: str) -> list[str]:
        told = empty | {"Confirmed Facts": [facts]} | {k.replace("_", " "): [v] for k, v in more.items()}
        text = "\n".join(f"## {name}\n{lines[0]}" for name, lines in told.items())
        found = judge_in_form(text, "sections", source, lambda words: len(words.split()))
        return [objection.reason for objection in found.objections]

    assert verdict("Moss has the lantern.") == []
    assert verdict("Zebulon has the lantern.") == ["unknown-name"]
    assert verdict("Moss has 17 lanterns.") == ["unknown-number"]
    assert verdict("Moss probably has the lantern.") == ["assumption-as-fact"]
    assert "wrong-sections" in verdict("Moss has the lantern.", Further_Remarks="None.")
    plain = judge_in_form("I met Moss.", "sections", source, lambda words: len(words.split()))
    assert [objection.reason for objection in plain.objections] == ["wrong-sections"]


EVENING_MS = 1_795_293_301_000  # 2026-11-21 20:35:01 UTC


@pytest.mark.parametrize(
    ("kind", "text", "line"),
    [
        ("observed", 'Moss says, "It always does."', '- Moss says, "It always does." ([[2026-11-21#^m12]])'),
        ("acted", "say Good morning", "- I did: say Good morning ([[2026-11-21#^m12]])"),
        ("noted", "buy ink", "- I noted: buy ink ([[2026-11-21#^m12]])"),
    ],
)
def test_a_memory_is_told_in_the_first_person_with_its_link(kind: str, text: str, line: str):
    assert picked_line(Memory(12, EVENING_MS, kind, "Ink Yard", text)) == line


def test_a_line_may_link_to_a_second_journal_of_the_day():
    assert memory_of_line("- Rain. ([[2026-11-21-2#^m5000]])") == (5000, "Rain.")


@pytest.mark.parametrize(
    "line",
    ["", "- Rain.", "Rain. ([[2026-11-21#^m1]])", "- Rain. ([[2026-11-21#^m0]])", "- Rain. [[2026-11-21#^m1]]"],
)
def test_other_lines_have_no_memory(line: str):
    assert memory_of_line(line) is None


@given(st.integers(1, 10**15), st.sampled_from(KINDS), st.text())
def test_every_picked_line_leads_back_to_its_memory(seq: int, kind: str, text: str):
    memory = Memory(seq, EVENING_MS, kind, "Ink Yard", one_line(text))
    line = picked_line(memory)
    assert memory_of_line(line) == (seq, picked_words(memory).strip())
    assert mentions_memory(line, memory)


NODS = "Moss nods at the river."
LONG_WINDED = (
    "I sat with Moss, who nodded at the river, and then he nodded again, and again, and again, and I was still there, "
    "and he nodded once more, and so it went on, and I looked at him, and he at the river, for the whole of the {}."
)


def long_winded() -> ScriptedModel:
    """Return a model that makes many words of anything, each time others."""
    parts = itertools.cycle(("morning", "evening", "night"))
    return ScriptedModel(lambda request: LONG_WINDED.format(next(parts)))


def lived(root: Path, count: int, text: str) -> Life:
    life = Life(root, windows(4, 4, summary_tokens=300), long_winded())
    life.live(count, text)
    asyncio.run(life.compact())
    return life


def test_a_time_without_news_is_summarised_by_its_own_lines_when_no_prose_is_shorter(tmp_path):
    life = lived(tmp_path, 13, NODS)
    recent, longterm = life.memory.recent, life.memory.longterm
    assert recent and longterm
    assert (longterm.first, longterm.last, recent.first, recent.last) == (1, 5, 6, 9)
    assert recent.quality == longterm.quality == "extractive"
    assert recent.text.startswith(f"- {NODS} ([[")
    assert life.compactor.stats.failures_in_a_row == 0
    assert life.compactor.stats.refused["not-smaller"] > 0


def test_prose_stands_where_it_is_shorter(tmp_path):
    life = lived(tmp_path, 9, "Moss nods " + "at the river and at the boat on it " * 8 + "and is silent.")
    assert life.memory.recent is not None
    assert life.memory.recent.quality == "prose"
