"""What is gone from the world and not from the disk: notes in `.trash`, under the path that they had."""

from __future__ import annotations

from collections.abc import Iterator

from vault.folder import Vault

TRASH = ".trash"


def put_in_trash(vault: Vault, folder: str, name: str) -> str | None:
    """Put a note by; return under which name, or None if there was none. Raises: NoteError."""
    if not vault.exists(folder, f"{name}.md"):
        return None
    newest = max(_numbers(vault, folder, name), default=0)
    put_by_as = f"{name} {newest + 1}" if newest else name
    vault.rename((folder, f"{name}.md"), (TRASH, folder, f"{put_by_as}.md"))
    return put_by_as


def newest_in_trash(vault: Vault, folder: str, name: str) -> str | None:
    """Return under which name a note was put by last, or None."""
    newest = max(_numbers(vault, folder, name), default=0)
    return (f"{name} {newest}" if newest > 1 else name) if newest else None


def take_from_trash(vault: Vault, folder: str, put_by_as: str, name: str) -> None:
    """Put a note back in its place. Raises: NoteError."""
    vault.rename((TRASH, folder, f"{put_by_as}.md"), (folder, f"{name}.md"))


def _numbers(vault: Vault, folder: str, name: str) -> Iterator[int]:
    """Yield the numbers under which notes of a name were put by: 1 for the name alone, and no gap is filled."""
    for one in vault.names(f"{TRASH}/{folder}"):
        number = one.removeprefix(f"{name} ")
        if one == name:
            yield 1
        elif number != one and number.isdecimal() and number.isascii():
            yield int(number)
