"""Putting the whole vault into an archive with the date in its name, beside the vault; the newest are kept."""

from __future__ import annotations

import os
import re
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from vault.errors import NoteError
from vault.vault import Vault

_LEFT_OUT = (".trash", ".git")
_MOMENT = r" \d{4}-\d\d-\d\d \d{6}\.tar\.gz"


def backups_folder(vault: Vault) -> Path:
    """Return where the backups of a vault go."""
    return vault.root.with_name(f"{vault.root.name}.backups")


@dataclass(frozen=True)
class Backup:
    """An archive, and a sentence for each file that could not be read and is not in it."""

    path: Path
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([str(self.path), *self.left_out])


def back_up(vault: Vault, now_ms: int, kept: int = 0) -> Backup:
    """Make an archive of the vault without its trash and drafts.

    May be called in any thread while the world goes on: a file in it is as it was at one moment, for files are
    replaced whole or have whole lines added; one that vanishes meanwhile is left out. Of the archives of this vault
    the newest `kept` stay, all for 0. To restore, unpack it: it holds a folder with the vault's name. The accounts,
    which hold hashes of passwords, are not in it. A file is read into memory whole.
    Raises: NoteError if the archive cannot be written; there is no new archive then.
    """
    moment = datetime.fromtimestamp(now_ms / 1000, UTC)
    folder = backups_folder(vault)
    path = folder / f"{vault.root.name} {moment:%Y-%m-%d %H%M%S}.tar.gz"
    draft = folder / f".{path.name}.draft"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(draft, "wb", opener=_private) as file:
            with tarfile.open(fileobj=file, mode="w:gz", compresslevel=6) as archive:
                left_out = tuple(_add(archive, vault.root))
            file.flush()
            vault.disk.fsync(file.fileno())
        vault.disk.replace(draft, path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise NoteError(f"{path}: the backup cannot be made: {error.strerror or error}.") from error
    _remove_old(vault, kept)
    return Backup(path, left_out)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _add(archive: tarfile.TarFile, root: Path) -> Iterator[str]:
    """Add all files; yield a sentence for each that cannot be read."""
    failed: list[tuple[object, OSError]] = []
    for where, folders, names in os.walk(root, onerror=lambda error: failed.append((error.filename, error))):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        inside = Path(root.name, Path(where).relative_to(root))
        with suppress(FileNotFoundError):
            archive.addfile(archive.gettarinfo(where, str(inside)))
        for name in sorted(names):
            if not name.endswith(".draft") and Path(where, name).is_file():
                try:
                    entry, raw = _read(archive, Path(where, name), inside / name)
                except OSError as error:
                    failed.append((Path(where, name), error))
                    continue
                archive.addfile(entry, BytesIO(raw))
    # What was moved or replaced while we looked is gone; what has taken its place has another name.
    gone = (FileNotFoundError, NotADirectoryError)
    yield from (f"{path} is not in it: {error.strerror}." for path, error in failed if not isinstance(error, gone))


def _read(archive: tarfile.TarFile, path: Path, name: Path) -> tuple[tarfile.TarInfo, bytes]:
    """Return one file as it is now, whatever takes its place, is added to it or cut from it meanwhile."""
    with open(path, "rb") as file:
        entry = archive.gettarinfo(arcname=str(name), fileobj=file)
        raw = file.read()
    entry.size = len(raw)
    return entry, raw


def _remove_old(vault: Vault, kept: int) -> None:
    if not kept:
        return
    for path in list(_archives(vault))[:-kept]:
        with suppress(OSError):  # that of another machine, or somebody's own to keep
            path.unlink()


def _archives(vault: Vault) -> Iterator[Path]:
    """Yield the archives of a vault, the oldest first; whatever else lies beside them is not ours."""
    ours = re.compile(re.escape(vault.root.name) + _MOMENT)
    yield from sorted(path for path in backups_folder(vault).iterdir() if ours.fullmatch(path.name))
