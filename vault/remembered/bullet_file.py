"""A note of bullets on disk: read again when a person has edited it, written back without losing either's lines."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from vault.errors import NoteError
from vault.folder import Vault
from vault.remembered.bullet_note import MAX_CHARACTERS, BulletNote, Change

log = logging.getLogger(__name__)

Stamp = tuple[int, int]
_NO_FILE: Stamp = (-1, -1)
MAX_BYTES = 4 * MAX_CHARACTERS


class BulletFile:
    """One note of an agent. `note` is what is in force.

    `problem` says why the file does not count or cannot be written; empty if all is well. A file that is not valid is
    never written over: the last good text stays in force, and what is added meanwhile waits until the file is mended.
    `opening` is the text of a new file. `on_trouble` is told of each problem once. One that is not `is_kept` never
    touches the disk.
    """

    def __init__(
        self,
        vault: Vault,
        path: tuple[str, ...],
        opening: str,
        on_trouble: Callable[[str], None],
        is_kept: bool = True,
    ) -> None:
        self.problem = ""
        self._vault = vault
        self._path = path
        self._source = "/".join(path)
        self._on_trouble = on_trouble
        self._is_kept = is_kept
        self._stamp = _NO_FILE
        self._is_refused = False
        self._is_unsaved = False
        self._empty = BulletNote(opening, self._source)
        self.note = self._empty

    def take_in(self) -> bool:
        """Read the file if somebody else has written it; return whether what is in force may have changed."""
        if not self._is_kept:
            return False
        stamp = self._find_stamp()
        if stamp == self._stamp:
            if self._is_unsaved and not self._is_refused:
                self._write()
            return False
        self._stamp = stamp
        if stamp == _NO_FILE:  # a person has taken it away, with all that it said
            self.note, self._is_refused, self._is_unsaved, self.problem = self._empty, False, False, ""
            return True
        try:
            found = self._read(stamp)
        except NoteError as error:
            self._is_refused = True
            self._fail(f"{error} What it said before still counts.")
            return False
        self._is_refused, self.problem = False, ""
        # Whoever saves an older version does not know these lines, and has not deleted them.
        lost = [Change(section, new=[line]) for section, line in self.note.own_lines() if not found.knows(line)]
        self.note = found.changed(lost) if lost else found
        if lost:
            self._write()
        return True

    def change(self, changes: Sequence[Change], properties: Mapping[str, str | int] | None = None) -> None:
        """Change the note and write it. What cannot be written now is in force all the same, and written later."""
        self.take_in()
        self.note = self.note.changed(changes, properties)
        self._is_unsaved = True
        if not self._is_refused:  # what a person has written is never written over unread
            self._write()

    def _read(self, stamp: Stamp) -> BulletNote:
        if stamp[0] > MAX_BYTES:
            raise NoteError(f"{self._source}: it has {stamp[0]:,} bytes; expected at most {MAX_BYTES:,}.")
        return BulletNote(self._vault.read_exact(*self._path), self._source)

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
        with suppress(OSError, NoteError):
            stat = self._vault.path(*self._path).stat()
            return stat.st_size, stat.st_mtime_ns
        return _NO_FILE

    def _fail(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            log.warning("%s", problem)
            self._on_trouble(problem)
