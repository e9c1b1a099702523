"""A vault made of the notes that a test gives, on a real disk; and all that is in a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vault.atomic_write import Disk
from vault.entities.schema import person_of, thing_of
from vault.vault import Vault
from world.entities import Character, Thing


def vault_of(root: Path, notes: Mapping[str, str], disk: Disk | None = None) -> Vault:
    """Return a vault in `root` with these notes: texts by path, the path with its `.md`."""
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return Vault(root, disk)


def load_thing(vault: Vault, name: str) -> Thing:
    """Return the thing of a note. Raises: NoteError."""
    return thing_of(vault.read("things", f"{name}.md"), name)


def load_person(vault: Vault, name: str, start_room_id: str = "") -> Character:
    """Return the person of a note. Raises: NoteError."""
    return person_of(vault.read("people", f"{name}.md"), name, start_room_id)


def files(folder: Path) -> dict[str, bytes]:
    """Return every file under a folder, hidden ones too, with what is in it."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
