"""The tables of the chronicle's index, and their transactions."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from threading import RLock
from typing import TypeVar

from vault.errors import NoteError

T = TypeVar("T")

_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_ERROR}
_TABLES = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
BEGIN;
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS names (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE IF NOT EXISTS files
    (id INTEGER PRIMARY KEY, name TEXT, taken INTEGER, lines INTEGER, size INTEGER, mtime_ns INTEGER, inode INTEGER,
    tail BLOB);
CREATE TABLE IF NOT EXISTS events
    (id INTEGER PRIMARY KEY, at_ms INTEGER, kind INTEGER, who INTEGER, other INTEGER, room INTEGER, public INTEGER,
    now_in INTEGER, file INTEGER, line INTEGER, start INTEGER, length INTEGER);
CREATE INDEX IF NOT EXISTS by_time ON events (at_ms, public);
CREATE INDEX IF NOT EXISTS by_who ON events (who, at_ms) WHERE who;
CREATE INDEX IF NOT EXISTS by_other ON events (other, at_ms) WHERE other;
CREATE INDEX IF NOT EXISTS moves ON events (who, at_ms, id) WHERE now_in IS NOT NULL;
CREATE TABLE IF NOT EXISTS hours (hour INTEGER PRIMARY KEY, count INTEGER, public INTEGER);
CREATE TABLE IF NOT EXISTS openings (at_ms INTEGER);
CREATE TABLE IF NOT EXISTS damaged (file INTEGER, line INTEGER);
CREATE TABLE IF NOT EXISTS moments
    (id INTEGER PRIMARY KEY, at_ms INTEGER, rule TEXT, who TEXT, other TEXT, room TEXT, private INTEGER, events TEXT,
    seconds INTEGER);
CREATE INDEX IF NOT EXISTS moments_by_time ON moments (at_ms);
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT);
COMMIT;
"""
TABLES = ("meta", "names", "files", "events", "hours", "openings", "damaged", "moments", "state")


class IndexDatabase:
    """An SQLite file, or tables in memory without one. It may be used in any thread, and by several processes.

    Tables in memory begin as a copy of the file `seed`, if there is a sound one; it is never written.
    """

    def __init__(self, path: Path | None, seed: Path | None = None) -> None:
        self._path = path
        self._seed = seed
        self._lock = RLock()
        self._db: sqlite3.Connection | None = None

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Read something. Raises: NoteError if the index cannot be used."""
        return self._safely(work, "BEGIN")

    def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Change something, while nobody else does. Raises: NoteError if the index cannot be used."""
        return self._safely(work, "BEGIN IMMEDIATE")

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._db:
                self._db.close()
            self._db = None

    def _safely(self, work: Callable[[sqlite3.Connection], T], begin: str) -> T:
        """Do something with the tables; a file that is broken is thrown away and made again, once."""
        with self._lock:
            try:
                return self._once(work, begin)
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _BROKEN or self._path is None:
                    raise self._failure(error) from error
                self._remove(self._path)
            try:
                return self._once(work, begin)
            except (sqlite3.Error, OSError) as error:
                raise self._failure(error) from error

    def _remove(self, path: Path) -> None:
        self.close()
        for ending in ("", "-wal", "-shm"):
            with suppress(OSError):
                path.with_name(f"{path.name}{ending}").unlink(missing_ok=True)

    def _once(self, work: Callable[[sqlite3.Connection], T], begin: str) -> T:
        db = self._db or self._connect()
        try:
            db.execute(begin)
            done = work(db)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        return done

    def _connect(self) -> sqlite3.Connection:
        if self._path:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise self._failure(error) from error
        self._db = self._seeded() or self._new()
        self._db.executescript(_TABLES)
        return self._db

    def _new(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path or ":memory:", isolation_level=None, check_same_thread=False, timeout=60)

    def _seeded(self) -> sqlite3.Connection | None:
        """Return a copy of the seed in memory, or None if there is none that is sound."""
        if self._path or not self._seed or not self._seed.is_file():
            return None
        # Where nobody has it open, it is read as a file that nobody changes: else SQLite makes files beside it.
        is_open = self._seed.with_name(f"{self._seed.name}-wal").exists()
        address = f"{self._seed.absolute().as_uri()}?mode=ro{'' if is_open else '&immutable=1'}"
        copy = self._new()
        try:
            with closing(sqlite3.connect(address, uri=True, timeout=5)) as source:
                source.backup(copy)
            if copy.execute("PRAGMA quick_check(1)").fetchone() == ("ok",):
                return copy
        except sqlite3.Error:
            pass
        copy.close()
        return None

    def _failure(self, error: Exception) -> NoteError:
        return NoteError(f"{self._path}: the index of the chronicle cannot be used: {error}.")
