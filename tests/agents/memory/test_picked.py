import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.summaries.picked import memory_of_line, picked_line, picked_words, tells
from vault.markdown import one_line
from vault.memory.memory_line import KINDS, Memory

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


def test_a_memory_in_a_second_journal_of_the_day_links_there():
    memory = Memory(5000, EVENING_MS, "observed", "Ink Yard", "Rain.")
    line = picked_line(memory, "2026-11-21-2")
    assert line == "- Rain. ([[2026-11-21-2#^m5000]])"
    assert memory_of_line(line) == (5000, "Rain.")


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
    assert tells(line, memory)
