"""Sync copies of anything in a vault: the world opens as if they were not there, and the check names each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from config.settings import WorldSettings
from vault.check import check_vault
from vault.config_notes import load_settings
from vault.entities.load import load_world
from vault.vault import open_vault

ORIGINALS = ("rooms/The Mill", "things/iron key", "lore/The bell", "text/movement", "config/models", "config/world")
FORMS = (" 2", " (1)", " copy", ".sync-conflict-20261127-120000-ABCDEF7", " (conflicted copy 2026-11-27 120000)")


@pytest.mark.parametrize("form", FORMS)
def test_a_vault_with_copies_opens_as_one_without(tmp_path: Path, form: str):
    vault, _ = open_vault(tmp_path / "world")
    settings = load_settings(vault)
    before = load_world(vault, WorldSettings())
    for original in ORIGINALS:
        shutil.copy(vault.root / f"{original}.md", vault.root / f"{original}{form}.md")
    shutil.copytree(vault.root / "agents" / "Eliza", vault.root / "agents" / f"Eliza{form}")
    after = load_world(vault, WorldSettings())
    assert load_settings(vault) == settings
    assert (after.rooms, after.things, after.characters) == (before.rooms, before.things, before.characters)
    assert after.lore.about("the bell", "Moss") == before.lore.about("the bell", "Moss")
    named = {finding.source for finding in check_vault(vault, 0.0) if "sync copy" in finding.text}
    assert {f"{original}{form}.md" for original in ORIGINALS} <= named


def test_a_room_copied_under_any_name_with_its_number_is_none(tmp_path: Path, caplog):
    vault, _ = open_vault(tmp_path / "world")
    before = load_world(vault, WorldSettings())
    caplog.clear()
    copies = set()
    for original in ("The Mill", WorldSettings().start_room):
        text = (vault.root / "rooms" / f"{original}.md").read_text()
        copies.add(f"rooms/A dream of {original}.md")
        (vault.root / f"rooms/A dream of {original}.md").write_text(f"{text}\nDreams.\n")
    assert load_world(vault, WorldSettings()).rooms == before.rooms
    assert {
        record.getMessage().partition(": ")[2].partition(": has the number of")[0] for record in caplog.records
    } == copies
    assert {finding.source for finding in check_vault(vault, 0.0) if "so it is a copy" in finding.text} == copies
