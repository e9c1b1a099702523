"""Durable files: append, fsync, and atomic write of several files of a folder (draft and rename).

Each operation is one step, so that a test can fail or stop at any of them. A file is written as a draft beside the old
one, and renamed when it is whole.
"""

from __future__ import annotations

import errno
import itertools
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from vault.errors import NoteError

Stamp = tuple[int, int]
NO_FILE: Stamp = (-1, -1)


def file_stamp(path: Path) -> Stamp:
    """Return size and time of a file, by which an edit shows; `NO_FILE` if it is not there or cannot be looked at."""
    try:
        found = os.stat(path)
    except OSError:
        return NO_FILE
    return found.st_size, found.st_mtime_ns


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

    def set_aside(self, path: Path, torn: bytes) -> None:
        """Add the torn end of a file to the `quarantine.md` beside it."""
        text = torn.decode("utf-8", "replace")
        with open(path.with_name("quarantine.md"), "ab") as file:
            file.write(f"From the end of {path.name}:\n\n    {text}\n\n".encode())
            file.flush()
            self.fsync(file.fileno())


class NoFsyncDisk(Disk):
    """A disk that is not waited for: what a power cut takes from a copy can be made again."""

    def fsync(self, descriptor: int) -> None:
        """Leave it to the system when the file comes to the disk."""


_NUMBERS = itertools.count(1)


def encode_utf8(text: str, source: str) -> bytes:
    """Return a text in UTF-8. Raises: NoteError if there is half a character in it, as a model's JSON may have."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        bad, line = ascii(text[error.start]), text.count("\n", 0, error.start) + 1
        raise NoteError(f"{source}:{line}: cannot be written: {bad} is half a character; leave it out.") from error


class Drafts:
    """Texts on their way into files. Nothing in the folder has changed until they are put in place.

    `source` returns a path as messages show it. `make_folder` makes a folder, and those that it is in if
    that is true. Drafts of one file that may be on their way at the same time are to be `unique`; the others have one
    name, so that what a crash has left is written over. `before_replace` is called with each file just
    before it is replaced.
    """

    def __init__(
        self,
        disk: Disk,
        texts: Sequence[tuple[str, Path]],
        durable: bool,
        source: Callable[[Path], str],
        make_folder: Callable[[Path, bool], None],
        unique: bool = False,
        before_replace: Callable[[Path], None] | None = None,
    ) -> None:
        self._disk = disk
        self._durable = durable
        self._source = source
        self._make_folder = make_folder
        self._is_given_up = False
        self._before_replace = before_replace
        mark = f"{next(_NUMBERS)}." if unique else ""
        ending = f"{mark}{os.getpid()}.draft"
        self._rows = [(path.with_name(f".{path.name}.{ending}"), path, text) for text, path in texts]

    def write(self, parents: bool = False) -> None:
        """Write all drafts, in any thread. The folder may be new, and if it may be anywhere also the one it is in.

        A file that is there keeps its mode. Once given up, it stops at the next file. Raises: NoteError if there is no
        room, or no folder, or a text has a character that UTF-8 does not; none is left then.
        """
        for (draft, path, _), raw in zip(self._rows, self._encoded(), strict=True):
            if self._is_given_up:
                break
            try:
                self._make_folder(path.parent, parents)
                with suppress(FileNotFoundError):
                    self._disk.begin_draft(draft, path)
                self._disk.write_draft(draft, raw, self._durable)
            except OSError as error:
                raise self._failure(path, error) from error

    def _encoded(self) -> list[bytes]:
        """Return the texts in UTF-8. Raises: NoteError."""
        return [encode_utf8(text, self._source(path)) for _, path, text in self._rows]

    def give_up(self) -> None:
        """Stop a thread that is writing them."""
        self._is_given_up = True

    def commit(self) -> None:
        """Rename the drafts, in their order. Raises: NoteError if one cannot be; the others are gone then.

        Raises: also what `before_replace` does.
        """
        path = self._rows[0][1]
        try:
            for draft, path, _ in self._rows:
                if self._before_replace:
                    self._before_replace(path)
                self._disk.replace(draft, path)
            if self._durable:
                self._disk.sync_folder(path.parent)
        except OSError as error:
            raise self._failure(path, error) from error
        except NoteError:
            self.discard()
            raise

    def discard(self) -> None:
        """Remove the drafts that are there."""
        for draft, _, _ in self._rows:
            with suppress(OSError):  # there may be none, or no folder to look for it in
                draft.unlink()

    def _failure(self, path: Path, error: OSError) -> NoteError:
        self.discard()
        return NoteError(f"{self._source(path)}: cannot be written: {error.strerror}.")
