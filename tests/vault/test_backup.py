"""Backups: all of the vault in one archive with the date in its name, or none at all."""

from __future__ import annotations

import tarfile

import pytest

from tests.vault.vault_of import vault_of
from vault.backup import back_up
from vault.notes import NoteError

AT = 1_795_000_000_000  # 2026-11-18 11:06:40 UTC


def test_an_archive_beside_the_vault_holds_every_file_to_the_letter_but_no_drafts(tmp_path):
    vault = vault_of(
        tmp_path / "world",
        {"rooms/Café.md": "Steam.\n", "agents/Eliza/journal/1.md": "- x\n", "rooms/.a.md.draft": "?"},
    )
    path = back_up(vault, AT)
    assert path == tmp_path / "world.backups" / "world 2026-11-18 110640.tar.gz"
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path / "out", filter="data")
    out = tmp_path / "out"
    files = {str(one.relative_to(out)): one.read_text(encoding="utf-8") for one in out.rglob("*") if one.is_file()}
    assert files == {"world/rooms/Café.md": "Steam.\n", "world/agents/Eliza/journal/1.md": "- x\n"}


def test_a_backup_that_fails_leaves_nothing_and_says_why(tmp_path):
    vault = vault_of(tmp_path / "world", {"rooms/The Landing.md": "Planks.\n"})
    (tmp_path / "world.backups").write_text("in the way", encoding="utf-8")
    with pytest.raises(NoteError, match=r"world 2026-11-18 110640\.tar\.gz: the backup cannot be made: File exists"):
        back_up(vault, AT)
