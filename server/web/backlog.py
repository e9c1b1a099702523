"""The backlog of one visitor: numbered lines on disk, from which a lost connection resumes.

Lines are on disk before they are sent: whatever a page has seen, the server still knows after `kill -9`. A line that
is typed is on disk before it is done, with its number: it is never done twice. One that was taken, but not finished
when the process was killed, is known as such.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from vault.atomic_write import Disk

log = logging.getLogger(__name__)

MAX_LINES = 2000
"""Maximum number of recent lines that can be asked for again."""
MAX_LINES_IN_MEMORY = 100
"""Number of recent lines that are answered without reading the file."""
MAX_PAGES = 8
"""Maximum number of windows whose last typed line is remembered."""


_DONE = b'{"done":true}'
DISK = Disk()


@dataclass(frozen=True)
class Owner:
    """The owner of a backlog: a name, empty for a guest; `proof` changes with the account's password."""

    name: str
    proof: str


class OpenFiles:
    """Files that are appended to; the latest stay open, because opening takes ten times as long as a line.

    `most` returns how many stay open.
    """

    def __init__(self, most: Callable[[], int]) -> None:
        self._most = most
        self._open: dict[Path, int] = {}

    def append(self, path: Path, content: bytes) -> None:
        """Append to a file, which is made if there is none: all of it or nothing. Raises: OSError."""
        descriptor = self._open.pop(path, None)
        is_new = descriptor is None
        if descriptor is None:
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._open[path] = descriptor
        try:
            DISK.append(descriptor, content)
        finally:
            while is_new and len(self._open) > self._most():
                self.close(next(iter(self._open)))

    def close(self, path: Path) -> None:
        """Close a file, if it is open."""
        descriptor = self._open.pop(path, None)
        if descriptor is not None:
            os.close(descriptor)


class Backlog:
    """The lines of one visitor, numbered from 1, in memory and in one file of JSON lines.

    `stream` names the numbering: a page that knows another one starts over. `typed` is the number of the last line that
    each window of the visitor has typed. `unfinished` counts the lines that were taken and not known to be done before
    the process ended.
    """

    def __init__(self, path: Path, owner: Owner, files: OpenFiles) -> None:
        self.path = path
        self._files = files
        self.owner = owner
        self.stream = secrets.token_hex(6)
        self.last = 0
        self.typed: dict[str, int] = {}
        self.unfinished = 0
        self._lines: deque[tuple[int, bytes]] = deque(maxlen=MAX_LINES_IN_MEMORY)
        self._waiting: list[bytes] = []
        self._lines_in_file = 0
        self._has_failed = self._is_removed = False

    @property
    def is_on_disk(self) -> bool:
        """True if everything written is on disk."""
        return not self._has_failed and self.path.is_file()

    def add(self, line: bytes) -> tuple[int, bytes]:
        """Give a line its number; `line` is the inside of a JSON object, without braces. Return both."""
        self.last += 1
        numbered = b'{"n":%d,%b}' % (self.last, line)
        self._lines.append((self.last, numbered))
        self._waiting.append(numbered)
        return self.last, numbered

    def note_typed(self, page: str, number: int) -> bool:
        """Note that a window has typed its line of a number; return False if it had done so before."""
        if number <= self.typed.get(page, 0):
            return False
        self.typed.pop(page, None)
        self.typed[page] = number
        while len(self.typed) > MAX_PAGES:
            del self.typed[next(iter(self.typed))]
        self._waiting.append(json.dumps({"window": [page, number]}).encode())
        self.unfinished += 1
        return True

    def finish(self) -> None:
        """Put on disk what was added, and that all lines are done that were typed."""
        if self.unfinished:
            self.unfinished = 0
            self._waiting.append(_DONE)
        self.write()
        if self._lines_in_file > 2 * MAX_LINES:
            self._shorten()

    def write(self) -> None:
        """Put on disk what was added. If that fails, play goes on, which the log says, and it is tried again later."""
        waiting, self._waiting = self._waiting, []
        if not waiting or self._is_removed:
            return
        try:
            self._files.append(self.path, b"\n".join((*waiting, b"")))
            self._has_failed = False
            self._lines_in_file += len(waiting)
        except OSError as error:
            self._waiting = waiting if len(waiting) <= MAX_LINES else [self._head(), *waiting[-MAX_LINES:]]
            self._note_failure(error)

    def since(self, number: int) -> list[bytes]:
        """Return the lines behind a number, oldest first; what is too old is missing."""
        if number >= self.last:
            return []
        if self._lines and self._lines[0][0] <= number + 1:
            return [line for at, line in self._lines if at > number]
        self.write()
        kept = [line for at, line in _lines_in(self.path) if at > number][-MAX_LINES:]
        return kept or [line for at, line in self._lines if at > number]

    def reset(self) -> None:
        """Number under a new name: at first, and when a page has seen what is not here because a power cut took it."""
        self.stream = secrets.token_hex(6)
        self._waiting.append(self._head())

    def prove(self, proof: str) -> None:
        """Go on for the same owner, whose password is another one now."""
        self.owner = replace(self.owner, proof=proof)
        self.write()
        self._shorten()

    def rest(self) -> None:
        """Keep no file open: nothing is added for a while."""
        self._files.close(self.path)

    def remove(self) -> None:
        """Forget all of it; nothing is written any more."""
        self.rest()
        self._is_removed = True
        with suppress(OSError):
            self.path.unlink()
        self._lines.clear()
        self._lines_in_file = 0

    def _head(self) -> bytes:
        return json.dumps({"owner": asdict(self.owner), "stream": self.stream, "last": self.last}).encode()

    def _note_failure(self, error: OSError) -> None:
        if not self._has_failed:
            log.error("%s cannot be written; a restart would lose what visitors have read: %s", self.path, error)
        self._has_failed = True

    def _shorten(self) -> None:
        """Keep the newest lines."""
        kept = [line for _, line in _lines_in(self.path)][-MAX_LINES:]
        typed = [json.dumps({"window": [page, number]}).encode() for page, number in self.typed.items()]
        draft = self.path.with_suffix(".new")
        try:
            draft.write_bytes(b"".join(line + b"\n" for line in (self._head(), *kept, *typed, _DONE)))
            draft.chmod(0o600)
            draft.replace(self.path)
        except OSError as error:
            self._note_failure(error)
        self.rest()  # what was open is not the file any more
        self._lines_in_file = len(kept) + len(typed) + 2


def read_owner(path: Path) -> Owner:
    """Return the owner of the backlog in a file; a guest's if it holds none. Raises: OSError."""
    with open(path, "rb") as file:
        line = file.readline()
    try:
        return Owner(**json.loads(line)["owner"])
    except (ValueError, KeyError, TypeError):
        return Owner("", "")


def read_backlog(path: Path, files: OpenFiles) -> Backlog | None:
    """Return the backlog in a file, None if it holds none. A line that a full disk has cut is left out."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        log.warning("%s cannot be read: %s", path, error)
        return None
    found: Backlog | None = None
    for line in lines[:-1]:  # behind the last line end is nothing, or what a kill has cut
        with suppress(ValueError, KeyError, TypeError):
            entry = json.loads(line)
            if "owner" in entry:
                found = found or Backlog(path, Owner(**entry["owner"]), files)
                found.stream, found.last = entry["stream"], max(found.last, entry["last"])
            elif found is None:
                break
            elif "window" in entry:
                page, number = entry["window"]
                found.typed[str(page)] = int(number)
                found.unfinished += 1
            elif "done" in entry:
                found.unfinished = 0
            else:
                found.last = entry["n"]
                found._lines.append((found.last, line))
    if found is None:
        log.warning("%s is not a list of lines", path)
        return None
    found._lines_in_file = len(lines)
    if lines[-1]:  # so that what follows stands on a line of its own
        _cut_torn_end(path, len(lines[-1]))
    return found


def _cut_torn_end(path: Path, size: int) -> None:
    with suppress(OSError):
        os.truncate(path, path.stat().st_size - size)


def _lines_in(path: Path) -> Iterable[tuple[int, bytes]]:
    try:
        content = path.read_bytes()
    except OSError:
        return
    for line in content.split(b"\n")[:-1]:
        if line.startswith(b'{"n":'):
            yield int(line[5 : line.index(b",")]), line
