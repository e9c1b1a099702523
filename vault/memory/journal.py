"""An agent's journal: append-only Markdown, a file a day, one line a memory.

The one change ever made to a line in a file is to give its number to a line typed by hand.
"""

from __future__ import annotations

import json
import logging
import os
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from operator import attrgetter
from pathlib import Path

from vault.errors import NoteError
from vault.memory.memory_line import MAX_NUMBER, Memory, format_line, invalid_number, parse_line
from vault.memory.segment import (
    JournalWatch,
    OpenSegment,
    Segment,
    header,
    number_hand_lines,
    read_memories,
    repair_end,
    scan,
    segment_name,
)
from vault.vault import Vault

log = logging.getLogger(__name__)

CACHE_SIZE = 512
CACHED_AT_LOAD = 64
MAX_WARNINGS = 32


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
        self._index = JournalIndex(vault, agent_id)
        self._watch = JournalWatch(self._folder)
        self._segments: list[Segment] = []
        self._cache: list[Memory] = []
        self._open = OpenSegment(vault.disk, fsync_each)
        self._is_stale = False
        self._given = 0

    @property
    def count(self) -> int:
        """The number of memories; less than `last` only where lines were deleted by hand."""
        return sum(segment.count for segment in self._segments)

    @property
    def last_line(self) -> int:
        """The number of the newest line; less than `last` only where it was deleted by hand."""
        return max((segment.last for segment in self._segments), default=0)

    @property
    def pinned(self) -> tuple[int, ...]:
        """The numbers of the memories that somebody has marked `#pinned`, in order."""
        return tuple(sorted({seq for segment in self._segments for seq in segment.pinned}))

    @property
    def newest(self) -> tuple[str, int]:
        """The file that is written to and the number of the first memory in it; of no files an empty name and 0."""
        return (self._segments[-1].name, self._segments[-1].first) if self._segments else ("", 0)

    def link(self, seq: int) -> str:
        """Return the link to a memory's line; one that is not there any more links to where it was."""
        holding = [segment for segment in self._segments if segment.first <= seq <= segment.last]
        before = [segment for segment in self._segments if segment.first <= seq] or self._segments
        note = (holding or before)[-1].name.removesuffix(".md") if before else "journal"
        return f"[[{note}#^m{seq}]]"

    def load(self, highest_known: int = 0) -> None:
        """Find out what is there: set a torn last line aside, give numbers to lines typed by hand.

        Files that are as the index knows them are not read, but for the newest memories. No number is given again up to
        `highest_known`, though its line was deleted meanwhile. Raises: NoteError if a file cannot be read or mended.
        """
        self.close()
        self._given = max(self._given, highest_known if highest_known < MAX_NUMBER else 0)
        self._load_from_disk([])

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

    def append(self, memory: Memory) -> Memory:
        """Write one memory under the next number and return it as it will be read: it is acknowledged.

        Raises: NoteError if it cannot be written; nothing in the file has changed then.
        """
        with self._failing("a memory cannot be written"):
            self.catch_up(memory)
            return self._append(memory)

    def catch_up(self, memory: Memory) -> None:
        """Take in lines typed by hand where a memory is to be written: the next number is free from then on.

        Raises: NoteError if they cannot be read.
        """
        with self._failing("a memory cannot be written"):
            if self._changed_on_disk(memory):
                self.reload()

    def reload(self) -> list[Memory]:
        """Take in what was edited by hand and return the memories that are new.

        Lines of ours that an editor has overwritten with an older copy are written again.
        Raises: NoteError if a file cannot be read or written.
        """
        before = self.last
        self.close()
        self._given = max(self._given, self.last)
        self._load_from_disk(self._cache)
        return self.read(before + 1, self.last)

    def poll_edits(self) -> list[Memory]:
        """Return the memories typed by hand since the last look, if any, at the same cost however long the journal is.

        One look sees the folder, the newest file and one older file in turn. Raises: NoteError as `reload`.
        """
        with self._failing("cannot be read"):
            edited = self._is_stale or (self._watch.seems_edited(self._segments) and self.was_edited())
        return self.reload() if edited else []

    def was_edited(self) -> bool:
        """Return whether somebody else changed, added or removed a file since it was read or written."""
        return self._watch.was_edited(self._segments)

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
        self._index.write(self._segments)

    def _load_from_disk(self, written: list[Memory]) -> None:
        """Find out what is on disk, or leave all as it was and look again before the next memory is written."""
        before = self._segments, self._cache, self.last
        self._is_stale = True
        try:
            with self._failing("cannot be read or mended"):
                self._find(written)
            self._cache = self._from_files(self.last - CACHED_AT_LOAD + 1, self.last)
            self._is_stale = False
        finally:
            if self._is_stale:
                self._open.close_file()
                self._segments, self._cache, self.last = before

    def _find(self, written: list[Memory]) -> None:
        known = self._index.read()
        self._segments, self._cache, unnumbered = [], [], []
        for name in self._watch.names():
            path = self._folder / name
            stat = path.stat()
            row = known.get(name)
            if row and (row.size, row.mtime_ns) == (stat.st_size, stat.st_mtime_ns):
                self._segments.append(row)
                continue
            repair_end(path, self.vault.disk, partial(self._quarantine, path))
            self.vault.disk.sync_file(path)  # one what a killed process has written may not be on disk yet
            segment, without_number = scan(path)
            self._segments.append(segment)
            unnumbered += [segment] * bool(without_number)
        self._segments.sort(key=lambda segment: segment.order)
        noted = (known[one.name].last for one in self._segments if one.name in known)
        on_disk = self.last_line
        self._write_again([memory for memory in written if memory.seq > on_disk])
        # No number is given twice, even after lines were taken out by hand.
        self.last = max(on_disk, self.last, self._given, *(last for last in noted if last < MAX_NUMBER))
        if not written and self.last > on_disk:
            self._warn(f"the journal ends at memory {on_disk}, but {self.last} were given numbers; going on from there")
        for segment in unnumbered:
            self._number(segment)
        if {segment.name: segment for segment in self._segments} != known:
            self._index.write(self._segments)

    def _write_again(self, lost: list[Memory]) -> None:
        for memory in lost:
            self.last = memory.seq - 1
            self._append(memory)
        if lost:
            self.close()
            self._warn(
                f"{len(lost)} lines ({lost[0].seq}–{lost[-1].seq}) were overwritten by an editor and written again"
            )

    def _number(self, segment: Segment) -> None:
        path = self._folder / segment.name
        if self.last >= MAX_NUMBER:
            return  # the next memory is refused with the reason
        added = number_hand_lines(path, self.vault.disk, self.last + 1)
        self.last += len(added)
        self._segments[self._segments.index(segment)] = scan(path)[0]
        for memory in added:
            if false := invalid_number(memory.text):
                self._warn(f"{segment.name}: {false} is no number for a memory; its line was given ^m{memory.seq}")
        log.info(
            "[Memory] %s: %d lines typed by hand in %s were given numbers", self.agent_id, len(added), segment.name
        )

    def _quarantine(self, path: Path, torn: bytes) -> None:
        self.vault.disk.set_aside(path, torn)
        self._warn(f"a torn last line of {path.name} was set aside in journal/quarantine.md")

    def _from_files(self, first: int, last: int) -> list[Memory]:
        found: dict[int, Memory] = {}
        with self._failing("cannot be read"):
            for segment in self._segments:
                if segment.first <= last and first <= segment.last:
                    found = read_memories(self._folder / segment.name, segment, first, last) | found
        return [found[seq] for seq in sorted(found)]

    def _changed_on_disk(self, memory: Memory) -> bool:
        """Return whether the file that a memory goes into was made, changed or replaced by somebody else."""
        if self._is_stale:
            return True
        newest = self._segments[-1] if self._segments else None
        name = self._name_for(memory)
        if not newest or name != newest.name:
            return (self._folder / name).exists()
        try:
            found = os.stat(f"{self._folder}{os.sep}{name}")  # asked for each memory: a `Path` takes longer to make
        except FileNotFoundError:
            return True
        if self._open.is_open:
            return found.st_size != newest.size or not self._open.is_file(found)
        return (found.st_size, found.st_mtime_ns) != (newest.size, newest.mtime_ns)

    def _append(self, memory: Memory) -> Memory:
        if self.last >= MAX_NUMBER:
            what = f"somebody has typed ^m{self.last}, after which there is no number; take it out of its line."
            raise NoteError(f"agents/{self.agent_id}/journal: {what}")
        segment = self._segment_for(memory)
        line = format_line(replace(memory, seq=self.last + 1))
        self._open.write(line, segment)
        segment.add(self.last + 1)
        self.last += 1
        kept = parse_line(line, segment.day)
        assert kept is not None  # it has its number
        segment.pinned += (kept.seq,) * kept.pinned
        self._cache.append(kept)
        if len(self._cache) > 2 * CACHE_SIZE:
            del self._cache[:-CACHE_SIZE]
        return kept

    def _name_for(self, memory: Memory) -> str:
        """Return the file that a memory goes into: never one before the newest, although the clock may go back."""
        newest = self._segments[-1] if self._segments else None
        if not newest or newest.day < memory.day:
            return segment_name(memory.day, 1)
        return segment_name(newest.day, newest.order[1] + 1) if newest.is_full else newest.name

    def _segment_for(self, memory: Memory) -> Segment:
        name = self._name_for(memory)
        if self._segments and self._segments[-1].name == name:
            if not self._open.is_open:
                self._open_file(self._segments[-1])
            return self._segments[-1]
        self.sync()  # if that fails, the file stays open, so that its lines are forced before others are
        self.close()
        fresh = Segment(name)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._open_file(fresh)
        self._segments.append(fresh)
        return fresh

    def _open_file(self, segment: Segment) -> None:
        self._open.open(self._folder / segment.name, segment, header(self.agent_id, segment.day, self.last + 1))

    def _warn(self, text: str) -> None:
        add_warning(self.warnings, text)
        log.warning("[Memory] %s: %s", self.agent_id, text)

    @contextmanager
    def _failing(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            remedy = "Make room on the disk or mend its permissions."
            raise NoteError(f"agents/{self.agent_id}/journal: {what}: {error.strerror}. {remedy}") from error


def add_warning(warnings: list[str], text: str) -> None:
    """Add a warning last to the newest ones; a repeated one moves to the end."""
    if text in warnings:
        warnings.remove(text)
    warnings.append(text)
    del warnings[:-MAX_WARNINGS]


class JournalIndex:
    """The rows of one agent's journal files in `.index/`; a row counts only while file size and time are as noted."""

    def __init__(self, vault: Vault, agent_id: str) -> None:
        self._vault = vault
        self._parts = (".index", f"{agent_id}.json")

    def read(self) -> dict[str, Segment]:
        """Return the rows by file name; nothing if there is no index or it cannot be understood."""
        try:
            rows = json.loads(self._vault.read_text(*self._parts)) if self._vault.exists(*self._parts) else []
            return {row["name"]: Segment(**row | {"pinned": tuple(row["pinned"])}) for row in rows}
        except (NoteError, ValueError, TypeError, KeyError, RecursionError):
            log.warning("%s could not be read and is rebuilt", "/".join(self._parts))
            return {}

    def write(self, segments: Iterable[Segment]) -> None:
        """Note the rows; a failure to do so is no more than a slower start."""
        try:
            self._vault.write_text(json.dumps([asdict(segment) for segment in segments]), *self._parts)
        except NoteError as error:
            log.warning("%s", error)
