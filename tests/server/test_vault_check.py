"""`fallwater vault check`, on vaults that have faults and on those that have none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from server.cli import run
from tests.server.test_cli import MemoryReactor
from tests.vault.legacy_import.older_vault import OlderVault
from vault.vault import open_vault


def check(capsys, vault: Path, *arguments: str) -> tuple[int, str]:
    """Return how a check ends and what it prints."""
    try:
        run(MemoryReactor(), ["vault", "check", "--vault", str(vault), *arguments])
    except SystemExit as ended:
        return (ended.code, capsys.readouterr().out) if isinstance(ended.code, int) else (1, str(ended.code))
    return 0, capsys.readouterr().out


@pytest.fixture
def vault(tmp_path) -> Path:
    return open_vault(tmp_path / "world")[0].root


def test_a_vault_without_a_fault_ends_with_0(capsys, vault):
    assert check(capsys, vault) == (0, f"no faults and no remarks in {vault}.\n")


def test_a_remark_is_no_fault(capsys, vault):
    (vault / "rooms" / "Cell.md").write_text("---\nnumber: 99\n---\nDark.\n")
    assert check(capsys, vault) == (
        0,
        "rooms/Cell.md: (remark) no way leads here from the start room, The Landing.\n"
        f"no faults and 1 remark in {vault}.\n",
    )


def test_a_fault_ends_with_1_and_can_be_mended(capsys, vault):
    note = vault / "rooms" / "The Mill.md"
    note.write_text(note.read_text().replace("number: 9\n", ""))
    number = len(list((vault / "rooms").iterdir())) + 1  # one number is free, but it was a room's once
    what = f"rooms/The Mill.md:1: it has no number, by which maps and renamings know a room; write number: {number}\n"
    assert check(capsys, vault) == (1, f"{what}1 fault and no remarks in {vault}. --fix can mend 1 of them.\n")
    mended = f"mended: rooms/The Mill.md: was given number {number}; what it was is in .trash/rooms/The Mill.md.\n"
    assert check(capsys, vault, "--fix") == (0, f"{mended}no faults and no remarks in {vault}.\n")
    assert check(capsys, vault, "--fix") == (0, f"no faults and no remarks in {vault}.\n")


def test_json_has_what_was_mended_and_what_was_found(capsys, vault):
    (vault / "things" / "iron key.md").write_text("---\nat: '[[The Moon]]'\n---\nCold.\n")
    code, printed = check(capsys, vault, "--json")
    assert (code, json.loads(printed)) == (
        1,
        {
            "mended": [],
            "findings": [
                {
                    "file": "things/iron key.md",
                    "line": 2,
                    "kind": "fault",
                    "text": "at is 'The Moon', which is no room, person or thing; did you mean 'The Mill'?",
                    "fixable": False,
                }
            ],
        },
    )


def test_a_folder_without_a_vault_is_told(capsys, tmp_path):
    assert check(capsys, tmp_path) == (1, f"fallwater: {tmp_path}: there is no vault here. Name it with --vault.")


def test_an_older_vault_is_imported_and_what_was_taken_is_told(capsys, tmp_path):
    older = OlderVault(tmp_path / "old")
    older.room("Hall", "A long hall.", connections=["[[Attic]]"])
    run(MemoryReactor(), ["import", str(older.root), "--vault", str(tmp_path / "new"), "--zone", "UTC"])
    assert capsys.readouterr().out.splitlines() == [
        "1 rooms, 0 things, 0 agents.",
        "Newcomers arrive in Hall; start_room in config/world.md says so.",
        "not taken as it was: world/locations/Hall.md:14: there is no room 'Attic', so no way leads there.",
        f"The new vault is {tmp_path / 'new'}. {older.root} is as it was. "
        f"Next: fallwater vault check --vault {tmp_path / 'new'}",
    ]


def test_a_time_zone_that_does_not_exist_is_told(tmp_path):
    with pytest.raises(SystemExit, match="--zone is 'Mars'; expected the name of a time zone, as Europe/Berlin."):
        run(MemoryReactor(), ["import", str(tmp_path), "--vault", str(tmp_path / "new"), "--zone", "Mars"])


def test_what_is_said_of_commands_is_checked_with_every_fault(capsys, vault):
    (vault / "text" / "help.md").write_text("**loook**: See.\n**@backup**: Keep everything.\n**look**: See.\n")
    (vault / "text" / "verbs.md").write_text("**look**: schau, go\n**@qqqqqq**: x\n**@memory-pin**: merk\n")
    assert check(capsys, vault) == (
        1,
        "text/help.md:1: there is no command 'loook'; did you mean 'look'?\n"
        "text/verbs.md:1: 'go' is the name of 'go' already; give 'look' another.\n"
        "text/verbs.md:2: there is no command '@qqqqqq'; `commands` lists them all.\n"
        f"3 faults and no remarks in {vault}.\n",
    )
