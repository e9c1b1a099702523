"""Replaced files: the files that saves of the world have replaced, for as long as an editor may have them open.

An editor that saves in place writes into the file that it has opened. If the world replaces that file meanwhile, the
editor's text would go into a file without a name. So each file that is replaced gets a link in the trash for a minute.
What is written into it in that time is found and put in force. The hash of its text is part of the link's name: the
next start tells whether anything was written meanwhile, and watches it for another minute.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2s
from itertools import count
from pathlib import Path

from vault.atomic_write import Stamp, file_stamp

log = logging.getLogger(__name__)

FOLDER = Path(".trash", "replaced")
KEEP_SECONDS = 60.0
REST_SECONDS = 0.5
"""For how long a text has to stay as it is to be complete, in seconds."""

MAX_LINKS = 2000


@dataclass
class _Link:
    source: str
    path: Path
    stamp: Stamp
    text: bytes
    until: float
    changed_at: float = 0.0
    is_changed: bool = False


class ReplacedFiles:
    """The links. `seconds` is a clock that never goes back."""

    def __init__(self, root: Path, seconds: Callable[[], float]) -> None:
        self._root = root
        self._seconds = seconds
        self._links: list[_Link] = []
        self._numbers = count(1)
        self._is_told = False

    def __len__(self) -> int:
        return len(self._links)

    def keep(self, path: Path, stamp: Stamp, was: str | None = None) -> None:
        """Link a note that is about to be replaced, and said `was` at a stamp; one that cannot be linked goes without.

        Raises: FileNotFoundError if there is none.
        """
        parts = path.relative_to(self._root).parts if path.is_relative_to(self._root) else (path.name,)
        if path.suffix != ".md" or any(part.startswith(".") for part in parts):
            return
        try:
            text = path.read_bytes() if was is None else was.encode()
            link = self._free_path(parts, text)
            link.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, link)
        except FileNotFoundError:
            raise
        except OSError as error:
            if not self._is_told:
                why = "an editor that saves it in place may lose its text to the world"
                log.warning("%s: cannot be linked (%s), so %s; save notes by renaming.", path, error.strerror, why)
            self._is_told = True
            return
        until = self._seconds() + KEEP_SECONDS
        self._links.append(_Link("/".join(parts), link, stamp, text, until))
        while len(self._links) > MAX_LINKS:
            self._drop(self._links[0])

    def drain_changed(self) -> list[tuple[str, str]]:
        """Return the source and text of each file that was written to after it was replaced, once it has come to rest.

        A text that was only cut short is left to its editor: nothing is lost with it.
        """
        now, changed = self._seconds(), list[tuple[str, str]]()
        for link in list(self._links):
            text = self._changed_text(link, now)
            if text is not None:
                self._keep_text(link, text)
                changed.append((link.source, text.decode("utf-8", "replace")))
            elif now >= link.until:
                self._drop(link)
        return changed

    def close(self) -> list[tuple[str, str]]:
        """Return what `drain_changed` does, at once; the links stay for the next start."""
        changed = []
        for link in self._links:
            with suppress(OSError):
                if not link.text.startswith(text := link.path.read_bytes()):
                    self._keep_text(link, text)
                    changed.append((link.source, text.decode("utf-8", "replace")))
        return changed

    def recover(self) -> list[tuple[str, str]]:
        """Watch the files again that were watched at the last stop; return what was written into them meanwhile."""
        written, folder = list[tuple[str, str]](), self._root / FOLDER
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            digest, _, rest = path.name.partition(".")
            try:
                stamp, text = file_stamp(path), path.read_bytes()
            except OSError:
                continue
            source = f"{rest.partition('.')[2].replace('%', '/')}.md"
            link = _Link(source, path, stamp, text, self._seconds() + KEEP_SECONDS)
            self._links.append(link)
            if _digest(text) != digest:
                self._keep_text(link, text)
                written.append((source, text.decode("utf-8", "replace")))
        return written

    def _changed_text(self, link: _Link, now: float) -> bytes | None:
        try:
            stamp = file_stamp(link.path)
            if stamp != link.stamp:
                link.stamp, link.is_changed, link.changed_at = stamp, True, now
                link.until = max(link.until, now + KEEP_SECONDS)
            if not link.is_changed or now - link.changed_at < REST_SECONDS:
                return None
            link.is_changed = False
            text = link.path.read_bytes()
        except OSError:
            return None
        return None if link.text.startswith(text) else text

    def _free_path(self, parts: tuple[str, ...], text: bytes) -> Path:
        source = "%".join(parts).removesuffix(".md").encode()[-160:].decode("utf-8", "ignore")
        names = (f"{_digest(text)}.{os.getpid()}-{number}.{source}" for number in self._numbers)
        return next(path for name in names if not (path := self._root / FOLDER / name).exists())

    def _keep_text(self, link: _Link, text: bytes) -> None:
        """Keep that a text was found, in the link's name too: the next start does not find it again."""
        link.text = text
        path = link.path.with_name(f"{_digest(text)}.{link.path.name.partition('.')[2]}")
        with suppress(OSError):
            link.path = link.path.rename(path)

    def _drop(self, link: _Link) -> None:
        self._links.remove(link)
        with suppress(OSError):
            link.path.unlink()


def _digest(text: bytes) -> str:
    return blake2s(text, digest_size=8).hexdigest()
