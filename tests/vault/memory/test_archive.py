"""An archive's entries are what was given, at the reference that was given for them, for good."""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.vault.failing_disk import FailingDisk, Stopped
from vault.atomic_write import Disk
from vault.errors import NoteError
from vault.memory.archive import Archive
from vault.memory.archive_file import ArchiveEntry
from vault.vault import Vault

EVENING_MS = 1_795_293_301_123  # 2026-11-21 20:35:01.123 UTC
DAY_MS = 86_400_000


def archive_in(root: Path, disk: Disk | None = None, file_bytes: int = 1 << 20) -> Archive:
    return Archive(Vault(root, disk), "Eliza", file_bytes)


def folder(root: Path) -> Path:
    return root / "agents" / "Eliza" / "archive"


def raw(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder(root).glob("*.jsonl")}


def test_an_entry_is_a_line_of_json_with_event_time_and_memory(tmp_path):
    reference = archive_in(tmp_path).append("tool_call", EVENING_MS, 129, command="look")
    assert reference == "2026-11-21#1"
    line = '{"event": "tool_call", "at": "2026-11-21T20:35:01.123Z", "seq": 129, "command": "look"}\n'
    assert (folder(tmp_path) / "2026-11-21.jsonl").read_text() == line


@given(st.lists(st.text(), min_size=1, max_size=8))
@example(["\ud800 é"])  # half a character
def test_any_text_comes_back_by_its_reference(texts):
    with tempfile.TemporaryDirectory() as name:
        archive = archive_in(Path(name))
        references = [archive.append("tool_result", EVENING_MS, 1, text=text) for text in texts]
        assert [archive.read(reference)["text"] for reference in references] == texts
        assert [(reference, entry["text"]) for reference, entry in archive.entries()] == [
            *zip(references, texts, strict=True)
        ]
        whole = b"".join(raw(Path(name)).values()).decode()
        assert [json.loads(line)["text"] for line in whole.splitlines()] == texts


@given(st.lists(st.text("ab\n é", max_size=20), min_size=1, max_size=8), st.sets(st.integers(0, 7)))
def test_every_prompt_is_restored_to_the_letter_across_restarts(prompts, restarts):
    with tempfile.TemporaryDirectory() as name:
        archive, references = archive_in(Path(name), file_bytes=600), []
        for place, prompt in enumerate(prompts):
            if place in restarts:
                archive.close()
                archive = archive_in(Path(name), file_bytes=600)
            references.append(archive.append("message", EVENING_MS, place, prompt=prompt))
            archive.append("tool_call", EVENING_MS, place, command="look")
        assert [archive.prompt_of(reference) for reference in references] == prompts


def test_a_prompt_that_only_grew_costs_what_is_new(tmp_path):
    archive, prompt = archive_in(tmp_path), "The world is wide. " * 300
    archive.append("message", EVENING_MS, 1, prompt=prompt)
    before = archive.size()[1]
    archive.append("message", EVENING_MS, 2, prompt=prompt + "Moss arrives.")
    assert archive.size()[1] - before < 250


@pytest.mark.parametrize(
    ("before", "after"), [("I am Eliza.", "I am."), ('"prompt_shared": 0', '"prompt_shared": "none"')]
)
def test_a_prompt_whose_chain_was_changed_by_hand_is_not_made_up(tmp_path, before, after):
    archive = archive_in(tmp_path)
    archive.append("message", EVENING_MS, 1, prompt="I am Eliza.")
    reference = archive.append("message", EVENING_MS, 2, prompt="I am Eliza. It rains.")
    path = folder(tmp_path) / "2026-11-21.jsonl"
    path.write_text(path.read_text().replace(before, after))
    with pytest.raises(NoteError, match="2026-11-21.jsonl: an entry at or before 2 was changed by hand"):
        archive.prompt_of(reference)


def test_only_a_message_has_a_prompt(tmp_path):
    archive = archive_in(tmp_path)
    with pytest.raises(NoteError, match="2026-11-21#1 is not a message, but tool_call"):
        archive.prompt_of(archive.append("tool_call", EVENING_MS, 1, command="look"))


def test_each_utc_day_has_a_file_and_a_clock_set_back_opens_no_older_one(tmp_path):
    archive = archive_in(tmp_path)
    moments = (EVENING_MS, EVENING_MS + DAY_MS, EVENING_MS)
    references = [archive.append("tool_call", at_ms, 1, command="look") for at_ms in moments]
    assert references == ["2026-11-21#1", "2026-11-22#1", "2026-11-22#2"]


@given(st.lists(st.text(max_size=200), max_size=30), st.integers(100, 1000))
def test_3_23_rotation_never_splits_an_entry(texts, file_bytes):
    with tempfile.TemporaryDirectory() as name:
        archive = archive_in(Path(name), file_bytes=file_bytes)
        references = [archive.append("tool_result", EVENING_MS, 1, text=text) for text in texts]
        assert [archive.read(reference)["text"] for reference in references] == texts
        for content in raw(Path(name)).values():
            assert content.endswith(b"\n")
            *but_last, _ = content.split(b"\n")[:-1]
            assert len(b"\n".join(but_last)) < file_bytes
            assert all(json.loads(line) for line in [*but_last, _])


def test_parts_are_in_order_beyond_the_tenth(tmp_path):
    archive = archive_in(tmp_path, file_bytes=10)
    references = [archive.append("tool_call", EVENING_MS, seq, command="look") for seq in range(12)]
    assert references[:2] + references[-1:] == ["2026-11-21#1", "2026-11-21-2#1", "2026-11-21-12#1"]
    assert [entry["seq"] for _, entry in archive.entries()] == list(range(12))
    assert archive.size()[0] == 12


def test_3_8_no_line_ever_changes_whatever_is_written_after_it(tmp_path):
    archive, seen = archive_in(tmp_path, file_bytes=2000), dict[str, bytes]()
    for seq in range(60):
        if seq % 7 == 0:
            archive.close()
            archive = archive_in(tmp_path, file_bytes=2000)
        archive.append_all(
            [
                ArchiveEntry("message", EVENING_MS, seq, {"prompt": f"Turn {seq}"}),
                ArchiveEntry("rebuild", EVENING_MS, 1),
            ]
        )
        now = raw(tmp_path)
        for name, before in seen.items():
            assert hashlib.sha256(now[name][: len(before)]).digest() == hashlib.sha256(before).digest()
        seen = now


def test_killed_at_any_byte_it_starts_and_everything_acknowledged_is_there(tmp_path):
    given = ["It rains.", "Odile says, “hm” 😀", "\x00\x01"]
    archive = archive_in(tmp_path)
    references = [archive.append("tool_result", EVENING_MS, 1, text=text) for text in given]
    path = folder(tmp_path) / "2026-11-21.jsonl"
    content = path.read_bytes()
    whole = len(b"".join(content.splitlines(keepends=True)[:2]))
    for length in range(whole, len(content) + 1):
        path.write_bytes(content[:length])
        fresh = archive_in(tmp_path)
        kept = [entry["text"] for _, entry in fresh.entries()]
        assert kept == given[: 3 if length >= len(content) - 1 else 2]
        later = fresh.append("tool_result", EVENING_MS, 2, text="after")
        assert [fresh.read(reference)["text"] for reference in references[:2]] == given[:2]
        assert fresh.read(later)["text"] == "after"
        assert [json.loads(line)["text"] for line in path.read_bytes().split(b"\n")[:-1]] == [*kept, "after"]
        fresh.close()


def test_what_was_torn_off_is_set_aside(tmp_path, caplog):
    archive_in(tmp_path).append("tool_call", EVENING_MS, 1, command="look")
    path = folder(tmp_path) / "2026-11-21.jsonl"
    path.write_bytes(path.read_bytes() + b'{"event": "mess\x00\x00')
    archive_in(tmp_path).append("tool_call", EVENING_MS, 1, command="nod")
    assert '{"event": "mess' in (folder(tmp_path) / "quarantine.md").read_text()
    assert "a torn last line of 2026-11-21.jsonl was set aside" in caplog.text


@pytest.mark.parametrize("after", range(3))
def test_stopped_while_writing_nothing_before_is_harmed(tmp_path, after):
    disk = FailingDisk()
    archive = archive_in(tmp_path, disk)
    archive.append("tool_call", EVENING_MS, 1, command="look")
    with disk.stopping(after), pytest.raises(Stopped):
        for _ in range(5):
            archive.append("tool_call", EVENING_MS, 1, command="nod")
    commands = [entry["command"] for _, entry in archive_in(tmp_path).entries()]
    assert commands == ["look", *["nod"] * after]


def test_on_a_full_disk_nothing_changes_and_it_goes_on_when_there_is_room(tmp_path):
    disk = FailingDisk()
    archive = archive_in(tmp_path, disk)
    archive.append("message", EVENING_MS, 1, prompt="I am Eliza.")
    before = raw(tmp_path)
    with (
        disk.full(),
        pytest.raises(NoteError, match="agents/Eliza/archive: cannot be written: No space left on device"),
    ):
        archive.append("message", EVENING_MS, 2, prompt="I am Eliza. It rains.")
    assert raw(tmp_path) == before
    assert archive.prompt_of(archive.append("message", EVENING_MS, 2, prompt="I am Eliza.")) == "I am Eliza."


def test_entries_given_together_are_written_in_one_step(tmp_path):
    disk = FailingDisk()
    archive = archive_in(tmp_path, disk)
    archive.append("tool_call", EVENING_MS, 1, command="look")
    done = len(disk.done)
    references = archive.append_all([ArchiveEntry("tool_call", EVENING_MS, seq, {"command": "nod"}) for seq in (2, 3)])
    assert disk.done[done:] == ["append"]
    assert references == ["2026-11-21#2", "2026-11-21#3"]


def test_a_file_moved_away_is_said_to_be_so_and_the_next_entry_begins_another(tmp_path):
    archive = archive_in(tmp_path)
    reference = archive.append("message", EVENING_MS, 1, prompt="Long ago")
    (folder(tmp_path) / "2026-11-21.jsonl").rename(tmp_path / "elsewhere")
    with pytest.raises(NoteError, match="2026-11-21.jsonl is not there; was it moved away"):
        archive.read(reference)
    assert archive.prompt_of(archive.append("message", EVENING_MS, 2, prompt="Long ago")) == "Long ago"


@pytest.mark.parametrize("reference", ["", "#", "7", "2026-11-21", "2026-11-21#0", "2026-13-41#1", "../x#1", "^m12"])
def test_what_is_no_reference_is_said_to_be_none(tmp_path, reference):
    with pytest.raises(NoteError, match="is not a reference into an archive; expected one like 2026-11-21#7."):
        archive_in(tmp_path).read(reference)


def test_a_reference_to_nothing_says_how_many_entries_there_are(tmp_path):
    archive = archive_in(tmp_path)
    archive.append("tool_call", EVENING_MS, 1, command="look")
    with pytest.raises(NoteError, match="agents/Eliza/archive/2026-11-21.jsonl has no entry 2; it has 1."):
        archive.read("2026-11-21#2")


@pytest.mark.parametrize("junk", [b"nonsense", b"[]", b"{}", b"\xff\xfe", b"[" * 100_000, b""])
def test_a_line_changed_by_hand_costs_only_itself(tmp_path, junk, caplog):
    archive = archive_in(tmp_path)
    references = [archive.append("tool_call", EVENING_MS, seq, command="look") for seq in (1, 2, 3)]
    path = folder(tmp_path) / "2026-11-21.jsonl"
    first, _, third, _ = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([first, junk, third, b""]))
    assert [entry["seq"] for _, entry in archive.entries()] == [1, 3]
    assert "2026-11-21.jsonl:2: this entry is not valid and was left out" in caplog.text
    assert archive.read(references[2])["seq"] == 3
    with pytest.raises(NoteError, match="2026-11-21.jsonl:2: this entry is not valid; the line was edited by hand."):
        archive.read(references[1])


def test_other_files_in_the_folder_are_let_be(tmp_path):
    folder(tmp_path).mkdir(parents=True)
    for name in ("notes.jsonl", "2026-13-01.jsonl", "2026-11-21-1.jsonl", ".2026-11-21.jsonl.draft"):
        (folder(tmp_path) / name).write_text("mine")
    archive = archive_in(tmp_path)
    assert archive.append("tool_call", EVENING_MS, 1, command="look") == "2026-11-21#1"
    assert archive.size()[0] == 1


def test_a_memory_s_entry_is_found_by_its_number(tmp_path):
    archive = archive_in(tmp_path)
    archive.append("tool_call", EVENING_MS, 12, command="look")
    archive.append("tool_result", EVENING_MS, 1, text='"seq": 12, ')
    wanted = archive.append("tool_result", EVENING_MS + DAY_MS, 12, text="A hall.")
    found = archive.find("tool_result", 12, "2026-11-21")
    assert found is not None
    assert (found[0], found[1]["text"]) == (wanted, "A hall.")
    assert archive.find("tool_result", 13, "2026-11-21") is None


def test_without_a_folder_there_is_nothing_to_read(tmp_path):
    archive = archive_in(tmp_path)
    assert (list(archive.entries()), archive.size()) == ([], (0, 0))
    archive.sync()
    archive.close()
    assert not folder(tmp_path).exists()
