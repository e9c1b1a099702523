"""The accounts database as a file: its tables, how it is created, opened and copied, and its errors."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from argon2 import extract_parameters
from argon2.exceptions import InvalidHashError

from config.settings import ROLES
from vault.errors import NoteError


@dataclass(frozen=True, slots=True)
class Account:
    """The account of a name. `password` is its hash, empty while none is chosen; a `one_time` one must be replaced.

    Times are ISO 8601 in UTC, empty for never. `failed` counts wrong passwords since the last right one. `trusted` are
    digests of devices and addresses that have logged in, with blanks between them, the latest last.
    """

    name: str
    role: str
    password: str = ""
    one_time: bool = False
    created: str = ""
    last_seen: str = ""
    failed: int = 0
    trusted: str = ""


@dataclass(frozen=True, slots=True)
class Ban:
    """A ban of a name, an address or a network (`who`), `until` a time (empty: for ever), with the reason `why`."""

    who: str
    until: str = ""
    why: str = ""


Row = tuple[Any, ...]
ACCOUNT_COLUMNS = ", ".join(field.name for field in fields(Account))
BAN_COLUMNS = ", ".join(field.name for field in fields(Ban))


def account_of(row: Row) -> Account:
    """Return the account in a row. Raises: NoteError if the row is not valid."""
    name, role, password, one_time, created, last_seen, failed, trusted = row
    texts = (name, role, password, created, last_seen, trusted)
    if not (all(isinstance(text, str) for text in texts) and isinstance(failed, int)):
        raise NoteError(f"the account {name!r} has a value of the wrong type.")
    account = Account(name, role, password, bool(one_time), created, last_seen, failed, trusted)
    if problem := account_problem(account):
        raise NoteError(f"the account {name!r}: {problem}")
    return account


def salvage_account(row: Row, new_role: str) -> Account:
    """Return the readable part of an invalid row: without a password, and with a new role if it has none."""
    name, role = (str(text) for text in row[:2])
    return Account(name, role if role in ROLES else new_role)


def ban_of(row: Row) -> Ban:
    """Return the ban in a row. Raises: NoteError if the row is not valid."""
    if not all(isinstance(text, str) for text in row):
        raise NoteError(f"the ban of {row[0]!r} has a value of the wrong type.")
    if problem := time_problem(row[1]):
        raise NoteError(f"the ban of {row[0]!r}: {problem}")
    return Ban(*row)


def key(name: str) -> str:
    """Return under what a name is kept: names that differ only in case are one."""
    return name.casefold()


def account_problem(account: Account) -> str:
    """Return the fault in an account, in a sentence; empty if there is none."""
    if account.role not in ROLES:
        return f"the role {account.role!r} is none of {', '.join(ROLES)}."
    try:
        if account.password:
            extract_parameters(account.password)
    except InvalidHashError:
        return "the password is no argon2 hash. Give a new one: fallwater reset-password NAME."
    return time_problem(account.created) or time_problem(account.last_seen)


def time_problem(text: str) -> str:
    """Return the fault in a time, in a sentence; empty if there is none."""
    try:
        is_known = not text or datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        is_known = False
    return "" if is_known else f"{text!r} is no time such as 2026-11-21T20:35:01+00:00."


NAME = "accounts.sqlite3"
WAL_TRIES = 20
"""Maximum number of writers of other processes that an opening of the database waits for, one after the other."""
VERSION = 3

_TABLES = (
    f"""CREATE TABLE accounts (
        key TEXT NOT NULL PRIMARY KEY CHECK (typeof(key) = 'text' AND key <> ''),
        name TEXT NOT NULL CHECK (typeof(name) = 'text'),
        role TEXT NOT NULL CHECK (role IN ({", ".join(map(repr, ROLES))})),
        password TEXT NOT NULL DEFAULT '' CHECK (password = '' OR password GLOB '$argon2*$*$*$*'),
        one_time INTEGER NOT NULL DEFAULT 0 CHECK (one_time IN (0, 1)),
        created TEXT NOT NULL DEFAULT '' CHECK (typeof(created) = 'text'),
        last_seen TEXT NOT NULL DEFAULT '' CHECK (typeof(last_seen) = 'text'),
        failed INTEGER NOT NULL DEFAULT 0 CHECK (typeof(failed) = 'integer'),
        trusted TEXT NOT NULL DEFAULT '' CHECK (typeof(trusted) = 'text')
    )""",
    """CREATE TABLE bans (
        key TEXT NOT NULL PRIMARY KEY CHECK (typeof(key) = 'text' AND key <> ''),
        who TEXT NOT NULL CHECK (typeof(who) = 'text'),
        until TEXT NOT NULL DEFAULT '' CHECK (typeof(until) = 'text'),
        why TEXT NOT NULL DEFAULT '' CHECK (typeof(why) = 'text')
    )""",
    f"PRAGMA user_version = {VERSION}",
)
# Format 2 trusted no devices.
_FROM_2 = (
    "ALTER TABLE accounts ADD COLUMN trusted TEXT NOT NULL DEFAULT '' CHECK (typeof(trusted) = 'text')",
    f"PRAGMA user_version = {VERSION}",
)
_DAMAGED = "It is damaged: restore a copy (docs/hosting.md)."
_OTHERWISE = "If that persists, restore a copy (docs/hosting.md)."
_REMEDIES = {
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_FULL: "Make room on the disk.",
    sqlite3.SQLITE_READONLY: "Correct its permissions and those of its folder.",
    sqlite3.SQLITE_CANTOPEN: "Correct its permissions and those of its folder.",
    sqlite3.SQLITE_IOERR: "Check the disk.",
}


class DatabaseBusy(NoteError):
    """Another process is writing to the accounts; the same may succeed later."""


@contextmanager
def explain_error(path: Path) -> Iterator[None]:
    """Raises: NoteError, in the place of what SQLite and the system raise, with what is wrong and what to do."""
    try:
        yield
    except (sqlite3.Error, UnicodeEncodeError, OverflowError) as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise DatabaseBusy(f"{path}: another process is writing to it. Try again when it has ended.") from error
        raise NoteError(f"{path}: {error}. {_REMEDIES.get(code, _OTHERWISE)}") from error
    except OSError as error:
        raise NoteError(
            f"{path.parent}: accounts cannot be kept there: {error.strerror}. Give another folder with --accounts."
        ) from error


def open_database(path: Path, busy_seconds: float) -> sqlite3.Connection:
    """Open the database that is there. Raises: NoteError if it is none, or of another format."""
    address = f"{path.absolute().as_uri()}?mode=rw"
    with explain_error(path):
        db = sqlite3.connect(address, timeout=busy_seconds, isolation_level=None, check_same_thread=False, uri=True)
        try:
            version = _upgrade(db) if _version(db) == 2 else _version(db)
            if not version:
                raise NoteError(f"{path}: holds no accounts. {_DAMAGED}")
            if version != VERSION:
                raise NoteError(
                    f"{path}: made by another version of Fallwater (format {version}; this one reads {VERSION}). "
                    "Start that version, or restore a copy."
                )
            db.text_factory = _text
            _use_wal(db)
            db.execute("PRAGMA synchronous = FULL")  # a power cut takes nothing that was kept
        except BaseException:
            db.close()
            raise
    return db


def _use_wal(db: sqlite3.Connection) -> None:
    """Let one process write while others read.

    SQLite refuses this at once while another process writes. So it is tried again after a turn to write.
    """
    for _ in range(WAL_TRIES):
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        db.execute("BEGIN IMMEDIATE")
        db.execute("ROLLBACK")
    db.execute("PRAGMA journal_mode = WAL")


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _upgrade(db: sqlite3.Connection) -> int:
    """Bring a database of format 2 up to date, unless another process was quicker; return its format."""
    db.execute("BEGIN IMMEDIATE")
    with db:
        for statement in _FROM_2 if _version(db) == 2 else ():
            db.execute(statement)
    return _version(db)


def open_in_memory() -> sqlite3.Connection:
    """Return an empty database that is on no disk."""
    db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _create_tables(db)
    return db


def make_database(folder: Path) -> None:
    """Make an empty database in a folder if there is none. It is there whole or not at all. Raises: NoteError."""
    path = folder / NAME
    if path.exists():
        return
    draft = folder / f".{NAME}.{os.getpid()}.draft"
    with explain_error(path):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with closing(new_file(draft)) as db:
                _create_tables(db)
            _put_in_place(draft, path)
        finally:
            draft.unlink(missing_ok=True)


def new_file(path: Path) -> sqlite3.Connection:
    """Return an empty database in a new file that nobody else can read at any moment. Raises: OSError."""
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return sqlite3.connect(path, isolation_level=None)


def _create_tables(db: sqlite3.Connection) -> None:
    db.execute("BEGIN")
    for statement in _TABLES:
        db.execute(statement)
    db.execute("COMMIT")


def _put_in_place(draft: Path, path: Path) -> None:
    """Move a finished database into its place, unless another process was quicker."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        os.rename(draft, path)
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _text(text: bytes) -> str:
    return text.decode("utf-8", "replace")
