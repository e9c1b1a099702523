"""What an admin reads about an agent's memory."""

from __future__ import annotations

from agents.memory.coverage import Range
from agents.memory.looking.status import status_text
from tests.agents.memory.views import memory_settings
from tests.agents.test_agent import AT, Life
from tests.english import ENGLISH
from vault.memory.summaries import Summary


def lines_of(life: Life) -> list[str]:
    agent = life.agent
    return status_text(life.memory, agent.compactor, agent.count_tokens, AT + 3_600_000, ENGLISH).split("\n")


def test_a_new_memory_has_nothing_to_tell(tmp_path):
    lines = lines_of(Life(tmp_path))
    assert lines[:3] == [
        "Memory of Rook: 0 memories.",
        "Newest memory: none yet.",
        "Word for word: none, 0 tokens.",
    ]


def test_each_tier_is_told_with_its_range(tmp_path):
    life = Life(tmp_path)
    for _ in range(30):
        life.memory.record("observed", "It rains.")
    life.memory.publish(
        Summary(1, 10, "I came.", tokens=3, made_ms=AT), Summary(11, 18, "I met Ana.", tokens=4, made_ms=AT)
    )
    lines = lines_of(life)
    assert lines[0] == "Memory of Rook: 30 memories."
    assert lines[2].startswith("Word for word: memories 19–30, 12 of them, ")
    assert lines[3] == "Short-term summary: memories 11–18, 8 of them, 4 tokens, prose, made an hour ago."
    assert lines[4] == "Long-term summary: memories 1–10, 10 of them, 3 tokens, prose, made an hour ago."


def test_memories_that_are_not_told_are_not_called_word_for_word(tmp_path):
    life = Life(tmp_path)
    life.memory.settings = memory_settings(strategy="window", max_memories=12)
    for _ in range(30):
        life.memory.record("observed", "It rains.")
    lines = lines_of(life)
    assert lines[2].startswith("Word for word: memories 21–30, 10 of them, ")  # it goes on in steps of three
    assert lines[3] == ("Not told for now: memories 1–20, 20 of them; @memory-find and @memory-expand bring them back.")


def test_what_the_prompt_has_no_room_for_is_not_called_word_for_word(tmp_path):
    life = Life(tmp_path)
    for _ in range(30):
        life.memory.record("observed", "It rains.")
    agent = life.agent
    told = status_text(life.memory, agent.compactor, agent.count_tokens, AT, ENGLISH, Range(1, 16)).split("\n")
    assert told[2].startswith("Word for word: memories 17–30, 14 of them, ")
    assert told[3].startswith("Not told for now: memories 1–16, 16 of them; ")


def test_one_cycle_is_not_told_as_many(tmp_path):
    life = Life(tmp_path)
    life.agent.compactor.record.succeeded(AT)
    assert "Last compaction: an hour ago. Since the start: 1 cycle." in lines_of(life)


def test_a_memory_that_cannot_be_written_is_told_with_what_waits(tmp_path):
    life = Life(tmp_path)
    with life.disk.full():
        life.memory.record("observed", "It rains.")
    told = [line for line in lines_of(life) if "No space left on device" in line]
    assert len(told) == 1
    assert "1 memor" in told[0]


def test_every_line_reads_well_aloud(tmp_path):
    life = Life(tmp_path)
    life.memory.record("observed", "It rains.")
    assert [line for line in lines_of(life) if not line.endswith(".")] == []
