"""What compaction in the background promises (0.1–0.3, 0.5, 0.6, 0.8, 0.13–0.15, 0.18), a test for each."""

from __future__ import annotations

import asyncio
import re
import shutil
import threading
import time
from dataclasses import replace
from pathlib import Path

from agents.memory.view import memory_text
from agents.models.model import Completion, OnText, Request
from agents.models.queue import ModelQueue
from agents.write_pool import WritePool
from tests.agents.memory import on_disk
from tests.agents.memory.lives import Life, QuickDisk, expanded, one_turn, talkative, windows
from tests.agents.memory.towns import Town, told
from tests.english import ENGLISH

SMALL = windows(4, 4)


def test_0_1_no_raw_memory_is_changed_by_fifty_compactions(tmp_path):
    eliza = Life(tmp_path, SMALL, talkative())
    while eliza.compactor.stats.cycles < 50:
        eliza.live(4)
        before = journal_files_of(eliza)
        asyncio.run(eliza.compact())
        assert journal_files_of(eliza) == before
    assert list(on_disk.lines(eliza.folder)) == list(range(1, eliza.memory.journal.last + 1))


def journal_files_of(life: Life) -> dict[Path, tuple[bytes, int]]:
    """Return the content of each file of a journal, and when it was written last."""
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in on_disk.journal_files(life.folder)}


def test_0_2_a_turn_taken_during_a_summary_does_not_wait_for_it(tmp_path):
    town = Town(tmp_path)
    took: dict[bool, list[float]] = {False: [], True: []}

    async def turns(count: int) -> None:
        for _ in range(count):
            started = time.perf_counter()
            turn = await town.eliza.tick()
            took[bool(town.summaries.running)].append(time.perf_counter() - started)
            assert turn.outcome == "acted"

    async def story() -> None:
        town.live(100)
        await turns(10)
        town.summaries.hold()
        town.live(40)
        await turns(12)
        await town.agents.stop()

    asyncio.run(story())
    assert len(took[True]) >= 10, "the summariser was never asked"
    assert sorted(took[True])[len(took[True]) // 2] < 1.0, "a summary that takes for ever would have taken for ever"


def test_0_2_with_one_model_for_everything_a_turn_does_not_wait_for_a_summary(tmp_path):
    town = Town(tmp_path)
    waiting, may_end = asyncio.Event(), asyncio.Event()
    complete = town.thoughts.complete

    async def complete_slowly(request: Request, on_text: OnText | None = None) -> Completion:
        if request.prompt.endswith("SUMMARY:"):
            waiting.set()
            await may_end.wait()
            return replace(await complete(request, on_text), text="I heard of many stones, one after the other.")
        return await complete(request, on_text)

    town.thoughts.complete = complete_slowly  # type: ignore[method-assign]
    town.agents.wake(ModelQueue(town.thoughts))

    async def story() -> None:
        town.live(140)
        assert town.eliza.compactor.start_if_due()
        for _ in range(3):
            await waiting.wait()
            assert (await asyncio.wait_for(town.eliza.tick(), 20)).outcome == "acted"
            waiting.clear()
        may_end.set()
        while town.eliza.compactor.is_running:
            await one_turn()

    asyncio.run(story())
    assert (town.eliza.compactor.stats.cycles, town.eliza.compactor.stats.last_error) == (1, "")


def test_0_3_without_its_summaries_the_view_is_the_raw_memories(tmp_path):
    eliza = Life(tmp_path, SMALL, talkative())
    eliza.live(60)
    asyncio.run(eliza.compact())
    assert eliza.memory.view().covered > 0
    shutil.rmtree(eliza.folder / "summaries")
    view = eliza.memory.view()
    assert (view.told_in("older"), view.told_in("recent")) == ("", "")
    assert view.tail_text().split("\n") == [memory_text(m, "Eliza") for m in eliza.memory.journal.read(1, 60)]


def test_0_5_the_prompt_has_one_summary_a_tier_and_the_old_ones_are_on_disk_only(tmp_path):
    town = Town(tmp_path, "immediate_window: 4\nrecent_window: 4\nrebuild_every: 0")
    cycles = town.eliza.compactor.stats
    while cycles.cycles < 7:
        town.live(1)
        asyncio.run(town.compact())
    prompt, leaves = town.eliza.prompt().text, town.eliza.memory.summaries.leaf_names()
    assert re.findall(r"\[Summarized .*\]", prompt) == [
        "[Summarized 25 memories: 1–25]",
        "[Summarized 4 memories: 26–29]",
    ]
    assert len(leaves) == 7
    assert (prompt.count("until the light was gone"), prompt.count("it was a good time")) == (1, 1)


def test_0_6_each_call_gets_the_summary_before_and_only_what_is_new(tmp_path):
    model = talkative()
    eliza = Life(tmp_path, SMALL, model)
    folds, tellings, in_force = [], [], []
    while eliza.compactor.stats.cycles < 6:
        asked, before = len(model.requests), (eliza.memory.longterm, eliza.memory.recent)
        eliza.clock.ms += 1000
        eliza.memory.record("observed", told(eliza.memory.journal.last + 1), "The Landing")
        asyncio.run(eliza.compact())
        for prompt in model.prompts[asked:]:
            if "long ago" in prompt:
                folds.append(all(summary.text in prompt for summary in before if summary))
                assert "stone" not in prompt
            else:
                tellings.append([int(seq) for seq in re.findall(r"stone (\d+) of", prompt)])
                in_force.append(eliza.memory.recent)
    assert tellings == [list(range(one.first, one.last + 1)) for one in in_force if one]
    assert [seq for part in tellings for seq in part] == list(range(1, eliza.memory.coverage.b + 1))
    assert folds == [True] * 5


def test_0_8_the_newest_are_to_the_letter_in_every_prompt(tmp_path):
    town = Town(tmp_path, "immediate_window: 16\nrecent_window: 8\nrebuild_every: 0")

    async def story() -> None:
        for _ in range(120):
            town.live(1)
            last = town.eliza.memory.journal.last
            newest = "\n".join(told(seq) for seq in range(max(1, last - 15), last + 1))
            assert newest in town.eliza.prompt().text
            town.eliza.compactor.start_if_due()
            await one_turn()

    asyncio.run(story())
    assert town.eliza.compactor.stats.cycles > 5


def test_0_14_stop_during_a_call_that_hangs_returns_at_once_and_the_old_summary_holds(tmp_path):
    eliza = Life(tmp_path, SMALL, talkative())

    async def story() -> float:
        eliza.live(9)
        await eliza.compact()
        eliza.live(4)
        await eliza.begin()
        started = time.monotonic()
        await eliza.compactor.stop()
        return time.monotonic() - started

    assert asyncio.run(story()) <= 5
    assert (eliza.model.cancelled, eliza.compactor.stats.state) == (1, "idle")
    again = Life(tmp_path, SMALL, talkative())
    assert again.memory.recent == eliza.memory.recent
    assert on_disk.boundaries(eliza.folder) == (0, 5)


def test_0_14_stop_while_the_disk_hangs_returns_before_the_disk_and_holds_up_nobody(tmp_path):
    disk, is_well = QuickDisk(), threading.Event()
    eliza = Life(tmp_path, SMALL, talkative(), disk=disk, pool=WritePool())
    eliza.live(9)
    asyncio.run(eliza.compact())
    eliza.live(4)
    eliza.compactor._pool.is_open = True
    write, begun, written = disk.write_draft, threading.Event(), list[Path]()

    def hang(draft: Path, text: bytes, durable: bool) -> None:
        begun.set()
        is_well.wait(6)
        write(draft, text, durable)
        written.append(draft)

    disk.write_draft = hang  # type: ignore[method-assign]
    turns = 0

    async def beat() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.001)

    async def story() -> tuple[int, list[Path]]:
        heart = asyncio.create_task(beat())
        eliza.compactor.start_if_due()
        await asyncio.to_thread(begun.wait)
        before = turns
        await eliza.compactor.stop()
        await asyncio.sleep(0.01)
        heart.cancel()
        return turns - before, list(written)

    beats, written_at_once = asyncio.run(story())
    assert (beats > 0, written_at_once) == (True, [])
    is_well.set()
    eliza.compactor._pool.close()
    assert list((eliza.folder / "summaries").glob(".*")) == []  # what was given up is tidied up when the disk is well
    assert on_disk.boundaries(eliza.folder) == (0, 5)


def test_0_14_after_stop_nothing_runs_whoever_asks_for_it(tmp_path):
    eliza = Life(tmp_path, SMALL, talkative())
    eliza.live(30)

    async def story() -> None:
        await eliza.compactor.stop()
        assert not eliza.compactor.start_if_due()
        assert eliza.compactor.force(eliza.heard.append).key == "compaction.asleep"
        assert eliza.compactor.force_rebuild(eliza.heard.append).key == "compaction.asleep"

    asyncio.run(story())
    assert (eliza.compactor.is_running, eliza.model.requests, eliza.heard) == (False, [], [])


def test_0_14_whoever_asked_for_a_compaction_that_is_cut_short_is_told_so(tmp_path):
    eliza = Life(tmp_path, SMALL, talkative())
    eliza.live(30)
    eliza.model.hold()

    async def story() -> None:
        eliza.compactor.force(eliza.heard.append)
        await eliza.until_asked()
        await eliza.compactor.stop()
        await one_turn()

    asyncio.run(story())
    assert [outcome.told(ENGLISH) for outcome in eliza.heard] == [
        "Compaction of Eliza was cancelled and nothing has changed: Eliza fell asleep."
    ]


def test_0_14_whoever_asks_for_a_compaction_that_is_already_running_is_told_its_end(tmp_path):
    eliza = Life(tmp_path, SMALL, talkative())
    eliza.live(30)

    async def story() -> None:
        await eliza.begin()
        assert eliza.compactor.force(eliza.heard.append).key == "compaction.under_way"
        assert eliza.compactor.force_rebuild(eliza.heard.append).key == "compaction.under_way"
        eliza.model.release()
        await eliza.finish()
        await one_turn()

    asyncio.run(story())
    assert [outcome.key for outcome in eliza.heard] == ["compaction.ended", "compaction.ended"]


def test_0_15_a_hundred_notifications_during_a_call_are_one_call_and_one_look_again(tmp_path):
    eliza = Life(tmp_path, SMALL, talkative())
    most: list[int] = []

    async def story() -> None:
        eliza.live(9)
        eliza.model.hold()
        assert eliza.compactor.start_if_due()
        await eliza.until_asked()
        for _ in range(100):
            assert not eliza.compactor.start_if_due()
            most.append(eliza.model.running)
        eliza.live(4)  # so that the look again finds that another cycle is due
        eliza.model.release()
        await eliza.finish()

    asyncio.run(story())
    assert set(most) == {1}
    assert (eliza.compactor.stats.cycles, eliza.memory.coverage.b) == (2, 9)


def test_0_18_every_summarised_memory_can_be_had_back_to_the_letter_by_its_number(tmp_path):
    eliza = Life(tmp_path, SMALL, talkative())
    texts = [f"Moss says, \"Stone {seq} \\ [[of]] my #wall ^m{seq} is 'å' – {seq}%.\"" for seq in range(1, 41)]
    for text in texts:
        eliza.memory.record("observed", text)
    asyncio.run(eliza.compact())
    assert eliza.memory.coverage.b >= 33
    for seq, text in enumerate(texts, 1):
        found = eliza.memory.memory(seq)
        assert found
        assert found.text == text
        assert text in expanded(eliza.memory, str(seq))
