"""The journal file that lines are being appended to, and which of them have been forced to disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from vault.disk import Disk
from vault.remembered.segment import Segment


class OpenSegment:
    """At most one open file. Every method but `let_go` raises OSError as the disk does."""

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
            self._note(segment)
        except OSError:
            self.let_go()
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
        self._note(segment)

    def take_sync(self) -> Callable[[], None] | None:
        """Return what forces lines to disk that nobody has taken yet, to be called in any thread; None if none are."""
        if self._taken == self._written or not self.is_open:
            return None
        self._taken = self._written
        return self._forcing()

    def take_all(self) -> Callable[[], None]:
        """Return what forces every line to disk that was written until now, to be called in any thread.

        Those are among them that another thread has taken and not forced yet.
        """
        return self._forcing() if self._forced != self._written and self.is_open else _nothing

    def let_go(self) -> None:
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

    def _note(self, segment: Segment) -> None:
        found = os.fstat(self._descriptor)
        segment.size, segment.mtime_ns = found.st_size, found.st_mtime_ns


def _nothing() -> None:
    """Force nothing: everything is on disk."""
