"""The accounts database: SQLite with a write-ahead log, in transactions. Roles, passwords and bans.

The database lies beside the vault and not in it, because a vault is opened, synced and shared.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from server.accounts.schema import (
    ACCOUNT_COLUMNS,
    BAN_COLUMNS,
    NAME,
    Account,
    Ban,
    Row,
    account_of,
    explain_error,
    key,
    make_database,
    new_file,
    open_database,
    open_in_memory,
    salvage_account,
)
from vault.errors import NoteError

BUSY_SECONDS = 30.0
"""Maximum wait of a command for another process that is writing, in seconds."""


@dataclass(frozen=True)
class Contents:
    """All rows by their key: of accounts as in `account_of`, of bans as in `ban_of`."""

    accounts: Mapping[str, Row]
    bans: Mapping[str, Row]


@dataclass(frozen=True)
class WrittenRows:
    """The rows that a transaction wrote, by their key; None for a ban that was removed."""

    accounts: dict[str, Row]
    bans: dict[str, Row | None]


def default_folder(vault: Path) -> Path:
    """Return the default folder for the accounts of a vault: beside it."""
    return vault.with_name(f"{vault.name}.accounts")


class AccountDatabase:
    """A connection to the database in a folder, which is made if there is none. To be used by one thread at a time.

    What is kept `in_memory` is on no disk.
    Other processes may have the database at once: a call waits up to `busy_seconds` for one that writes.
    Every method raises NoteError with the file, what is wrong and what to do; DatabaseBusy if only time is needed.
    """

    def __init__(self, folder: Path, busy_seconds: float = BUSY_SECONDS, in_memory: bool = False) -> None:
        self.folder = folder
        self.path = folder / NAME
        self._is_on_disk = not in_memory
        self._changed = WrittenRows({}, {})
        self._seen_version = -1
        if self._is_on_disk:
            make_database(folder)
        self._db = open_database(self.path, busy_seconds) if self._is_on_disk else open_in_memory()
        self._file_id = self._file_id_now()

    # Reading

    def read(self) -> Contents:
        """Return everything that is kept."""
        with explain_error(self.path):
            self._seen_version = self._data_version()
            return _contents(self._db)

    def read_if_changed(self) -> Contents | None:
        """Return everything if another process has changed something since it was read last, else None."""
        with explain_error(self.path):
            return self.read() if self._data_version() != self._seen_version else None

    def account(self, name: str) -> Account | None:
        """Return the account of a name, in any case of letters."""
        row = self._row(name)
        return account_of(row) if row else None

    def account_to_repair(self, name: str, new_role: str) -> Account | None:
        """Return the account of a name, or what can be read of it if its row is not valid, without a password."""
        row = self._row(name)
        try:
            return account_of(row) if row else None
        except NoteError:
            return salvage_account(row or (), new_role)

    def admins(self) -> list[str]:
        """Return the names of the admins that have a password."""
        with explain_error(self.path):
            found = self._db.execute("SELECT name FROM accounts WHERE role = 'admin' AND password <> ''")
            return [str(name) for (name,) in found]

    def names(self) -> list[str]:
        """Return the names of everybody who has an account."""
        with explain_error(self.path):
            return [str(name) for (name,) in self._db.execute("SELECT name FROM accounts")]

    # Writing, within `transaction`

    def put_account(self, account: Account) -> None:
        """Add an account or replace it."""
        self._put("accounts", key(account.name), astuple(account), self._changed.accounts)

    def put_ban(self, ban: Ban) -> None:
        """Add a ban or replace it."""
        self._put("bans", key(ban.who), astuple(ban), self._changed.bans)

    def remove_ban(self, who: str) -> bool:
        """Remove a ban; return whether there was one."""
        with explain_error(self.path):
            removed = self._db.execute("DELETE FROM bans WHERE key = ?", (key(who),)).rowcount > 0
        if removed:
            self._changed.bans[key(who)] = None
        return removed

    @contextmanager
    def transaction(self) -> Iterator[WrittenRows]:
        """Write everything done within it together and durably, or nothing of it if it raises.

        What it yields says afterwards what was written.
        """
        self._check_in_place()
        changed = self._changed = WrittenRows({}, {})
        with explain_error(self.path):
            self._db.execute("BEGIN IMMEDIATE")
        try:
            yield changed
            with explain_error(self.path):
                self._db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Within a transaction: undo what is done within this if it raises, and nothing else."""
        written, self._changed = self._changed, WrittenRows({}, {})
        self._db.execute("SAVEPOINT step")
        try:
            yield
            written.accounts.update(self._changed.accounts)
            written.bans.update(self._changed.bans)
        except BaseException:
            if self.is_in_transaction:
                self._db.execute("ROLLBACK TO step")
            raise
        finally:
            self._changed = written
            if self.is_in_transaction:
                self._db.execute("RELEASE step")

    @property
    def is_in_transaction(self) -> bool:
        """True while a transaction is open; SQLite ends one by itself where the disk is full."""
        return self._db.in_transaction

    def copy_to(self, path: Path) -> None:
        """Write a consistent copy of the database, even while others change it. Raises: NoteError."""
        draft = path.with_name(f".{path.name}.draft")
        try:
            with closing(new_file(draft)) as copy, explain_error(self.path):
                self._db.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")  # one file, that can be moved alone
            os.replace(draft, path)
        except OSError as error:
            raise NoteError(f"{path}: the copy cannot be written: {error.strerror}.") from error
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the connection."""
        with explain_error(self.path):
            self._db.close()

    def set_busy_timeout(self, busy_seconds: float) -> None:
        """Set the time of waiting for another process from now on."""
        with explain_error(self.path):
            self._db.execute(f"PRAGMA busy_timeout = {int(busy_seconds * 1000)}")

    # How it is done

    def _row(self, name: str) -> Row | None:
        with explain_error(self.path):
            found = self._db.execute(f"SELECT {ACCOUNT_COLUMNS} FROM accounts WHERE key = ?", (key(name),)).fetchone()
        return tuple(found) if found else None

    def _put(self, table: str, row_key: str, row: Row, changed: MutableMapping[str, Any]) -> None:
        columns = ACCOUNT_COLUMNS if table == "accounts" else BAN_COLUMNS
        updated = ", ".join(f"{one} = excluded.{one}" for one in columns.split(", "))
        places = ", ".join("?" * (len(row) + 1))
        with explain_error(self.path):
            self._db.execute(
                f"INSERT INTO {table} (key, {columns}) VALUES ({places}) ON CONFLICT (key) DO UPDATE SET {updated}",
                (row_key, *row),
            )
        changed[row_key] = row

    def _data_version(self) -> int:
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def _file_id_now(self) -> tuple[int, int]:
        if not self._is_on_disk:
            return 0, 0
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return 0, 0
        return found.st_dev, found.st_ino

    def _check_in_place(self) -> None:
        """Raises: NoteError if the file was moved or replaced: what is written into it would be lost."""
        if self._file_id_now() != self._file_id:
            raise NoteError(
                f"{self.path}: moved or replaced while it is in use, so no change can be kept. "
                "Put it back, or restart the world."
            )


def read_accounts(folder: Path) -> Contents | None:
    """Return the contents of a folder's database, and change nothing; None if there is none. Raises: NoteError."""
    path = folder / NAME
    if not path.exists():
        return None
    with closing(open_database(path, BUSY_SECONDS)) as db, explain_error(path):
        found = [str(problem) for (problem,) in db.execute("PRAGMA quick_check")]
        if damage := [one for one in found if one != "ok" and not one.startswith("CHECK")]:  # rows are checked apart
            raise sqlite3.DatabaseError(damage[0])
        return _contents(db)


def _contents(db: sqlite3.Connection) -> Contents:
    db.execute("BEGIN")
    try:
        accounts = {
            row[0]: row[1:] for row in db.execute(f"SELECT key, {ACCOUNT_COLUMNS} FROM accounts ORDER BY rowid")
        }
        bans = {row[0]: row[1:] for row in db.execute(f"SELECT key, {BAN_COLUMNS} FROM bans ORDER BY rowid")}
    finally:
        db.execute("COMMIT")
    return Contents(accounts, bans)


Change = Callable[[AccountDatabase], Any]
"""Changes something within a transaction, and returns what its caller wants to know."""
