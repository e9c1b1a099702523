"""A file that an agent and people write together, and its lines.

What somebody else has written is read before anything is written. What cannot be read stays as it is on disk.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Generic, Protocol, Self, TypeVar

from vault.atomic_write import NO_FILE, Stamp, file_stamp
from vault.errors import NoteError
from vault.vault import Vault

log = logging.getLogger(__name__)

MAX_CHARACTERS = 65_536
"""A note that is longer was not meant as one, and reading it would hold up the world."""

MAX_BYTES = 4 * MAX_CHARACTERS

_LINES = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


class SharedNote(Protocol):
    """A note as it was read. A change of it makes another note."""

    text: str

    def parse(self, text: str) -> Self:
        """Return another text of the same note. Raises: NoteError naming file and line."""

    def with_lost(self, before: Self) -> Self:
        """Return the note with what the one before has and its editor cannot have known. Raises: NoteError."""


N = TypeVar("N", bound=SharedNote)


def check_length(text: str, source: str) -> None:
    """Raise NoteError if a text is too long for a note."""
    if len(text) > MAX_CHARACTERS:
        raise NoteError(f"{source}: it has {len(text):,} characters; expected at most {MAX_CHARACTERS:,}.")


def split_lines(text: str) -> tuple[list[str], str]:
    """Return the lines of a text with their ends, and the end that a new line is to have."""
    lines: list[str] = _LINES.findall(text)
    return lines, (lines[0][len(lines[0].rstrip("\r\n")) :] if lines else "") or "\n"


def join_lines(lines: list[str], after: Mapping[int, list[str]], end: str) -> str:
    """Return lines as a text, with more lines inserted behind some by number; those of number 0 come at the end."""
    found: list[str] = []
    for number, line in enumerate(lines, 1):
        more = after.get(number, [])
        found += [line if not more or line.endswith(("\r", "\n")) else f"{line}{end}", *more]
    if more := after.get(0, []):
        while found and not found[-1].strip():
            found.pop()
        if found and not found[-1].endswith(("\r", "\n")):
            found[-1] += end
        found += more if found else more[1:]
    return "".join(found)


class SharedFile(Generic[N]):
    """One note of an agent. `note` is what is in force.

    `problem` says why the file does not count or cannot be written; empty if all is well. A file that is not valid is
    never written over: the last good text stays in force, and what is added meanwhile waits until the file is mended;
    `is_refused` is true so long. `empty` is the note of a new file. `on_trouble` is called for each problem once. One
    that is not `is_kept` never touches the disk.
    """

    def __init__(
        self,
        vault: Vault,
        path: tuple[str, ...],
        empty: N,
        on_trouble: Callable[[str], None],
        is_kept: bool = True,
    ) -> None:
        self.problem = ""
        self.note = empty
        self._vault = vault
        self._path = path
        self._source = "/".join(path)
        self._empty = empty
        self._on_trouble = on_trouble
        self._is_kept = is_kept
        self._stamp = NO_FILE
        self.is_refused = False
        self._is_unsaved = False

    def reload_if_changed(self) -> bool:
        """Read the file if somebody else has written it; return whether what is in force may have changed."""
        if not self._is_kept:
            return False
        stamp = self._find_stamp()
        if stamp == self._stamp:
            if self._is_unsaved and not self.is_refused:
                self._write()
            return False
        self._stamp = stamp
        if stamp == NO_FILE:  # a person has taken it away, with all that it said
            self.note, self.is_refused, self._is_unsaved, self.problem = self._empty, False, False, ""
            return True
        try:
            found = self._read(stamp)
            note = found.with_lost(self.note)
        except NoteError as error:
            self.is_refused = True
            self._fail(f"{error} What it said before still counts.")
            return False
        self.is_refused, self.problem = False, ""
        self.note = note
        if note is not found:
            self._write()
        return True

    def replace(self, note: N) -> None:
        """Put another note in force and write it; call `reload_if_changed` before. What fails is written later."""
        self.note = note
        self._is_unsaved = True
        if not self.is_refused:  # what a person has written is never written over unread
            self._write()

    def _read(self, stamp: Stamp) -> N:
        if stamp[0] > MAX_BYTES:
            raise NoteError(f"{self._source}: it has {stamp[0]:,} bytes; expected at most {MAX_BYTES:,}.")
        return self._empty.parse(self._vault.read_exact(*self._path))

    def _write(self) -> None:
        self._is_unsaved = True
        if not self._is_kept or not self._vault.exists("agents", self._path[1], "agent.md"):
            return  # or a folder that was taken away would come back
        try:
            self._vault.write_text(self.note.text, *self._path)
        except NoteError as error:
            self._fail(str(error))
            return
        self._stamp, self._is_unsaved, self.problem = self._find_stamp(), False, ""

    def _find_stamp(self) -> Stamp:
        with suppress(NoteError):
            return file_stamp(self._vault.path(*self._path))
        return NO_FILE

    def _fail(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            log.warning("%s", problem)
            self._on_trouble(problem)
