"""The notes in `lore/`: what they may say, and what is wrong with those that may not."""

from __future__ import annotations

import logging

import pytest

from tests.vault.vault_of import vault_of
from vault.check_world import check_world
from vault.errors import NoteError
from vault.lore import MAX_CHARACTERS, load_entry, load_lore
from vault.vault import STARTER, Vault
from world.lore import LoreEntry

PROPERTIES = '---\nkeys: [inn, stay the night]\nknown_to: ["[[Moss]]", Odile]\n---\n'
INN = f"{PROPERTIES}There is no inn.\nPeople sleep in the mill.\n"


def test_a_note_is_its_name_its_keys_who_knows_it_and_its_text(tmp_path):
    vault = vault_of(tmp_path, {"lore/Lodging.md": INN, "lore/Rain.md": "---\nkeys: wet, umbrella\n---\nIt rains.\n"})
    known = {one.title: one for one in load_lore(vault)}
    text = "There is no inn. People sleep in the mill."
    assert known["Lodging"] == LoreEntry("Lodging", text, ("inn", "stay the night"), frozenset({"Moss", "Odile"}))
    assert known["Rain"] == LoreEntry("Rain", "It rains.", ("wet", "umbrella"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\nkeys: [inn]\n---\n\n", r"lore/Lodging.md: nothing stands below the properties"),
        ("x" * (MAX_CHARACTERS + 1), rf"lore/Lodging.md:1: {MAX_CHARACTERS + 1} characters; at most {MAX_CHARACTERS}"),
        ("---\nkeys: {inn: bed}\n---\nNo.\n", r"lore/Lodging.md:2: keys is a table; expected a list"),
    ],
)
def test_a_note_that_is_not_valid_is_named_and_left_out(text, why, tmp_path, caplog):
    vault = vault_of(tmp_path, {"lore/Lodging.md": text, "lore/Rain.md": "It rains.\n"})
    with pytest.raises(NoteError, match=why):
        load_entry(vault, "Lodging")
    with caplog.at_level(logging.WARNING):
        assert [one.title for one in load_lore(vault)] == ["Rain"]
    assert "left out: lore/Lodging.md" in caplog.text


def test_the_doctor_names_who_is_said_to_know_and_is_nobody(tmp_path):
    moss = "---\nroom: '[[Mill]]'\n---\nMoss.\n"
    vault = vault_of(tmp_path, {"rooms/Mill.md": "A mill.\n", "agents/Moss/agent.md": moss, "lore/Inn.md": INN})
    found = [str(one) for one in check_world(vault) if one.source == "lore/Inn.md"]
    assert len(found) == 1 and found[0].startswith("lore/Inn.md:3: known_to names 'Odile', who is no agent")


def test_the_starter_world_has_lore_that_names_only_who_is_there():
    assert len(load_lore(Vault(STARTER))) == len(Vault(STARTER).names("lore")) > 10
    assert [str(one) for one in check_world(Vault(STARTER)) if one.source.startswith("lore/")] == []
