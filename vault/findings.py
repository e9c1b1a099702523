"""Findings of a vault check, and how loaders that stop at the first fault report more."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from vault.errors import NoteError
from vault.vault import Vault

MAX_ERRORS = 500

_MESSAGE = re.compile(r"(?P<source>.+?\.md)(?::(?P<line>\d+))?: (?P<text>.+)", re.DOTALL)
_WHOLE_HEAD = "the front matter"


@dataclass(frozen=True)
class Fix:
    """A repair of a fault that loses nothing; `did` says it afterwards, as in `was given number 7`.

    `change` returns the new content of the file from the old, `new_name` is its new name. With neither, the file is
    moved to the vault's trash.
    """

    did: str
    change: Callable[[bytes], bytes] | None = None
    new_name: str = ""


@dataclass(frozen=True, order=True)
class Finding:
    """One thing that is not as it should be: in which file and line (0: the file as a whole), what and what to do.

    A remark may well be meant as it is.
    """

    source: str
    line: int
    text: str
    is_remark: bool = False
    fix: Fix | None = field(default=None, compare=False)

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}" if self.line else self.source
        return f"{place}: {'(remark) ' if self.is_remark else ''}{self.text}"


class HiddenNote(NoteError):
    """A note is read that is taken not to be there."""


class Overlay(Vault):
    """A vault with some texts replaced and some notes hidden. Nothing is written."""

    def __init__(self, vault: Vault) -> None:
        super().__init__(vault.root, vault.disk)
        self._texts: dict[str, str] = {}
        self._hidden: set[str] = set()

    def blank(self, source: str, line: int) -> None:
        """Take a line of a note, counted from 1, to be empty."""
        lines = self.read_text(source).split("\n")
        if line <= len(lines):
            lines[line - 1] = ""
        self._texts[source] = "\n".join(lines)

    def show(self, source: str, text: str) -> None:
        """Take a note to have another text."""
        self._texts[source] = text

    def hide(self, source: str) -> None:
        """Take a note not to be there."""
        self._hidden.add(source)

    def is_hidden(self, source: str) -> bool:
        """Return whether a note is taken not to be there."""
        return source in self._hidden

    def names(self, folder: str) -> list[str]:
        return [name for name in super().names(folder) if f"{folder}/{name}.md" not in self._hidden]

    def exists(self, *parts: str) -> bool:
        return "/".join(parts) not in self._hidden and super().exists(*parts)

    def read_exact(self, *parts: str) -> str:
        path = "/".join(parts)
        if path in self._hidden:
            raise HiddenNote(f"{path}: cannot be read: it is not there.")
        return self._texts[path] if path in self._texts else super().read_exact(*parts)


def collect_errors(overlay: Overlay, load: Callable[[Vault], object]) -> Iterator[Finding]:
    """Yield every fault that a loader finds, although it raises NoteError at the first.

    A faulty line is taken to be empty and the loader is called again; a note that is faulty as a whole is taken not
    to be there, and `overlay` goes on saying so. A loader that reads such a note has no more to find.
    """
    seen: set[Finding] = set()
    for _ in range(MAX_ERRORS):
        try:
            load(overlay)
            return
        except HiddenNote:
            return
        except NoteError as error:
            found = finding_of(error)
        again = found in seen
        follows = found.text.startswith(_WHOLE_HEAD) and any(one.source == found.source for one in seen)
        if not again and not follows:  # else it comes of a line that was taken out
            seen.add(found)
            yield found
        if not found.line or again or found.text.startswith(_WHOLE_HEAD):
            overlay.hide(found.source)
        else:
            overlay.blank(found.source, found.line)


def finding_of(error: NoteError) -> Finding:
    """Return a loader's error as a finding."""
    match = _MESSAGE.fullmatch(str(error))
    if not match:
        return Finding("", 0, str(error))
    return Finding(match["source"], int(match["line"] or 0), match["text"])
