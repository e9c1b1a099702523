"""A journal numbers every memory once and keeps it, whatever crashes, fills up or is edited by hand."""

from __future__ import annotations

import errno
import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vault.failing_disk import FailingDisk, Stopped
from vault.errors import NoteError
from vault.memory.archive import Archive
from vault.memory.journal import CACHE_SIZE, Journal
from vault.memory.memory_line import MAX_NUMBER, Memory, format_line
from vault.memory.segment import MAX_ENTRIES_PER_FILE, header
from vault.vault import Vault

DAY = "2026-11-21"


def at(clock: str, day: str = DAY) -> int:
    """Return a time of day, as `20:35:01.123`, in milliseconds since 1970."""
    return round(datetime.fromisoformat(f"{day}T{clock}+00:00").astimezone(UTC).timestamp() * 1000)


def heard(text: str, at_ms: int = at("20:35:01.123")) -> Memory:
    return Memory(0, at_ms, "observed", "The Garden", text)


class Desk:
    """A vault, one agent's journal in it, and the hand that edits its files."""

    def __init__(self, root: Path) -> None:
        self.disk = FailingDisk()
        self.vault = Vault(root, self.disk)
        self.folder = root / "agents" / "Eliza" / "journal"
        self.index = root / ".index" / "Eliza.json"
        self.journal = self.restart()

    def restart(self, fsync_each: bool = False) -> Journal:
        """Return a journal as the next process would load it."""
        self.journal = Journal(self.vault, "Eliza", fsync_each)
        self.journal.load()
        return self.journal

    def hear(self, *texts: str) -> None:
        """Append memories."""
        for text in texts:
            self.journal.append(heard(text))

    def file(self, name: str = f"{DAY}.md") -> Path:
        """Return a journal file, its folder made."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / name

    def types(self, text: str, name: str = f"{DAY}.md") -> None:
        """Type text at the end of a file."""
        with open(self.file(name), "a", encoding="utf-8", newline="") as file:
            file.write(text)

    def told(self) -> list[tuple[int, str]]:
        """Return number and text of everything that the journal holds."""
        return [(memory.seq, memory.text) for memory in self.journal.read(1, self.journal.last)]

    def found(self) -> list[tuple[int, str]]:
        """Return number and text of everything that a new process without an index finds."""
        shutil.rmtree(self.index.parent, ignore_errors=True)
        self.restart()
        return self.told()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def numbered(*texts: str) -> list[tuple[int, str]]:
    return list(enumerate(texts, 1))


def test_a_journal_begins_with_its_first_memory(desk):
    assert (desk.journal.last, desk.journal.count, desk.journal.read(1, 9)) == (0, 0, [])
    assert not desk.folder.exists()
    desk.hear("one", "two")
    assert desk.file().read_text() == (
        "---\nagent: '[[Eliza]]'\nday: 2026-11-21\nfirst: 1\n---\n"
        "- 20:35:01.123 observed · The Garden · one ^m1\n"
        "- 20:35:01.123 observed · The Garden · two ^m2\n"
    )


def test_agents_that_are_away_are_not_made_a_second_time(desk):
    desk.hear("one")
    agents, elsewhere = desk.folder.parents[1], desk.folder.parents[2] / "elsewhere"
    agents.rename(elsewhere)
    later = at("20:35:01.123", "2026-11-22")
    for write in (
        lambda: desk.journal.append(heard("two", later)),
        lambda: Archive(desk.vault, "Eliza").append("tool_call", later, 1),
    ):
        with pytest.raises(NoteError, match="the folder agents is away; bring it back, or make an empty one"):
            write()
    assert not agents.exists()
    elsewhere.rename(agents)
    desk.journal.append(heard("two", later))
    assert desk.told() == desk.found() == numbered("one", "two")


def test_a_memory_is_returned_as_it_will_be_read(desk):
    given = Memory(77, at("20:35:01.123"), "told", "The Garden", "one\ntwo\x1b[1m", ("Moss",), 8, True)
    kept = desk.journal.append(given)
    assert kept == replace(given, seq=1, text="one ⏎ two")
    assert desk.restart().read(1, 1) == [kept]


def test_a_new_day_is_a_new_file(desk):
    desk.journal.append(heard("late", at("23:59:59.999")))
    desk.journal.append(heard("early", at("00:00:00.000", "2026-11-22")))
    assert sorted(path.name for path in desk.folder.iterdir()) == ["2026-11-21.md", "2026-11-22.md"]
    assert "first: 2\n" in desk.file("2026-11-22.md").read_text()
    assert [memory.day for memory in desk.restart().read(1, 2)] == ["2026-11-21", "2026-11-22"]


def test_a_day_that_could_not_be_forced_to_disk_is_forced_before_the_next_begins(desk, monkeypatch):
    desk.hear("Moss hums.")
    forced = []
    monkeypatch.setattr(desk.disk, "fsync", lambda descriptor: forced.append(os.fstat(descriptor).st_ino))
    monday = heard("Moss waves.", at("00:00:01.000", "2026-11-23"))
    with monkeypatch.context() as broken:
        broken.setattr(desk.disk, "fsync", fail)
        with pytest.raises(NoteError, match="Input/output error"):
            desk.journal.append(monday)
    desk.journal.append(monday)
    assert forced[:1] == [desk.file().stat().st_ino]
    assert desk.told() == numbered("Moss hums.", "Moss waves.")


def fail(descriptor: int) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_what_one_who_was_killed_has_written_is_forced_to_disk_at_the_next_start(desk):
    desk.hear("Moss hums.")
    desk.disk.done.clear()
    desk.restart()
    assert "fsync" in desk.disk.done
    desk.disk.done.clear()
    desk.restart()
    assert desk.disk.done == []  # nothing has changed since


@pytest.mark.parametrize(("wrong", "warnings"), [("2036-11-21", 1), ("2016-11-21", 1), ("2026-11-20", 0)])
def test_wrong_clock_misdates_only_its_own_lines(desk, wrong, warnings):
    days = ["2026-11-21"] * 2 + [wrong] + ["2026-11-21"] * 2 + ["2026-11-22"]
    clocks = ["00:00:00.100"] * 2 + ["23:59:59.900"] + ["00:00:00.200"] * 3
    kept = [
        desk.journal.append(heard(f"thing {n}", at(*when))) for n, when in enumerate(zip(clocks, days, strict=True))
    ]
    assert [memory.day for memory in kept] == days
    assert len([warning for warning in desk.journal.warnings if "the clock went back" in warning]) == warnings
    for journal in (desk.journal, desk.restart()):
        assert journal.read(1, 9) == kept
        assert [journal.link(memory.seq) for memory in kept] == [f"[[{m.day}#^m{m.seq}]]" for m in kept]
    desk.hear("next")
    assert [seq for seq, _ in desk.found()] == list(range(1, 8))


@pytest.fixture(scope="module")
def long_life(tmp_path_factory) -> Path:
    """A vault in which Eliza remembers two more things than a file may hold."""
    desk = Desk(tmp_path_factory.mktemp("long"))
    desk.hear(*(f"thing {n}" for n in range(1, MAX_ENTRIES_PER_FILE + 3)))
    assert len(desk.journal._cache) <= 2 * CACHE_SIZE
    desk.journal.close()
    return desk.vault.root


def test_a_full_file_is_followed_by_another_of_the_same_day(long_life):
    desk = Desk(long_life)
    assert sorted(path.name for path in desk.folder.iterdir()) == ["2026-11-21-2.md", "2026-11-21.md"]
    assert f"first: {MAX_ENTRIES_PER_FILE + 1}\n" in desk.file("2026-11-21-2.md").read_text()
    assert desk.journal.last == desk.journal.count == MAX_ENTRIES_PER_FILE + 2


def test_memory_knows_its_file_beyond_the_first_of_a_day(long_life):
    journal = Desk(long_life).journal
    (memory,) = journal.read(MAX_ENTRIES_PER_FILE + 1, MAX_ENTRIES_PER_FILE + 1)
    assert f"[[{memory.note}#^m{memory.seq}]]" == journal.link(memory.seq) == "[[2026-11-21-2#^m4097]]"


@pytest.mark.parametrize(
    ("first", "last"),
    [(1, 1), (4000, 4098), (4096, 4097), (3500, 3700), (1, 4098), (-5, 3), (4098, 9999), (9, 3), (5000, 6000)],
)
def test_a_range_across_files_is_that_part_of_the_whole(long_life, first, last):
    desk = Desk(long_life)
    wanted = range(max(first, 1), min(last, 4098) + 1)
    assert [memory.seq for memory in desk.journal.read(first, last)] == list(wanted)
    assert [memory.text for memory in desk.journal.read(first, last)] == [f"thing {n}" for n in wanted]


LINE = format_line(replace(heard("Moss, at 5."), seq=12, people=("Moss",), importance=8)).encode() + b"\n"


def test_a_line_cut_anywhere_is_set_aside_and_its_number_used_again(tmp_path):
    for cut in range(len(LINE)):
        is_set_aside(Desk(tmp_path / str(cut)), cut)


def is_set_aside(desk: Desk, cut: int) -> None:
    """Assert what becomes of the first so many bytes of a line."""
    desk.hear(*(f"thing {n}" for n in range(1, 12)))
    desk.journal.close()
    with open(desk.file(), "ab") as file:
        file.write(LINE[:cut])
    desk.restart()
    is_whole = cut == len(LINE) - 1
    assert desk.journal.last == (12 if is_whole else 11)
    aside = desk.folder / "quarantine.md"
    assert aside.exists() == (cut > 0 and not is_whole)
    if aside.exists():
        assert f"    {LINE[:cut].decode('utf-8', 'replace')}\n" in aside.read_text()
        assert desk.journal.warnings == [f"a torn last line of {DAY}.md was set aside in journal/quarantine.md"]
    desk.hear("next")
    assert desk.found()[-1] == (13 if is_whole else 12, "next")
    assert [seq for seq, _ in desk.told()] == list(range(1, desk.journal.last + 1))


HEADER = header("Eliza", DAY, 1).encode()


def test_a_head_cut_anywhere_is_written_anew_and_is_no_memory(tmp_path):
    for cut in range(len(HEADER)):
        desk = Desk(tmp_path / str(cut))
        desk.file().write_bytes(HEADER[:cut])
        desk.restart()
        assert desk.journal.last == 0
        desk.hear("one")
        assert desk.file().read_bytes() == HEADER + b"- 20:35:01.123 observed \xc2\xb7 The Garden \xc2\xb7 one ^m1\n"


def test_what_a_power_cut_left_as_zeros_is_no_memory(desk):
    desk.hear("one")
    desk.types("\0" * 50)
    desk.restart()
    assert desk.told() == numbered("one")


def test_a_last_line_whose_end_an_editor_took_away_is_kept(desk):
    desk.hear("one", "two", "three")
    lines = desk.file().read_text().splitlines()
    desk.journal.close()
    desk.file().write_text("\n".join(line for line in lines if "two" not in line))
    desk.restart()
    assert desk.told() == [(1, "one"), (3, "three")]
    assert not (desk.folder / "quarantine.md").exists()


@pytest.mark.parametrize("end", ["\n", "", "\r\n"])
def test_a_line_typed_by_hand_is_numbered_once(desk, end):
    desk.hear("one")
    desk.types(f"- Moss lied to me.{end}")
    assert [memory.seq for memory in desk.journal.reload()] == [2]
    desk.hear("three")
    assert desk.told() == desk.found() == numbered("one", "Moss lied to me.", "three")
    assert desk.file().read_text().count("^m2") == 1
    assert desk.journal.reload() == []


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("opened", [True, False])
def test_a_line_typed_by_hand_is_seen_before_the_next_is_written(desk, end, opened):
    desk.hear("one")
    if not opened:
        desk.journal.reload()
    desk.types(f"- 20:36 Moss lied to me.{end}")
    assert desk.journal.was_edited()
    desk.hear("three")
    assert desk.told() == desk.found() == numbered("one", "Moss lied to me.", "three")


@pytest.mark.parametrize("false", ["^m1000000000000000", "^m10000000000000000", f"^m{'9' * 300}", "^m0", "^m007"])
def test_what_cannot_be_a_number_is_refused_and_the_line_gets_one(desk, false):
    desk.hear("One.")
    with desk.file().open("a") as file:
        file.write(f"Two. {false}\n")
    desk.hear("Three.")
    told = f"{DAY}.md: {false} is no number for a memory; its line was given ^m2"
    assert [memory.seq for memory in desk.journal.read(1, 9)] == [1, 2, 3]
    assert desk.journal.warnings == [told]
    assert desk.file().read_text().splitlines()[-2] == f"Two. {false} ^m2"
    assert (desk.restart().last, desk.journal.warnings) == (3, [])


def test_after_the_highest_number_there_is_no_memory_until_it_is_taken_out(desk):
    desk.hear("One.")
    whole = desk.file().read_text()
    desk.file().write_text(f"{whole}Two. ^m{MAX_NUMBER}\nThree.\n")
    with pytest.raises(NoteError, match=rf"somebody has typed \^m{MAX_NUMBER}, after which there is no number"):
        desk.hear("Four.")
    desk.file().write_text(f"{whole}Two.\nThree.\n")
    desk.restart()
    desk.hear("Four.")
    assert [memory.seq for memory in desk.journal.read(1, 9)] == [1, 2, 3, 4]


def test_a_line_typed_between_two_others_gets_the_next_number(desk):
    desk.hear("one", "two")
    desk.file().write_text(desk.file().read_text().replace("one ^m1\n", "one ^m1\nin between\n"))
    desk.hear("four")
    assert desk.found() == [(1, "one"), (2, "two"), (3, "in between"), (4, "four")]
    assert desk.journal.read(2, 3) == desk.journal.read(1, 4)[1:3]
    text = desk.file().read_text()
    assert text.index("^m1") < text.index("^m3") < text.index("^m2") < text.index("^m4")


@pytest.mark.parametrize("text", ["- met Ana", "met Ana\n", "# Day\n\nmet Ana\n", "---\ntags: [x]\n---\nmet Ana"])
@pytest.mark.parametrize("day", ["2026-01-01", DAY, "2026-12-31"])
def test_a_file_made_by_hand_is_part_of_the_journal(desk, text, day):
    desk.types(text, f"{day}.md")
    desk.journal.reload()
    desk.hear("two")
    assert desk.told() == desk.found() == numbered("met Ana", "two")


@pytest.mark.parametrize(
    "name", ["quarantine.md", "notes.md", "2026-13-45.md", "2026-11-21.txt", ".2026-11-21.md", "x2026-11-21.md"]
)
def test_other_files_are_no_part_of_it(desk, name):
    desk.types("- not a memory\n", name)
    assert desk.found() == []


def test_of_two_lines_with_one_number_the_first_counts(desk):
    desk.hear("one", "two", "three")
    text = desk.file().read_text()
    copied = text.splitlines()[-2].replace("two", "copy")
    desk.file().write_text(f"{text}{copied}\n")
    desk.hear("four")
    assert desk.told() == desk.found() == numbered("one", "two", "three", "four")
    assert desk.journal.count == 4
    for first in range(1, 5):
        assert desk.found()[first - 1 :] == [(m.seq, m.text) for m in desk.restart().read(first, 4)]


@pytest.mark.parametrize("look_between", [True, False])
@pytest.mark.parametrize("restarted", [True, False])
def test_an_editor_that_saves_an_older_copy_loses_nothing(desk, look_between, restarted):
    desk.hear("one", "two")
    older = desk.file().read_text()
    desk.hear("three", "four")
    if look_between:
        desk.journal.reload()
    if restarted:
        desk.restart()
    desk.file().write_text(f"{older}- by hand\n")
    desk.hear("six")
    assert desk.told() == desk.found() == numbered("one", "two", "three", "four", "by hand", "six")


def test_lines_written_again_are_told_of_and_keep_their_numbers(desk):
    desk.hear("one")
    older = desk.file().read_text()
    desk.hear("two", "three", "four")
    lines = desk.file().read_text().splitlines(keepends=True)
    desk.file().write_text("".join(line for line in lines if "three" not in line))  # taken out by hand, on purpose
    desk.journal.reload()
    desk.file().write_text(older)
    desk.journal.reload()
    assert desk.journal.warnings == [
        f"{DAY}.md: memories 3 were taken out by hand; they stay out",
        f"{DAY}.md: memories 2, 4 were overwritten or taken away, and are written again",
    ]
    assert desk.told() == desk.found() == [(1, "one"), (2, "two"), (4, "four")]


def test_a_file_that_an_editor_replaces_is_the_one_written_on(desk):
    desk.hear("one")
    draft = desk.folder / "draft"
    draft.write_text(f"{desk.file().read_text()}- by hand\n")
    os.replace(draft, desk.file())
    desk.hear("three")
    assert desk.told() == desk.found() == numbered("one", "by hand", "three")


def test_a_file_that_is_taken_away_comes_back_with_what_was_in_it(desk):
    desk.hear("one", "two")
    desk.file().unlink()
    desk.hear("three")
    assert desk.told() == desk.found() == numbered("one", "two", "three")


def test_a_line_that_is_reworded_keeps_its_number(desk):
    desk.hear("one", "two")
    desk.file().write_text(desk.file().read_text().replace("The Garden · one", "The Garden · quite another thing"))
    assert desk.journal.reload() == []
    assert desk.told() == desk.found() == numbered("quite another thing", "two")


def test_an_edit_is_noticed_and_our_own_lines_are_none(desk):
    assert not desk.journal.was_edited()
    desk.hear("one")
    assert not desk.journal.was_edited()
    desk.types("- by hand\n")
    assert desk.journal.was_edited()
    desk.journal.reload()
    assert not desk.journal.was_edited()


@pytest.mark.parametrize("before", [0, 2])
@pytest.mark.parametrize("fsync_each", [True, False])
@pytest.mark.parametrize("operation", range(4))
def test_a_full_disk_leaves_file_and_numbers_as_they_were_until_there_is_room(tmp_path, before, fsync_each, operation):
    desk = Desk(tmp_path)
    desk.restart(fsync_each)
    desk.hear(*(f"thing {n}" for n in range(1, before + 1)))
    told, refused = desk.told(), False
    with desk.disk.full(after=operation):
        try:
            desk.hear("kept")
        except NoteError as error:
            refused = True
            assert str(error) == (
                "agents/Eliza/journal: a memory cannot be written: No space left on device. "
                "Make room on the disk or mend its permissions."
            )
    expected = told if refused else [*told, (before + 1, "kept")]
    assert desk.told() == expected
    assert (desk.file().read_text() if desk.file().exists() else "").count("^m") == len(expected)
    desk.hear("next")
    expected.append((len(expected) + 1, "next"))
    assert desk.told() == desk.found() == expected


def test_lines_that_could_not_be_written_again_are_written_when_there_is_room(desk):
    desk.hear("one")
    older = desk.file().read_text()
    desk.hear("two", "three", "four")
    desk.file().write_text(older)
    for operation in range(3):
        with desk.disk.full(after=operation), pytest.raises(NoteError, match="No space left on device"):
            desk.journal.reload()
        assert desk.told() == numbered("one", "two", "three", "four")
    desk.hear("five")
    assert desk.told() == desk.found() == numbered("one", "two", "three", "four", "five")


def test_hand_lines_that_could_not_be_numbered_are_numbered_when_there_is_room(desk):
    desk.hear("one")
    desk.types("- by hand\n")
    for operation in range(4):
        with desk.disk.full(after=operation), pytest.raises(NoteError, match="No space left on device"):
            desk.hear("refused")
        assert [path.name for path in desk.folder.iterdir()] == [f"{DAY}.md"]
    desk.hear("three")
    assert desk.told() == desk.found() == numbered("one", "by hand", "three")


@pytest.mark.parametrize("operation", range(12))
def test_a_stop_at_any_operation_loses_nothing_that_was_acknowledged(tmp_path, operation):
    desk = Desk(tmp_path)
    acknowledged: list[str] = []
    with desk.disk.stopping(after=operation):
        try:
            for text in ("one", "two", "three"):
                desk.hear(text)
                acknowledged.append(text)
                desk.types(f"- by hand after {text}\n")
        except Stopped:
            pass
    desk.restart()
    texts = [text for _, text in desk.told()]
    assert [text for text in texts if not text.startswith("by hand")][: len(acknowledged)] == acknowledged
    assert [seq for seq, _ in desk.told()] == list(range(1, len(texts) + 1))
    desk.hear("next")
    assert desk.found() == [*numbered(*texts), (len(texts) + 1, "next")]


@pytest.mark.parametrize(
    "broken",
    [
        None,
        b"",
        b"{",
        b"[1]",
        b"null",
        b'{"a": 1}',
        b'[{"name": []}]',
        b"\xff\xfe",
        b"[" * 100_000,
        b'[{"what": "is this"}]',
    ],
    ids=range(10),
)
def test_an_index_that_is_gone_or_broken_changes_nothing(desk, broken):
    desk.hear("one", "two")
    desk.journal.close()
    if broken is None:
        desk.index.unlink()
    else:
        desk.index.write_bytes(broken)
    desk.restart()
    desk.hear("three")
    assert desk.told() == numbered("one", "two", "three")


def test_an_index_that_is_out_of_date_changes_nothing(desk):
    desk.hear("one")
    desk.journal.close()
    stale = desk.index.read_bytes()
    desk.hear("two")
    desk.types("- by hand\n")
    desk.index.write_bytes(stale)
    desk.restart()
    assert desk.told() == numbered("one", "two", "by hand")


def test_an_index_that_cannot_be_written_is_no_more_than_a_slower_start(desk):
    desk.index.parent.write_text("a file where the folder should be")
    desk.hear("one")
    desk.journal.close()
    desk.index.parent.unlink()
    assert desk.found() == numbered("one")


def test_lines_are_forced_to_disk_together_or_each_at_once(desk):
    desk.hear("one", "two")
    assert desk.disk.done.count("fsync") == 1  # the folder, for the new name
    force = desk.journal.pending_fsync()
    assert force is not None
    force()
    assert desk.journal.pending_fsync() is None
    assert desk.disk.done.count("fsync") == 2
    desk.restart(fsync_each=True)
    desk.disk.done.clear()
    desk.hear("three", "four")
    assert desk.disk.done == ["append", "fsync", "append", "fsync"]
    assert desk.journal.pending_fsync() is None


@pytest.mark.parametrize("is_group", [True, False])
def test_failed_fsync_is_retried_without_a_new_line(desk, is_group):
    desk.hear("one")
    force = desk.journal.pending_fsync() if is_group else desk.journal.sync
    assert force is not None
    with desk.disk.full(), pytest.raises((NoteError, OSError), match="No space left on device"):
        force()
    again = desk.journal.pending_fsync()
    assert again is not None
    again()
    assert desk.journal.pending_fsync() is None


def test_whoever_needs_all_lines_on_disk_forces_those_too_that_others_have_taken(desk):
    desk.hear("one")
    assert desk.journal.pending_fsync()  # and nothing comes of it
    force = desk.journal.fsync_later()
    before = desk.disk.done.count("fsync")
    desk.hear("two")  # later, and no concern of it
    with desk.disk.full(), pytest.raises(NoteError, match="cannot be forced to disk: No space left on device"):
        force()
    desk.journal.fsync_later()()
    assert desk.disk.done.count("fsync") == before + 2
    desk.journal.fsync_later()()
    assert desk.disk.done.count("fsync") == before + 2


def test_what_is_forced_in_another_thread_may_outlive_the_file(desk):
    desk.hear("one")
    force = desk.journal.pending_fsync()
    desk.journal.close()
    assert force is not None
    force()
    assert desk.found() == numbered("one")


def test_a_folder_that_cannot_be_read_is_named(desk):
    desk.folder.parent.mkdir(parents=True)
    (desk.folder.parent / "journal").write_text("a file where the folder should be")
    with pytest.raises(NoteError, match="agents/Eliza/journal: a memory cannot be written: "):
        desk.hear("one")


DEEDS = st.lists(
    st.sampled_from(["hear", "hear", "hear", "restart", "look", "next day", "copy", "paste", "forget the index"])
    | st.tuples(
        st.just("type"),
        st.sampled_from(["- by hand", "by hand\n", "\n3 apples\n", "- 20:35 x", "\n\n# Title\n", "y ^m1\n"]),
    )
    | st.tuples(st.just("cut"), st.integers(1, 150))
    | st.tuples(st.just("full"), st.integers(0, 5)),
    max_size=14,
)


@given(DEEDS)
def test_whatever_happens_every_memory_has_one_number_and_disk_and_memory_agree(tmp_path_factory, deeds):
    desk = Desk(tmp_path_factory.mktemp("desk"))
    acknowledged: dict[int, str] = {}
    now, copies = at("20:35:01.123"), list[tuple[Path, bytes]]()

    def newest() -> Path:
        return max(desk.folder.glob("2026-*.md"), default=desk.file())

    for place, deed in enumerate(deeds):
        match deed:
            case "hear":
                kept = desk.journal.append(heard(f"thing {place}", now))
                acknowledged[kept.seq] = kept.text
            case "restart":
                desk.restart()
            case "look":
                desk.journal.reload()
            case "next day":
                now += 86_400_000
            case "copy":
                copies = [(path, path.read_bytes()) for path in desk.folder.glob("2026-*.md")]
            case "paste":
                for path, content in copies:
                    path.write_bytes(content)
                desk.journal.reload()
            case "forget the index":
                desk.index.unlink(missing_ok=True)
            case "type", text:
                desk.types(text if desk.journal.last else text.replace(" ^m1", ""), newest().name)
            case "cut", length if newest().exists():
                desk.journal.reload()
                os.truncate(newest(), max(0, newest().stat().st_size - length))
                desk.restart()  # a power cut: what had not been forced to disk is gone, with its numbers
                copies, left = [], dict(desk.told())
                acknowledged = {seq: text for seq, text in acknowledged.items() if left.get(seq) == text}
            case "full", operation:
                with desk.disk.full(after=operation):
                    try:
                        kept = desk.journal.append(heard(f"thing {place}", now))
                        acknowledged[kept.seq] = kept.text
                    except NoteError as error:
                        assert isinstance(error.__cause__, OSError) and error.__cause__.errno == errno.ENOSPC
    desk.journal.reload()
    told = desk.told()
    numbers = [seq for seq, _ in told]
    assert numbers == sorted(set(numbers))
    assert numbers == list(range(1, desk.journal.last + 1)) or any(deed[0] == "cut" for deed in deeds)
    assert {seq: text for seq, text in told if seq in acknowledged} == acknowledged
    everything = desk.journal.read(1, desk.journal.last)
    assert desk.found() == told
    assert desk.journal.read(1, desk.journal.last) == everything
    assert [m.seq for m in desk.journal.read(2, 3)] == [seq for seq, _ in told if seq in (2, 3)]
