"""Backups hold all of the vault or are none; what everybody was about is kept for a moment."""

from __future__ import annotations

import json
import tarfile
import threading
from pathlib import Path

import pytest

from config.settings import WorldSettings
from tests.vault.failing_disk import FailingDisk
from tests.vault.vault_of import vault_of
from tests.world.inn import inn
from vault.backup import SNAPSHOT, SessionSnapshot, back_up, backups_folder, load_and_clear_snapshot, save_snapshot
from vault.entities.load import load_world
from vault.errors import NoteError
from vault.locations_log import LocationsLog
from vault.vault import Vault, open_vault
from world.entities import TransientState

AT = 1_795_000_000_000  # 2026-11-18 11:06:40 UTC
DAY = 86_400_000

CLOSED_AT = 1_764_016_501_000
ABOUT = TransientState(
    destination_id="The Cellar",
    previous_room_id="The Kitchen",
    following_id="Ben",
    leading_id="Ben",
    leading_to_id="The Cellar",
    reply_to_id="Cat",
    afk_message="tea | and a bun",
    last_line="say hello",
)


def files_in(path: Path) -> dict[str, str]:
    """Return what is in an archive, by name."""
    with tarfile.open(path) as archive:
        opened = ((one.name, archive.extractfile(one)) for one in archive if one.isfile())
        return {name: file.read().decode() for name, file in opened if file}


def restored(path: Path, where: Path) -> Vault:
    """Unpack an archive elsewhere and open the vault in it."""
    with tarfile.open(path) as archive:
        archive.extractall(where, filter="data")
    vault, is_new = open_vault(where / "world")
    assert not is_new
    return vault


def test_an_archive_beside_the_vault_holds_every_file_to_the_letter_but_no_drafts_and_no_trash(tmp_path):
    vault = vault_of(
        tmp_path / "world",
        {
            "rooms/Café.md": "Steam.\n",
            "agents/Eliza/journal/1.md": "- x\n",
            "rooms/.a.md.draft": "?",
            ".trash/rooms/Old.md": "Gone.\n",
            ".obsidian/app.json": "{}",
        },
    )
    path = back_up(vault, AT).path
    assert path == tmp_path / "world.backups" / "world 2026-11-18 110640.tar.gz"
    assert files_in(path) == {
        "world/.obsidian/app.json": "{}",
        "world/agents/Eliza/journal/1.md": "- x\n",
        "world/rooms/Café.md": "Steam.\n",
    }


def test_a_world_goes_on_from_its_backup_as_it_was(tmp_path):
    vault, _ = open_vault(tmp_path / "world")
    world = load_world(vault, WorldSettings())
    world.things["tin cup"].place_id = "Moss"
    LocationsLog(vault, world).save()
    again = load_world(restored(back_up(vault, AT).path, tmp_path / "elsewhere"), WorldSettings())
    assert (again.rooms, dict(again.things), dict(again.characters)) == (
        world.rooms,
        dict(world.things),
        dict(world.characters),
    )


def test_a_backup_while_files_come_grow_and_go_can_be_restored(tmp_path):
    vault = vault_of(tmp_path / "world", {"rooms/Hall.md": "A hall.\n", "agents/Moss/journal.md": ""})
    over = threading.Event()

    def go_on() -> None:
        turn = 0
        while not over.is_set():
            turn += 1
            vault.write_text(f"---\nnumber: 99\n---\n{'A cellar. ' * (turn % 50)}\n", "rooms", "Cellar.md")
            with open(vault.path("agents", "Moss", "journal.md"), "a", encoding="utf-8") as journal:
                journal.write(f"- line {turn}\n")
            vault.write_text("Soon gone.\n", "rooms", f"Brief {turn}.md")
            vault.path("rooms", f"Brief {turn}.md").unlink()

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        paths = [back_up(vault, AT + 1000 * number).path for number in range(3)]
    finally:
        over.set()
        thread.join()
    for number, path in enumerate(paths):
        copy = restored(path, tmp_path / f"copy {number}")
        assert load_world(copy, WorldSettings(start_room="Hall")).rooms["Hall"].description == "A hall."
        journal = copy.read_text("agents", "Moss", "journal.md")
        assert journal == "".join(f"- line {turn}\n" for turn in range(1, journal.count("\n") + 1))


def test_the_newest_are_kept_and_nothing_else_is_touched(tmp_path):
    vault = vault_of(tmp_path / "world", {"rooms/The Landing.md": "Planks.\n"})
    others = ("world of mine.tar.gz", "another 2026-11-18 110640.tar.gz", "notes.txt")
    backups_folder(vault).mkdir()
    for name in others:
        (backups_folder(vault) / name).write_text("mine", encoding="utf-8")
    for day in range(4):
        back_up(vault, AT + day * DAY, kept=2)
    found = {path.name for path in backups_folder(vault).iterdir()}
    assert found == {"world 2026-11-20 110640.tar.gz", "world 2026-11-21 110640.tar.gz", *others}


def test_accounts_are_not_in_it(tmp_path):
    vault = vault_of(tmp_path / "world", {"rooms/The Landing.md": "Planks.\n"})
    accounts = tmp_path / "world.accounts"
    accounts.mkdir()
    (accounts / "accounts.sqlite3").write_text("hashes", encoding="utf-8")
    path = back_up(vault, AT).path
    assert [name for name in files_in(path) if "accounts" in name] == []
    assert path.stat().st_mode & 0o077 == 0


def test_what_cannot_be_read_is_told_and_all_else_is_in_the_backup(tmp_path):
    vault = vault_of(tmp_path / "world", {"rooms/Hall.md": "A hall.\n"})
    unreadable, shorter = vault.root / "rooms" / "Den.md", Path("/sys/kernel/uevent_seqnum")
    unreadable.symlink_to("/proc/self/mem")  # it may be opened, and the first read of it fails
    (vault.root / "rooms" / "Well.md").symlink_to(shorter)  # has 4096 bytes, it says, and then fewer
    backup = back_up(vault, AT)
    assert files_in(backup.path) == {"world/rooms/Hall.md": "A hall.\n", "world/rooms/Well.md": shorter.read_text()}
    assert backup.left_out == (f"{unreadable} is not in it: Input/output error.",)


def test_a_backup_that_fails_leaves_nothing_and_says_why(tmp_path):
    vault = vault_of(tmp_path / "world", {"rooms/The Landing.md": "Planks.\n"})
    (tmp_path / "world.backups").write_text("in the way", encoding="utf-8")
    with pytest.raises(NoteError, match=r"world 2026-11-18 110640\.tar\.gz: the backup cannot be made: File exists"):
        back_up(vault, AT)


def test_a_backup_on_a_full_disk_leaves_those_that_there_are(tmp_path):
    disk = FailingDisk()
    vault = vault_of(tmp_path / "world", {"rooms/The Landing.md": "Planks.\n"}, disk)
    first = back_up(vault, AT, kept=1).path
    with disk.full(), pytest.raises(NoteError, match="No space left on device"):
        back_up(vault, AT + DAY, kept=1)
    assert list(backups_folder(vault).iterdir()) == [first]


ABOUT.speech_history.extend(['Ben says, "One"', 'Ben says, "Zwei ünd"'])


def test_what_was_kept_is_there_again_a_moment_later_and_only_once(tmp_path):
    vault, world = vault_of(tmp_path, {}), inn()
    kept = SessionSnapshot(
        ("Ana", "Rook"), {"Ana": ABOUT, "Rook": TransientState(afk_message="")}, {"Rook": {"spoken": 1}}
    )
    save_snapshot(vault, kept, CLOSED_AT)
    assert load_and_clear_snapshot(vault, world, CLOSED_AT + 60_000, 60) == kept
    assert load_and_clear_snapshot(vault, world, CLOSED_AT + 60_000, 60) == SessionSnapshot()


@pytest.mark.parametrize("later_ms", [60_001, -1])
def test_what_is_older_or_from_the_future_does_not_count(tmp_path, later_ms):
    vault = vault_of(tmp_path, {})
    save_snapshot(vault, SessionSnapshot(("Ana",), {"Ana": ABOUT}), CLOSED_AT)
    assert load_and_clear_snapshot(vault, inn(), CLOSED_AT + later_ms, 60) == SessionSnapshot()


def test_who_and_what_is_no_more_is_left_out(tmp_path):
    vault, world = vault_of(tmp_path, {}), inn()
    save_snapshot(vault, SessionSnapshot(("Ana", "Zoe"), {"Ana": ABOUT, "Zoe": ABOUT}), CLOSED_AT)
    del world.characters["Ben"], world.rooms["The Cellar"]
    found = load_and_clear_snapshot(vault, world, CLOSED_AT, 60)
    ana = found.transient["Ana"]
    assert (found.awake, list(found.transient)) == (("Ana",), ["Ana"])
    assert (ana.destination_id, ana.following_id, ana.leading_id, ana.leading_to_id) == ("", "", "", "")
    assert (ana.previous_room_id, ana.reply_to_id) == ("The Kitchen", "Cat")


def test_of_whom_nothing_is_to_be_told_nothing_is_kept(tmp_path):
    vault = vault_of(tmp_path, {})
    save_snapshot(
        vault, SessionSnapshot((), {"Ana": TransientState(client_uses_screen_reader=True, is_linkdead=True)}), CLOSED_AT
    )
    assert json.loads(vault.read_text(*SNAPSHOT)) == {"at_ms": CLOSED_AT, "awake": [], "doings": {}, "owed": {}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[1]",
        '{"at_ms": "now"}',
        '{"at_ms": 1764016501000, "awake": [[]], "doings": {}, "owed": {}}',
        '{"at_ms": 1764016501000, "awake": [], "doings": {"Ana": {"heard": 7}}, "owed": {}}',
        '{"at_ms": 1764016501000, "awake": [], "doings": {"Ana": {"goal_id": []}}, "owed": {}}',
        "[" * 100_000,
    ],
)
def test_what_cannot_be_understood_is_logged_and_nobody_goes_on_from_there(tmp_path, caplog, text):
    vault = vault_of(tmp_path, {})
    vault.write_text(text, *SNAPSHOT)
    assert load_and_clear_snapshot(vault, inn(), CLOSED_AT, 60) == SessionSnapshot()
    assert [r.getMessage()[:33] for r in caplog.records] == [".index/just-now.json is not valid"]


def test_where_there_is_nothing_there_is_nothing_to_say(tmp_path, caplog):
    assert load_and_clear_snapshot(vault_of(tmp_path, {}), inn(), CLOSED_AT, 60) == SessionSnapshot()
    assert caplog.records == []


def test_a_full_disk_costs_no_more_than_a_warning(tmp_path, caplog):
    disk = FailingDisk()
    vault = vault_of(tmp_path, {}, disk)
    with disk.full():
        save_snapshot(vault, SessionSnapshot(("Ana",)), CLOSED_AT)
    assert len(caplog.records) == 1
