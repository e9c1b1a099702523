"""An agent's memory as a whole: what is remembered stays so, whatever fails, and the view is always a partition."""

from __future__ import annotations

import itertools
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from agents.memory.coverage import Coverage
from agents.memory.memory import VIEW_STEP, AgentMemory
from agents.memory.strategy import MAX_TAIL
from config.settings import MemorySettings
from tests.agents.memory.views import covered_by
from tests.vault.failing_disk import FailingDisk, Stopped
from tests.vault.vault_of import vault_of
from vault.errors import NoteError
from vault.memory.summaries import Summary

AT = 1_764_016_501_000


def memory_in(root: Path, disk: FailingDisk | None = None, count: int = 0) -> AgentMemory:
    """Return Eliza's memory as it is on disk, and that of so many things more."""
    ticks = itertools.count(AT, 1000)
    memory = AgentMemory(vault_of(root, {}, disk), "Eliza", MemorySettings(), lambda: next(ticks))
    memory.load()
    remember(memory, count)
    return memory


def remember(memory: AgentMemory, count: int) -> None:
    for _ in range(count):
        memory.record("observed", f"Thing {memory.journal.last + memory.waiting + 1}.")


def summary(first: int, last: int, text: str = "") -> Summary:
    return Summary(first, last, text or f"I remember {first} to {last}.", made_ms=AT)


def written(root: Path, name: str) -> Path:
    return root / "agents" / "Eliza" / "summaries" / name


def edit(root: Path, name: str, text: str) -> None:
    """Change a summary by hand, as an editor does: at another time."""
    path = written(root, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(AT * 10**6, path.stat().st_size + AT * 10**6))


def told(memory: AgentMemory) -> list[int]:
    """Return the numbers of all memories that a view tells, by summary or word for word, in order."""
    view = memory.view()
    covered = covered_by(view)
    return [*covered, *(memory.seq for memory in view.tail)]


def test_what_is_recorded_is_in_view_in_order(tmp_path):
    memory = memory_in(tmp_path)
    memory.record("told", 'Ana whispers to you, "psst"', "The Weir", ("Ana",), 5)
    memory.record("acted", "say Yes? | curious", "The Weir")
    first, second = memory.view().tail
    assert (first.seq, first.kind, first.room, first.people, first.importance) == (1, "told", "The Weir", ("Ana",), 5)
    assert (second.seq, second.text) == (2, "say Yes? | curious")
    assert memory.coverage == Coverage(0, 0, 2)


def test_a_long_tail_is_told_as_far_as_is_useful_and_begins_with_the_same_line_for_a_while(tmp_path):
    memory, firsts = memory_in(tmp_path, count=MAX_TAIL), []
    for _ in range(2 * VIEW_STEP - 1):
        remember(memory, 1)
        tail = memory.view().tail
        assert [m.seq for m in tail] == list(range(tail[0].seq, memory.journal.last + 1))
        assert MAX_TAIL - VIEW_STEP < len(tail) <= MAX_TAIL
        firsts.append(tail[0].seq)
    assert len(set(firsts)) == 2


@pytest.mark.parametrize(
    ("longterm", "recent", "why"),
    [
        (None, summary(2, 10), "memories from 1 on would be missing or twice"),
        (summary(1, 10), summary(12, 20), "memories from 11 on would be missing or twice"),
        (summary(1, 10), summary(10, 20), "memories from 11 on would be missing or twice"),
        (summary(2, 10), summary(11, 20), "begins at memory 2 and not at 1"),
        (None, summary(1, 31), "it goes to 31, and the journal to 30"),
    ],
)
def test_what_would_be_no_partition_is_refused_and_changes_nothing(tmp_path, longterm, recent, why):
    memory = memory_in(tmp_path, count=30)
    with pytest.raises(ValueError, match=why):
        memory.publish(longterm, recent)
    assert memory.coverage == Coverage(0, 0, 30)
    assert not written(tmp_path, "recent.md").exists()


def test_a_summary_edited_by_hand_counts_from_the_next_view(tmp_path):
    memory = memory_in(tmp_path, count=20)
    memory.publish(None, summary(1, 8))
    edit(tmp_path, "recent.md", "---\ncovers: [1, 8]\n---\nI met Ana, and only that counts.\n")
    assert memory.poll_edits()
    assert memory.view().told_in("recent").startswith("I met Ana, and only that counts.")
    assert not memory.poll_edits()


def test_a_summary_that_somebody_broke_leaves_the_last_good_one_in_force(tmp_path):
    memory = memory_in(tmp_path, count=20)
    memory.publish(None, summary(1, 8))
    edit(tmp_path, "recent.md", "---\ncovers: [1,\n---\nI met Ana.\n")
    assert [one.summary for one in memory.view().summaries] == [summary(1, 8)]
    assert told(memory) == list(range(1, 21))
    assert "The last good one stays in force." in memory.warnings[-1]


def test_a_summary_that_was_broken_at_the_start_is_left_out(tmp_path):
    memory = memory_in(tmp_path, count=20)
    memory.publish(None, summary(1, 8))
    memory.close()
    edit(tmp_path, "recent.md", "---\ncovers: [1,\n---\nI met Ana.\n")
    again = memory_in(tmp_path)
    assert again.coverage == Coverage(0, 0, 20)
    assert "It is left out." in again.warnings[-1]


@pytest.mark.parametrize(
    ("text", "why"),
    [("---\ncovers: [1,\n---\nMine.\n", "not valid"), ("---\ncovers: [5, 9]\n---\nMine.\n", "does not fit")],
)
def test_what_somebody_typed_is_kept_aside_before_another_takes_its_name(tmp_path, text, why):
    memory = memory_in(tmp_path, count=20)
    memory.publish(None, summary(1, 8))
    edit(tmp_path, "recent.md", text)
    memory.view()
    memory.publish(None, summary(1, 10))
    (aside,) = written(tmp_path, "").glob(f"recent ({why} *).md")
    assert "Mine." in aside.read_text()
    assert memory_in(tmp_path).recent == summary(1, 10)


def test_the_last_good_long_term_summary_takes_the_place_of_the_broken_one_that_is_kept_aside(tmp_path):
    memory = memory_in(tmp_path, count=20)
    memory.publish(None, summary(1, 8))
    memory.publish(summary(1, 8), summary(9, 12))
    edit(tmp_path, "longterm.md", "---\ncovers: soon\n---\nMine.\n")
    memory.view()
    memory.publish(None, summary(9, 14))
    assert memory.coverage == memory_in(tmp_path).coverage == Coverage(8, 14, 20)
    assert memory_in(tmp_path).longterm == summary(1, 8)


def test_a_summary_taken_away_by_hand_gives_its_memories_back_word_for_word(tmp_path):
    memory = memory_in(tmp_path, count=20)
    memory.publish(None, summary(1, 8))
    written(tmp_path, "recent.md").unlink()
    assert told(memory) == list(range(1, 21))
    assert memory.coverage == Coverage(0, 0, 20)


def test_a_journal_that_was_lost_goes_on_behind_its_summaries(tmp_path):
    memory = memory_in(tmp_path, count=20)
    memory.publish(None, replace(summary(1, 8), sources=("1-8",)))
    memory.close()
    shutil.rmtree(tmp_path / "agents" / "Eliza" / "journal")
    shutil.rmtree(tmp_path / ".index" / "Eliza.journal")
    again = memory_in(tmp_path, count=1)
    assert again.coverage == Coverage(0, 8, 21)
    assert again.journal.warnings == [
        "memories 1–20 are gone: no file has them, and no copy; going on from 21",
    ]


@pytest.mark.parametrize("last", ["5000", "999999999999999", "99999999999999999999999"])
@pytest.mark.parametrize("name", ["recent.md", "longterm.md"])
def test_a_summary_typed_by_hand_of_memories_that_are_not_there_is_left_out(tmp_path, name, last):
    memory_in(tmp_path, count=3).close()
    edit(tmp_path, name, f"---\ncovers: [1, {last}]\n---\nI remember everything.\n")
    again = memory_in(tmp_path, count=1)
    assert (told(again), again.journal.last) == ([1, 2, 3, 4], 4)
    assert f"{name}" in again.warnings[0]


def second_publication(memory: AgentMemory) -> None:
    memory.publish(summary(1, 18, "All."), summary(19, 25, "New."))


def prepared(root: Path, disk: FailingDisk) -> AgentMemory:
    """Return a memory with both summaries, and with lines that have not been forced to disk."""
    memory = memory_in(root, disk, count=30)
    memory.publish(summary(1, 10), summary(11, 18))
    remember(memory, 2)
    disk.done.clear()
    return memory


def operations(root: Path) -> int:
    disk = FailingDisk()
    second_publication(prepared(root, disk))
    return len(disk.done)


@pytest.mark.parametrize("way", ["stopping", "full"])
def test_wherever_a_publication_is_cut_short_a_restart_finds_a_partition_and_every_memory(tmp_path, way):
    count = operations(tmp_path / "count")
    assert count > 10
    for number in range(count):
        root, disk = tmp_path / str(number), FailingDisk()
        memory = prepared(root, disk)
        cut = disk.stopping(number) if way == "stopping" else disk.full(number)
        with cut, pytest.raises(Stopped if way == "stopping" else NoteError):
            second_publication(memory)
        assert memory.coverage == Coverage(10, 18, 32)
        if way == "full":
            assert told(memory) == list(range(1, 33))
        again = memory_in(root)
        assert told(again) == list(range(1, 33))
        assert [m.text for m in again.journal.read(1, 32)] == [f"Thing {seq}." for seq in range(1, 33)]
        assert again.coverage in (Coverage(10, 18, 32), Coverage(18, 18, 32), Coverage(18, 25, 32))


def test_rolling_back_tells_what_came_later_word_for_word_and_survives_a_restart(tmp_path):
    memory = memory_in(tmp_path, count=40)
    first = memory.publish(None, summary(1, 10))
    second = memory.publish(summary(1, 10), summary(11, 18))
    memory.publish(summary(1, 18), summary(19, 26))
    for leaf, coverage in ((second, Coverage(10, 18, 40)), (first, Coverage(0, 10, 40))):
        memory.roll_back(leaf)
        assert memory.coverage == coverage
        assert memory_in(tmp_path).coverage == coverage
        assert told(memory) == list(range(1, 41))
    assert len(memory.summaries.leaves()) == 3


def test_a_leaf_that_is_none_is_refused_with_those_there_are(tmp_path):
    memory = memory_in(tmp_path, count=40)
    memory.publish(None, summary(1, 10))
    with pytest.raises(NoteError, match="Eliza has no leaf 'recent-x'; the last are recent-20251124-203501-m000010"):
        memory.roll_back("recent-x")


def seqs(memory: AgentMemory) -> dict[str, list[int]]:
    """Return the numbers under which the archive has commands and results."""
    memory.archive_writer.write()
    found: dict[str, list[int]] = {"tool_call": [], "tool_result": []}
    for _, entry in memory.archive_writer.archive.entries():
        found[entry["event"]].append(entry["seq"])
    return found


@pytest.mark.parametrize("length", [20, 9000])
def test_the_archive_has_a_result_under_its_journal_number_though_lines_were_typed_meanwhile(tmp_path, length):
    memory = memory_in(tmp_path, count=3)
    (path,) = (tmp_path / "agents" / "Eliza" / "journal").glob("*.md")
    path.write_text(f"{path.read_text()}- Moss owes me a song.\n- And Odile a bell.\n")
    memory.record("acted", "help")
    path.write_text(f"{path.read_text()}- The well is dry.\n")
    memory.record("result", "x" * length)
    kinds = {one.seq: one.kind for one in memory.journal.read(1, 9)}
    assert kinds == {1: "observed", 2: "observed", 3: "observed", 4: "noted", 5: "noted", 6: "acted", 7: "noted",
                     8: "result"}  # fmt: skip
    assert seqs(memory) == {"tool_call": [6], "tool_result": [8]}


def test_what_waits_for_the_disk_is_archived_under_the_number_that_it_gets(tmp_path):
    disk = FailingDisk()
    memory = memory_in(tmp_path, disk, count=3)
    with disk.full():
        memory.record("acted", "help")
        memory.record("result", "x" * 9000)
        memory.record("result", "short")
    (path,) = (tmp_path / "agents" / "Eliza" / "journal").glob("*.md")
    path.write_text(f"{path.read_text()}- Moss owes me a song.\n")
    assert memory.write_pending()
    assert [(one.seq, one.kind) for one in memory.journal.read(4, 9)] == [
        *[(4, "noted"), (5, "acted"), (6, "result"), (7, "result")]
    ]
    assert seqs(memory) == {"tool_call": [5], "tool_result": [6, 7]}


@pytest.mark.parametrize("witness", ["index", "archive", "summary", "facts"])
def test_a_number_is_given_once_though_its_line_was_deleted_while_the_world_was_closed(tmp_path, witness):
    memory = memory_in(tmp_path, count=11)
    memory.record("acted", "look")
    if witness == "summary":
        memory.summaries.add_leaf(summary(1, 12))
    memory.close()
    folder = tmp_path / "agents" / "Eliza"
    (path,) = (folder / "journal").glob("*.md")
    path.write_text("".join(line for line in path.read_text().splitlines(True) if "^m12" not in line))
    if witness == "facts":
        (folder / "facts.md").write_text("---\nupto: 12\n---\n")
    shutil.rmtree(tmp_path / ".index" / "Eliza.journal" if witness == "index" else tmp_path / ".index")
    if witness != "archive":
        shutil.rmtree(folder / "archive")
    path.write_text(f"{path.read_text()}- The well is dry.\n")
    again = memory_in(tmp_path, count=1)
    assert [one.seq for one in again.journal.read(10, 99)] == [10, 11, 13, 14]
    assert again.coverage == Coverage(0, 0, 14)
    assert again.journal.warnings == ["memories 12 are gone: no file has them, and no copy; going on from 14"]


def test_a_number_is_given_once_though_lines_are_deleted_before_one_start_after_the_other(tmp_path):
    memory_in(tmp_path, count=12).close()
    (path,) = (tmp_path / "agents" / "Eliza" / "journal").glob("*.md")
    for number in (12, 11, 10):
        path.write_text("".join(line for line in path.read_text().splitlines(True) if f"^m{number}" not in line))
        shutil.rmtree(tmp_path / ".index" / "Eliza.journal")
        memory_in(tmp_path).close()
    assert [one.seq for one in memory_in(tmp_path, count=1).journal.read(1, 99)] == [*range(1, 10), 13]


def test_a_warning_that_comes_again_and_again_is_kept_once(tmp_path):
    memory = memory_in(tmp_path, count=12)
    memory.publish(None, summary(1, 8))
    for number in range(40):
        edit(tmp_path, "recent.md", f"---\ncovers: soon\n---\n{'x' * (1 + number % 2)}\n")
        memory.view()
    assert len(memory.warnings) == 1
