"""Summaries written while the world goes on come into force all at once, or not at all, and never over an edit."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from agents.memory.coverage import Coverage
from agents.memory.memory import AgentMemory
from agents.write_pool import WritePool
from tests.agents.memory.held import Held
from tests.agents.memory.lives import Life, QuickDisk, one_turn, outcomes, talkative, windows
from tests.vault.failing_disk import FailingDisk, Stopped
from vault.errors import NoteError

FOUR = windows(4, 4)


def a_life(root: Path, disk: FailingDisk | None = None) -> tuple[Life, Held]:
    """Return a life of thirteen memories, of which the first five are summarised, and the pool that it writes with."""
    life, pool = Life(root, FOUR, talkative(), disk=disk or QuickDisk()), Held()
    life.live(9)
    asyncio.run(life.compact())
    life.live(4)
    life.compactor._pool = pool
    return life, pool


async def compact(life: Life, pool: Held, meanwhile: Callable[[], object] = lambda: None) -> None:
    """Do what is due, and something while it is being written."""
    life.compactor.start_if_due()
    while life.compactor.is_running and not pool.count:
        await one_turn()
    meanwhile()
    while life.compactor.is_running:
        pool.go()
        await one_turn()


def names(life: Life) -> list[str]:
    """Return the names in the folder of the summaries."""
    return sorted(path.name for path in (life.folder / "summaries").iterdir())


def drafts(life: Life) -> list[str]:
    return [name for name in names(life) if name.endswith(".draft")]


def test_until_all_is_on_disk_the_old_summaries_are_in_force(tmp_path: Path):
    life, pool = a_life(tmp_path)
    seen: list[object] = []

    def meanwhile() -> None:
        seen.append((life.memory.coverage, names(life)))
        life.live(3)

    before = names(life)
    asyncio.run(compact(life, pool, meanwhile))
    assert seen == [(Coverage(0, 5, 13), before)]
    assert life.memory.coverage == Coverage(5, 9, 16)  # what came meanwhile is verbatim
    assert drafts(life) == []
    assert life.memory.longterm == life.memory.summaries.read("longterm.md")
    assert life.memory.recent == life.memory.summaries.read("recent.md")
    assert [(leaf.first, leaf.last) for _, leaf in life.memory.summaries.leaves()] == [(1, 5), (6, 9)]


def test_the_journal_is_on_disk_before_the_drafts_and_the_drafts_before_the_first_name(tmp_path: Path):
    disk = QuickDisk()
    life, pool = a_life(tmp_path, disk)
    asyncio.run(compact(life, pool, disk.done.clear))
    draft = ["write_draft", "fsync"]
    assert disk.done[:7] == ["fsync", *3 * draft]  # the journal; leaf, long-term, short-term
    assert disk.done[7:11] == [*3 * ["replace"], "sync_folder"]


def test_one_who_is_taken_away_meanwhile_does_not_come_back_by_a_summary(tmp_path: Path):
    life, pool = a_life(tmp_path)
    seen: list[bool] = []

    def go() -> None:
        shutil.rmtree(life.folder)
        Held.go(pool)
        seen.append(life.folder.exists())

    pool.go = go  # type: ignore[method-assign]
    stop(life, pool)
    assert seen == [False]


def edit(life: Life) -> None:
    path = life.folder / "summaries" / "recent.md"
    path.write_text(path.read_text("utf-8").replace("I ", "I, and nobody else, "), "utf-8")


def test_an_edit_made_meanwhile_counts_and_what_was_made_is_kept_beside_it(tmp_path: Path):
    life, pool = a_life(tmp_path)
    asyncio.run(compact(life, pool, lambda: edit(life)))
    leaves = [leaf.text for _, leaf in life.memory.summaries.leaves()]
    assert any("I, and nobody else, " in text for text in leaves)  # the next try was made from it
    assert life.memory.coverage == Coverage(5, 9, 13)
    assert sum("(conflict " in name for name in names(life)) == 2
    assert drafts(life) == []
    assert [outcome for _, outcome in outcomes(life.memory)] == ["accepted", "accepted", "superseded", "accepted"]


@pytest.mark.parametrize("strategy", ["waterfall", "rolling"])
@pytest.mark.parametrize("is_pooled", [True, False])
def test_an_edit_at_the_last_moment_before_the_names_change_is_never_written_over(
    tmp_path: Path, strategy: str, is_pooled: bool
):
    disk = QuickDisk()
    life, pool = Life(tmp_path, windows(4, 4, strategy="rolling", threshold=8), talkative(), disk=disk), Held()
    life.live(9)
    asyncio.run(life.compact())
    life.memory.settings = windows(4, 4, strategy=strategy)
    life.live(9)
    pool.is_open = is_pooled
    if is_pooled:
        life.compactor._pool = pool
    path, write = life.folder / "summaries" / "longterm.md", disk.write_draft

    def write_late(draft: Path, text: bytes, durable: bool) -> None:
        write(draft, text, durable)
        if "longterm.md" in draft.name:
            path.write_text(path.read_text("utf-8").replace("I ", "I, and nobody else, "), "utf-8")
            disk.write_draft = write  # type: ignore[method-assign]

    disk.write_draft = write_late  # type: ignore[method-assign]

    async def story() -> None:
        life.compactor.force(life.heard.append)
        while life.compactor.is_running:
            pool.go()
            await one_turn()

    asyncio.run(story())
    folder = list((life.folder / "summaries").glob("longterm*.md"))
    assert any("I, and nobody else, " in one.read_text("utf-8") for one in folder)
    assert [one for one in folder if "(conflict " in one.name]
    assert drafts(life) == []


def test_a_file_that_was_only_touched_is_no_edit(tmp_path: Path):
    life, pool = a_life(tmp_path)
    path = life.folder / "summaries" / "recent.md"
    asyncio.run(compact(life, pool, lambda: path.write_text(path.read_text("utf-8") + "\n", "utf-8")))
    assert life.memory.coverage == Coverage(5, 9, 13)
    assert drafts(life) == []


def test_a_rollback_made_meanwhile_counts(tmp_path: Path):
    life, pool = a_life(tmp_path)
    asyncio.run(compact(life, pool))
    life.live(4)
    first = life.memory.summaries.leaf_names()[0]
    seen: list[Coverage] = []

    def roll_back() -> None:
        life.memory.roll_back(first)
        seen.append(life.memory.coverage)

    asyncio.run(compact(life, pool, roll_back))
    assert seen == [Coverage(0, 5, 17)]
    assert _is_partition(life.memory)
    assert drafts(life) == []


@pytest.mark.parametrize("after", range(8))
def test_on_a_full_disk_the_old_view_stands_and_the_next_try_succeeds(tmp_path: Path, after: int):
    disk = QuickDisk()
    life, pool = a_life(tmp_path, disk)
    go = pool.go

    def full() -> None:
        with disk.full(after):
            go()

    pool.go = full  # type: ignore[method-assign]
    asyncio.run(compact(life, pool))
    assert drafts(life) == []
    assert life.memory.coverage == (Coverage(0, 5, 13) if after < 7 else Coverage(5, 9, 13))
    pool.go = go  # type: ignore[method-assign]
    life.clock.ms += 1_000_000
    asyncio.run(compact(life, pool))
    assert life.memory.coverage == Coverage(5, 9, 13)


def stop(life: Life, pool: Held) -> int:
    """Stop while the work waits for a thread, and let it go on after that; return how many more files are open then."""

    async def stopped() -> int:
        before = len(os.listdir("/dev/fd"))
        life.compactor.start_if_due()
        while not pool.count:
            await one_turn()
        await life.compactor.stop()
        pool.go()
        return len(os.listdir("/dev/fd")) - before

    return asyncio.run(stopped())


def test_one_who_stops_does_not_wait_for_the_disk_and_leaves_nothing_behind(tmp_path: Path):
    life, pool = a_life(tmp_path)
    assert stop(life, pool) == 0
    assert life.memory.coverage == Coverage(0, 5, 13)
    assert drafts(life) == []


def test_the_archive_says_that_what_was_accepted_has_not_come_into_force(tmp_path: Path):
    life, pool = a_life(tmp_path)
    stop(life, pool)
    assert [outcome for _, outcome in outcomes(life.memory)] == ["accepted", "accepted", "cut short"]


def test_what_cannot_even_be_begun_holds_no_file_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    life, _ = a_life(tmp_path)

    def refuse(*summaries: object) -> None:
        raise NoteError("The folder cannot be read.")

    monkeypatch.setattr(life.memory.summaries, "prepare", refuse)
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(NoteError):
        life.memory.ahead(life.memory.longterm, life.memory.recent)
    assert len(os.listdir("/dev/fd")) == before


def test_a_failure_that_nobody_foresaw_leaves_no_drafts_and_the_old_view(tmp_path: Path):
    disk = QuickDisk()
    life, pool = a_life(tmp_path, disk)
    write, written = disk.write_draft, list[Path]()

    def write_two(draft: Path, text: bytes, durable: bool) -> None:
        if len(written) == 2:
            raise MemoryError
        written.append(draft)
        write(draft, text, durable)

    disk.write_draft = write_two  # type: ignore[method-assign]
    asyncio.run(compact(life, pool))
    assert len(written) == 2
    assert drafts(life) == []
    assert life.memory.coverage == Coverage(0, 5, 13)
    assert life.compactor.stats.failures_in_a_row == 1


@pytest.mark.parametrize("after", range(11))
def test_whenever_one_dies_the_summaries_are_old_or_new(tmp_path: Path, after: int):
    disk = QuickDisk()
    life, pool = a_life(tmp_path, disk)
    before, go = life.memory.coverage, pool.go

    def go_and_die() -> None:
        disk._from, disk._error = disk._from or len(disk.done) + after + 1, Stopped
        go()

    pool.go = go_and_die  # type: ignore[method-assign]
    with suppress(Stopped):  # who dies as the names change dies in a task
        asyncio.run(compact(life, pool))
    assert len(disk.done) >= disk._from
    disk._from = 0
    life.die()
    again = Life(tmp_path, FOUR, talkative(), clock=life.clock).memory
    assert again.coverage.n == 13
    assert again.coverage in (before, Coverage(0, 9, 13), Coverage(5, 9, 13), Coverage(5, 5, 13))
    assert _is_partition(again)


def _is_partition(memory: AgentMemory) -> bool:
    view = memory.view()
    return [one.seq for one in view.tail] == list(range(view.covered + 1, view.n + 1))


def test_it_is_the_same_with_threads(tmp_path: Path):
    life, _ = a_life(tmp_path / "a")
    life.compactor._pool = WritePool()
    life.compactor._pool.is_open = True
    asyncio.run(life.compact())
    other, _ = a_life(tmp_path / "b")
    other.compactor._pool = WritePool()
    asyncio.run(other.compact())
    assert life.memory.coverage == other.memory.coverage == Coverage(5, 9, 13)
    assert names(life) == names(other)
    assert drafts(life) == []
    assert life.memory.longterm == other.memory.longterm


def test_others_go_on_at_every_memory_that_a_summary_is_verified_by(tmp_path: Path):
    life = Life(tmp_path, windows(4, 64), talkative())
    life.live(69)

    async def turns_of_others() -> int:
        life.compactor.start_if_due()
        turns = 0
        while life.compactor.is_running:
            await one_turn()
            turns += 1
        return turns

    turns = asyncio.run(turns_of_others())
    assert life.memory.recent is not None and life.memory.recent.quality == "prose"
    assert turns >= life.memory.recent.last - life.memory.recent.first + 1 >= 64
