"""One file of a journal: its row in the index, its lines, and appending to it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from vault.atomic_write import Disk, Stamp
from vault.memory.memory_line import NO_NUMBERS, Memory, Range, RangeSet, parse_line, seq_of
from vault.vault import Vault

MAX_ENTRIES_PER_FILE = 4096
HEAD_BYTES = 4096
"""Number of bytes searched for one memory; front matter is expected to be shorter."""

_NAME = re.compile(r"(\d{4}-\d\d-\d\d)(?:-(\d+))?\.md")
_HEAD = re.compile(r"\A\ufeff?---[ \t]*\n(?:.*\n)*?---[ \t]*(?:\n|\Z)")
_NUMBER = re.compile(rb"\s\^m([1-9]\d{0,14})[ \t\r]*(?:\n|\Z)")


@dataclass
class Segment:
    """A journal file: the lowest and the highest number in it, the numbers between that are not, its state on disk.

    `pinned` are the numbers of the memories that somebody has marked `#pinned`. `edited_ns` is the time of the file
    when it was last found changed by somebody else.
    """

    name: str
    first: int = 0
    last: int = 0
    gaps: RangeSet = NO_NUMBERS
    size: int = 0
    mtime_ns: int = 0
    in_order: bool = True
    pinned: tuple[int, ...] = ()
    edited_ns: int = 0

    @property
    def day(self) -> str:
        return self.name[:10]

    @property
    def note(self) -> str:
        """The name of the file as links have it."""
        return self.name.removesuffix(".md")

    @property
    def order(self) -> tuple[str, int]:
        """The order of the file among the others: by day, then by part."""
        match = _NAME.fullmatch(self.name)
        return self.day, int(match[2] or 1) if match else 1

    @property
    def stamp(self) -> Stamp:
        """Size and time of the file as it was last read or written."""
        return self.size, self.mtime_ns

    @property
    def count(self) -> int:
        return self.last - self.first + 1 - len(self.gaps) if self.last else 0

    @property
    def numbers(self) -> RangeSet:
        """The numbers of its memories."""
        return RangeSet.of(Range(self.first, self.last)) - self.gaps if self.last else NO_NUMBERS

    @property
    def is_full(self) -> bool:
        return self.count >= MAX_ENTRIES_PER_FILE

    def add(self, seq: int) -> None:
        """Account for one more memory at the end of the file, with a number above all others in it."""
        if self.last and seq > self.last + 1:
            self.gaps |= RangeSet.of(Range(self.last + 1, seq - 1))
        self.first, self.last = self.first or seq, seq


def segment_name(day: str, part: int) -> str:
    """Return the name of a day's file; parts count from 1."""
    return f"{day}.md" if part == 1 else f"{day}-{part}.md"


def is_segment_name(name: str) -> bool:
    """Return whether a file belongs to a journal: it is named after a day."""
    match = _NAME.fullmatch(name)
    try:
        return bool(match and datetime.fromisoformat(match[1]))
    except ValueError:
        return False


def header(agent_id: str, day: str, first: int) -> str:
    """Return the first lines of a new file."""
    return f"---\nagent: '[[{agent_id}]]'\nday: {day}\nfirst: {first}\n---\n"


def numbers_in(raw: bytes) -> RangeSet:
    """Return the numbers that stand at the ends of lines."""
    return RangeSet.of_numbers(map(int, _NUMBER.findall(raw)))


def body_lines(path: Path) -> list[str]:
    """Return the lines behind the front matter, without their ends."""
    return split_head(decode(path.read_bytes()))[1].split("\n")


def read_memories(path: Path, segment: Segment, first: int, last: int) -> dict[int, Memory]:
    """Return the memories of a file with numbers from `first` to `last`; of two with one number, the first counts."""
    found: dict[int, Memory] = {}
    for line in _line_of(path, first) if first == last else reversed(body_lines(path)):
        seq = seq_of(line)
        if first <= seq <= last and (memory := parse_line(line, segment.note)):
            found[seq] = memory
        elif 0 < seq < first and segment.in_order:
            break
    return found


def _line_of(path: Path, seq: int) -> list[str]:
    """Return the line of memory `seq` as a list of one, or an empty list. Avoids parsing the rest of the file."""
    raw, mark = path.read_bytes(), f"^m{seq}".encode()
    head = _HEAD.match(decode(raw[:HEAD_BYTES]))
    end = len(head[0].encode("utf-8", "surrogateescape")) if head else 0
    while (place := raw.find(mark, end)) >= 0:
        end = raw.find(b"\n", place) + 1 or len(raw)
        line = decode(raw[raw.rfind(b"\n", 0, place) + 1 : end]).rstrip("\n")
        if seq_of(line) == seq:
            return [line]
    return []


def decode(raw: bytes) -> str:
    """Return the text of a file, with line ends as ours; bytes that are no UTF-8 are kept."""
    return raw.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def encode(text: str) -> bytes:
    """Return the bytes of a text from `decode`."""
    return text.encode("utf-8", "surrogateescape")


def split_head(text: str) -> tuple[str, str]:
    """Return the front matter of a file and what follows."""
    head = _HEAD.match(text)
    return (text[: head.end()], text[head.end() :]) if head else ("", text)


class OpenSegment:
    """At most one open file. Every method but `close_file` and `content` raises OSError as the disk does."""

    def __init__(self, disk: Disk, fsync_each: bool) -> None:
        self._disk = disk
        self._fsync_each = fsync_each
        self._descriptor = -1
        self._inode = 0
        self._written = self._taken = self._forced = 0

    @property
    def is_open(self) -> bool:
        return self._descriptor >= 0

    @property
    def was_deleted(self) -> bool:
        """Return whether a file is open that has no name any more."""
        return self.is_open and not os.fstat(self._descriptor).st_nlink

    def was_moved(self, stamp: Stamp) -> bool:
        """Return whether the open file has a name still, be it another than it had, and nobody has changed it."""
        found = os.fstat(self._descriptor) if self.is_open else None
        return found is not None and found.st_nlink > 0 and (found.st_size, found.st_mtime_ns) == stamp

    def is_file(self, found: os.stat_result) -> bool:
        """Return whether a file is the open one, and not another that has taken its name."""
        return found.st_ino == self._inode

    def is_open_at(self, path: Path) -> bool:
        """Return whether the open file is the one of this name."""
        try:
            return self.is_open and self.is_file(path.stat())
        except OSError:
            return False

    def content(self) -> bytes:
        """Return what stands in the open file, whatever has become of its name; nothing if that cannot be read."""
        try:
            return os.pread(self._descriptor, os.fstat(self._descriptor).st_size, 0) if self.is_open else b""
        except OSError:
            return b""

    def open(self, path: Path, segment: Segment, head: str) -> bool:
        """Open a file for appending; a new one is given its head. Return whether it is as it was known."""
        self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            found = os.fstat(self._descriptor)
            if segment.last and (found.st_size, found.st_mtime_ns) != segment.stamp:
                self.close_file()
                return False
            if found.st_size == 0:
                self._disk.append(self._descriptor, head.encode())
                self._disk.sync_folder(path.parent)
            self._inode = found.st_ino
            self._update(segment)
        except OSError:
            self.close_file()
            raise
        return True

    def write(self, line: bytes, segment: Segment) -> bool:
        """Append a line with its end; on failure the file is as it was. Return whether nobody else has changed it."""
        self._disk.append(self._descriptor, line)
        try:
            if self._fsync_each:
                self._disk.fsync(self._descriptor)
        except OSError:
            os.ftruncate(self._descriptor, segment.size)
            raise
        self._written += 1
        if self._fsync_each:
            self._taken = self._forced = self._written
        expected = segment.size + len(line)
        self._update(segment)
        if segment.size == expected:
            return True
        segment.mtime_ns = 0  # so that it counts as changed
        return False

    def pending_fsync(self) -> Callable[[], None] | None:
        """Return a function that forces lines that nobody has taken to disk, for any thread; None if there are none.

        Lines that it fails to force count as not taken.
        """
        if self._taken == self._written or not self.is_open:
            return None
        self._taken = self._written
        return self._forcing()

    def pending_fsync_of_all(self) -> Callable[[], None]:
        """Return a function that forces every line written so far to disk, for any thread.

        It includes lines that another thread has taken and not forced yet.
        """
        return self._forcing() if self._forced != self._written and self.is_open else _nothing

    def close_file(self) -> None:
        """Close the file without another word."""
        if self.is_open:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        self.close_file()

    def _forcing(self) -> Callable[[], None]:
        lines, descriptor = self._written, os.dup(self._descriptor)

        def force() -> None:
            try:
                self._disk.fsync(descriptor)
                self._forced = max(self._forced, lines)
            except OSError:
                self._taken = min(self._taken, self._forced)
                raise
            finally:
                os.close(descriptor)

        return force

    def _update(self, segment: Segment) -> None:
        found = os.fstat(self._descriptor)
        segment.size, segment.mtime_ns = found.st_size, found.st_mtime_ns


def _nothing() -> None:
    """Force nothing: everything is on disk."""


MAX_SCANNED_BYTES = 4_000_000
"""Maximum bytes of a journal, some 20,000 memories, searched for a name at once: more would hold the server up."""


def mentions_person(vault: Vault, agent_id: str, name: str) -> bool:
    """Return whether any of the newest memories of an agent has somebody of this name in it."""
    return _has_word(vault, agent_id, rb"\[(?:with|by):: (?:[^\]\n]*, )?%b(?:, [^\]\n]*)?\]" % re.escape(name.encode()))


def mentions_room(vault: Vault, agent_id: str, room: str) -> bool:
    """Return whether any of the newest memories of an agent is from a room."""
    return _has_word(vault, agent_id, rb"(?m)^- [\d:.]+ [a-z]+ \xc2\xb7 %b \xc2\xb7 " % re.escape(room.encode()))


def _has_word(vault: Vault, agent_id: str, pattern: bytes) -> bool:
    """Search the newest bytes of a journal, newest file first; a file that cannot be read has nothing in it."""
    wanted, folder, left = re.compile(pattern), f"agents/{agent_id}/journal", MAX_SCANNED_BYTES
    for name in sorted(vault.names(folder), reverse=True):
        try:
            with vault.path(folder, f"{name}.md").open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - left))
                newest = file.read(left)
        except OSError:
            continue
        if wanted.search(newest):
            return True
        left -= len(newest)
        if left <= 0:
            return False
    return False
