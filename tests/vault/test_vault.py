"""The vault stays inside its folder, and a file is replaced whole or not at all."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vault.failing_disk import FailingDisk, Stopped
from tests.vault.vault_of import files, vault_of
from vault.config_notes import write_setting
from vault.entities.agent_notes import PersonalNotes, ProfileHistory, set_agent_property
from vault.entities.schema import load_room, save_entity
from vault.errors import NoteEditedError, NoteError
from vault.note import Note
from vault.replaced_files import ReplacedFiles
from vault.vault import MARK, NOTE_FOLDERS, REST_SECONDS, STARTER, Vault, check_name, open_vault
from world.entities import Character
from world.sanitize import clean_line

DURABLE = ["write_draft", "fsync", "write_draft", "fsync", "replace", "replace", "sync_folder", "fsync"]


@pytest.mark.parametrize(
    "name", ["Ana", "The Hall", "Zoë", "O'Neill", "Room 7", "mr. x", "世界", "Upstairs, left", "a" * 120, "Conrad"]
)
def test_a_name_that_may_become_a_file_is_kept(name):
    assert check_name(name) == name


def test_a_name_is_composed():
    assert check_name("Zoe\u0308") == "Zo\u00eb"


REFUSED = [
    *'../x .. . --- .hidden - a/b a\\b a:b a#b a^b [[a]] a* a? <a> a|b "a" a·b a%b'.split(),
    *["", "   ", " Ana", "Ana ", "\x00", "a\nb", "a\x1b[1m", "a\x7fb", "a\x85b"],
    *["\u202ea", "a\u200bb", "a\u2028b", "a\u2029b", "a\u00a0b", "\ufeffa", "a\u3164b", "\ud800", "a\ue000"],
    *["a" * 121, "é" * 61, "a" * 200],
    *["Hall.", "CON", "com1", "nul.txt", "Aux"],
]


@pytest.mark.parametrize("name", REFUSED, ids=ascii)
def test_a_name_that_may_not_is_refused_and_named(name):
    with pytest.raises(NoteError) as refused:
        check_name(name)
    assert str(refused.value).startswith(f"The name {name!r} ")


@given(st.text(max_size=20) | st.text(". -/\\\x00\u2028a", max_size=5))
def test_a_name_that_is_taken_is_one_part_of_a_path(tmp_path_factory, name):
    try:
        taken = check_name(name)
    except NoteError:
        return
    vault = Vault(tmp_path_factory.getbasetemp())
    assert vault.path("rooms", f"{taken}.md").parent == vault.path("rooms")
    assert check_name(taken) == taken == clean_line(taken)


@pytest.mark.parametrize(
    "parts", [("..",), ("../x",), ("rooms", "../../x.md"), ("/etc/passwd",), ("rooms", "/etc"), ("a\x00b",)]
)
def test_a_path_outside_the_vault_is_refused(tmp_path, parts):
    with pytest.raises(NoteError, match="lies outside the vault"):
        Vault(tmp_path).path(*parts)


def test_a_link_that_stays_in_the_vault_is_followed_and_none_that_leaves_it_by_another(tmp_path):
    vault = Vault(tmp_path / "vault")
    vault.write_text("x", "rooms", "hall.md")
    (tmp_path / "vault" / "places").symlink_to("rooms")
    (tmp_path / "vault" / "rooms" / "far").symlink_to("../../vault/../elsewhere")
    assert vault.read_text("places", "hall.md") == vault.read_text("rooms", "..", "rooms", "hall.md") == "x"
    with pytest.raises(NoteError, match="lies outside the vault"):
        vault.path("places", "far", "x.md")


@pytest.mark.parametrize("link", ["rooms/R.md", "rooms"])
def test_a_note_behind_a_link_is_written_through_it_and_keeps_its_mode(tmp_path, link):
    vault = vault_of(tmp_path / "vault", {"shared/R.md" if link == "rooms" else "shared.md": "Dust.\n"})
    path, file = vault.root / link, next(vault.root.glob("shared*"))
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(os.path.relpath(file, path.parent))
    file = file / "R.md" if file.is_dir() else file
    file.chmod(0o640)
    room = load_room(vault, "R")
    room.description = "Moss."
    assert save_entity(vault, room)
    assert (path.is_symlink(), file.read_text(), file.stat().st_mode & 0o777) == (True, "Moss.\n", 0o640)
    vault.write_together([("Ivy.\n", "rooms/R.md")])
    assert (path.is_symlink(), file.read_text(), file.stat().st_mode & 0o777) == (True, "Ivy.\n", 0o640)
    assert not list(vault.root.rglob("*.draft"))


def test_half_a_character_is_refused_with_its_line_and_leaves_no_draft(tmp_path):
    vault = vault_of(tmp_path, {"a.md": "a", "b.md": "b"})
    for write in (
        lambda: vault.write_text("one\ntwo \ud800", "b.md"),
        lambda: vault.write_together([("new", "a.md"), ("one\ntwo \ud800", "b.md")]),
    ):
        with pytest.raises(NoteError) as refused:
            write()
        assert str(refused.value) == "b.md:2: cannot be written: '\\ud800' is half a character; leave it out."
    with pytest.raises(NoteError, match="is not a path"):
        vault.exists("notes", "\udfff.md")
    assert files(tmp_path) == {"a.md": b"a", "b.md": b"b"}


def test_a_note_is_replaced_without_waiting_and_then_forced_with_its_folder(tmp_path):
    disk = FailingDisk()
    vault = Vault(tmp_path, disk)
    vault.write_text("x", "rooms", "Hall.md")
    vault.write_text("y", "rooms", "Hall.md")
    vault.write_text("z", "rooms", "Den.md")
    assert "fsync" not in disk.done
    disk.done.clear()
    sync = vault.pending_fsync()
    assert sync and disk.done == []
    vault.path("rooms", "Den.md").unlink()
    with disk.full(after=1), pytest.raises(OSError, match="No space"):
        sync()
    disk.done.clear()
    vault.sync()
    assert disk.done == ["fsync", "sync_folder", "fsync"]
    assert vault.pending_fsync() is None


def test_notes_are_listed_by_name_without_hidden_ones(tmp_path):
    vault = Vault(tmp_path)
    for name in ("b.md", "a.md", ".draft.md", "picture.png"):
        vault.write_text("x", "rooms", name)
    vault.write_text("x", "agents", "Moss", "agent.md")
    vault.write_text("x", "agents", ".trash", "agent.md")
    assert (vault.names("rooms"), vault.names("nowhere")) == (["a", "b"], [])
    assert (vault.folders("agents"), vault.folders("nowhere")) == (["Moss"], [])


def test_a_note_is_read_as_it_was_written(tmp_path):
    vault = Vault(tmp_path)
    vault.write(Note("n.md", {"room": "[[The Hall]]", "näme": "Zoë"}, "Prose."), "rooms", "n.md")
    assert vault.read_text("rooms", "n.md") == "---\nroom: '[[The Hall]]'\nnäme: Zoë\n---\nProse.\n"
    note = vault.read("rooms", "n.md")
    assert (note.source, note.properties, note.body) == (
        "rooms/n.md",
        {"room": "[[The Hall]]", "näme": "Zoë"},
        "Prose.",
    )


def test_what_cannot_be_read_is_named(tmp_path):
    vault = Vault(tmp_path)
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    with pytest.raises(NoteError, match=r"^latin\.md: not UTF-8 text \(byte 3\); save it as UTF-8\.$"):
        vault.read("latin.md")
    with pytest.raises(NoteError, match=r"^rooms/none\.md: cannot be read: No such file or directory\.$"):
        vault.read("rooms", "none.md")
    with pytest.raises(NoteError, match="cannot be read: Is a directory"):
        vault.read(".")


@pytest.mark.parametrize("operation", range(2))
def test_a_file_that_cannot_be_replaced_stays_as_it_was(tmp_path, operation):
    disk = FailingDisk()
    vault = Vault(tmp_path, disk)
    vault.write_text("old", "rooms", "a.md")
    with disk.full(after=operation), pytest.raises(NoteError) as refused:
        vault.write_text("new and longer", "rooms", "a.md")
    assert str(refused.value) == "rooms/a.md: cannot be written: No space left on device."
    assert files(tmp_path) == {"rooms/a.md": b"old"}


@pytest.mark.parametrize("operation", range(2))
def test_a_stop_leaves_the_old_file_or_the_new_one(tmp_path, operation):
    disk = FailingDisk()
    vault = Vault(tmp_path, disk)
    vault.write_text("old", "a.md")
    with disk.stopping(after=operation), pytest.raises(Stopped):
        vault.write_text("new", "a.md")
    assert vault.read_text("a.md") == "old"
    assert vault.names(".") == ["a"]
    vault.write_text("newer", "a.md")
    assert files(tmp_path) == {"a.md": b"newer"}


def test_files_written_together_are_all_on_disk_before_the_first_is_renamed(tmp_path):
    disk = FailingDisk()
    Vault(tmp_path, disk).write_together([("one", "s/a.md"), ("two", "s/b.md")])
    assert files(tmp_path) == {"s/a.md": b"one", "s/b.md": b"two"}
    assert disk.done == DURABLE


@pytest.mark.parametrize("operation", range(5))
def test_files_written_together_are_as_they_were_if_there_is_no_room(tmp_path, operation):
    disk = FailingDisk()
    vault = Vault(tmp_path, disk)
    vault.write_together([("old one", "s/a.md"), ("old two", "s/b.md")])
    with disk.full(after=operation), pytest.raises(NoteError, match="cannot be written: No space left on device"):
        vault.write_together([("new one", "s/a.md"), ("new two", "s/b.md")])
    assert files(tmp_path) == {"s/a.md": b"old one", "s/b.md": b"old two"}


@pytest.mark.parametrize("there", ["nothing", "an empty folder", "a link to an empty folder"])
def test_a_new_vault_is_a_copy_of_the_starter_and_a_folder_stays_for_it_may_be_a_mount_point(tmp_path, there):
    root = tmp_path / "deep" / "world"
    if there == "an empty folder":
        root.mkdir(parents=True)
    elif there == "a link to an empty folder":
        (tmp_path / "elsewhere").mkdir()
        root.parent.mkdir()
        root.symlink_to(tmp_path / "elsewhere")
    inode = root.stat().st_ino if root.exists() else 0
    vault, made = open_vault(root)
    assert made
    assert inode in (0, root.stat().st_ino)
    assert (root / MARK).is_file()
    assert files(root) == files(STARTER)
    assert "The Landing" in vault.names("rooms")
    assert os.stat(root).st_mode & 0o777 == 0o755
    assert [path.name for path in root.parent.iterdir()] == ["world"]
    assert not [name for name in files(tmp_path) if "/." in f"/{name}"]


def test_a_vault_that_is_there_is_opened_and_not_touched(tmp_path):
    open_vault(tmp_path / "world")
    changed = tmp_path / "world" / MARK
    changed.write_text("Mine now.")
    (tmp_path / "world" / "rooms" / "The Mill.md").unlink()
    before = files(tmp_path)
    vault, made = open_vault(tmp_path / "world")
    assert (made, files(tmp_path)) == (False, before)
    assert vault.root == (tmp_path / "world").resolve()


def test_a_folder_of_other_things_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("ten years of work")
    with pytest.raises(NoteError) as refused:
        open_vault(tmp_path)
    assert str(refused.value) == (
        f"{tmp_path}: this folder holds other things and no {MARK}; give an empty or a new folder with --vault."
    )
    assert files(tmp_path) == {"thesis.txt": b"ten years of work"}


def test_a_file_is_no_vault(tmp_path):
    (tmp_path / "world").write_text("x")
    with pytest.raises(NoteError, match="this is a file; a vault is a folder. Give another with --vault."):
        open_vault(tmp_path / "world")
    with pytest.raises(NoteError, match="the vault cannot be made there: .+. Give another with --vault."):
        open_vault(tmp_path / "world" / "below")


def test_a_vault_that_cannot_be_written_to_is_refused_at_the_start(tmp_path):
    open_vault(tmp_path / "world")
    disk = FailingDisk()
    with disk.full(), pytest.raises(NoteError) as refused:
        open_vault(tmp_path / "world", disk)
    assert str(refused.value) == (
        f"{tmp_path / 'world'}: the vault cannot be written to: No space left on device. "
        "Make room or correct its permissions."
    )
    assert not [name for name in files(tmp_path) if "/." in name]


def by_setting(vault: Vault) -> None:
    write_setting(vault, "models", "timeout_seconds", "61")


def by_interval(vault: Vault) -> None:
    set_agent_property(vault, "Moss", "think_seconds", 9)


def by_profile(vault: Vault) -> None:
    ProfileHistory(vault, lambda: 0).set_profile(Character("Moss", "Hall", is_agent=True), "You are old.")


def by_note(vault: Vault) -> None:
    PersonalNotes(vault, lambda: 0).add(Character("Ana", "Hall"), "plan", "More.")


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("config/models.md", by_setting),
        ("agents/Moss/agent.md", by_interval),
        ("agents/Moss/agent.md", by_profile),
        ("people/Ana/notes/plan.md", by_note),
    ],
)
def test_a_command_writes_into_no_note_that_somebody_may_still_be_saving(tmp_path, path, change):
    vault = vault_of(tmp_path, {path: "Half of a no"})
    vault.replaced = ReplacedFiles(vault.root, lambda: 0.0)
    with pytest.raises(NoteEditedError, match="is being edited just now; try again in a moment"):
        change(vault)
    assert (tmp_path / path).read_text() == "Half of a no"
    long_ago = time.time() - REST_SECONDS
    os.utime(tmp_path / path, (long_ago, long_ago))
    change(vault)
    change(vault)  # what the world has just written itself is no edit


@pytest.mark.parametrize("folder", NOTE_FOLDERS)
def test_a_folder_of_notes_that_is_away_is_not_made_a_second_time(tmp_path, folder):
    vault = vault_of(tmp_path, {f"{folder}/Hall/agent.md": "A hall.\n"})
    vault.write_text("Old.\n", folder, "Attic.md")
    (tmp_path / folder).rename(tmp_path / "world")
    writes = [
        lambda: vault.write_text("New.\n", folder, "Attic.md"),
        lambda: vault.write_together([("New.\n", f"{folder}/Hall/agent.md")]),
        lambda: vault.drafts([("New.\n", f"{folder}/Hall/agent.md")]).write(),
        lambda: vault.rename(("world", "Attic.md"), (folder, "Attic.md")),
    ]
    for write in writes:
        with pytest.raises(NoteError, match=f"the folder {folder} is away; bring it back, or make an empty one if it"):
            write()
    assert not (tmp_path / folder).exists()
    (tmp_path / "world").rename(tmp_path / folder)
    vault.write_text("New.\n", folder, "Attic.md")
    assert (tmp_path / folder / "Attic.md").read_text() == "New.\n"
