"""An agent's journal: append-only Markdown, a file a day, one line a memory, never deleted and never rewritten.

The one change ever made to a line in a file is to give its number to a line typed by hand.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import replace

from vault.folder import Vault
from vault.index import SegmentIndex
from vault.memory_line import Memory, format_line, one_line
from vault.notes import NoteError
from vault.segment import (
    Segment,
    header,
    is_segment_name,
    mend_end,
    number_hand_lines,
    read_memories,
    scan,
    segment_name,
)

log = logging.getLogger(__name__)

KEPT_AT_HAND = 512


class Journal:
    """All memories of one agent, numbered from 1; `last` is the number of the newest.

    The newest are kept at hand, older ones are read when asked for, so that a long life costs no memory.
    `warnings` collects what an admin should know.
    """

    def __init__(self, vault: Vault, agent_id: str, fsync_each: bool = False) -> None:
        self.vault = vault
        self.agent_id = agent_id
        self.warnings: list[str] = []
        self.last = 0
        self._folder = vault.path("agents", agent_id, "journal")
        self._index = SegmentIndex(vault, agent_id)
        self._fsync_each = fsync_each
        self._segments: list[Segment] = []
        self._at_hand: list[Memory] = []
        self._descriptor = -1
        self._inode = 0
        self._unsynced = False

    @property
    def count(self) -> int:
        """How many memories there are; less than `last` only where lines were deleted by hand."""
        return sum(segment.count for segment in self._segments)

    def load(self) -> None:
        """Find out what is there: set a torn last line aside, give numbers to lines typed by hand.

        Files that are as the index knows them are not read. Raises: NoteError if a file cannot be read or mended.
        """
        self.close()
        try:
            self._load([])
        except OSError as error:
            raise self._failure("cannot be read", error) from error

    def read(self, first: int, last: int) -> list[Memory]:
        """Return the memories numbered from `first` to `last`, both included, in order.

        Raises: NoteError if a file cannot be read.
        """
        first, last = max(first, 1), min(last, self.last)
        oldest = self._at_hand[0].seq if self._at_hand else self.last + 1
        near = [memory for memory in self._at_hand if first <= memory.seq <= last] if last >= oldest else []
        if first >= oldest:
            return near
        far = self._from_files(first, min(last, oldest - 1))
        if last == self.last and last - first < KEPT_AT_HAND:
            self._at_hand = [*far, *self._at_hand]
        return [*far, *near]

    def append(self, memory: Memory) -> Memory:
        """Write one memory under the next number and return it as written: it is acknowledged.

        Raises: NoteError if it cannot be written; nothing in the file has changed then.
        """
        try:
            if self._was_overtaken():
                self.look_again()
            return self._append(memory)
        except OSError as error:
            raise self._failure("a memory cannot be written", error) from error

    def look_again(self) -> list[Memory]:
        """Take in what was edited by hand and return the memories that are new.

        Lines of ours that an editor has overwritten with an older copy are written again.
        Raises: NoteError if a file cannot be read or written.
        """
        before, written = self.last, self._at_hand
        self.close()
        try:
            self._load(written)
        except OSError as error:
            raise self._failure("cannot be read again", error) from error
        return self.read(before + 1, self.last)

    def was_edited(self) -> bool:
        """Return whether somebody else changed, added or removed a file since it was read or written."""
        found = {name: (self._folder / name).stat() for name in self._names()}
        return {name: stat.st_size for name, stat in found.items()} != {s.name: s.size for s in self._segments} or any(
            found[s.name].st_mtime_ns != s.mtime_ns for s in self._segments[:-1]
        )

    def take_sync(self) -> Callable[[], None] | None:
        """Return what forces unforced lines to disk, to be called in any thread, or None if there are none."""
        if not self._unsynced or self._descriptor < 0:
            return None
        self._unsynced = False
        descriptor, disk = os.dup(self._descriptor), self.vault.disk

        def sync() -> None:
            try:
                disk.fsync(descriptor)
            finally:
                os.close(descriptor)

        return sync

    def sync(self) -> None:
        """Force every line to disk now. Raises: NoteError."""
        force = self.take_sync()
        try:
            if force:
                force()
        except OSError as error:
            self._unsynced = True
            raise self._failure("cannot be forced to disk", error) from error

    def close(self) -> None:
        """Force every line to disk and let go of the file. Raises: NoteError."""
        if self._descriptor < 0:
            return
        try:
            self.sync()
            self._note_stat()
        finally:
            os.close(self._descriptor)
            self._descriptor = -1
        self._index.write(self._segments)

    def _load(self, written: list[Memory]) -> None:
        known = self._index.read()
        self._segments, self._at_hand, unnumbered = [], [], []
        for name in self._names():
            path = self._folder / name
            stat = path.stat()
            row = known.get(name)
            if row and (row.size, row.mtime_ns) == (stat.st_size, stat.st_mtime_ns):
                self._segments.append(row)
                continue
            mend_end(path, self.vault.disk, lambda torn, name=name: self._set_aside(name, torn))  # type: ignore[misc]
            segment, without_number = scan(path)
            self._segments.append(segment)
            unnumbered += [segment] * bool(without_number)
        self._segments.sort(key=lambda segment: segment.order)
        self.last = max((segment.last for segment in self._segments), default=0)
        self._write_again([memory for memory in written if memory.seq > self.last])
        for segment in unnumbered:
            self._number(segment)
        self._at_hand = []
        if self._segments:
            self._index.write(self._segments)

    def _write_again(self, lost: list[Memory]) -> None:
        for memory in lost:
            self._append(memory)
        if lost:
            self.close()
            self._warn(
                f"{len(lost)} lines ({lost[0].seq}–{lost[-1].seq}) were overwritten by an editor and written again"
            )

    def _number(self, segment: Segment) -> None:
        path = self._folder / segment.name
        added = number_hand_lines(path, self.vault.disk, self.last + 1)
        self.last += len(added)
        self._segments[self._segments.index(segment)] = scan(path)[0]
        log.info(
            "[Memory] %s: %d lines typed by hand in %s were given numbers", self.agent_id, len(added), segment.name
        )

    def _set_aside(self, name: str, torn: str) -> None:
        path = self.vault.path("agents", self.agent_id, "journal", "quarantine.md")
        with open(path, "ab") as file:
            file.write(f"From the end of {name}:\n\n    {torn.encode('utf-8', 'replace').decode()}\n\n".encode())
            file.flush()
            self.vault.disk.fsync(file.fileno())
        self._warn(f"a torn last line of {name} was set aside in journal/quarantine.md")

    def _names(self) -> list[str]:
        return [p.name for p in self._folder.iterdir() if is_segment_name(p.name)] if self._folder.is_dir() else []

    def _from_files(self, first: int, last: int) -> list[Memory]:
        found: dict[int, Memory] = {}
        try:
            for segment in self._segments:
                if segment.first <= last and first <= segment.last:
                    found = read_memories(self._folder / segment.name, segment, first, last) | found
        except OSError as error:
            raise self._failure("cannot be read", error) from error
        return [found[seq] for seq in sorted(found)]

    def _was_overtaken(self) -> bool:
        """Return whether the file being written to was replaced or changed by an editor."""
        if self._descriptor < 0:
            return False
        newest = self._segments[-1]
        try:
            found = os.stat(self._folder / newest.name)
        except FileNotFoundError:
            return True
        return found.st_ino != self._inode or found.st_size != newest.size

    def _append(self, memory: Memory) -> Memory:
        numbered = replace(memory, seq=self.last + 1, text=one_line(memory.text))
        segment = self._segment_for(numbered)
        line = f"{format_line(numbered)}\n".encode()
        self.vault.disk.append(self._descriptor, line)
        if self._fsync_each:
            self.vault.disk.fsync(self._descriptor)
        self._unsynced = not self._fsync_each
        segment.size += len(line)
        segment.take(numbered.seq)
        self.last = numbered.seq
        self._at_hand.append(numbered)
        if len(self._at_hand) > 2 * KEPT_AT_HAND:
            del self._at_hand[:-KEPT_AT_HAND]
        return numbered

    def _segment_for(self, memory: Memory) -> Segment:
        newest = self._segments[-1] if self._segments else None
        if newest and newest.day >= memory.day and not newest.is_full:
            if self._descriptor < 0:
                self._open(newest)
            return newest
        self.close()
        part = newest.order[1] + 1 if newest and newest.day >= memory.day else 1
        day = newest.day if newest and part > 1 else memory.day
        fresh = Segment(segment_name(day, part))
        self._folder.mkdir(parents=True, exist_ok=True)
        self._open(fresh)
        self._segments.append(fresh)
        return fresh

    def _open(self, segment: Segment) -> None:
        path = self._folder / segment.name
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        found = os.fstat(self._descriptor)
        self._inode = found.st_ino
        if found.st_size == 0:
            self.vault.disk.append(self._descriptor, header(self.agent_id, segment.day, self.last + 1).encode())
            self.vault.disk.sync_folder(self._folder)
        segment.size = os.fstat(self._descriptor).st_size

    def _note_stat(self) -> None:
        found = os.fstat(self._descriptor)
        self._segments[-1].mtime_ns = found.st_mtime_ns

    def _warn(self, text: str) -> None:
        self.warnings.append(text)
        log.warning("[Memory] %s: %s", self.agent_id, text)

    def _failure(self, what: str, error: OSError) -> NoteError:
        return NoteError(
            f"agents/{self.agent_id}/journal: {what}: {error.strerror}. Make room on the disk or mend its permissions."
        )
