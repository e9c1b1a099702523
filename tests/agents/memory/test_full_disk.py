"""On a full disk nothing is forgotten in silence: admins hear of it, and nothing is summarised meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.agents.memory.lives import MORNING_MS, Life, QuickDisk, talkative, windows
from tests.english import ENGLISH
from vault.errors import NoteError


def a_life(root: Path) -> tuple[Life, QuickDisk, list[str]]:
    """Return a life of twelve memories, its disk, and what admins are told."""
    disk, told = QuickDisk(), list[str]()
    life = Life(root, windows(4, 4), talkative(), disk=disk)
    life.memory.on_trouble = told.append
    life.live(12)
    return life, disk, told


def test_memories_wait_in_order_and_admins_and_the_log_hear_of_it_once_and_once_that_they_are_written(tmp_path, caplog):
    life, disk, told = a_life(tmp_path)
    with disk.full():
        life.live(3)
        assert not life.memory.write_pending()
        assert life.memory.waiting == 3
        assert "No space left on device" in life.memory.problem
    life.live(1)
    assert (life.memory.problem, life.memory.waiting) == ("", 0)
    assert len(told) == 2
    assert told[0].startswith("agents/Eliza/journal: a memory cannot be written: No space left on device.")
    assert told[0].endswith("Eliza pauses, and what it perceives waits until it can be written.")
    assert told[1] == "The memories of Eliza are written again; none was lost."
    assert [memory.at_ms for memory in life.memory.view().tail] == [MORNING_MS + 1000 * seq for seq in range(1, 17)]
    assert [record.getMessage() for record in caplog.records][1:] == ["[Memory] Eliza: memories are written again"]


def test_admins_hear_that_the_archive_cannot_be_written(tmp_path):
    life, disk, told = a_life(tmp_path)
    life.memory.archive_writer.add("message", 1, reply="look")
    with disk.full():
        life.memory.archive_writer.write()
        life.memory.archive_writer.write()
    life.memory.archive_writer.write()
    assert len(told) == 2
    assert told[0].endswith("Until then nothing of Eliza is summarised.")
    assert told[1] == "The archive of Eliza is written again."


def test_nothing_is_summarised_while_memories_cannot_be_written(tmp_path):
    life, disk, _ = a_life(tmp_path)
    with disk.full():
        life.live(1)
        asyncio.run(life.force())
    assert life.model.prompts == []
    assert not life.heard[0].done
    assert "No space left on device" in life.heard[0].told(ENGLISH)
    asyncio.run(life.force())
    assert life.heard[1].done


def test_what_is_lost_at_the_end_of_the_world_is_counted(tmp_path):
    life, disk, _ = a_life(tmp_path)
    with disk.full():
        life.live(3)
        with pytest.raises(NoteError, match=r"^3 of Eliza's memories could not be written and are lost\. "):
            life.memory.close()
