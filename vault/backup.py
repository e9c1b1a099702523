"""Putting the whole vault into an archive with the date in its name, beside the vault."""

from __future__ import annotations

import os
import tarfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from vault.folder import Vault
from vault.notes import NoteError


def backups_folder(vault: Vault) -> Path:
    """Return where the backups of a vault go."""
    return vault.root.with_name(f"{vault.root.name}.backups")


def back_up(vault: Vault, now_ms: int) -> Path:
    """Make an archive of everything in the vault but drafts, and return its path.

    May be called in any thread while the world goes on: each file in it is whole, for files are replaced whole.
    Raises: NoteError if something cannot be read or the archive cannot be written; there is no archive then.
    """
    moment = datetime.fromtimestamp(now_ms / 1000, UTC)
    folder = backups_folder(vault)
    path = folder / f"{vault.root.name} {moment:%Y-%m-%d %H%M%S}.tar.gz"
    draft = folder / f".{path.name}.draft"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(draft, "w:gz") as archive:
            archive.add(vault.root, arcname=vault.root.name, filter=_without_drafts)
        os.replace(draft, path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise NoteError(f"{path}: the backup cannot be made: {error.strerror or error}.") from error
    return path


def _without_drafts(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if member.name.endswith(".draft") else member
