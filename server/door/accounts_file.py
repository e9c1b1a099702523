"""The file of accounts on disk: who has which role and password, and who may not come in.

It lies beside the vault and not in it, because a vault is opened, synced and shared.
"""

from __future__ import annotations

import fcntl
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

from server.door.accounts_text import REMEDY, Change, Records, format_records, parse_records
from server.door.passwords import InThread
from vault.disk import Disk
from vault.notes import NoteError

log = logging.getLogger(__name__)

NAME = "accounts.json"

Stamp = tuple[int, int, int]


def default_folder(vault: Path) -> Path:
    """Return where the accounts of a vault are kept when nobody says: beside it."""
    return vault.with_name(f"{vault.name}.accounts")


class AccountsFile:
    """Reads the file whenever somebody else has changed it, and replaces it whole at each change.

    A file that cannot be read is never written over. `records` and `change` may be called in any thread; several
    processes may have the file at once. `in_thread` calls its first argument with the rest of them, elsewhere, and
    returns a Deferred of the outcome. Raises: NoteError if there is a file and it is not valid.
    """

    def __init__(self, folder: Path, disk: Disk | None = None, in_thread: InThread = deferToThread) -> None:
        self.path = folder / NAME
        self._disk = disk or Disk()
        self._in_thread = in_thread
        self._unkept: list[tuple[Change, Deferred[None]]] = []
        self._keeping = False
        self._lock = threading.Lock()
        self._stamp: Stamp | None = None
        self._records = Records()
        self._complaint = ""
        self._take_in()

    @property
    def records(self) -> Records:
        """What the file holds now; while it is not valid, what it held before."""
        if self._lock.acquire(blocking=False):  # whoever holds it is changing the file, and will be done soon
            try:
                self._take_in()
                self._complaint = ""
            except NoteError as error:
                if str(error) != self._complaint:
                    log.error("%s Until then, accounts are as they were, and no change of them can be kept.", error)
                self._complaint = str(error)
            finally:
                self._lock.release()
        return self._records

    def change(self, *changes: Change) -> None:
        """Apply changes to what the file holds now, and keep the outcome durably.

        Raises: NoteError if the file is not valid or cannot be written; nothing has changed then.
        """
        with self._lock, self._only_we():
            self._take_in()
            records = self._records
            for change in changes:
                records = change(records)
            if records != self._records:
                self._write(records)
                self._records = records
                self._stamp = self._stamp_now()

    def keep(self, change: Change) -> Deferred[None]:
        """Apply a change in another thread, together with all others that come while the file is being written.

        The Deferred fires when it is kept, and fails as `change` does.
        """
        kept: Deferred[None] = Deferred()
        self._unkept.append((change, kept))
        if not self._keeping:
            self._keep_all()
        return kept

    def close(self) -> None:
        """Keep now what is still waiting. Raises: NoteError."""
        unkept, self._unkept = self._unkept, []
        self.change(*(change for change, _ in unkept))

    def _keep_all(self) -> None:
        unkept, self._unkept = self._unkept, []
        self._keeping = bool(unkept)
        if unkept:
            work = self._in_thread(self.change, *(change for change, _ in unkept))
            work.addBoth(self._kept, [kept for _, kept in unkept])

    def _kept(self, outcome: Any, waiting: list[Deferred[Any]]) -> None:
        for kept in waiting:
            kept.callback(outcome)
        self._keep_all()

    def _take_in(self) -> None:
        """Read the file if it is not the one that was read or written last. Raises: NoteError.

        One that has vanished takes nobody's account away: the next change writes it anew.
        """
        stamp = self._stamp_now()
        if stamp and stamp != self._stamp:
            self._records = parse_records(_text_of(self.path), self.path)
        self._stamp = stamp

    def _stamp_now(self) -> Stamp | None:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise NoteError(
                f"{self.path}: cannot be read: {error.strerror}. Mend that, or give another folder with --accounts."
            ) from error
        return found.st_mtime_ns, found.st_size, found.st_ino

    @contextmanager
    def _only_we(self) -> Iterator[None]:
        """Keep other processes from changing the file meanwhile; the folder is made if there is none."""
        folder = self.path.parent
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(folder, os.O_RDONLY)
        except OSError as error:
            raise NoteError(
                f"{folder}: accounts cannot be kept there: {error.strerror}. Give another folder with --accounts."
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _write(self, records: Records) -> None:
        draft = self.path.with_name(f".{NAME}.{os.getpid()}.draft")
        try:
            with suppress(FileNotFoundError):
                draft.unlink()
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))  # nobody else's at any moment
            self._disk.write_draft(draft, format_records(records).encode("utf-8"), durable=True)
            self._disk.replace(draft, self.path)
            self._disk.sync_folder(self.path.parent)
        except OSError as error:
            with suppress(OSError):
                draft.unlink()
            raise NoteError(f"{self.path}: cannot be written: {error.strerror}.") from error


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise NoteError(f"{path}: not UTF-8 text (byte {error.start}). {REMEDY}") from error
    except OSError as error:
        raise NoteError(f"{path}: cannot be read: {error.strerror}. Mend its permissions.") from error
