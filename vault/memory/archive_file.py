"""One file of an archive: its name, its entries as lines, and appending to it.

    {"event": "tool_call", "at": "2026-11-21T20:35:01.123Z", "seq": 129, "command": "look"}

A prompt is written as what is new in it: the number of leading characters that it shares with the prompt before it in
the same file, and the rest.
"""

from __future__ import annotations

import json
import logging
import os
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from vault.atomic_write import Disk
from vault.chronicle.event_log import moment_text

EventName = Literal[
    "message",
    "tool_call",
    "tool_result",
    "micro_compact",
    "auto_compact",
    "manual_compact",
    "rebuild",
    "rollback",
    "reflection",
    "begin_anew",
    "lines_deleted",
    "authors_line",
]


@dataclass(frozen=True)
class ArchiveEntry:
    """One thing to be kept. `seq` is the memory that it belongs to; `fields` must be what JSON can hold."""

    event: EventName
    at_ms: int
    seq: int
    fields: Mapping[str, Any] = field(default_factory=dict)


def archive_lines(entries: Sequence[ArchiveEntry], prompt: str) -> tuple[list[bytes], str]:
    """Return the lines of entries, and the newest prompt among them or, if there is none, the one given."""
    lines = []
    for entry in entries:
        fields = dict(entry.fields)
        if "prompt" in fields:
            before, prompt = prompt, str(fields.pop("prompt"))
            shared = shared_length(before, prompt)
            fields |= {"prompt_characters": len(prompt), "prompt_shared": shared, "prompt_rest": prompt[shared:]}
        head = {"event": entry.event, "at": moment_text(entry.at_ms), "seq": entry.seq}
        lines.append(_line({**head, **fields}))
    return lines, prompt


_encode = json.JSONEncoder(ensure_ascii=False).encode


def _line(entry: Mapping[str, Any]) -> bytes:
    return encode_value(entry) + b"\n"


def encode_value(value: object) -> bytes:
    """Return a value as a line has it, without a line end."""
    text = _encode(value)
    if text.isascii():
        return text.encode()
    for char in "\x85\u2028\u2029":  # line ends to some readers, which are not to see two lines
        text = text.replace(char, f"\\u{ord(char):04x}")
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def shared_length(before: str, after: str) -> int:
    """Return how many leading characters two texts have in common."""
    most = min(len(before), len(after))
    return bisect_left(range(most), True, key=lambda place: before[: place + 1] != after[: place + 1])


def day_of(at_ms: int) -> str:
    return moment_text(at_ms)[:10]


_raw_decode = json.JSONDecoder().raw_decode


def parsed_json(text: str) -> Any:
    """Return the same as `json.loads`, sooner if the text is a single value. Raises: ValueError."""
    try:
        value, end = _raw_decode(text)
    except ValueError:
        end = -1
    return value if end == len(text) else json.loads(text)


def parsed_line(line: bytes) -> dict[str, Any] | None:
    """Return the entry that a line holds, or None if it holds none."""
    try:
        entry = parsed_json(line.decode())  # json would look for the encoding of each line
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and isinstance(entry.get("event"), str) else None


def whole_lines(raw: bytes) -> list[bytes]:
    """Return the lines of a file without their ends; a torn last one is none."""
    *lines, last = raw.split(b"\n")
    return [*lines, last] if parsed_line(last) else lines


log = logging.getLogger(__name__)

_NAME = re.compile(r"(\d{4}-\d\d-\d\d)(?:-([2-9]|[1-9]\d{1,8}))?\.jsonl", re.ASCII)
_REFERENCE = re.compile(r"(\d{4}-\d\d-\d\d(?:-\d{1,9})?)#([1-9]\d{0,15})", re.ASCII)


def archive_name(day: str, part: int) -> str:
    """Return the name of a day's file; parts count from 1."""
    return f"{day}.jsonl" if part == 1 else f"{day}-{part}.jsonl"


def is_archive_name(name: str) -> bool:
    """Return whether a file belongs to an archive: it is named after a day."""
    match = _NAME.fullmatch(name)
    try:
        return bool(match and datetime.fromisoformat(match[1]))
    except ValueError:
        return False


def archive_order(name: str) -> tuple[str, int]:
    """Return where a file stands among the others: its day, then its part."""
    match = _NAME.fullmatch(name)
    return name[:10], int(match[2] or 1) if match else 1


def parsed_reference(reference: str) -> tuple[str, int] | None:
    """Return the file's name and the line's number that a reference gives, or None if it is none."""
    match = _REFERENCE.fullmatch(reference)
    if match is None or not is_archive_name(f"{match[1]}.jsonl"):
        return None
    return f"{match[1]}.jsonl", int(match[2])


class OpenArchive:
    """At most one open file. Every method but `close_file` raises OSError as the disk does."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._path = Path()
        self._descriptor = -1
        self._count = 0
        self._size = 0
        self._forced = 0

    @property
    def path(self) -> Path:
        return self._path

    @property
    def stem(self) -> str:
        return self._path.stem

    @property
    def is_open(self) -> bool:
        return self._descriptor >= 0

    def is_as_left(self) -> bool:
        """Return whether a file is open and nobody has touched, replaced or removed it."""
        if not self.is_open:
            return False
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return False
        return found.st_size == self._size and found.st_ino == os.fstat(self._descriptor).st_ino

    def open(self, path: Path) -> None:
        """Open a file for appending, after what a crash has torn off at its end was set aside."""
        self._path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            self._mend()
        except BaseException:
            self.close_file()
            raise

    def append(self, lines: Sequence[bytes]) -> int:
        """Append lines, ends included, in one step; return the number of the first. On failure nothing has changed."""
        raw = b"".join(lines)
        self._disk.append(self._descriptor, raw)
        first = self._count + 1
        self._count += len(lines)
        self._size += len(raw)
        return first

    def sync(self) -> None:
        """Force to disk what has not been forced yet; the first time, the name of the file as well."""
        if self.is_open and self._forced != self._size:
            if self._forced < 0:
                self._disk.sync_folder(self._path.parent)
            self._disk.fsync(self._descriptor)
            self._forced = self._size

    def close_file(self) -> None:
        """Close the file without another word."""
        if self.is_open:
            os.close(self._descriptor)
            self._descriptor = -1

    def _mend(self) -> None:
        raw = self._path.read_bytes()
        torn = raw[raw.rfind(b"\n") + 1 :]
        if parsed_line(torn):
            self._disk.append(self._descriptor, b"\n")
            raw += b"\n"
        elif torn:
            self._disk.set_aside(self._path, torn)
            log.warning("a torn last line of %s was set aside in archive/quarantine.md", self._path.name)
            raw = raw[: len(raw) - len(torn)]
            os.ftruncate(self._descriptor, len(raw))
        self._count, self._size, self._forced = raw.count(b"\n"), len(raw), -1
