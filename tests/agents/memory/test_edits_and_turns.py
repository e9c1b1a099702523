"""Hands and disks that come between a plan and its publication, and lines typed while the world runs."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from agents.memory.compactor import Compactor
from agents.memory.summaries.rebuilding import chain_of
from agents.models.model import ModelError
from tests.agents.memory import on_disk
from tests.agents.memory.lives import Life, QuickDisk, one_turn, talkative, windows
from tests.scripted_model import ScriptedModel
from vault.memory.summaries import Summary

FOUR = windows(4, 4)


@pytest.fixture
def eliza(tmp_path):
    return Life(tmp_path, FOUR, talkative())


def edit(path: Path, old: str, new: str) -> None:
    """Change a file as a person does: later than the clock of the file system can tell."""
    text, at_ns = path.read_text(), path.stat().st_mtime_ns
    assert old in text, text
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(at_ns, at_ns + 10**9))


def in_force(life: Life, name: str) -> Path:
    return life.folder / "summaries" / f"{name}.md"


async def settled() -> None:
    for _ in range(20):
        await one_turn()


def test_what_is_due_is_looked_at_again_when_the_turn_has_come(tmp_path):
    turns = asyncio.Semaphore(1)
    eliza = Life(tmp_path, FOUR, talkative(), turns=turns)

    async def story() -> None:
        eliza.live(9)
        await eliza.compact()  # 1–5
        eliza.live(4)
        async with turns:
            eliza.compactor.start_if_due()
            await settled()
            edit(in_force(eliza, "recent"), "- 1\n- 5\n", "- 1\n- 3\n")
        await eliza.finish()

    asyncio.run(story())
    longterm, recent = on_disk.summary(eliza.folder, "longterm"), on_disk.summary(eliza.folder, "recent")
    assert longterm and recent
    assert (longterm[:2], recent[:2]) == ((1, 3), (4, 7))


def test_an_edit_during_the_call_wins_and_what_was_made_is_kept_beside_it(eliza):
    eliza.live(9)

    async def story() -> None:
        await eliza.compact()
        eliza.live(4)
        await eliza.begin()
        edit(in_force(eliza, "recent"), "was gone.", "was gone, and I laughed.")
        eliza.model.release()
        await eliza.finish()

    asyncio.run(story())
    kept = [path.name for path in (eliza.folder / "summaries").glob("* (conflict *).md")]
    assert len(kept) == 2
    assert any("and I laughed" in prompt for prompt in eliza.model.prompts), "the next try starts from the edit"
    assert eliza.memory.coverage.b == 9


def test_an_edited_summary_is_kept_as_a_leaf_when_the_next_takes_its_place(eliza):
    async def story() -> None:
        eliza.live(9)
        await eliza.compact()
        edit(in_force(eliza, "recent"), "was gone.", "was gone, and I laughed.")
        eliza.live(4)
        await eliza.compact()

    asyncio.run(story())
    leaves = [leaf for _, leaf in eliza.memory.summaries.leaves() if leaf.last == 5]
    assert len(leaves) == 2
    assert "and I laughed" in chain_of(leaves, 5)[0].text


def test_what_another_thread_is_about_to_force_is_forced_before_a_summary(tmp_path):
    disk = QuickDisk()
    eliza = Life(tmp_path, FOUR, talkative(), disk=disk)
    eliza.live(9)
    assert eliza.memory.journal.pending_fsync()  # taken, and not yet done when the summary is ready
    asyncio.run(eliza.compact())
    found = on_disk.journal_files(eliza.folder)[0].stat()
    assert disk.forced[found.st_ino] == found.st_size


def test_a_mistyped_range_moves_no_number(eliza):
    eliza.live(9)
    asyncio.run(eliza.compact())
    edit(in_force(eliza, "recent"), "- 1\n- 5\n", "- 1\n- 5000\n")
    eliza.live(1)
    view = eliza.memory.view()
    assert (view.covered, view.n) == (5, 10)
    eliza.memory.close()
    again = Life(eliza.folder.parents[1], FOUR, talkative(), clock=eliza.clock)
    again.live(1)
    assert again.memory.view().n == 11


def test_a_few_short_words_are_kept_as_they_are(eliza):
    eliza.live(9, "ok")
    asyncio.run(eliza.compact())
    assert eliza.memory.coverage.b == 5
    assert eliza.model.requests == []


def test_calls_that_were_refused_are_in_the_ledger(tmp_path):
    eliza = Life(tmp_path, FOUR, ScriptedModel("I met Bartholomew.", "I met Bartholomew."))
    eliza.live(9)
    asyncio.run(eliza.compact())
    assert (eliza.compactor.stats.calls, eliza.memory.coverage.b) == (2, 0)


def test_a_rebuilding_waits_for_its_turn(tmp_path):
    turns = asyncio.Semaphore(1)
    eliza = Life(tmp_path, FOUR, talkative(), turns=turns)

    async def story() -> int:
        eliza.live(21)
        await eliza.compact()
        asked = len(eliza.model.requests)
        async with turns:
            eliza.compactor.force_rebuild(eliza.heard.append)
            await settled()
            waiting = len(eliza.model.requests) - asked
        await eliza.finish()
        return waiting

    assert asyncio.run(story()) == 0
    assert eliza.heard[0].done


def test_of_two_leaves_the_one_made_last_counts_if_it_leads_on():
    first = Summary(1, 5, "First.", 1, made_ms=1)
    anew = Summary(1, 5, "Anew.", 1, made_ms=5)
    second = Summary(6, 9, "Second.", 7, made_ms=3)
    astray = Summary(6, 8, "Astray.", 2, made_ms=9)
    assert chain_of([second, anew, astray, first], 9) == [anew, second]
    assert chain_of([second, astray], 9) == []


def test_a_summary_that_somebody_took_away_does_not_block_the_next(eliza):
    eliza.live(9)
    asyncio.run(eliza.compact())
    edit(in_force(eliza, "recent"), "covers:\n- 1\n- 5\n", "covers: all of it\n")
    eliza.memory.view()
    in_force(eliza, "recent").unlink()
    eliza.memory._set_aside_unfit()
    eliza.live(8)
    asyncio.run(eliza.compact())
    assert eliza.memory.coverage.b > 5


def test_an_edit_while_an_extract_is_told_again_is_what_the_next_plan_starts_from(eliza):
    """The extract is redone first; what is due is decided after it, not before."""
    asked: list[tuple[int, int]] = []

    async def story() -> None:
        eliza.live(9)
        await eliza.compact()
        extract = eliza.memory.recent
        assert extract
        marked = replace(extract, quality="fallback", scores={"characters": float(len(extract.text))})
        eliza.memory.replace(None, marked)
        eliza.live(4)
        await eliza.begin()
        edit(in_force(eliza, "recent"), "- 1\n- 5\n", "- 1\n- 3\n")
        asked.append((eliza.memory.view().covered, eliza.memory.coverage.n))
        eliza.model.release()
        await eliza.finish()

    asyncio.run(story())
    assert asked == [(3, 13)]
    longterm, recent = on_disk.summary(eliza.folder, "longterm"), on_disk.summary(eliza.folder, "recent")
    assert longterm and recent
    assert (longterm[:2], recent[:2]) == ((1, 3), (4, 7))


def test_the_next_try_waits_twice_as_long_each_time_and_a_success_forgets_it(tmp_path):
    eliza = Life(tmp_path, windows(4, 4, retry_seconds=10.0), ScriptedModel(lambda request: answer))
    answer: str | Exception = ModelError("There is nobody at that address.")
    eliza.live(9)
    waits = []
    for _ in range(3):
        asyncio.run(eliza.compact())
        waits.append((eliza.compactor.stats.next_try_ms - eliza.clock.ms) / 1000)
        asyncio.run(eliza.compact())
        assert len(eliza.model.requests) == len(waits), "before its time nothing is tried"
        eliza.clock.ms = eliza.compactor.stats.next_try_ms
    assert [7.5 * 2**n <= wait <= 12.5 * 2**n for n, wait in enumerate(waits)] == [True] * 3
    answer = "I sat with Moss by the river."
    asyncio.run(eliza.compact())
    assert (eliza.memory.coverage.b, eliza.compactor.stats.next_try_ms) == (5, 0)
    assert isinstance(eliza.compactor, Compactor)
