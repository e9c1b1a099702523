"""Memories of an older kind of vault are taken in once, in order, whatever happens in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from vault.atomic_write import Disk
from vault.legacy_import.memories import import_old_memories
from vault.memory.journal import Journal
from vault.vault import Vault


class Crash(Exception):
    """The machine stops here."""


class CrashingDisk(Disk):
    """Stops before the file numbered `at` is moved."""

    def __init__(self, at: int) -> None:
        self.moves_left = at

    def replace(self, draft: Path, path: Path) -> None:
        if path.parent.name == "imported":
            self.moves_left -= 1
            if self.moves_left < 0:
                raise Crash
        super().replace(draft, path)


def old_vault(root: Path, count: int) -> Vault:
    folder = root / "agents" / "Eliza" / "memories"
    folder.mkdir(parents=True)
    for number in range(count):
        minute, second = divmod(number, 60)
        (folder / f"20260301-09{minute:02}{second:02}-memory.md").write_text(
            f"---\ntimestamp: 2026-03-01T09:{minute:02}:{second:02}Z\ntype: observed\nlocation: '[[The Mill]]'\n"
            f"occupants: ['[[Moss]]']\n---\n# Memory\n\nThe wheel turned {number} times.\n",
            "utf-8",
        )
    return Vault(root)


def loaded(vault: Vault) -> Journal:
    journal = Journal(vault, "Eliza")
    journal.load()
    return journal


def test_five_hundred_old_files_become_memories_1_to_500_in_order(tmp_path):
    vault = old_vault(tmp_path, 500)
    journal = loaded(vault)

    assert import_old_memories(vault, "Eliza", journal) == 500

    memories = journal.read(1, 500)
    assert [memory.seq for memory in memories] == list(range(1, 501))
    assert memories[122].text == "The wheel turned 122 times."
    assert (memories[0].room, memories[0].people, memories[0].day) == ("The Mill", ("Moss",), "2026-03-01")


def test_old_files_are_taken_in_once(tmp_path):
    vault = old_vault(tmp_path, 3)
    journal = loaded(vault)
    import_old_memories(vault, "Eliza", journal)

    assert import_old_memories(vault, "Eliza", journal) == 0
    assert journal.last == 3


@pytest.mark.parametrize("at", [0, 1, 4])
def test_a_crash_in_between_loses_none_and_repeats_none(tmp_path, at):
    old_vault(tmp_path, 5)
    vault = Vault(tmp_path, CrashingDisk(at))
    with pytest.raises(Crash):
        import_old_memories(vault, "Eliza", loaded(vault))

    journal = loaded(Vault(tmp_path))
    import_old_memories(Vault(tmp_path), "Eliza", journal)

    assert [memory.text for memory in journal.read(1, 99)] == [f"The wheel turned {n} times." for n in range(5)]


def test_a_file_that_is_not_valid_stays_where_it_is(tmp_path):
    vault = old_vault(tmp_path, 2)
    broken = tmp_path / "agents" / "Eliza" / "memories" / "20260301-080000-memory.md"
    broken.write_text("---\ntype: [\n---\n", "utf-8")
    journal = loaded(vault)

    import_old_memories(vault, "Eliza", journal)

    assert broken.exists()
    assert journal.last == 2
