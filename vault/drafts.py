"""Files of one folder, written beside those that they are to replace, and put in their places together."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from vault.disk import Disk
from vault.errors import NoteError

_NUMBERS = itertools.count(1)


def encoded(text: str, source: str) -> bytes:
    """Return a text in UTF-8. Raises: NoteError if there is half a character in it, as a model's JSON may have."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        bad, line = ascii(text[error.start]), text.count("\n", 0, error.start) + 1
        raise NoteError(f"{source}:{line}: cannot be written: {bad} is half a character; leave it out.") from error


class Drafts:
    """Texts on their way into files. Nothing in the folder has changed until they are put in place.

    `source` returns a path as messages show it. Drafts of one file that may be on their way at the same time are to be
    `unique`; the others have one name, so that what a crash has left is written over.
    """

    def __init__(
        self,
        disk: Disk,
        texts: Sequence[tuple[str, Path]],
        durable: bool,
        source: Callable[[Path], str],
        unique: bool = False,
    ) -> None:
        self._disk = disk
        self._durable = durable
        self._source = source
        self._is_given_up = False
        mark = f"{next(_NUMBERS)}." if unique else ""
        ending = f"{mark}{os.getpid()}.draft"
        self._rows = [(path.with_name(f".{path.name}.{ending}"), path, text) for text, path in texts]

    def write(self, anywhere: bool = False) -> None:
        """Write all drafts, in any thread. The folder may be new, and if it may be `anywhere` also the one it is in.

        A file that is there keeps its mode. Once given up, it stops at the next file. Raises: NoteError if there is no
        room, or no folder, or a text has a character that UTF-8 does not; none is left then.
        """
        for (draft, path, _), raw in zip(self._rows, self._encoded(), strict=True):
            if self._is_given_up:
                break
            try:
                path.parent.mkdir(parents=anywhere, exist_ok=True)
                with suppress(FileNotFoundError):
                    self._disk.begin_draft(draft, path)
                self._disk.write_draft(draft, raw, self._durable)
            except OSError as error:
                raise self._failure(path, error) from error

    def _encoded(self) -> list[bytes]:
        """Return the texts in UTF-8. Raises: NoteError."""
        return [encoded(text, self._source(path)) for _, path, text in self._rows]

    def give_up(self) -> None:
        """Have whoever is writing them in another thread write no more."""
        self._is_given_up = True

    def put_in_place(self) -> None:
        """Rename the drafts, in their order. Raises: NoteError if one cannot be; the others are gone then."""
        path = self._rows[0][1]
        try:
            for draft, path, _ in self._rows:
                self._disk.replace(draft, path)
            if self._durable:
                self._disk.sync_folder(path.parent)
        except OSError as error:
            raise self._failure(path, error) from error

    def discard(self) -> None:
        """Remove the drafts that are there."""
        for draft, _, _ in self._rows:
            with suppress(OSError):  # there may be none, or no folder to look for it in
                draft.unlink()

    def _failure(self, path: Path, error: OSError) -> NoteError:
        self.discard()
        return NoteError(f"{self._source(path)}: cannot be written: {error.strerror}.")
