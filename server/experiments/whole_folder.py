"""An atomic folder: it appears under its name only when complete, and one process at a time makes it."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def atomic_folder(target: Path) -> Iterator[Path | None]:
    """Yield an empty hidden folder, which gets the name of the target if nothing is raised; None if it exists already.

    Whoever comes second waits until the first is done or dead; what a dead one has left is removed. So a run that was
    killed leaves nothing under its name, and two processes never do the same run twice. Raises: OSError.
    """
    claimed = _claim(target)
    if claimed is None:
        yield None
        return
    part, lock = claimed
    try:
        yield part
        os.rename(part, target)
    finally:
        os.close(lock)


def part_of(target: Path) -> Path:
    """Return where a folder is until it is whole."""
    return target.with_name(f".{target.name}.part")


def _claim(target: Path) -> tuple[Path, int] | None:
    """Return the hidden folder, emptied, and its lock, which is the open folder itself and goes with the process."""
    part = part_of(target)
    while not target.exists():
        part.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.open(part, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:  # it became whole this moment
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _is_still(part, lock) and not target.exists():
            for one in part.iterdir():
                shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()
            return part, lock
        with suppress(OSError):  # made after the other one was done; not empty if it is somebody else's
            if target.exists():
                part.rmdir()
        os.close(lock)
    return None


def _is_still(part: Path, lock: int) -> bool:
    try:
        return os.path.samestat(os.stat(part), os.fstat(lock))
    except FileNotFoundError:
        return False
