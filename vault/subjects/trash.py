"""What is gone from the world and not from the disk: notes in `.trash`, under the path that they had."""

from __future__ import annotations

from collections.abc import Iterator

from vault.folder import Vault

TRASH = ".trash"


def put_in_trash(vault: Vault, folder: str, name: str) -> str | None:
    """Put a note by; return under which name, or None if there was none. Raises: NoteError."""
    if not vault.exists(folder, f"{name}.md"):
        return None
    free = next(one for one in _names(name) if not vault.exists(TRASH, folder, f"{one}.md"))
    vault.rename((folder, f"{name}.md"), (TRASH, folder, f"{free}.md"))
    return free


def newest_in_trash(vault: Vault, folder: str, name: str) -> str | None:
    """Return under which name a note was put by last, or None."""
    newest = None
    for one in _names(name):
        if not vault.exists(TRASH, folder, f"{one}.md"):
            return newest
        newest = one
    return None


def take_from_trash(vault: Vault, folder: str, put_by_as: str, name: str) -> None:
    """Put a note back in its place. Raises: NoteError."""
    vault.rename((TRASH, folder, f"{put_by_as}.md"), (folder, f"{name}.md"))


def _names(name: str) -> Iterator[str]:
    yield name
    number = 1
    while True:
        number += 1
        yield f"{name} {number}"
