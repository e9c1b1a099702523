"""Facts written while the world goes on: as sure as at once, never over an edit, and never one before another."""

from __future__ import annotations

import asyncio
import random
import shutil
import threading
from pathlib import Path

import pytest

from agents.memory.facts.file import WRITE_EVERY, WRITE_MS, FactRegistry
from agents.write_pool import WritePool
from tests.agents.memory.facts.test_file import Desk, life_of
from tests.agents.memory.held import Held
from tests.english import ENGLISH
from tests.vault.failing_disk import Stopped
from vault.errors import NoteError
from vault.memory.facts_note import THINGS, Pin


class HeldDesk(Desk):
    """A desk whose registry writes in the background."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.pool = Held()
        self.registry = FactRegistry(self.vault, "Eliza", self.journal, lambda: self.ms, pool=self.pool)

    def again(self) -> HeldDesk:
        return HeldDesk(self.vault.root)


@pytest.fixture
def desk(tmp_path: Path) -> HeldDesk:
    """A desk at which three things have happened and the file is on its way."""
    desk = HeldDesk(tmp_path)
    desk.lives("Moss takes the keys.", "Moss hums.", "Moss hums.")
    desk.registry.take_in()
    return desk


def test_nobody_waits_for_the_file_and_the_journal_is_on_disk_before_it(desk: HeldDesk):
    assert not desk.path.exists()
    desk.disk.done.clear()
    desk.pool.go()
    assert desk.disk.done == ["fsync", "write_draft", "fsync", "replace"]
    assert "upto: 3\n" in desk.path.read_text()
    assert desk.journal.pending_fsync() is not None  # the group is told nothing of it, and may force them once more


def test_a_file_of_its_own_that_it_has_not_heard_of_is_no_edit(desk: HeldDesk):
    version = desk.registry.version
    desk.lives("Moss puts down the keys.")
    desk.pool.go()
    assert desk.value(THINGS, "keys") == "it lies in The Mill"
    desk.pool.tell()
    desk.registry.take_in()
    assert desk.registry.version == version
    assert desk.registry.upto == 4


def test_one_is_written_at_a_time_and_what_came_meanwhile_after_it(desk: HeldDesk):
    desk.lives(*["Moss hums."] * (WRITE_EVERY + 5))
    desk.registry.take_in()
    assert desk.pool.count == 1
    desk.pool.go()
    desk.pool.tell()
    assert "upto: 3\n" in desk.path.read_text()
    desk.registry.take_in()
    desk.pool.go()
    assert f"upto: {WRITE_EVERY + 8}\n" in desk.path.read_text()


def test_a_pin_waits_for_the_file_on_its_way_and_stands_in_the_next(desk: HeldDesk):
    desk.registry.pin("Hold the line.", ENGLISH)
    assert desk.pool.count == 0
    assert "- Hold the line." in desk.path.read_text()
    desk.pool.tell()  # late news of what the pin has waited for
    assert desk.registry.pins == (Pin("Hold the line."),)
    assert desk.again().value(THINGS, "keys") == "Moss has it"


def test_an_edit_made_while_the_file_is_on_its_way_counts(desk: HeldDesk):
    desk.pool.go()
    desk.pool.tell()
    desk.lives(*["Moss hums."] * WRITE_EVERY)
    desk.registry.take_in()
    desk.edit(lambda text: text.replace("**keys**: Moss has it", "**keys**: Ana has it"))
    desk.pool.go()
    assert "upto: 3\n" in desk.path.read_text()
    desk.pool.tell()
    assert desk.value(THINGS, "keys") == "Ana has it"
    desk.registry.close()
    assert "Ana has it" in desk.path.read_text()
    assert f"upto: {WRITE_EVERY + 3}\n" in desk.path.read_text()


def test_an_edit_made_before_a_pin_had_waited_counts_with_the_pin(desk: HeldDesk):
    desk.pool.go()
    desk.pool.tell()
    desk.lives(*["Moss hums."] * WRITE_EVERY)
    desk.registry.take_in()
    desk.edit(lambda text: text.replace("**keys**: Moss has it", "**keys**: Ana has it"))
    desk.registry.pin("Hold the line.", ENGLISH)
    assert "- Hold the line." in desk.path.read_text()
    assert "Ana has it" in desk.path.read_text()


def test_a_line_marked_meanwhile_is_pinned_in_the_file_after_it(desk: HeldDesk):
    path = desk.path.parent / "journal" / "2026-11-21.md"
    path.write_text(path.read_text().replace(" ^m2", " #pinned ^m2"))
    desk.journal.reload()
    desk.registry.take_in()
    assert "- Moss hums. ([[2026-11-21#^m2]])" in desk.path.read_text()


def test_what_could_not_be_written_is_told_once_and_tried_again(desk: HeldDesk, caplog: pytest.LogCaptureFixture):
    for _ in range(2):
        with desk.disk.full():
            desk.pool.go()
        desk.pool.tell()
        assert "No space left on device" in desk.registry.problem
        assert not desk.path.exists()
        desk.ms += WRITE_MS
        desk.registry.take_in()
    assert len([one for one in caplog.records if "No space left" in one.message]) == 1
    desk.pool.go()
    desk.pool.tell()
    assert desk.registry.problem == ""
    assert "upto: 3\n" in desk.path.read_text()


def test_a_failure_that_nobody_foresaw_is_told_as_well_and_ends_nobody_else(desk: HeldDesk):
    write = desk.disk.write_draft

    def fail(draft: Path, text: bytes, durable: bool) -> None:
        raise MemoryError

    desk.disk.write_draft = fail  # type: ignore[method-assign]
    desk.pool.go()
    desk.pool.tell()
    assert desk.registry.problem == "agents/Eliza/facts.md: cannot be written: MemoryError()."
    desk.registry.close()
    desk.disk.write_draft = write  # type: ignore[method-assign]
    desk.registry.close()
    assert desk.registry.problem == ""
    assert "upto: 3\n" in desk.path.read_text()


def test_an_edit_whose_other_version_cannot_be_kept_yet_is_taken_in_later(desk: HeldDesk):
    desk.registry.settle()
    before = desk.path.read_text()
    desk.lives("Moss hums.")
    desk.registry.pin("Count the boats.", ENGLISH)
    desk.edit(lambda text: before.replace("**keys**: Moss has it", "**keys**: Ana has it"))
    with desk.disk.full(), pytest.raises(NoteError):
        desk.registry.take_in()
    desk.registry.close()
    assert "Ana has it" in desk.path.read_text()
    (kept,) = desk.path.parent.glob("facts (conflict *).md")
    assert "- Count the boats." in kept.read_text()


def test_one_who_is_taken_away_meanwhile_does_not_come_back_by_the_file(desk: HeldDesk):
    shutil.rmtree(desk.path.parent)
    desk.pool.go()
    desk.pool.tell()
    assert "No such file or directory" in desk.registry.problem
    assert not desk.path.parent.exists()


def test_the_last_word_waits_for_what_is_on_its_way_and_has_the_rest(desk: HeldDesk):
    desk.lives("Moss puts down the keys.")
    desk.registry.close()
    assert "upto: 4\n" in desk.path.read_text()
    assert "**keys**: it lies in The Mill" in desk.path.read_text()


@pytest.mark.parametrize("after", range(5))
def test_a_process_that_dies_while_the_file_is_on_its_way_leaves_it_old_or_new(desk: HeldDesk, after: int):
    desk.registry.pin("Hold the line.", ENGLISH)
    desk.lives(*["Moss hums."] * WRITE_EVERY, "Moss puts down the keys.")
    desk.registry.take_in()
    with desk.disk.stopping(after):
        try:
            desk.pool.go()
        except Stopped:
            assert after < 4
    told = desk.path.read_text()
    assert ("upto: 3\n" in told) == (after < 4)
    again = desk.again()
    assert again.value(THINGS, "keys") == "it lies in The Mill"
    assert again.registry.pins == (Pin("Hold the line."),)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind_of_desk", [Desk, HeldDesk])
def test_whenever_the_file_is_written_and_whenever_one_dies_the_facts_are_the_same(
    tmp_path: Path, kind_of_desk: type[Desk], seed: int
):
    rng = random.Random(seed)
    through, crashing = Desk(tmp_path / "a"), kind_of_desk(tmp_path / "b")
    for kind, text, who in life_of(rng, 120):
        for one in (through, crashing):
            one.lives(text, kind=kind, who=who)
        if rng.random() < 0.3:
            crashing.registry.take_in()
        if isinstance(crashing, HeldDesk):
            for do in (crashing.pool.go, crashing.pool.tell):
                if rng.random() < 0.2:
                    do()
        if rng.random() < 0.1:
            ms = crashing.ms
            crashing.journal._open.close_file()  # no tidy end: what was not written is gone with the process
            crashing = crashing.again()
            crashing.ms = ms
    through.registry.take_in()
    crashing.registry.take_in()
    assert crashing.registry.facts == through.registry.facts


# The threads


def test_work_is_done_in_another_thread_and_heard_of_in_the_loop():
    async def both() -> tuple[int | None, int]:
        pool, heard = WritePool(), asyncio.Event()
        pool.is_open = True
        threads: list[int] = []

        def ended() -> None:
            threads.append(threading.get_ident())
            heard.set()

        future = pool.submit(threading.get_ident, ended)
        await heard.wait()
        return (future.result() if future else None), threads[0]

    worked, heard = asyncio.run(both())
    assert worked not in (None, threading.get_ident())
    assert heard == threading.get_ident()


def test_what_fails_is_heard_of_as_well():
    async def failing() -> BaseException | None:
        pool, heard = WritePool(), asyncio.Event()
        pool.is_open = True
        future = pool.submit(lambda: 1 / 0, heard.set)
        await heard.wait()
        return future.exception() if future else None

    assert isinstance(asyncio.run(failing()), ZeroDivisionError)


def test_nothing_is_begun_where_no_loop_runs_or_time_is_virtual():
    pool = WritePool()

    async def closed() -> object:
        return pool.submit(lambda: 1, lambda: None)

    assert asyncio.run(closed()) is None
    pool.is_open = True
    assert pool.submit(lambda: 1, lambda: None) is None


def test_the_end_waits_for_what_was_begun_and_nothing_is_begun_after_it():
    async def ended() -> tuple[list[int], object]:
        pool, gate, done = WritePool(), threading.Event(), list[int]()
        pool.is_open = True
        pool.submit(lambda: done.append(gate.wait(10)), lambda: None)
        pool.submit(gate.set, lambda: None)
        pool.close()
        return done, pool.submit(lambda: 1, lambda: None)

    assert asyncio.run(ended()) == ([True], None)
