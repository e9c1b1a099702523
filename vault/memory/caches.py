"""Caches of one agent: full-text search in SQLite (no embedding model is needed), and summaries.

They are files under `.index/`. The Markdown is the truth: a journal file is read again whenever its size or time is not
as noted, and deleting a cache, or a broken one, costs a little time.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import sqlite3
from collections.abc import Generator
from typing import Any

from vault.cache_database import CacheDatabase
from vault.errors import NoteError
from vault.memory.memory_line import Memory, parse_line
from vault.memory.segment import Segment, body_lines, is_segment_name
from vault.vault import Vault

MAX_WORDS = 32
MAX_RANKED = 2_000
"""Number of memories from which on a word is common, and ranks nothing: to weigh it, all of them would be counted."""

MAX_LINES_PER_STEP = 512
MEMORY_COMMAND_PREFIX = "@memory-"
"""The prefix of commands that search memory; their words are not indexed, as they are no memory of it."""

_WORD = re.compile(r"[^\W_]+")
# Writes wait for no disk: a crash loses only the newest rows, which are then added again. Other programs that open the
# file neither wait nor delay anybody. Creating it waits for no disk either.
_TABLES = """
PRAGMA synchronous = OFF;
PRAGMA journal_mode = WAL;
BEGIN;
CREATE TABLE IF NOT EXISTS files
    (name TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, edited_ns INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS lines (seq INTEGER PRIMARY KEY, file TEXT);
CREATE INDEX IF NOT EXISTS lines_by_file ON lines (file);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5
    (text, room, people, tokenize = 'porter unicode61 remove_diacritics 2');
COMMIT;
PRAGMA synchronous = NORMAL;
"""
_READ = "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)"
_HOLDING = "SELECT rowid FROM words WHERE words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?"
_NEWEST = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?"
_BEST = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, 4.0, 1.0, 2.0), rowid DESC"

log = logging.getLogger(__name__)

MAX_ROWS = 256


class SearchIndex:
    """The words of all memories of one agent, by BM25."""

    def __init__(self, vault: Vault, agent_id: str) -> None:
        self._vault = vault
        self._agent_id = agent_id
        self._folder = vault.path("agents", agent_id, "journal")
        self._path = vault.path(".index", f"{agent_id}.words.sqlite")
        self._database = CacheDatabase(self._path, _TABLES, self._failure)

    def stale(self) -> list[str]:
        """Return the journal files that are not as the index knows them, newest first. Raises: NoteError."""
        found = self._on_disk()
        known = self._database.read(
            lambda db: {row[0]: row[1:] for row in db.execute("SELECT name, size, mtime_ns FROM files")}
        )
        for name in known.keys() - found.keys():
            self._database.change(lambda db, name=name: self._forget(db, name))  # type: ignore[misc]
        return sorted((name for name, stamp in found.items() if known.get(name) != stamp), reverse=True)

    def is_grown(self, segment: Segment) -> bool:
        """Return whether nobody but us has changed a file since it was read. Raises: NoteError."""
        edited = "SELECT edited_ns FROM files WHERE name = ?"
        row = self._database.read(lambda db: db.execute(edited, (segment.name,)).fetchone())
        return (row[0] if row else 0) == segment.edited_ns

    def index_file(self, name: str, edited_ns: int = 0) -> None:
        """Read one journal file into the index. Raises: NoteError if it cannot be read or the index not written."""
        for _ in self.steps(name, edited_ns):
            pass

    def steps(self, name: str, edited_ns: int = 0) -> Generator[None, None, None]:
        """Read one journal file into the index, a few hundred lines a step, so that others may go on in between.

        The file counts as read after the last step only; cut short, it is read again. Raises: NoteError as `take_in`.
        """
        path = self._folder / name
        try:
            stat = path.stat()
            lines = body_lines(path)
        except OSError as error:
            raise NoteError(f"agents/{self._agent_id}/journal/{name}: cannot be read: {error.strerror}.") from error
        self._database.change(lambda db: self._forget(db, name))
        seen: set[int] = set()
        for start in range(0, len(lines), MAX_LINES_PER_STEP):
            read = _memories(lines[start : start + MAX_LINES_PER_STEP], name[:10], seen)
            self._database.change(lambda db, read=read: self._add(db, name, read))  # type: ignore[misc]
            yield
        stamp = (name, stat.st_size, stat.st_mtime_ns, edited_ns)
        self._database.change(lambda db: db.execute(_READ, stamp))

    def find(self, query: str, most: int) -> list[int]:
        """Return the numbers of the memories that fit a query best, best first: those with all of its words, then any.

        Words that MAX_RANKED memories have rank nothing; where there are only such, the newest memories come first.
        """
        words = [f'"{word}"' for word in dict.fromkeys(_WORD.findall(query.lower()))][:MAX_WORDS]
        return self._database.read(lambda db: _ranked(db, words))[:most] if words else []

    def holding(self, word: str, before: int, most: int) -> list[int]:
        """Return the numbers below `before` of the newest memories whose text has a word, in any of its forms.

        The newest come first, and no more than `most` are looked for, however long the journal is.
        """
        wanted = f'text : "{word}"', before, most
        return self._database.read(lambda db: [row[0] for row in db.execute(_HOLDING, wanted)])

    def reached(self, name: str) -> int:
        """Return the highest number that the index has of a journal file, whether all of it was read; 0 for none."""
        newest = "SELECT max(seq) FROM lines WHERE file = ?"
        return self._database.read(lambda db: db.execute(newest, (name,)).fetchone()[0] or 0)

    def add(self, segment: Segment, memories: list[Memory]) -> None:
        """Take in all memories that were written to a file since it was read. Raises: NoteError as `index_file`."""
        stamp = (segment.name, *segment.stamp, segment.edited_ns)

        def change(db: sqlite3.Connection) -> None:
            self._add(db, segment.name, memories)
            db.execute(_READ, stamp)

        self._database.change(change)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def _on_disk(self) -> dict[str, tuple[int, int]]:
        if not self._folder.is_dir():
            return {}
        with os.scandir(self._folder) as entries:
            stats = {one.name: one.stat() for one in entries if is_segment_name(one.name)}
        return {name: (stat.st_size, stat.st_mtime_ns) for name, stat in stats.items()}

    def _add(self, db: sqlite3.Connection, name: str, memories: list[Memory]) -> None:
        kept = [memory for memory in memories if not memory.text.startswith(MEMORY_COMMAND_PREFIX)]
        db.executemany("DELETE FROM words WHERE rowid = ?", [(memory.seq,) for memory in kept])
        db.executemany("INSERT OR REPLACE INTO lines VALUES (?, ?)", [(m.seq, name) for m in kept])
        rows = [(m.seq, m.text, m.room, " ".join(m.people)) for m in kept]
        db.executemany("INSERT INTO words (rowid, text, room, people) VALUES (?, ?, ?, ?)", rows)

    def _forget(self, db: sqlite3.Connection, name: str) -> None:
        db.execute("DELETE FROM words WHERE rowid IN (SELECT seq FROM lines WHERE file = ?)", (name,))
        db.execute("DELETE FROM lines WHERE file = ?", (name,))
        db.execute("DELETE FROM files WHERE name = ?", (name,))

    def _failure(self, error: Exception) -> NoteError:
        source = self._vault.source(self._path)
        if isinstance(error, OSError):
            return NoteError(f"{source}: cannot be made: {error.strerror}.")
        return NoteError(f"{source}: the search index cannot be used: {error}.")


def _ranked(db: sqlite3.Connection, words: list[str]) -> list[int]:
    """Return the memories that have some words, those with all of them first; of each the best, then the newest."""

    def newest(wanted: str) -> list[int]:
        return [row[0] for row in db.execute(_NEWEST, (wanted, MAX_RANKED))]

    rare = [word for word in words if len(newest(word)) < MAX_RANKED]
    ranked = [row[0] for row in db.execute(_BEST, (" OR ".join(rare),))] if rare else []
    with_all = newest(" ".join(words))
    in_all = set(with_all)
    order = [*(seq for seq in ranked if seq in in_all), *with_all, *ranked, *newest(" OR ".join(words))]
    return list(dict.fromkeys(order))


def _memories(lines: list[str], day: str, seen: set[int]) -> list[Memory]:
    """Return the memories of some lines but for those whose number was seen before; `seen` takes in theirs."""
    found = []
    for line in lines:
        memory = parse_line(line, day)
        if memory and memory.seq not in seen:
            seen.add(memory.seq)
            found.append(memory)
    return found


def cache_key(*parts: object) -> str:
    """Return a key for what a summary is made from and how: any parts that JSON can hold."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


class SummaryCache:
    """The rows of one agent in `.index/`, one a line; of two with one key the later counts."""

    def __init__(self, vault: Vault, agent_id: str) -> None:
        self._vault = vault
        self._parts = (".index", f"{agent_id}.summaries.jsonl")
        self._rows: dict[str, dict[str, Any]] | None = None

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the value of a key, or None. Values in use stay longer than others."""
        rows = self._read()
        if key in rows:
            rows[key] = rows.pop(key)
        return rows.get(key)

    def put(self, key: str, row: dict[str, Any]) -> None:
        """Keep a row; if there are too many, the one goes that was not asked for the longest.

        A failure is no more than a call paid twice.
        """
        rows = self._read()
        rows.pop(key, None)
        rows[key] = row
        while len(rows) > MAX_ROWS:
            del rows[next(iter(rows))]
        text = "".join(f"{json.dumps({'key': key, **row}, ensure_ascii=False)}\n" for key, row in rows.items())
        try:
            self._vault.write_text(text, *self._parts)
        except NoteError as error:
            log.warning("%s", error)

    def _read(self) -> dict[str, dict[str, Any]]:
        if self._rows is None:
            self._rows = dict(self._lines())
        return self._rows

    def _lines(self) -> list[tuple[str, dict[str, Any]]]:
        try:
            text = self._vault.read_text(*self._parts) if self._vault.exists(*self._parts) else ""
        except NoteError as error:
            log.warning("%s", error)
            return []
        found = []
        for line in text.split("\n"):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue  # a torn or garbled line: that summary is made again
            if isinstance(row, dict) and isinstance(key := row.pop("key", None), str):
                found.append((key, row))
        return found
