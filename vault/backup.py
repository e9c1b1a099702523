"""Backups of the vault, and the session snapshot of a shutdown.

Archives have the date in their names, and the newest are kept. The snapshot is `.index/just-now.json`, which a restart
within a few minutes reads. Deleting it loses nothing else: lasting state is in notes.
"""

from __future__ import annotations

import json
import logging
import os
import re
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from vault.errors import NoteError
from vault.vault import Vault
from world.entities import MAX_SPEECH_HISTORY, TransientState
from world.world import World

_LEFT_OUT = (".trash", ".git")
_MOMENT = r" \d{4}-\d\d-\d\d \d{6}\.tar\.gz"

log = logging.getLogger(__name__)

SNAPSHOT = (".index", "just-now.json")
_IDS = {
    "goal_id": "destination_id",
    "came_from_id": "previous_room_id",
    "following_id": "following_id",
    "leading_id": "leading_id",
    "leading_to_id": "leading_to_id",
    "answer_to_id": "reply_to_id",
}
"""The ids of a transient state, by the keys under which they are in the file."""


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
        with open(draft, "wb", opener=partial(os.open, mode=0o600)) as file:
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
    """Return one file as it is now, even if it is replaced, extended or cut meanwhile."""
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
    """Yield the archives of a vault, the oldest first; other files beside them are not ours."""
    ours = re.compile(re.escape(vault.root.name) + _MOMENT)
    yield from sorted(path for path in backups_folder(vault).iterdir() if ours.fullmatch(path.name))


@dataclass(frozen=True)
class SessionSnapshot:
    """A snapshot of sessions: who is `awake` at shutdown, transient states by id, and what agents owe, by name."""

    awake: tuple[str, ...] = ()
    transient: Mapping[str, TransientState] = field(default_factory=dict)
    owed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def save_snapshot(vault: Vault, just_now: SessionSnapshot, now_ms: int) -> None:
    """Write a snapshot; a failure is logged. `now_ms` is in milliseconds since 1970."""
    rows = {one_id: row for one_id, transient in just_now.transient.items() if (row := _row_of(transient))}
    kept = {"at_ms": now_ms, "awake": list(just_now.awake), "doings": rows, "owed": dict(just_now.owed)}
    try:
        vault.write_text(json.dumps(kept, ensure_ascii=False), *SNAPSHOT)
    except NoteError as error:
        log.warning("%s", error)


def load_and_clear_snapshot(vault: Vault, world: World, now_ms: int, most_seconds: float) -> SessionSnapshot:
    """Return the snapshot if it is at most so old, and delete it; an empty one if it is older or not valid.

    Characters and rooms that no longer exist are left out.
    """
    try:
        kept = json.loads(vault.read_text(*SNAPSHOT)) if vault.exists(*SNAPSHOT) else {}
        if not kept:
            return SessionSnapshot()
        vault.write_text("{}", *SNAPSHOT)
        if not 0 <= now_ms - kept["at_ms"] <= most_seconds * 1000:
            return SessionSnapshot()
        return SessionSnapshot(
            tuple(one_id for one_id in kept["awake"] if one_id in world.characters),
            {one_id: _state_of(row, world) for one_id, row in kept["doings"].items() if one_id in world.characters},
            {name: dict(row) for name, row in kept["owed"].items()},
        )
    except (NoteError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        log.warning("%s is not valid, so no session resumes from it: %s", "/".join(SNAPSHOT), error)
        return SessionSnapshot()


def _row_of(transient: TransientState) -> dict[str, Any]:
    """Return the fields of a transient state that differ from those at the beginning."""
    row: dict[str, Any] = {key: value for key, name in _IDS.items() if (value := getattr(transient, name))}
    if transient.last_line:
        row["last_line"] = transient.last_line
    if transient.afk_message is not None:
        row["away"] = transient.afk_message
    return row | ({"heard": list(transient.speech_history)} if transient.speech_history else {})


def _state_of(row: Mapping[str, Any], world: World) -> TransientState:
    known = {*world.rooms, *world.characters}
    transient, away = TransientState(), row.get("away")
    for key, name in _IDS.items():
        if row.get(key) in known:
            setattr(transient, name, row[key])
    transient.last_line = str(row.get("last_line", ""))
    transient.afk_message = None if away is None else str(away)
    transient.speech_history.extend([str(line) for line in row.get("heard", ())][-MAX_SPEECH_HISTORY:])
    return transient
