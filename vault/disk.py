"""The few file operations on which durability rests, each one step, so that a test can fail or stop at any of them."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


class Disk:
    """Write, append, force to disk, rename. Every method raises OSError as the operating system does."""

    def append(self, descriptor: int, line: bytes) -> None:
        """Append a whole line to an open file; on failure the file is cut back to where it was."""
        size = os.fstat(descriptor).st_size
        try:
            written = os.write(descriptor, line)
            while written < len(line):
                written += os.write(descriptor, line[written:])
        except OSError:
            os.ftruncate(descriptor, size)
            raise

    def fsync(self, descriptor: int) -> None:
        """Force an open file to disk."""
        os.fsync(descriptor)

    def write_draft(self, draft: Path, text: bytes, durable: bool) -> None:
        """Write a new file beside the one that it is to replace."""
        with open(draft, "wb") as file:
            file.write(text)
            file.flush()
            if durable:
                self.fsync(file.fileno())

    def begin_draft(self, draft: Path, path: Path) -> None:
        """Make an empty draft that only those may read and write who may do so with the file that it is to replace."""
        mode = stat.S_IMODE(os.stat(path).st_mode)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)

    def check_room(self, folder: Path) -> None:
        """Raise OSError if no file could be written in a folder, as far as that shows without writing one."""
        free = os.statvfs(folder)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
        if free.f_bavail == 0 or (free.f_files and free.f_favail == 0):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))

    def replace(self, draft: Path, path: Path) -> None:
        """Put a finished draft in the place of a file, in one step."""
        os.replace(draft, path)

    def sync_folder(self, folder: Path) -> None:
        """Force the names in a folder to disk."""
        self.sync_file(folder)

    def sync_file(self, path: Path) -> None:
        """Force to disk what somebody else has written into a file."""
        descriptor = os.open(path, os.O_RDONLY)
        try:
            self.fsync(descriptor)
        finally:
            os.close(descriptor)
