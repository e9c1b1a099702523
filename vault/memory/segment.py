"""One file of a journal: its content, repair after crashes and hand edits, appending, and change detection."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from vault.atomic_write import Disk
from vault.memory.memory_line import Memory, is_memory_line, is_truncated, parse_hand_line, parse_line, seq_of
from vault.vault import Vault

MAX_ENTRIES_PER_FILE = 4096
HEAD_BYTES = 4096
"""Number of bytes searched for one memory; front matter is expected to be shorter."""

_NAME = re.compile(r"(\d{4}-\d\d-\d\d)(?:-(\d+))?\.md")
_HEAD_LINES = ("---", "agent: ", "day: ", "first: ", "---")
_FIRST = re.compile(r"^first: (\d{1,15})$", re.MULTILINE)
_HEAD = re.compile(r"\A\ufeff?---[ \t]*\n(?:.*\n)*?---[ \t]*(?:\n|\Z)")


@dataclass
class Segment:
    """A journal file: the count of its memories, their lowest and highest numbers, and its last known state on disk.

    `pinned` are the numbers of the memories that somebody has marked `#pinned`.
    """

    name: str
    first: int = 0
    last: int = 0
    count: int = 0
    size: int = 0
    mtime_ns: int = 0
    in_order: bool = True
    pinned: tuple[int, ...] = ()

    @property
    def day(self) -> str:
        return self.name[:10]

    @property
    def order(self) -> tuple[str, int]:
        """The order of the file among the others: by day, then by part."""
        match = _NAME.fullmatch(self.name)
        return self.day, int(match[2] or 1) if match else 1

    @property
    def is_full(self) -> bool:
        return self.count >= MAX_ENTRIES_PER_FILE

    def add(self, seq: int) -> None:
        """Account for one more memory at the end of the file."""
        self.in_order = self.in_order and seq > self.last
        self.first, self.last, self.count = min(self.first or seq, seq), max(self.last, seq), self.count + 1


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


def scan(path: Path) -> tuple[Segment, int]:
    """Return the segment of a file, and the number of lines in it, typed by hand, that have no number yet."""
    stat = path.stat()
    segment = Segment(path.name, size=stat.st_size, mtime_ns=stat.st_mtime_ns)
    seen: set[int] = set()
    unnumbered = 0
    for line in body_lines(path):
        seq = seq_of(line)
        if seq and seq not in seen:
            seen.add(seq)
            segment.add(seq)
            if "#pinned" in line and (memory := parse_line(line, segment.day)) and memory.pinned:
                segment.pinned += (seq,)
        elif seq:
            segment.in_order = False
        elif not seq and is_memory_line(line):
            unnumbered += 1
    return segment, unnumbered


def body_lines(path: Path) -> list[str]:
    """Return the lines behind the front matter, without their ends."""
    return _split(_text_of(path))[1].split("\n")


def read_memories(path: Path, segment: Segment, first: int, last: int) -> dict[int, Memory]:
    """Return the memories of a file with numbers from `first` to `last`; of two with one number, the first counts."""
    found: dict[int, Memory] = {}
    for line in _line_of(path, first) if first == last else reversed(body_lines(path)):
        seq = seq_of(line)
        if first <= seq <= last and (memory := parse_line(line, segment.day)):
            found[seq] = memory
        elif 0 < seq < first and segment.in_order:
            break
    return found


def _line_of(path: Path, seq: int) -> list[str]:
    """Return the line of memory `seq` as a list of one, or an empty list. Avoids parsing the rest of the file."""
    raw, mark = path.read_bytes(), f"^m{seq}".encode()
    head = _HEAD.match(_decoded(raw[:HEAD_BYTES]))
    end = len(head[0].encode("utf-8", "surrogateescape")) if head else 0
    while (place := raw.find(mark, end)) >= 0:
        end = raw.find(b"\n", place) + 1 or len(raw)
        line = _decoded(raw[raw.rfind(b"\n", 0, place) + 1 : end]).rstrip("\n")
        if seq_of(line) == seq:
            return [line]
    return []


def number_hand_lines(path: Path, disk: Disk, next_seq: int) -> list[Memory]:
    """Give numbers from `next_seq` on to the lines typed by hand, where they stand; return their memories.

    Raises: OSError if the file cannot be replaced.
    """
    head, body = _split(_text_of(path))
    lines, numbered = body.split("\n"), list[Memory]()
    for place, line in enumerate(lines):
        if is_memory_line(line) and not seq_of(line):
            numbered.append(parse_hand_line(line, next_seq + len(numbered), path.name[:10]))
            lines[place] = f"{line.rstrip()} ^m{numbered[-1].seq}"
    if numbered:
        _replace(path, head + "\n".join(lines), disk)
    return numbered


def repair_end(path: Path, disk: Disk, set_aside: Callable[[bytes], None]) -> None:
    """See to it that a file ends with a line end: a torn last line is set aside, a whole one is ended.

    `set_aside` is given what was torn before it is cut off. Raises: OSError.
    """
    raw = path.read_bytes()
    whole = _whole_bytes(raw)
    if whole == len(raw) and (not raw or raw.endswith(b"\n")):
        return
    if whole < len(raw):
        set_aside(raw[whole:])
    with open(path, "r+b") as file:
        file.truncate(whole)
        file.seek(whole)
        file.write(b"\n" if whole == len(raw) else b"")
        file.flush()
        disk.fsync(file.fileno())


def _whole_bytes(raw: bytes) -> int:
    """Return how many bytes of a file are whole lines, the last one perhaps without its end."""
    head, body = _split(_decoded(raw))
    if not head and _is_torn_head(body):
        return 0
    cut = raw.rfind(b"\n") + 1
    last = raw[cut:].decode("utf-8", "replace").rstrip("\ufffd")
    earlier = {seq_of(line) for line in body.split("\n")[:-1]} - {0}
    first = _FIRST.search(head)
    seq, expected = seq_of(last), max(earlier, default=0) + 1
    if seq:  # of ^m129 there may be no more than ^m12, which is another's number
        in_place = seq not in earlier and seq >= int(first[1] if first else 1)
        is_torn = seq != expected and (not in_place or str(expected).startswith(str(seq)))
    else:
        is_torn = is_truncated(last) or "\0" in last  # zeros are what a power cut leaves of a file that had grown
    return cut if last and is_torn else len(raw)


def _is_torn_head(text: str) -> bool:
    *whole, last = text.split("\n")
    if not text or len(whole) >= len(_HEAD_LINES):
        return False
    wanted = _HEAD_LINES[len(whole)]
    begun = all(line.startswith(start) for line, start in zip(whole, _HEAD_LINES, strict=False))
    return begun and (last.startswith(wanted) or wanted.startswith(last))


def _replace(path: Path, text: str, disk: Disk) -> None:
    draft = path.with_name(f".{path.name}.draft")
    try:
        disk.write_draft(draft, text.encode("utf-8", "surrogateescape"), True)
        disk.replace(draft, path)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise


def _text_of(path: Path) -> str:
    return _decoded(path.read_bytes())


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def _split(text: str) -> tuple[str, str]:
    head = _HEAD.match(text)
    return (text[: head.end()], text[head.end() :]) if head else ("", text)


class OpenSegment:
    """At most one open file. Every method but `close_file` raises OSError as the disk does."""

    def __init__(self, disk: Disk, fsync_each: bool) -> None:
        self._disk = disk
        self._fsync_each = fsync_each
        self._descriptor = -1
        self._inode = 0
        self._written = self._taken = self._forced = 0

    @property
    def is_open(self) -> bool:
        return self._descriptor >= 0

    def is_file(self, found: os.stat_result) -> bool:
        """Return whether a file is the open one, and not another that has taken its name."""
        return found.st_ino == self._inode

    def open(self, path: Path, segment: Segment, head: str) -> None:
        """Open a file for appending; one that is new or empty is given its head."""
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            found = os.fstat(self._descriptor)
            if found.st_size == 0:
                self._disk.append(self._descriptor, head.encode())
                self._disk.sync_folder(path.parent)
            self._inode = found.st_ino
            self._update(segment)
        except OSError:
            self.close_file()
            raise

    def write(self, line: str, segment: Segment) -> None:
        """Append a line with its end; on failure the file is as it was."""
        self._disk.append(self._descriptor, f"{line}\n".encode())
        try:
            if self._fsync_each:
                self._disk.fsync(self._descriptor)
        except OSError:
            os.ftruncate(self._descriptor, segment.size)
            raise
        self._written += 1
        if self._fsync_each:
            self._taken = self._forced = self._written
        self._update(segment)

    def pending_fsync(self) -> Callable[[], None] | None:
        """Return a function that forces lines that nobody has taken to disk, for any thread; None if there are none."""
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

    def _forcing(self) -> Callable[[], None]:
        lines, descriptor = self._written, os.dup(self._descriptor)

        def force() -> None:
            try:
                self._disk.fsync(descriptor)
                self._forced = max(self._forced, lines)
            finally:
                os.close(descriptor)

        return force

    def _update(self, segment: Segment) -> None:
        found = os.fstat(self._descriptor)
        segment.size, segment.mtime_ns = found.st_size, found.st_mtime_ns


def _nothing() -> None:
    """Force nothing: everything is on disk."""


class JournalWatch:
    """Compares a journal's folder with how its files were last read or written. Raises: OSError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folder_ns = -1
        self._looked_at = 0

    def names(self) -> list[str]:
        """Return the names of the journal's files, in no order."""
        return [p.name for p in self._folder.iterdir() if is_segment_name(p.name)] if self._folder.is_dir() else []

    def seems_edited(self, segments: Sequence[Segment]) -> bool:
        """Return whether a look at the folder, the newest file and one older file in turn shows a difference."""
        older, looked_at = segments[:-1], list(segments[-1:])
        if older:
            self._looked_at = (self._looked_at + 1) % len(older)
            looked_at.append(older[self._looked_at])
        return self._folder_time() != self._folder_ns or any(self._differs(segment) for segment in looked_at)

    def was_edited(self, segments: Sequence[Segment]) -> bool:
        """Return whether any file was changed, added or removed."""
        folder_ns = self._folder_time()
        if set(self.names()) != {segment.name for segment in segments} or any(map(self._differs, segments)):
            return True
        self._folder_ns = folder_ns
        return False

    def _folder_time(self) -> int:
        return self._folder.stat().st_mtime_ns if self._folder.is_dir() else -1

    def _differs(self, segment: Segment) -> bool:
        try:
            found = (self._folder / segment.name).stat()
        except FileNotFoundError:
            return True
        return (found.st_size, found.st_mtime_ns) != (segment.size, segment.mtime_ns)


MAX_SCANNED_BYTES = 4_000_000
"""Maximum bytes of a journal, some 20,000 memories, searched for a name at once: more would hold the server up."""


def mentions_person(vault: Vault, agent_id: str, name: str) -> bool:
    """Return whether any of the newest memories of an agent has somebody of this name in it."""
    return _has_word(vault, agent_id, rb"\[with:: (?:[^\]\n]*, )?%b(?:, [^\]\n]*)?\]" % re.escape(name.encode()))


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
