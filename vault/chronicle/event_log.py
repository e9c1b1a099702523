"""The event log: append-only JSONL in the folder `chronicle`, a file a day (UTC).

    {"at": "2026-11-22T20:35:01.123Z", "kind": "said", "who": "Eliza", "room": "The Garden", "line": "Eliza says, …"}

Agents remember what each of them perceived, and some things nobody remembers; this log has every event once, with its
type. The parts that only some may know are in fields of their own: see `LoggedEvent`. Spans of its time have names,
in UTC: a day, an hour, a minute or a second, as in `2026-11-22T20:35`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import Any

from vault.errors import NoteError
from vault.vault import Vault

FOLDER = "chronicle"
OPENED = "opened"
"""The kind of the event by which a world begins to run; `PRESENT` events then place everybody who is awake."""

PRESENT = "present"
"""The kind of the event that places a character where it was before the world was opened."""

MOVES = ("arrived", "left", PRESENT)
"""The kinds of events that say where somebody is from then on."""

_NAME = re.compile(r"\d{4}-\d\d-\d\d\.jsonl", re.ASCII)
_MINUTE = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):", re.ASCII)


@dataclass(frozen=True)
class LoggedEvent:
    """One thing that happened. `at_ms` is UTC, in milliseconds since 1970; texts are empty where there is nothing.

    `kind` is the type of the event: `said`, `gave`. `who` did it, `to` is the other one. `line` is what somebody
    perceives who is in `room` and has nothing to do with it; `words` are what they hear. `heard_in` are other
    rooms where it is perceived, `*` for the world. `by` is `agent`, `guest` or empty: what `who` is.

    Private are `secret`, words that only `who` and `to` know, and `reason`, why `who` did it; see `in_public`.
    """

    at_ms: int
    kind: str
    who: str = ""
    to: str = ""
    room: str = ""
    line: str = ""
    words: str = ""
    thing: str = ""
    from_room: str = ""
    to_room: str = ""
    by: str = ""
    heard_in: tuple[str, ...] = ()
    secret: str = ""
    reason: str = ""

    @property
    def is_public(self) -> bool:
        """True if anything of it is perceived by somebody who has nothing to do with it."""
        return bool(self.line)

    @property
    def in_public(self) -> LoggedEvent:
        """The event without its private part."""
        return replace(self, secret="", reason="")


_TEXTS = frozenset(one.name for one in fields(LoggedEvent)) - {"at_ms", "heard_in"}


def moment_text(at_ms: int) -> str:
    """Return a time in ISO 8601, as the log has it."""
    return f"{_second_text(at_ms // 1000)}.{at_ms % 1000:03}Z"


@lru_cache(maxsize=64)  # much happens in one second
def _second_text(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def day_ms(day: str) -> int:
    """Return when a day such as `2026-11-22` begins. Raises: ValueError if it is none."""
    moment = datetime.fromisoformat(day).replace(tzinfo=UTC)
    if moment.strftime("%Y-%m-%d") != day:
        raise ValueError(day)
    return int(moment.timestamp()) * 1000


def event_line(event: LoggedEvent) -> bytes:
    """Return an event's line, end included."""
    told: dict[str, Any] = {"at": moment_text(event.at_ms)}
    told |= {name: value for name, value in vars(event).items() if value and name != "at_ms"}
    try:
        return json.dumps(told, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:  # half a character
        return json.dumps(told).encode() + b"\n"


def parsed_event(line: bytes) -> LoggedEvent | None:
    """Return the event of a line, or None if there is none in it. Fields that are not known are left out."""
    try:
        told = json.loads(line.decode())  # json would look for the encoding of each line
        return _event(told, moment_ms(told["at"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def moment_ms(text: str) -> int:
    """Return the time that `moment_text` has written. Raises: ValueError or TypeError if it is none."""
    minute_ms, rest = _minute_ms(text[:17]), text[17:]
    digits = rest[:2] + rest[3:6]
    if len(rest) != 7 or rest[2] != "." or rest[6] != "Z" or not (digits.isascii() and digits.isdigit()):
        raise ValueError(text)
    return minute_ms + int(digits)


@lru_cache(maxsize=64)  # much happens in one minute
def _minute_ms(text: str) -> int:
    moment = _MINUTE.fullmatch(text)
    if moment is None:
        raise ValueError(text)
    return day_ms(moment[1]) + (int(moment[2]) * 60 + int(moment[3])) * 60_000


def _event(told: Mapping[str, Any], at_ms: int) -> LoggedEvent | None:
    """Return the event, or None if a field is not as it was written."""
    texts = {name: value for name, value in told.items() if name in _TEXTS}
    heard_in = told.get("heard_in", ())
    if not {str}.issuperset(map(type, (*texts.values(), *heard_in))) or not texts.get("kind"):
        return None
    if isinstance(heard_in, str):
        return None
    return LoggedEvent(at_ms, heard_in=tuple(heard_in), **texts)


def log_files(folder: Path) -> list[str]:
    """Return the names of the files of a log, oldest first. Raises: OSError."""
    try:
        return sorted(name for name in os.listdir(folder) if _NAME.fullmatch(name))
    except FileNotFoundError:
        return []


class EventLog:
    """Appends to the log of a vault, in any thread."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._lock = Lock()

    def append(self, events: Iterable[LoggedEvent]) -> None:
        """Write events, each into the file of its day. Raises: NoteError; what was not written may be given again."""
        with self._lock:
            for day, same_day in groupby(events, key=lambda event: moment_text(event.at_ms)[:10]):
                self._append(f"{day}.jsonl", b"".join(map(event_line, same_day)))

    def _append(self, name: str, lines: bytes) -> None:
        path = self._vault.file(FOLDER, name)
        try:
            path.parent.mkdir(exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                self._vault.disk.append(descriptor, _line_end_before(descriptor) + lines)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise NoteError(f"{FOLDER}/{name}: cannot be written: {error.strerror}.") from error
        self._vault.force_soon(path)


def _line_end_before(descriptor: int) -> bytes:
    """Return the line end that a file lacks after a crash has torn its last line."""
    size = os.fstat(descriptor).st_size
    return b"\n" if size and os.pread(descriptor, 1, size - 1) != b"\n" else b""


UNITS_MS = (86_400_000, 3_600_000, 60_000, 1_000)
_PERIOD = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d))?)?)?", re.ASCII)
_UNIT_LIMITS = (24, 60, 60)


@dataclass(frozen=True)
class Period:
    """A span of time, in milliseconds since 1970, its end not included; `name` is as in `2026-11-22T20`."""

    name: str
    start_ms: int
    end_ms: int


def period_of(name: str) -> Period | None:
    """Return the day, hour, minute or second that a name means, or None."""
    match = _PERIOD.fullmatch(name)
    if match is None:
        return None
    parts = [int(part) for part in match.groups()[1:] if part is not None]
    try:
        start_ms = day_ms(match[1])
    except ValueError:
        return None
    if any(part >= limit for part, limit in zip(parts, _UNIT_LIMITS, strict=False)):
        return None
    start_ms += sum(part * unit for part, unit in zip(parts, UNITS_MS[1:], strict=False))
    return Period(name, start_ms, start_ms + UNITS_MS[len(parts)])


def second_name(at_ms: int) -> str:
    """Return the name of the second in which a time lies."""
    return _second_text(at_ms // 1000)
