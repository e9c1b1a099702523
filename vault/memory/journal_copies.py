"""Full copies of an agent's newest journal files, under `.index`. Deleting them costs nothing but what they restore.

Beside them stand, for a minute, the files that were replaced: an editor that had one open may still write into it.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vault.atomic_write import NO_FILE, Stamp
from vault.vault import Vault

log = logging.getLogger(__name__)

MAX_COPIES = 32
REPLACED_SECONDS = 60.0


class JournalCopies:
    """The copies of one agent's journal files. What cannot be written is logged once."""

    def __init__(self, vault: Vault, agent_id: str, clock: Callable[[], float]) -> None:
        self._agent_id = agent_id
        self._folder = vault.path(".index", f"{agent_id}.journal")
        self._clock = clock
        self._name = ""
        self._descriptor = -1
        self._replaced: dict[Path, float] = {}
        self._failed = False

    def path(self, name: str) -> Path:
        """Return where the copy of a file is, if there is one."""
        return self._folder / name

    def names(self) -> set[str]:
        """Return the names of the files of which there is a copy."""
        with suppress(OSError):
            return {name for name in os.listdir(self._folder) if "+" not in name and not name.startswith(".")}
        return set()

    @property
    def is_deleted(self) -> bool:
        """Return whether somebody has deleted the copy that is open."""
        return self._descriptor >= 0 and not os.fstat(self._descriptor).st_nlink

    def read(self, name: str) -> bytes:
        """Return the whole lines of a copy; nothing if there is none."""
        raw = b""
        with suppress(OSError):
            if name == self._name and self._descriptor >= 0:  # which may be deleted while it is open
                raw = os.pread(self._descriptor, os.fstat(self._descriptor).st_size, 0)
            else:
                raw = self.path(name).read_bytes()
        return raw[: raw.rfind(b"\n") + 1]

    def put(self, name: str, raw: bytes) -> None:
        """Write the copy of a file whole."""
        self.close()
        with self._logged():
            self._folder.mkdir(parents=True, exist_ok=True)
            draft = self._folder / f".{name}.draft"
            draft.write_bytes(raw)
            os.replace(draft, self.path(name))

    def open(self, name: str, path: Path, size: int) -> None:
        """Open the copy of a file for appending; it is made first if it is not as long as the file."""
        self.close()
        with self._logged():
            if not self.path(name).exists() or self.path(name).stat().st_size != size:
                self.put(name, path.read_bytes())
            self._descriptor = os.open(self.path(name), os.O_RDWR | os.O_APPEND)
            self._name = name

    def append(self, line: bytes) -> None:
        """Append a line to the copy that is open."""
        if self._descriptor < 0:
            return
        with self._logged():
            if os.write(self._descriptor, line) < len(line):
                self.close()  # it goes on where it is made again

    def keep(self, names: Iterable[str]) -> None:
        """Drop the copies of files other than these."""
        for name in self.names().difference(names):
            self.path(name).unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the copy that is open."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        self.close()

    def find_replaced(self) -> None:
        """Find the files that were replaced before the last stop."""
        paths = self._folder.glob("*+*+*+*") if self._folder.is_dir() else ()
        self._replaced = dict.fromkeys(paths, self._clock() + REPLACED_SECONDS)

    def keep_replaced(self, path: Path, stamp: Stamp) -> None:
        """Keep a file that is about to be replaced, as it was read: somebody who has it open may write into it."""
        if stamp == NO_FILE:
            return
        with suppress(OSError):  # not every file system has links
            self._folder.mkdir(parents=True, exist_ok=True)
            link = self._replaced_path(path.name, path.stat().st_ino, stamp)
            link.unlink(missing_ok=True)
            os.link(path, link)
            self._replaced[link] = self._clock() + REPLACED_SECONDS

    def rewritten(self) -> list[str]:
        """Return the names of the files that somebody has written into after they were replaced."""
        written = []
        for link, until in list(self._replaced.items()):
            name, now = link.name.partition("+")[0], self._name_now(link)
            if now and now != link:
                written.append(name)
            elif not now or self._clock() > until:
                del self._replaced[link]
                link.unlink(missing_ok=True)
        return written

    def take_rewritten(self, name: str) -> Iterator[bytes]:
        """Yield what stands in the replaced files of a name that were written into since.

        Each counts as taken when the next is asked for: until then a crash costs nothing.
        """
        for link in [link for link in self._replaced if link.name.startswith(f"{name}+")]:
            now = self._name_now(link)
            if now and now != link:
                yield link.read_bytes()
                os.replace(link, now)
                del self._replaced[link]
                self._replaced[now] = self._clock() + REPLACED_SECONDS

    def _name_now(self, link: Path) -> Path | None:
        """Return the name that a replaced file would have by what is in it now; None if it is gone."""
        try:
            found = link.stat()
        except OSError:
            return None
        return self._replaced_path(link.name.partition("+")[0], found.st_ino, (found.st_size, found.st_mtime_ns))

    def _replaced_path(self, name: str, inode: int, stamp: Stamp) -> Path:
        return self._folder / f"{name}+{inode}+{stamp[0]}+{stamp[1]}"

    @contextmanager
    def _logged(self) -> Iterator[None]:
        try:
            yield
            self._failed = False
        except OSError as error:
            self.close()
            if not self._failed:
                log.warning("[Memory] %s: no copy of the journal can be written: %s", self._agent_id, error.strerror)
            self._failed = True


def remove_journal_caches(vault: Vault, agent_id: str) -> None:
    """Remove everything about an agent's journal under `.index`: it belongs to a former life. Raises: OSError."""
    shutil.rmtree(vault.path(".index", f"{agent_id}.journal"), ignore_errors=True)
    words = f"{agent_id}.words.sqlite"
    for name in (f"{agent_id}.json", f"{agent_id}.summaries.jsonl", words, f"{words}-wal", f"{words}-shm"):
        vault.path(".index", name).unlink(missing_ok=True)
