"""The vault's trash, `.trash`: notes that are gone, and earlier versions of notes, by folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from vault.errors import NoteError
from vault.vault import Vault

TRASH = ".trash"
SECONDS_A_DAY = 86400


def move_to_trash(vault: Vault, folder: str, name: str) -> str | None:
    """Move a note to the trash; return its name there, or None if there was none. Raises: NoteError."""
    if not vault.exists(folder, f"{name}.md"):
        return None
    trash_name = _free_name(vault, folder, name)
    vault.rename((folder, f"{name}.md"), (TRASH, folder, f"{trash_name}.md"))
    with suppress(OSError):  # its age in the trash counts from now
        os.utime(vault.path(TRASH, folder, f"{trash_name}.md"))
    return trash_name


def keep_version(vault: Vault, source: str, text: str) -> str:
    """Write a version of a note into the trash, unless the newest one there says the same; return its source.

    Raises: NoteError if it cannot be written.
    """
    folder, _, name = source.removesuffix(".md").rpartition("/")
    newest = newest_in_trash(vault, folder, name)
    if newest and vault.read_exact_or_none(TRASH, folder, f"{newest}.md") == text:
        with suppress(OSError):  # its age in the trash counts from now
            os.utime(vault.path(TRASH, folder, f"{newest}.md"))
        return f"{TRASH}/{folder}/{newest}.md"
    kept = f"{TRASH}/{folder}/{_free_name(vault, folder, name)}.md"
    vault.write_text(text, kept)
    return kept


def newest_in_trash(vault: Vault, folder: str, name: str) -> str | None:
    """Return the name under which a note was put into the trash last, or None."""
    newest = max(_numbers(vault, folder, name), default=0)
    return (f"{name} {newest}" if newest > 1 else name) if newest else None


def take_from_trash(vault: Vault, folder: str, trash_name: str, name: str) -> None:
    """Put a note back in its place. Raises: NoteError."""
    vault.rename((TRASH, folder, f"{trash_name}.md"), (folder, f"{name}.md"))


def days_in_trash(vault: Vault, folder: str, name: str, now: float) -> float | None:
    """Return for how many days the newest version of a note has been in the trash; None if there is none.

    `now` is in seconds since 1970.
    """
    newest = newest_in_trash(vault, folder, name)
    try:
        found = vault.path(TRASH, folder, f"{newest}.md").stat() if newest else None
    except OSError:
        return None
    return (now - found.st_mtime) / SECONDS_A_DAY if found else None


def expired_notes(vault: Vault, days: int, now: float) -> Iterator[str]:
    """Delete the notes that have been in the trash for more than some days.

    Yield for each file in the trash its source if it was deleted, else an empty text. `now` is in seconds since 1970.
    """
    for folder, _, files in os.walk(vault.path(TRASH)):
        for name in files:
            path, source = Path(folder, name), ""
            with suppress(OSError):  # it is gone already, or somebody else's
                if name.endswith(".md") and now - path.stat().st_mtime > days * SECONDS_A_DAY:
                    path.unlink()
                    source = vault.source(path)
            yield source


def _free_name(vault: Vault, folder: str, name: str) -> str:
    newest = max(_numbers(vault, folder, name), default=0)
    return f"{name} {newest + 1}" if newest else name


def _numbers(vault: Vault, folder: str, name: str) -> Iterator[int]:
    """Yield the numbers of the versions of a note in the trash: 1 for the name alone; no gap is filled."""
    try:
        found = os.listdir(vault.path(TRASH, folder))
    except (FileNotFoundError, NotADirectoryError, NoteError):
        return
    for file in found:
        if not file.endswith(".md"):
            continue
        stem = file.removesuffix(".md")
        number = stem.removeprefix(f"{name} ")
        if stem == name:
            yield 1
        elif number != stem and number.isdecimal() and number.isascii():
            yield int(number)
