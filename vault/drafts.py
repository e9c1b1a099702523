"""Files of one folder, written beside those that they are to replace, and put in their places together."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from vault.disk import Disk
from vault.errors import NoteError


class Drafts:
    """Texts on their way into files. Nothing in the folder has changed until they are put in place.

    `source` returns a path as messages show it. Drafts of the same files that are on their way at the same time need
    another `mark` each.
    """

    def __init__(
        self,
        disk: Disk,
        texts: Sequence[tuple[str, Path]],
        durable: bool,
        source: Callable[[Path], str],
        mark: str = "",
    ) -> None:
        self._disk = disk
        self._durable = durable
        self._source = source
        ending = f"{mark}{'.' * bool(mark)}{os.getpid()}.draft"
        self._rows = [(path.with_name(f".{path.name}.{ending}"), path, text) for text, path in texts]

    def write(self, anywhere: bool = False) -> None:
        """Write all drafts, in any thread. The folder may be new, and if it may be `anywhere` also the one it is in.

        Raises: NoteError if there is no room, or no folder; none is left then.
        """
        for draft, path, text in self._rows:
            try:
                path.parent.mkdir(parents=anywhere, exist_ok=True)
                self._disk.write_draft(draft, text.encode("utf-8"), self._durable)
            except OSError as error:
                raise self._failure(path, error) from error

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
