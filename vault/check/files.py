"""Faults of files as such, whatever stands in them: names, encodings, and what a crash has left behind."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from vault.errors import NoteError
from vault.findings import Finding, Fix
from vault.vault import Vault, check_name

NAMED = ("rooms", "things", "people")
"""The folders whose notes are named after what they describe."""

SETTLED_SECONDS = 60
_UNREAD = frozenset({"archive", "former lives", "memories"})
_DRAFT = re.compile(r"\.(?P<name>.+?)(?:\.(?P<process>\d+))?\.draft|\.writable\.(?P<probe>\d+)|\.starter\..+")
_BOM = b"\xef\xbb\xbf"


def check_files(vault: Vault, now: float) -> Iterator[Finding]:
    """Yield what is wrong with the vault's files. `now` is in seconds since 1970."""
    for folder, folders, files in os.walk(vault.root):
        here = Path(folder)
        yield from _left_over(vault, here, [*folders, *files], now)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _UNREAD)
        seen = sorted(name for name in files if not name.startswith("."))
        yield from _names(vault, here, [*folders, *seen])
        for name in seen:
            if name.endswith(".md"):
                yield from _encoding(vault, here / name)
            elif here.relative_to(vault.root).as_posix() in (*NAMED, "config", "text", "templates"):
                yield Finding(vault.source(here / name), 0, "this is no note (.md), so nothing reads it.", True)


def _left_over(vault: Vault, folder: Path, names: Iterable[str], now: float) -> Iterator[Finding]:
    for name in sorted(names):
        match = _DRAFT.fullmatch(name)
        if match and not _is_alive(match["process"] or match["probe"]) and _age(folder / name, now) > SETTLED_SECONDS:
            yield Finding(
                vault.source(folder / name),
                0,
                "a draft that was never finished, by a process that is no more; it can go.",
                fix=Fix("put away"),
            )


def _names(vault: Vault, folder: Path, names: list[str]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for name in names:
        source, normal = vault.source(folder / name), unicodedata.normalize("NFC", name)
        twin = first.setdefault(normal.casefold(), name)
        if twin != name:
            yield Finding(source, 0, f"its name differs from {twin!r} in case or form alone; give it another one.")
        elif normal != name:
            what = (
                "its name is written with separate accents (not NFC), which some systems take for another; rename it."
            )
            yield Finding(source, 0, what, fix=None if normal in names else Fix("renamed", new_name=normal))
        if folder.relative_to(vault.root).as_posix() in (*NAMED, "agents"):
            yield from _fitness(source, normal.removesuffix(".md"))


def _fitness(source: str, name: str) -> Iterator[Finding]:
    try:
        check_name(name)
    except NoteError as error:
        yield Finding(source, 0, str(error))


def _encoding(vault: Vault, path: Path) -> Iterator[Finding]:
    source = vault.source(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        yield Finding(source, 0, f"cannot be read: {error.strerror}.")
        return
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        yield Finding(source, line, f"not UTF-8 text (byte {error.start}); save it as UTF-8.")
        return
    if raw.startswith(_BOM):
        what = "begins with a byte order mark, which nothing needs; save it as UTF-8 without one."
        yield Finding(source, 1, what, True, Fix("freed of its byte order mark", lambda raw: raw.removeprefix(_BOM)))
    if b"\r\n" in raw:
        line = raw.count(b"\n", 0, raw.index(b"\r\n")) + 1
        what = "lines end as on Windows (CR LF); save it with LF alone."
        yield Finding(source, line, what, True, Fix("given plain line ends", lambda raw: raw.replace(b"\r\n", b"\n")))


def _is_alive(process: str | None) -> bool:
    if not process:
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's, or a number that no process can have
        return len(process) < 10
    return True


def _age(path: Path, now: float) -> float:
    try:
        return now - path.stat().st_mtime
    except OSError:
        return 0.0
