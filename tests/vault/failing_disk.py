"""A disk that fails, or stops as at a power cut, at the operation it is told."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vault.atomic_write import Disk


@contextmanager
def nearly_full(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond some bytes: what crosses them is written in part, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class Stopped(BaseException):
    """The process is dead: nothing catches this, and nothing is tidied up."""


class FailingDisk(Disk):
    """A disk that counts its operations and fails at those numbered `fail_at` or later, until told otherwise.

    `half` writes half of what was to be appended before it stops. `done` names the operations asked for.
    """

    def __init__(self) -> None:
        self.done: list[str] = []
        self._from = 0
        self._error: type[BaseException] = OSError

    @contextmanager
    def full(self, after: int = 0) -> Iterator[None]:
        """Have every operation fail with ENOSPC, after the first `after` of them."""
        self._from, self._error = len(self.done) + after + 1, OSError
        try:
            yield
        finally:
            self._from = 0

    @contextmanager
    def stopping(self, after: int) -> Iterator[None]:
        """Stop at the operation that follows the next `after`; an append is then half written."""
        self._from, self._error = len(self.done) + after + 1, Stopped
        try:
            yield
        finally:
            self._from = 0

    def append(self, descriptor: int, line: bytes) -> None:
        if self._is_due("append"):
            size = os.fstat(descriptor).st_size
            os.write(descriptor, line[: len(line) // 2])
            if self._error is OSError:
                os.ftruncate(descriptor, size)
            raise self._failure()
        super().append(descriptor, line)

    def fsync(self, descriptor: int) -> None:
        self._may("fsync")
        super().fsync(descriptor)

    def write_draft(self, draft: Path, text: bytes, durable: bool) -> None:
        if self._is_due("write_draft"):
            draft.write_bytes(text[: len(text) // 2])
            raise self._failure()
        super().write_draft(draft, text, durable)

    def replace(self, draft: Path, path: Path) -> None:
        self._may("replace")
        super().replace(draft, path)

    def sync_folder(self, folder: Path) -> None:
        self._may("sync_folder")
        super().sync_folder(folder)

    def _may(self, operation: str) -> None:
        if self._is_due(operation):
            raise self._failure()

    def _is_due(self, operation: str) -> bool:
        self.done.append(operation)
        return bool(self._from) and len(self.done) >= self._from

    def _failure(self) -> BaseException:
        return OSError(errno.ENOSPC, "No space left on device") if self._error is OSError else Stopped()
