"""An SQLite file that is a cache and no more: a broken one is thrown away and made again."""

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
"""The errors of a file that is no database, or one with other tables."""


class CacheDatabase:
    """An SQLite file, or tables in memory without one. It may be used in any thread, and by several processes.

    `tables` is the script that makes them, and does nothing where they are. `failure` returns the error to raise if the
    file cannot be made or used; one that is locked for `wait_seconds`, or that a full disk cannot hold, is not broken.
    Tables in memory begin as a copy of the file `seed`, if there is a sound one; it is never written.
    """

    def __init__(
        self,
        path: Path | None,
        tables: str,
        failure: Callable[[Exception], NoteError],
        wait_seconds: float = 5.0,
        seed: Path | None = None,
    ) -> None:
        self._path = path
        self._tables = tables
        self._failure = failure
        self._wait_seconds = wait_seconds
        self._seed = seed
        self._lock = RLock()
        self._db: sqlite3.Connection | None = None

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Read something. Raises: NoteError if the file cannot be used."""
        return self._safely(work, "BEGIN")

    def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Change something, all or nothing, while nobody else does. Raises: NoteError if the file cannot be used."""
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
        self._db.executescript(self._tables)
        return self._db

    def _new(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self._path or ":memory:", isolation_level=None, check_same_thread=False, timeout=self._wait_seconds
        )

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
