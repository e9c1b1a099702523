"""An agent's journal: append-only Markdown, a file a day, one line a memory.

A line is changed only to give its number to one typed by hand. What other programs do to the files is merged with
copies of what was in them: see `journal_merge.py`.
"""

from __future__ import annotations

import errno
import logging
import os
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from operator import attrgetter

from vault.atomic_write import NO_FILE, file_stamp
from vault.errors import NoteError
from vault.memory.journal_copies import MAX_COPIES
from vault.memory.journal_files import JournalFiles
from vault.memory.memory_line import MAX_NUMBER, Memory, format_line, parse_line
from vault.memory.segment import OpenSegment, Segment, header, read_memories, segment_name
from vault.vault import Vault

log = logging.getLogger(__name__)

CACHE_SIZE = 512
CACHED_AT_LOAD = 64
MAX_WARNINGS = 32
CLOCK_BACK_MS = 3_600_000
"""Going back by more than this, the clock is said to have been wrong."""


class FileChanged(OSError):
    """Another program has changed a file since it was looked at, a moment ago."""


class Journal:
    """All memories of one agent, numbered from 1; `last` is the number of the newest.

    The newest are kept at hand, older ones are read when asked for, so that a long life costs no memory.
    `warnings` collects what an admin should know. `clock` returns seconds.
    """

    def __init__(
        self, vault: Vault, agent_id: str, fsync_each: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.vault = vault
        self.agent_id = agent_id
        self.warnings: list[str] = []
        self._open = OpenSegment(vault.disk, fsync_each)
        self._files = JournalFiles(vault, agent_id, self._open, clock, self._warn)
        self._copies = self._files.copies
        self._folder = self._files.folder
        self._cache: list[Memory] = []
        self._is_stale = False
        self._overwritten = b""

    @property
    def last(self) -> int:
        """The number of the newest memory."""
        return self._files.last

    @last.setter
    def last(self, last: int) -> None:
        self._files.last = last

    @property
    def _segments(self) -> list[Segment]:
        return self._files.segments

    @property
    def count(self) -> int:
        """The number of memories; less than `last` only where lines were deleted by hand."""
        return len(self._files.numbers())

    @property
    def last_line(self) -> int:
        """The number of the newest line; less than `last` only where it was deleted by hand."""
        return max((segment.last for segment in self._segments), default=0)

    @property
    def files(self) -> list[Segment]:
        """The files, the one with the newest memory last."""
        return self._segments

    @property
    def pinned(self) -> tuple[int, ...]:
        """The numbers of the memories that somebody has marked `#pinned`, in order."""
        return tuple(sorted({seq for segment in self._segments for seq in segment.pinned}))

    def link(self, seq: int) -> str:
        """Return the link to a memory's line; one that is not there any more links to where it was."""
        holding = [segment for segment in self._segments if segment.first <= seq <= segment.last]
        exact = [segment for segment in holding if seq not in segment.gaps]
        before = [segment for segment in self._segments if segment.first <= seq] or self._segments
        note = (exact or holding or before)[-1].note if before else "journal"
        return f"[[{note}#^m{seq}]]"

    def load(self, highest_known: int = 0) -> None:
        """Find out what is there: set a torn last line aside, give numbers to lines typed by hand.

        Files that are as the index knows them are not read, but for the newest memories. No number is given again up to
        `highest_known`, though its line was deleted meanwhile. Raises: NoteError if a file cannot be read or mended.
        """
        self.close()
        self._copies.find_replaced()
        self.last = max(self.last, highest_known if highest_known < MAX_NUMBER else 0)
        self._load_from_disk(starting=True)

    def read(self, first: int, last: int) -> list[Memory]:
        """Return the memories numbered from `first` to `last`, both included, in order.

        Raises: NoteError if a file cannot be read.
        """
        first, last = max(first, 1), min(last, self.last)
        oldest = self._cache[0].seq if self._cache else self.last + 1
        number = attrgetter("seq")
        start, end = bisect_left(self._cache, first, key=number), bisect_right(self._cache, last, key=number)
        near = self._cache[start:end]
        if first >= oldest:
            return near
        far = self._from_files(first, min(last, oldest - 1))
        if last == self.last and last - first < CACHE_SIZE:
            self._cache = [*far, *self._cache]
        return [*far, *near]

    def first_from(self, seq: int) -> int:
        """Return the lowest number of a memory from `seq` on that no hand has deleted, without reading; 0 for none."""
        ranges = (one for segment in self._segments if segment.last >= seq for one in segment.numbers.ranges)
        return min((max(seq, one.first) for one in ranges if one.last >= seq), default=0)

    def append(self, memory: Memory) -> Memory:
        """Write one memory under the next number and return it as it will be read: it is acknowledged.

        Raises: NoteError if it cannot be written; nothing in the file has changed then.
        """
        with self._failing("a memory cannot be written"):
            self.catch_up(memory)
            try:
                return self._append(memory)
            except FileChanged:
                self.reload()
                return self._append(memory)

    def catch_up(self, memory: Memory) -> None:
        """Take in lines typed by hand where a memory is to be written: the next number is free from then on.

        Raises: NoteError if they cannot be read.
        """
        with self._failing("a memory cannot be written"):
            if self._changed_on_disk(memory) and (self._is_stale or not self._files.is_away()):
                self.reload()
            elif self._segments and not self._folder.is_dir() and not self._open.was_moved(self._segments[-1].stamp):
                what = "the folder was taken away; memories wait until it is back, or is restored in a few seconds."
                raise NoteError(f"agents/{self.agent_id}/journal: {what}")

    def reload(self) -> list[Memory]:
        """Take in what other programs did to the files and return the memories that are new.

        Lines that are missing at the end of a file, or with it, are restored.
        Raises: NoteError if a file cannot be read or written.
        """
        before = self.last
        held = self._files.held()
        self.close()
        self._load_from_disk(held=held)
        return self.read(before + 1, self.last)

    def poll_edits(self) -> list[Memory]:
        """Return the memories typed by hand since the last look, if any, at the same cost however long the journal is.

        One look sees the folder, the newest file and one older file in turn. Raises: NoteError as `reload`.
        """
        with self._failing("cannot be read"):
            rewritten = self._is_stale or self._files.has_more or self._copies.rewritten()
            edited = rewritten or (self._files.seem_edited() and self.was_edited() and not self._files.is_away())
            if self._copies.is_deleted and not edited:
                self._copies.open(newest := self._segments[-1].name, self._folder / newest, self._segments[-1].size)
        return self.reload() if edited else []

    def was_edited(self) -> bool:
        """Return whether somebody else changed, added or removed a file since it was read or written."""
        return self._files.were_edited()

    def pending_fsync(self) -> Callable[[], None] | None:
        """Return a function that forces unforced lines to disk, for any thread, or None if there are none."""
        return self._open.pending_fsync()

    def sync(self) -> None:
        """Force every line to disk now, those too that another thread has taken and not forced. Raises: NoteError."""
        self.fsync_later()()

    def fsync_later(self) -> Callable[[], None]:
        """Return a callable that forces all lines written so far to disk. Call it once, from any thread.

        Raises: NoteError, and so does what is returned.
        """
        with self._failing("cannot be forced to disk"):
            force = self._open.pending_fsync_of_all()
        return self._failing("cannot be forced to disk")(force)

    def close(self) -> None:
        """Force every line to disk and let go of the file. Raises: NoteError."""
        if not self._open.is_open:
            return
        try:
            self.sync()
        finally:
            self._open.close_file()
            self._copies.close()
        self._files.write_index()

    def _load_from_disk(self, starting: bool = False, held: tuple[str, bytes] = ("", b"")) -> None:
        """Find out what is on disk, or leave all as it was and look again before the next memory is written."""
        before = self._files.segments, self._cache, self.last
        self._is_stale = True
        try:
            with self._failing("cannot be read or mended"):
                self._files.find(starting, held, self._overwritten)
            self._cache = self._from_files(self.last - CACHED_AT_LOAD + 1, self.last)
            self._is_stale, self._overwritten = False, b""
        finally:
            if self._is_stale:
                self._open.close_file()
                self._files.segments, self._cache, self.last = before

    def _from_files(self, first: int, last: int) -> list[Memory]:
        found: dict[int, Memory] = {}
        with self._failing("cannot be read"):
            for segment in self._segments:
                if segment.first <= last and first <= segment.last:
                    path = self._folder / segment.name
                    path = path if path.exists() else self._copies.path(segment.name)  # it may be away for a moment
                    found = read_memories(path, segment, first, last) | found
        return [found[seq] for seq in sorted(found)]

    def _changed_on_disk(self, memory: Memory) -> bool:
        """Return whether the file that a memory goes into was made, changed or replaced by somebody else."""
        if self._is_stale:
            return True
        name = self._name_for(memory)
        newest = self._segments[-1] if self._segments else None
        if not newest or name != newest.name:
            known = next((segment.stamp for segment in self._segments if segment.name == name), NO_FILE)
            return file_stamp(self._folder / name) != known
        try:
            found = os.stat(f"{self._folder}{os.sep}{name}")  # asked for each memory: a `Path` takes longer to make
        except FileNotFoundError:
            return True
        is_ours = not self._open.is_open or self._open.is_file(found)
        return not is_ours or (found.st_size, found.st_mtime_ns) != (newest.size, newest.mtime_ns)

    def _append(self, memory: Memory) -> Memory:
        if self.last >= MAX_NUMBER:
            what = f"somebody has typed ^m{self.last}, after which there is no number; take it out of its line."
            raise NoteError(f"agents/{self.agent_id}/journal: {what}")
        segment = self._segment_for(memory)
        line = format_line(replace(memory, seq=self.last + 1))
        raw = f"{line}\n".encode()
        is_alone = self._open.write(raw, segment)
        self._copies.append(raw)
        segment.add(self.last + 1)
        self.last += 1
        kept = parse_line(line, segment.note)
        assert kept is not None  # it has its number
        segment.pinned += (kept.seq,) * kept.pinned
        self._warn_of_clock(kept)
        self._cache.append(kept)
        if len(self._cache) > 2 * CACHE_SIZE:
            del self._cache[:-CACHE_SIZE]
        if not is_alone:
            self._overwritten, self._is_stale = raw, True
            with suppress(NoteError):  # it is tried again before the next memory is written
                self.reload()
        return kept

    def _warn_of_clock(self, memory: Memory) -> None:
        before = self._cache[-1] if self._cache else memory
        if before.at_ms - memory.at_ms > CLOCK_BACK_MS:
            days = f"{before.day} (^m{before.seq}) to {memory.day} (^m{memory.seq})"
            self._warn(f"the clock went back from {days}; one of them has the wrong date")

    def _name_for(self, memory: Memory) -> str:
        """Return the file that a memory goes into: the last one of its own day, or the next if that is full."""
        newest = self._segments[-1] if self._segments else None
        if newest and newest.day == memory.day and not newest.is_full:
            return newest.name
        of_day = [segment for segment in self._segments if segment.day == memory.day]
        last = max(of_day, key=attrgetter("order"), default=None)
        if last is None:
            return segment_name(memory.day, 1)
        return segment_name(memory.day, last.order[1] + 1) if last.is_full else last.name

    def _segment_for(self, memory: Memory) -> Segment:
        name = self._name_for(memory)
        if self._segments and self._segments[-1].name == name:
            if not self._open.is_open:
                self._open_file(self._segments[-1])
            return self._segments[-1]
        self.sync()  # if that fails, the file stays open, so that its lines are forced before others are
        self.close()
        known = [segment for segment in self._segments if segment.name == name]
        segment = known[0] if known else Segment(name)
        self.vault.make_folder(self._folder)
        self._open_file(segment)
        self._files.segments = [*(one for one in self._segments if one is not segment), segment]
        self._copies.keep([one.name for one in self._segments[-MAX_COPIES:]])
        return segment

    def _open_file(self, segment: Segment) -> None:
        path = self._folder / segment.name
        if not self._open.open(path, segment, header(self.agent_id, segment.day, self.last + 1)):
            self._is_stale = True
            raise FileChanged(errno.EBUSY, "another program is writing the file")
        self._copies.open(segment.name, path, segment.size)

    def _warn(self, text: str) -> None:
        add_warning(self.warnings, text)
        log.warning("[Memory] %s: %s", self.agent_id, text)

    @contextmanager
    def _failing(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            is_away = isinstance(error, FileNotFoundError)
            remedy = "" if is_away else " Make room on the disk or mend its permissions."
            raise NoteError(f"agents/{self.agent_id}/journal: {what}: {error.strerror}.{remedy}") from error


def add_warning(warnings: list[str], text: str) -> None:
    """Add a warning last to the newest ones; a repeated one moves to the end."""
    if text in warnings:
        warnings.remove(text)
    warnings.append(text)
    del warnings[:-MAX_WARNINGS]
