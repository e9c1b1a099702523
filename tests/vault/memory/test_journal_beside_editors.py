"""A journal beside editors, git and sync tools: no line of either side is lost, no number reused or given twice."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vault.failing_disk import FailingDisk, Stopped
from vault.atomic_write import Disk
from vault.errors import NoteError
from vault.memory.journal import Journal
from vault.memory.journal_copies import REPLACED_SECONDS
from vault.memory.journal_files import AWAY_SECONDS
from vault.memory.memory_line import DAY_MS, Memory, RangeSet
from vault.memory.segment import MAX_ENTRIES_PER_FILE
from vault.vault import Vault

DAY = "2026-11-21"
NOON_MS = int(datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp()) * 1000
_NUMBERED = re.compile(r"(.*) \^m(\d+)")
_WORD = re.compile(r"(?:heard|typed)\d+x")


class Desk:
    """One agent's journal, and an editor that has its file open. `named` are the warnings of all starts."""

    def __init__(self, root: Path, disk: Disk | None = None) -> None:
        self.root = root
        self.disk = disk or Disk()
        self.folder = root / "agents" / "Eliza" / "journal"
        self.away = root / "away"
        self.now = 0.0
        self.count = 0
        self.acknowledged: dict[int, str] = {}
        self.excused: set[str] = set()
        self.named: list[str] = []
        self.buffer = ""
        self.saving: TextIO | None = None
        self.unsaved = self.being_saved = ""
        self.saved: set[str] = set()
        self.has_no_copies = False
        self.journal = Journal(Vault(root), "Eliza")
        self.restart()

    def restart(self) -> None:
        """Start as after a kill: nothing was closed."""
        known = self.journal.last if self.has_no_copies else 0  # by archive, facts and summaries
        self.journal = Journal(Vault(self.root, self.disk), "Eliza", clock=lambda: self.now)
        self.has_no_copies = False
        self.journal.load(known)
        self.note_warnings()

    def note_warnings(self) -> None:
        self.named += [one for one in self.journal.warnings if one not in self.named]

    @property
    def file(self) -> Path:
        return self.folder / f"{DAY}.md"

    def text(self) -> str:
        return self.file.read_text() if self.file.exists() else ""

    def word(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}x"

    def hear(self, count: int = 1) -> None:
        """Append memories; what is refused waits, as an agent's does, and is not acknowledged."""
        for _ in range(count):
            word = self.word("heard")
            try:
                kept = self.journal.append(
                    Memory(0, NOON_MS + 999 * self.count, "observed", "The Mill", f"Moss says {word} and more.")
                )
            except NoteError:
                continue
            assert kept.seq > max(self.acknowledged, default=0)
            self.acknowledged[kept.seq] = word
            self.excused |= {word} if self.has_no_copies else set()
        self.note_warnings()

    def look(self) -> None:
        self.journal.poll_edits()
        self.has_no_copies = self.has_no_copies and not list((self.root / ".index").glob("*/*.md"))
        self.note_warnings()

    # What others do

    def read(self) -> None:
        self.buffer = self.text()

    def type(self, end: str = "\n") -> None:
        """Type a line at the end of what the editor has read."""
        begin = "" if self.buffer.endswith("\n") or not self.buffer else "\n"
        self.buffer += f"{begin}- Moss owes me {self.word('typed')} for the ferry.{end}"

    def take_out(self) -> None:
        """Take out a line in the middle of what the editor has read."""
        lines = self.buffer.splitlines(keepends=True)
        places = [place for place, line in enumerate(lines[:-1]) if _NUMBERED.match(line)]
        if len(places) > 2:
            self.excused |= {*_WORD.findall(lines[places[1]])}
            del lines[places[1]]
            self.buffer = "".join(lines)

    def save(self) -> None:
        self.finish()
        self.make_folder()
        self.write_over(self.buffer)
        self.file.write_text(self.buffer)
        self.saved |= {*_WORD.findall(self.buffer)}

    def rename_over(self) -> None:
        self.finish()
        self.make_folder()
        self.write_over(self.buffer)
        draft = self.root / "draft"
        draft.write_text(self.buffer)
        draft.replace(self.file)
        self.saved |= {*_WORD.findall(self.buffer)}

    def begin_to_save(self) -> None:
        """Empty the file; the text comes later."""
        self.finish()
        self.make_folder()
        self.write_over(self.buffer)
        if self.away.exists():
            self.excused |= {*_WORD.findall(self.buffer)}
        self.saving, self.unsaved = self.file.open("w"), self.buffer
        self.being_saved = self.buffer

    def go_on_saving(self, share: float = 0.5) -> None:
        if self.saving:
            cut = round(len(self.unsaved) * share)
            self.saving.write(self.unsaved[:cut])
            self.saving.flush()
            self.unsaved = self.unsaved[cut:]

    def finish(self) -> None:
        if self.saving:
            self.go_on_saving(1)
            self.saving.close()
            self.saving = None
            self.saved |= {*_WORD.findall(self.being_saved)}

    def append(self) -> None:
        self.make_folder()
        begin = "" if self.text().endswith("\n") or not self.text() else "\n"
        word = self.word("typed")
        with self.file.open("a") as file:
            file.write(f"{begin}- Moss owes me {word} for the mill.\n")
        (self.excused if self.saving else self.saved).add(word)  # one editor may write over what another types

    def forget_save(self) -> None:
        """Take it that a file that is taken away in the midst of being saved may come back with half of a line."""
        self.excused |= {*_WORD.findall(self.being_saved)} if self.saving else set()

    def take_away(self) -> None:
        self.forget_save()
        if self.file.exists() and not self.away.exists():
            self.file.rename(self.away)

    def take_folder_away(self) -> None:
        self.forget_save()
        if self.folder.exists() and not self.away.exists():
            self.folder.rename(self.away)

    def bring_back(self) -> None:
        if self.away.exists():
            self.write_over("")
        if self.away.is_dir() and not self.folder.exists():
            self.away.rename(self.folder)
        elif self.away.is_dir():
            for path in self.away.iterdir():
                if path.name != "quarantine.md":
                    path.replace(self.folder / path.name)
            shutil.rmtree(self.away)
        elif self.away.exists():
            self.make_folder()
            self.away.replace(self.file)

    def delete_index(self) -> None:
        """Delete all copies: only then may what was there be lost, and has to be named."""
        shutil.rmtree(self.root / ".index", ignore_errors=True)
        self.has_no_copies = True
        self.excused |= {*self.acknowledged.values(), *self.saved}
        self.excused |= {*_WORD.findall(self.being_saved)} if self.saving else set()

    def write_over(self, buffer: str) -> None:
        """Take it that who writes over a line that the journal has not seen yet takes it out."""
        lines = [line for line in self.text().splitlines() if not _NUMBERED.match(line)]
        self.excused |= {word for line in lines for word in _WORD.findall(line)} - {*_WORD.findall(buffer)}

    def make_folder(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)

    # What must hold

    def settle(self) -> None:
        """Let everything end that somebody has begun."""
        self.finish()
        self.look()
        self.bring_back()
        self.look()
        self.now += AWAY_SECONDS + REPLACED_SECONDS
        self.look()
        self.hear()

    def check(self) -> None:
        """Assert the law."""
        lines = [line for path in sorted(self.folder.glob("2026*.md")) for line in path.read_text().split("\n")]
        numbers = [int(match[2]) for line in lines if (match := _NUMBERED.fullmatch(line))]
        assert len(numbers) == len(set(numbers)), "a number stands there twice"
        words = [word for line in lines for word in _WORD.findall(line)]
        assert len(words) == len({*words}) or {*words} & self.excused, f"a line stands there twice: {sorted(words)}"
        aside = self.folder / "quarantine.md"
        found = {*words, *(_WORD.findall(aside.read_text()) if aside.exists() else ())}
        everything = {*self.acknowledged.values(), *self.saved}
        assert everything - self.excused <= found, "a line is lost"
        told = {memory.seq: memory.text for memory in self.journal.read(1, self.journal.last)}
        assert sorted(told) == sorted(numbers), "what is read is not what is there"
        for seq, word in self.acknowledged.items():
            assert seq not in told or word in told[seq], "a number means another memory"
        assert not any("serving" in text or text.startswith("erved") for text in told.values())
        named = [RangeSet.parse(match) for text in self.named for match in re.findall(r"memories ([\d–, ]*\d)", text)]
        missing = {*range(1, self.journal.last + 1)} - told.keys()
        assert missing <= {seq for ranges in named for one in ranges.ranges for seq in range(one.first, one.last + 1)}

    def settle_and_check(self) -> None:
        self.settle()
        self.check()
        before = [(memory.seq, memory.text) for memory in self.journal.read(1, self.journal.last)]
        self.restart()
        assert [(memory.seq, memory.text) for memory in self.journal.read(1, self.journal.last)] == before
        self.check()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


ACTS: dict[str, Callable[[Desk], None]] = {
    "hear": Desk.hear,
    "hear two": lambda desk: desk.hear(2),
    "look": Desk.look,
    "restart": Desk.restart,
    "wait": lambda desk: setattr(desk, "now", desk.now + AWAY_SECONDS),
    "read": Desk.read,
    "type": Desk.type,
    "type without an end": lambda desk: desk.type(""),
    "take out": Desk.take_out,
    "save": Desk.save,
    "rename over": Desk.rename_over,
    "begin to save": Desk.begin_to_save,
    "go on saving": Desk.go_on_saving,
    "save a little": lambda desk: desk.go_on_saving(0.1),
    "finish": Desk.finish,
    "append": Desk.append,
    "take away": Desk.take_away,
    "take folder away": Desk.take_folder_away,
    "bring back": Desk.bring_back,
    "delete the index": Desk.delete_index,
}


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(sorted(ACTS)), max_size=24))
def test_law_holds_whatever_others_do(tmp_path_factory, acts):
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.hear(6)
    for act in acts:
        ACTS[act](desk)
    desk.settle_and_check()


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("place", range(1, 9))
def test_save_in_place_meets_our_lines(desk, place, end):
    """An editor empties the file, we append, it writes at offset 0: in one piece, in two, and with us in between."""
    desk.hear(50)
    desk.read()
    desk.hear(place % 3)
    desk.type(end)
    desk.begin_to_save()
    desk.hear(place % 2)
    desk.go_on_saving(place / 9)
    desk.hear(place // 3)
    if place % 2:
        desk.look()
    desk.finish()
    desk.hear(2)
    desk.settle_and_check()
    assert [one.text for one in desk.journal.read(1, desk.journal.last) if one.kind == "noted"] == [
        f"Moss owes me {word} for the ferry." for word in sorted(desk.saved - {*desk.acknowledged.values()})
    ]


class MeetingDisk(Disk):
    """A disk on which somebody else gets in between the look at a file and our write into it."""

    def __init__(self) -> None:
        self.before: Callable[[], None] = lambda: None

    def append(self, descriptor: int, line: bytes) -> None:
        self.meet()
        super().append(descriptor, line)

    def fsync(self, descriptor: int) -> None:
        self.meet()
        super().fsync(descriptor)

    def meet(self) -> None:
        before, self.before = self.before, lambda: None
        before()


@pytest.mark.parametrize("share", [0, 0.3, 0.99, 0.995, 0.998, 1])
def test_save_in_place_between_our_look_and_our_write(tmp_path, share):
    disk = MeetingDisk()
    desk = Desk(tmp_path, disk)
    desk.hear(50)
    desk.read()
    desk.hear(1)
    desk.type()

    def save() -> None:
        desk.begin_to_save()
        desk.go_on_saving(share)

    disk.before = save
    desk.hear()
    desk.settle_and_check()


def test_older_copy_between_our_look_and_our_opening(tmp_path):
    disk = MeetingDisk()
    desk = Desk(tmp_path, disk)
    desk.hear(5)
    desk.read()
    desk.hear(5)
    tomorrow = Memory(0, NOON_MS + DAY_MS, "observed", "The Mill", "The clock is a day ahead.")
    desk.journal.append(tomorrow)
    disk.before = desk.save  # while the file of tomorrow is closed
    desk.hear()
    assert sorted(desk.acknowledged) == [*range(1, 11), 12]
    desk.settle_and_check()


@pytest.mark.parametrize("operation", range(8))
def test_kill_while_a_save_is_taken_in_costs_no_line(tmp_path, operation):
    disk = FailingDisk()
    desk = Desk(tmp_path, disk)
    desk.hear(5)
    desk.read()
    desk.type()
    desk.begin_to_save()
    desk.hear()
    desk.finish()
    with disk.stopping(after=operation), suppress(Stopped):
        desk.look()
    desk.restart()
    desk.settle_and_check()


@pytest.mark.parametrize("way", [Desk.save, Desk.rename_over, Desk.begin_to_save])
@pytest.mark.parametrize("restarted", [True, False])
def test_older_copy_costs_no_line_and_every_number_is_named(desk, way, restarted):
    desk.hear(20)
    desk.read()
    desk.hear(1500)
    desk.type()
    way(desk)
    if restarted:
        desk.restart()
    desk.settle_and_check()
    assert f"{DAY}.md: memories 21–1520 were overwritten or taken away, and are written again" in desk.named


def test_older_state_of_a_long_journal_costs_no_line(desk):
    """As `git checkout` does it: the newest files go, and one that stays is shorter."""
    desk.hear(100)
    desk.read()
    desk.hear(3 * MAX_ENTRIES_PER_FILE)
    for path in desk.folder.glob("*-*-*-*.md"):
        path.unlink()
    desk.rename_over()
    desk.settle_and_check()


def test_without_copies_every_lost_number_is_named(desk):
    desk.hear(20)
    desk.read()
    desk.hear(10)
    desk.delete_index()
    desk.rename_over()
    desk.restart()
    assert desk.named == ["memories 21–30 are gone: no file has them, and no copy; going on from 31"]
    desk.settle_and_check()


def test_line_taken_out_in_the_middle_stays_out_and_is_named(desk):
    desk.hear(6)
    desk.read()
    desk.take_out()
    desk.save()
    desk.settle_and_check()
    assert desk.named == [f"{DAY}.md: memories 2 were taken out by hand; they stay out"]


def test_both_sides_of_a_conflict_of_git_count(desk):
    desk.hear(3)
    ours = desk.text()
    theirs = "- 11:00:00.500 observed · The Mill · Ana says typed90x. ^m3\n- Nia is typed91x.\n"
    kept, last = ours.rsplit("\n", 2)[0], ours.rsplit("\n", 2)[1]
    desk.buffer = f"{kept}\n<<<<<<< HEAD\n{last}\n=======\n{theirs}>>>>>>> other\n"
    desk.save()
    desk.look()
    assert [one.text for one in desk.journal.read(3, 9)] == [
        "Moss says heard3x and more.",
        "Ana says typed90x.",
        "Nia is typed91x.",
    ]
    assert f"{DAY}.md:8: conflict markers of git; lines of both sides count" in desk.named
    desk.settle_and_check()


@pytest.mark.parametrize(
    "name", [f"{DAY}.sync-conflict-20261122-101500-ABCDEF7.md", f"{DAY} (conflicted copy).md", f"{DAY} 2.md",
             f"{DAY}.md.orig", f"{DAY}.md~", f".{DAY}.md.swp"]
)  # fmt: skip
def test_copies_of_sync_tools_are_no_journals(desk, name):
    desk.hear(3)
    (desk.folder / name).write_text(desk.text().replace("heard", "typed"))
    desk.look()
    assert (desk.journal.last, desk.journal.count) == (3, 3)


@pytest.mark.parametrize("is_seen", [True, False])
def test_folder_that_is_away_for_seconds_is_waited_for(desk, is_seen):
    desk.hear(3)
    desk.read()
    desk.type()
    desk.save()
    if is_seen:
        desk.look()
    desk.take_folder_away()
    desk.hear(2)
    desk.now += AWAY_SECONDS / 2
    desk.look()
    assert not desk.folder.exists()
    desk.bring_back()
    desk.settle_and_check()
    assert [match[2] for line in desk.text().split("\n") if (match := _NUMBERED.match(line))] == [*"12345"]


def test_folder_that_does_not_come_back_is_restored(desk):
    desk.hear(3)
    desk.take_folder_away()
    desk.restart()
    desk.hear(1)
    desk.take_folder_away()
    desk.now += AWAY_SECONDS
    desk.look()
    desk.settle_and_check()
    assert sorted(desk.acknowledged) == [1, 2, 3, 4, 5]
