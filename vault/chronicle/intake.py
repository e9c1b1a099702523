"""Takes the event log into the tables of its index, a piece at a time, with the moments that rules find in it.

What was appended is added; after any other change of the log all of it is read again.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from vault.chronicle.event_log import MOVES, OPENED, LoggedEvent, log_files, parsed_event
from vault.errors import NoteError

TABLES = """
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
_NAMES_OF_TABLES = ("meta", "names", "files", "events", "hours", "openings", "damaged", "moments", "state")


@dataclass(frozen=True)
class Moment:
    """A moment found by a rule: its name, time and place, the two people, and the numbers of its events.

    `is_private` is true if its text needs what only some may know; `seconds` is the length of an absence.
    """

    at_ms: int
    rule: str
    who: str
    other: str
    room: str
    events: tuple[int, ...]
    is_private: bool = False
    seconds: int = 0


class RuleState(dict[str, Any]):
    """The memory of rules from event to event: JSON values by name. Only `put` and `drop` change it."""

    def __init__(self) -> None:
        super().__init__()
        self.changed: set[str] = set()

    def put(self, name: str, value: Any) -> None:
        """Remember a value."""
        self[name] = value
        self.changed.add(name)

    def drop(self, name: str) -> None:
        """Forget a value, if there is one."""
        if self.pop(name, None) is not None:
            self.changed.add(name)


class MomentRules(Protocol):
    """Finds moments. `fingerprint` differs when the same events may give other moments."""

    @property
    def fingerprint(self) -> str:
        """The text that identifies the rules."""
        ...

    def moments_of(self, number: int, event: LoggedEvent, state: RuleState) -> list[Moment]:
        """Return the moments that end with this event; they may also need events remembered in `state`."""
        ...


class NoRules:
    """Finds nothing."""

    fingerprint = ""

    def moments_of(self, number: int, event: LoggedEvent, state: RuleState) -> list[Moment]:
        """Return nothing."""
        return []


STEP_BYTES = 256 * 1024
"""Number of bytes of the log that are read in one step."""

TAIL_BYTES = 64
VERSION = "2"
HOUR_MS = 3_600_000
_COUNT = (
    "INSERT INTO hours VALUES (?, ?, ?) "
    "ON CONFLICT (hour) DO UPDATE SET count = count + excluded.count, public = public + excluded.public"
)
_INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class Intake:
    """Reads the log in `folder`, and has `rules` find moments in it."""

    def __init__(self, folder: Path, rules: MomentRules) -> None:
        self._folder = folder
        self._rules = rules
        self._version = -1
        self._names: dict[str, int] = {}
        self._state = RuleState()
        self._count = 0

    def step(self, db: sqlite3.Connection) -> bool:
        """Take in a piece of the log; return whether there may be more. Raises: NoteError if it cannot be read."""
        try:
            self._refresh(db)
            return self._step(db)
        except BaseException:
            self._version = -1  # what is remembered here may be ahead of the tables
            raise

    def _step(self, db: sqlite3.Connection) -> bool:
        stats = self._on_disk()
        known = {row[1]: row for row in db.execute("SELECT * FROM files")}
        if self._was_changed(db, stats, known):
            self._empty(db)
            known = {}
        for name, stat in stats.items():
            row = known.get(name)
            if row is None or row[4] != stat.st_size:
                self._index_file(db, name, stat, row)
                return True
        return False

    def _on_disk(self) -> dict[str, os.stat_result]:
        try:
            return {name: os.stat(self._folder / name) for name in log_files(self._folder)}
        except OSError as error:
            raise NoteError(f"{self._folder}: the log cannot be read: {error.strerror}.") from error

    def _was_changed(
        self, db: sqlite3.Connection, stats: Mapping[str, os.stat_result], known: Mapping[str, tuple[Any, ...]]
    ) -> bool:
        """Return whether anything but lines at the end is not as it was, or rules are."""
        row = db.execute("SELECT value FROM meta WHERE name = 'rules'").fetchone()
        if row is None or row[0] != self._fingerprint:
            return True
        last = max(known, default="")
        if any(name not in stats for name in known) or any(name < last and name not in known for name in stats):
            return True
        return any(self._differs(name, stats[name], row, name == last) for name, row in known.items())

    def _differs(self, name: str, stat: os.stat_result, row: tuple[Any, ...], may_grow: bool) -> bool:
        _, _, taken, _, size, mtime_ns, inode, tail = row
        if stat.st_ino != inode or stat.st_size < size:
            return True
        if stat.st_size == size:
            return bool(stat.st_mtime_ns != mtime_ns)
        return not may_grow or _bytes(self._folder / name, taken - len(tail), len(tail)) != tail

    def _index_file(self, db: sqlite3.Connection, name: str, stat: os.stat_result, row: tuple[Any, ...] | None) -> None:
        file, _, taken, lines = row[:4] if row else (_last_file(db) + 1, name, 0, 0)
        path, left, room = self._folder / name, stat.st_size - taken, STEP_BYTES
        raw = _bytes(path, taken, min(room, left))
        while b"\n" not in raw and room < left:  # a line longer than a step
            room *= 2
            raw = _bytes(path, taken, min(room, left))
        whole = raw[: raw.rfind(b"\n") + 1]
        lines += self._add_lines(db, whole, file, taken, lines)
        taken += len(whole)
        seen = (stat.st_size, stat.st_mtime_ns) if len(raw) == left else (taken, -1)
        tail = _bytes(path, max(0, taken - TAIL_BYTES), min(TAIL_BYTES, taken))
        values = (file, name, taken, lines, *seen, stat.st_ino, tail)
        db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)

    def _add_lines(self, db: sqlite3.Connection, raw: bytes, file: int, start: int, lines: int) -> int:
        """Add the events of whole lines; return how many lines there are."""
        rows, damaged, found = list[tuple[Any, ...]](), list[tuple[int, int]](), list[Moment]()
        known_names = len(self._names)
        split = raw.split(b"\n")[:-1]
        for line, text in enumerate(split, lines + 1):
            length = len(text) + 1
            event = parsed_event(text)
            if event:
                self._count += 1
                rows.append(self._row(event, file, line, start, length))
                found += self._rules.moments_of(self._count, event, self._state)
                if event.kind == OPENED:
                    db.execute("INSERT INTO openings VALUES (?)", (event.at_ms,))
            elif text.strip():
                damaged.append((file, line))
            start += length
        new = [(number, name) for name, number in list(self._names.items())[known_names:]]
        db.executemany("INSERT INTO names VALUES (?, ?)", new)
        db.executemany(_INSERT, rows)
        db.executemany(_COUNT, _count_by_hour(rows))
        db.executemany("INSERT INTO damaged VALUES (?, ?)", damaged)
        db.executemany("INSERT INTO moments VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", map(_moment_row, found))
        self._save_state(db)
        return len(split)

    def _row(self, event: LoggedEvent, file: int, line: int, start: int, length: int) -> tuple[Any, ...]:
        name, now_in = self._number_of, None
        if event.kind in MOVES:
            now_in = name(event.to_room if event.kind == "left" else event.room)
        who, other, room = name(event.who), name(event.to), name(event.room)
        place = (file, line, start, length)
        return self._count, event.at_ms, name(f"kind:{event.kind}"), who, other, room, event.is_public, now_in, *place

    def _number_of(self, name: str) -> int:
        """Return the number of a name in the tables; 0 for none."""
        return self._names.setdefault(name, len(self._names)) if name else 0

    def _save_state(self, db: sqlite3.Connection) -> None:
        state, changed = self._state, self._state.changed
        kept = [(name, json.dumps(state[name])) for name in changed if name in state]
        db.executemany("INSERT OR REPLACE INTO state VALUES (?, ?)", kept)
        db.executemany("DELETE FROM state WHERE name = ?", [(name,) for name in changed if name not in state])
        changed.clear()

    @property
    def _fingerprint(self) -> str:
        return f"{VERSION} {self._rules.fingerprint}"

    def _refresh(self, db: sqlite3.Connection) -> None:
        """Read what is kept in memory again if another process has changed the tables."""
        version = db.execute("PRAGMA data_version").fetchone()[0]
        if version == self._version:
            return
        self._version = version
        self._names = {"": 0} | {name: number for number, name in db.execute("SELECT id, name FROM names ORDER BY id")}
        self._count = db.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()[0]
        self._state = RuleState()
        self._state.update({name: json.loads(value) for name, value in db.execute("SELECT * FROM state")})

    def _empty(self, db: sqlite3.Connection) -> None:
        for table in _NAMES_OF_TABLES:
            db.execute(f"DELETE FROM {table}")
        db.execute("INSERT INTO meta VALUES ('rules', ?)", (self._fingerprint,))
        self._names, self._count, self._state = {"": 0}, 0, RuleState()


def _count_by_hour(rows: list[tuple[Any, ...]]) -> list[tuple[int, int, int]]:
    """Return for each hour the number of events, and the number of public ones."""
    counts, public = Counter[int](), Counter[int]()
    for row in rows:
        counts[row[1] // HOUR_MS] += 1
        public[row[1] // HOUR_MS] += row[6]
    return [(hour, count, public[hour]) for hour, count in counts.items()]


def _last_file(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT coalesce(max(id), 0) FROM files").fetchone()[0])


def _moment_row(moment: Moment) -> tuple[Any, ...]:
    about = (moment.at_ms, moment.rule, moment.who, moment.other, moment.room)
    return *about, moment.is_private, json.dumps(moment.events), moment.seconds


def _bytes(path: Path, start: int, length: int) -> bytes:
    """Return a part of a file. Raises: NoteError."""
    try:
        with open(path, "rb") as file:
            file.seek(start)
            return file.read(length)
    except OSError as error:
        raise NoteError(f"{path.name}: the log cannot be read: {error.strerror}.") from error
