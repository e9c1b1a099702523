"""The six sections of a layered summary: read, judged, and filled by rule."""

from __future__ import annotations

import pytest

from agents.memory.gate import Source
from agents.memory.summaries.picked import picked_line
from agents.memory.summaries.prose import SECTIONS, judged, section_faults, sectioned, sections_of, without_headings
from vault.memory.memory_line import Memory

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
    told = sections_of(sectioned(lines, lambda seq: remembered[seq - 1]))
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
        found = judged(text, "sections", source, lambda words: len(words.split()))
        return [objection.reason for objection in found.objections]

    assert verdict("Moss has the lantern.") == []
    assert verdict("Zebulon has the lantern.") == ["unknown-name"]
    assert verdict("Moss has 17 lanterns.") == ["unknown-number"]
    assert verdict("Moss probably has the lantern.") == ["assumption-as-fact"]
    assert "wrong-sections" in verdict("Moss has the lantern.", Further_Remarks="None.")
    plain = judged("I met Moss.", "sections", source, lambda words: len(words.split()))
    assert [objection.reason for objection in plain.objections] == ["wrong-sections"]
