"""The index of the event log: an SQLite cache under `.index/`.

It knows when, where and by whom each event happened and where its line stands; the lines themselves stay in the log.
It may be used in any thread, and by several processes.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from vault.cache_database import CacheDatabase
from vault.chronicle.event_log import LoggedEvent, parsed_event
from vault.chronicle.intake import HOUR_MS, TABLES, Intake, Moment, MomentRules, NoRules
from vault.errors import NoteError

MAX_MS = 1 << 60
DAY_MS = 24 * HOUR_MS
MAX_PROBLEMS = 100
_LINE = "id, at_ms, file, line, start, length"
_ONE = "(SELECT id FROM names WHERE name = ? AND id)"


@dataclass(frozen=True)
class Entry:
    """An event of the log and where it stands: the name of its file, and its line, counted from 1.

    `number` counts the events in the order of the log.
    """

    number: int
    file: str
    line: int
    event: LoggedEvent

    @property
    def place(self) -> str:
        """The place of the event, as messages show it."""
        return f"chronicle/{self.file}:{self.line}"


@dataclass(frozen=True)
class EventQuery:
    """A query for events from `start_ms` on and before `end_ms`, of all or of one person.

    `after` is the last event known already, as (at_ms, number). With `newest`, the last `limit` events come, still
    oldest first. `is_public` leaves out events that only those concerned perceive.
    """

    start_ms: int = 0
    end_ms: int = MAX_MS
    person: str = ""
    is_public: bool = False
    after: tuple[int, int] = (-1, -1)
    limit: int = MAX_MS
    newest: bool = False


class ChronicleIndex:
    """Answers what happened when, where and by whom. `folder` has the log; without `database` nothing is written.

    An index in memory begins with what the file `seed` knows, if there is one.

    Each method but `update` answers from what was taken in by then. Each raises NoteError if the index cannot be used.
    """

    def __init__(
        self, folder: Path, database: Path | None = None, rules: MomentRules | None = None, seed: Path | None = None
    ) -> None:
        self._folder = folder
        self._database = CacheDatabase(database, TABLES, partial(_failure, database), wait_seconds=60, seed=seed)
        self._intake = Intake(folder, rules or NoRules())

    def update(self) -> None:
        """Take in what the log has got since."""
        while self._database.change(self._intake.step):
            pass

    def events(self, query: EventQuery) -> list[Entry]:
        """Return the events that a query asks for, oldest first."""
        where, values = _condition(query)
        order = "DESC" if query.newest else "ASC"
        select = f"SELECT {_LINE} FROM events WHERE {where} ORDER BY at_ms {order}, id {order} LIMIT ?"
        rows = self._database.read(lambda db: db.execute(select, (*values, min(query.limit, MAX_MS))).fetchall())
        return self._entries(rows[::-1] if query.newest else rows)

    def count(self, query: EventQuery) -> int:
        """Return how many events there are."""
        where, values = _condition(query)
        return int(
            self._database.read(
                lambda db: db.execute(f"SELECT count(*) FROM events WHERE {where}", values).fetchone()[0]
            )
        )

    def numbered(self, numbers: tuple[int, ...]) -> list[Entry]:
        """Return the events with these numbers, in the order of the log; missing ones are left out."""
        marks = ", ".join("?" * len(numbers))
        select = f"SELECT {_LINE} FROM events WHERE id IN ({marks}) ORDER BY id"
        return self._entries(self._database.read(lambda db: db.execute(select, numbers).fetchall()))

    def hours(self, is_public: bool = False) -> list[tuple[int, int]]:
        """Return every hour in which something happened, as (its beginning, how many events), oldest first."""
        count = "public" if is_public else "count"
        select = f"SELECT hour, {count} FROM hours WHERE {count} ORDER BY hour"
        return self._database.read(lambda db: [(hour * HOUR_MS, count) for hour, count in db.execute(select)])

    def moments(self, start_ms: int, end_ms: int, is_public: bool = False) -> list[Moment]:
        """Return the moments from one time on and before another, oldest first."""
        select = (
            "SELECT at_ms, rule, who, other, room, events, private, seconds FROM moments "
            f"WHERE at_ms >= ? AND at_ms < ? {'AND NOT private' if is_public else ''} ORDER BY at_ms, id"
        )
        rows = self._database.read(lambda db: db.execute(select, (start_ms, end_ms)).fetchall())
        return [_moment(row) for row in rows]

    def people(self) -> list[str]:
        """Return everybody who ever did something, sorted."""
        select = "SELECT name FROM names WHERE id AND EXISTS (SELECT 1 FROM events WHERE who = names.id AND who)"
        return sorted(row[0] for row in self._database.read(lambda db: db.execute(select).fetchall()))

    def places_at(self, at_ms: int) -> dict[str, str]:
        """Return in which room everybody was just before a time, who was awake."""
        return self._database.read(lambda db: _places_at(db, at_ms))

    def stays(self, person: str, start_ms: int, end_ms: int) -> list[tuple[int, int, str]]:
        """Return where somebody was between two times: (from, until, room), oldest first."""
        marks = self._database.read(lambda db: _marks_of(db, person, end_ms))
        spans = ((at, end, room) for (at, room), (end, _) in pairwise([*marks, (end_ms, "")]) if room)
        cut = ((max(at, start_ms), min(end, end_ms), room) for at, end, room in spans)
        return [span for span in cut if span[0] < span[1]]

    def problems(self) -> list[str]:
        """Return a sentence for each line of the log that was left out, with its file and number."""
        return self._database.read(lambda db: [*_problems(db)])

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def _entries(self, rows: list[tuple[int, ...]]) -> list[Entry]:
        """Read the lines of rows; one that is not as the index knows it is left out."""
        names = dict(self._database.read(lambda db: db.execute("SELECT id, name FROM files").fetchall()))
        open_files: dict[int, int] = {}
        found: list[Entry] = []
        try:
            for number, at_ms, file, line, start, length in rows:
                if file not in open_files:
                    open_files[file] = os.open(self._folder / names[file], os.O_RDONLY)
                event = parsed_event(os.pread(open_files[file], length, start))
                if event and event.at_ms == at_ms:
                    found.append(Entry(number, names[file], line, event))
        except OSError as error:
            raise NoteError(f"{self._folder}: the log cannot be read: {error.strerror}.") from error
        finally:
            for descriptor in open_files.values():
                os.close(descriptor)
        return found


def _failure(path: Path | None, error: Exception) -> NoteError:
    return NoteError(f"{path}: the index of the chronicle cannot be used: {error}.")


def _condition(query: EventQuery) -> tuple[str, list[Any]]:
    wheres, values = ["at_ms >= ?", "at_ms < ?"], list[Any]((query.start_ms, query.end_ms))
    if query.after != (-1, -1):
        wheres.append("(at_ms, id) > (?, ?)")
        values += query.after
    if query.is_public:
        wheres.append("public")
    if query.person:
        wheres.append(f"((who = {_ONE} AND who) OR (other = {_ONE} AND other))")
        values += (query.person, query.person)
    return " AND ".join(wheres), values


def _places_at(db: sqlite3.Connection, at_ms: int) -> dict[str, str]:
    select = (
        "SELECT at_ms, now_in FROM events WHERE who = ? AND now_in IS NOT NULL AND at_ms < ? "
        "ORDER BY at_ms DESC, id DESC LIMIT 1"
    )
    opened = db.execute("SELECT coalesce(max(at_ms), 0) FROM openings WHERE at_ms < ?", (at_ms,)).fetchone()[0]
    names = dict(db.execute("SELECT id, name FROM names WHERE id AND name NOT LIKE 'kind:%'").fetchall())
    found: dict[str, str] = {}
    for number, name in names.items():
        row = db.execute(select, (number, at_ms)).fetchone()
        if row and row[0] >= opened and row[1]:
            found[name] = names[row[1]]
    return dict(sorted(found.items()))


def _marks_of(db: sqlite3.Connection, person: str, end_ms: int) -> list[tuple[int, str]]:
    """Return when somebody came into which room, or was in none that is known, oldest first."""
    moves = (
        "SELECT at_ms, coalesce(name, '') FROM events LEFT JOIN names ON names.id = now_in AND now_in "
        f"WHERE who = {_ONE} AND now_in IS NOT NULL AND at_ms < ? ORDER BY at_ms, events.id"
    )
    openings = db.execute("SELECT at_ms, '' FROM openings WHERE at_ms < ?", (end_ms,)).fetchall()
    return sorted([*openings, *db.execute(moves, (person, end_ms))], key=lambda mark: mark[0])


def _problems(db: sqlite3.Connection) -> Iterator[str]:
    select = f"SELECT name, line FROM damaged JOIN files ON files.id = file ORDER BY name, line LIMIT {MAX_PROBLEMS}"
    for name, line in db.execute(select).fetchall():
        yield f"chronicle/{name}:{line}: no event; left out"
    for name, line in db.execute("SELECT name, lines + 1 FROM files WHERE taken < size ORDER BY name").fetchall():
        yield f"chronicle/{name}:{line}: half-written; left out"


def _moment(row: tuple[Any, ...]) -> Moment:
    at_ms, rule, who, other, room, events, private, seconds = row
    return Moment(at_ms, rule, who, other, room, tuple(json.loads(events)), bool(private), seconds)
