"""Looking into a memory: what a summary stands for, and the status."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.memory.coverage import NONE
from agents.memory.inspection import explain_text
from tests.agents.memory.lives import Life, QuickDisk, expanded, talkative, windows
from tests.english import ENGLISH
from vault.atomic_write import Disk
from vault.memory.memory_line import Range
from vault.memory.summaries import Summary
from world.errors import CommandError

NEWEST = "It is one of the newest, which no summary covers, so it is in the prompt word for word."
BROUGHT_BACK = "@memory-find and @memory-expand bring it back."


def new_life(root: Path, disk: Disk | None = None, **settings: object) -> Life:
    return Life(root, windows(64, 64, **settings), talkative(), disk=disk)


def a_life(root: Path, **settings: object) -> Life:
    """Return a life with eight memories, of which the last is a long look round."""
    life = Life(root, windows(64, 64, **settings), talkative())
    life.live(6)
    life.memory.record("acted", "look")
    life.memory.record("result", "The Landing. " + "Green planks slope down into a brown river. " * 10)
    return life


def why(life: Life, seq: int, unshown: Range = NONE) -> str:
    return explain_text(life.memory, seq, ENGLISH, unshown).split("\n")[1]


def test_one_memory_is_not_told_as_many(tmp_path):
    first, line = expanded(a_life(tmp_path).memory, "^m2").split("\n")
    assert first == "Memory 2 of Eliza, as the journal has it:"
    assert line.startswith("2: 2026-11-21 ")


def test_what_no_summary_covers_is_in_the_prompt_under_every_strategy(tmp_path):
    strategies = ("waterfall", "rolling", "layered", "window")
    told = [why(a_life(tmp_path / one, strategy=one), 2) for one in strategies]
    assert told == [NEWEST] * 4


def test_what_is_older_than_the_window_is_said_to_be_so(tmp_path):
    life = a_life(tmp_path, strategy="window", max_memories=4)
    wanted = f"The strategy window shows the newest 4 at most; this one is older. {BROUGHT_BACK}"
    assert [why(life, 1), why(life, 5)] == [wanted, NEWEST]


def test_what_the_prompt_has_no_room_for_is_not_said_to_be_in_it(tmp_path):
    told = why(a_life(tmp_path), 2, Range(1, 5))
    assert told == f"No summary covers it yet, but there is no room for it in the prompt. {BROUGHT_BACK}"


def test_a_long_result_of_an_earlier_turn_is_said_to_be_told_in_short(tmp_path):
    life = a_life(tmp_path)
    assert why(life, 8) == NEWEST  # its turn is not over
    life.memory.record("acted", "emote nods")
    assert why(life, 8) == "It is one of the newest, but long, so the prompt shortens it; see @memory-expand ^m8."


@pytest.mark.parametrize(
    ("quality", "told"),
    [
        ("prose", "which the model wrote; @memory-expand brings its words back."),
        ("extractive", "in its own words."),
        ("fallback", "in its own words."),
    ],
)
def test_a_summary_of_picked_lines_tells_them_whoever_picked_them(tmp_path, quality, told):
    life = a_life(tmp_path)
    text = f"- {life.memory.journal.read(2, 2)[0].text} ([[2026-11-21#^m2]])"
    life.memory.publish(None, Summary(1, 4, text, quality=quality, made_ms=life.clock.ms))
    assert why(life, 2) == f"It is in the short-term summary of memories 1–4, {told}"


@pytest.mark.parametrize("wanted", ["9" * 40, f"1-{'9' * 4000}", f"^m{'9' * 40}"])
def test_a_number_that_no_memory_can_have_is_refused_like_any_other(tmp_path, wanted):
    with pytest.raises(CommandError):
        expanded(a_life(tmp_path).memory, wanted)


def test_a_new_memory_has_nothing_to_tell(tmp_path):
    assert new_life(tmp_path).status()[:3] == [
        "Memory of Eliza: no memories.",
        "Newest memory: none yet.",
        "Word for word: none, 0 tokens.",
    ]


def test_memories_that_are_not_told_are_not_called_word_for_word(tmp_path):
    life = new_life(tmp_path, strategy="window", max_memories=12)
    life.live(30)
    lines = life.status()
    assert lines[2].startswith("Word for word: memories 21–30, 10 of them, ")  # it goes on in steps of three
    assert lines[3] == (
        "Not shown for now: memories 1–20, 20 of them; @memory-find and @memory-expand bring them back."
    )


def test_what_the_prompt_has_no_room_for_is_not_called_word_for_word(tmp_path):
    life = new_life(tmp_path)
    life.live(30)
    lines = life.status(unshown=Range(1, 16))
    assert lines[2].startswith("Word for word: memories 17–30, 14 of them, ")
    assert lines[3].startswith("Not shown for now: memories 1–16, 16 of them; ")


def test_one_cycle_is_not_told_as_many(tmp_path):
    life = new_life(tmp_path)
    life.compactor.stats.record_success(life.clock.ms)
    assert "Last compaction: an hour ago. Since the start: 1 cycle." in life.status(later_ms=3_600_000)


def test_a_memory_that_cannot_be_written_is_told_with_what_waits(tmp_path):
    disk = QuickDisk()
    life = new_life(tmp_path, disk)
    with disk.full():
        life.live(1)
    told = [line for line in life.status() if "No space left on device" in line]
    assert len(told) == 1
    assert "1 memor" in told[0]


def test_every_line_reads_well_aloud(tmp_path):
    life = new_life(tmp_path)
    life.live(1)
    assert [line for line in life.status() if not line.endswith(".")] == []
