"""An agent's archive: append-only JSONL, a file a day; written entries never change.

A reference such as `2026-11-21#7` names a file and the line in it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from vault.errors import NoteError
from vault.memory.archive_file import (
    ArchiveEntry,
    EventName,
    OpenArchive,
    archive_lines,
    archive_name,
    archive_order,
    day_of,
    is_archive_name,
    parsed_line,
    parsed_reference,
    whole_lines,
)
from vault.memory.journal_copies import remove_journal_caches
from vault.vault import Vault

log = logging.getLogger(__name__)

FILE_BYTES = 8 * 1024 * 1024
LAST_BYTES = READ_BYTES = 64 * 1024
WORK_SECONDS, REST_SECONDS = 0.001, 0.0005
"""For how long a thread reads lines before it rests, and how long it rests: else others hardly get the interpreter."""

IsBefore = Callable[[dict[str, Any]], bool]


class Archive:
    """The folder `archive` of one agent. A file that has grown past `file_bytes` is followed by another."""

    def __init__(self, vault: Vault, agent_id: str, file_bytes: int = FILE_BYTES) -> None:
        self._vault = vault
        self._file_bytes = file_bytes
        self._folder = vault.path("agents", agent_id, "archive")
        self._open = OpenArchive(vault.disk)
        self._prompt = ""

    def append(self, event: EventName, at_ms: int, seq: int, **fields: Any) -> str:
        """Write one entry and return its reference. Raises: NoteError as `append_all`."""
        return self.append_all([ArchiveEntry(event, at_ms, seq, fields)])[0]

    def append_all(self, entries: Sequence[ArchiveEntry]) -> list[str]:
        """Write entries in one step, all into one file, and return their references.

        Raises: NoteError if they cannot be written; the file is then as it was.
        """
        if not entries:
            return []
        try:
            self._turn_to(day_of(entries[0].at_ms))
            lines, prompt = archive_lines(entries, self._prompt)
            first = self._open.append(lines)
        except OSError as error:
            self._open.close_file()
            raise self._failure("cannot be written", error) from error
        self._prompt = prompt
        return [f"{self._open.stem}#{number}" for number in range(first, first + len(lines))]

    def read(self, reference: str) -> dict[str, Any]:
        """Return an entry as it was written; a prompt in it is what was new. Raises: NoteError if there is none."""
        path, number = self._locate(reference)
        place = 0
        for place, line in self._lines_in(path, gives_way=True):
            if place == number:
                return self._entry(path, number, line)
        raise NoteError(f"{self._vault.source(path)} has no entry {number}; it has {place}.")

    def prompt_of(self, reference: str) -> str:
        """Return the whole prompt of a message, to the letter. Raises: NoteError if it cannot be put together."""
        found = self.read(reference)
        if "prompt_rest" not in found:
            raise NoteError(f"{reference} is not a message, but {found['event']}; it has no prompt.")
        path, number = self._locate(reference)
        prompt = ""
        try:
            for place, line in islice(self._lines_in(path, gives_way=True), number):
                if b'"prompt_rest"' in line and "prompt_rest" in (entry := self._entry(path, place, line)):
                    prompt = prompt[: entry["prompt_shared"]] + entry["prompt_rest"]
            if len(prompt) == found["prompt_characters"]:
                return prompt
        except (KeyError, TypeError):
            log.debug("%s: a prompt's fields are not as they were written", reference, exc_info=True)
        raise NoteError(f"{self._vault.source(path)}: an entry at or before {number} was changed by hand.")

    def entries(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every entry with its reference, oldest first; an invalid line is left out with a warning.

        Raises: NoteError if a file cannot be read.
        """
        for path in self._files():
            yield from self._entries_in(path)

    def _entries_in(self, path: Path, gives_way: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
        for number, line in self._lines_in(path, gives_way):
            entry = parsed_line(line)
            if entry is None:
                log.warning("%s:%d: this entry is not valid and was left out", self._vault.source(path), number)
            else:
                yield f"{path.stem}#{number}", entry

    def entries_near(self, day: str, is_before: IsBefore, before: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the entries around a place on a day (UTC, `2026-11-21`), as `entries` does.

        `is_before` says of an entry whether it stands before that place. They are those of the last file that begins
        before the place, or of so many files `before` it, and of the next up to its first question. For a thread: it
        gives way to others.
        """
        files, at = self._near(day, is_before)
        near = files[at - before : at - before + 2] if at >= before else []
        for path in near[:1]:
            yield from self._entries_in(path, gives_way=True)
        for path in near[1:]:
            for reference, entry in self._entries_in(path, gives_way=True):
                yield reference, entry
                if entry["event"] == "message":
                    return

    def _near(self, day: str, is_before: IsBefore, last_day: str = "") -> tuple[list[Path], int]:
        """Return the files up to a day, or to `last_day`, and which of them is the last that begins before a place."""
        files = [path for path in self._files() if path.stem[:10] <= (last_day or day)]
        begun = (at for at in range(len(files) - 1, -1, -1) if self._begins_before(files[at], day, is_before))
        return files, next(begun, 0)

    def _begins_before(self, path: Path, day: str, is_before: IsBefore) -> bool:
        if path.stem[:10] < day:
            return True
        try:
            with path.open("rb") as file:
                first = parsed_line(file.readline())
        except OSError as error:
            raise self._failure("cannot be read", error) from error
        return first is not None and is_before(first)

    def newest_entries(self, event: EventName, most: int, max_files: int) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the entries of as many of the newest files as have so many of an event, `max_files` at most.

        There are none if these files have no such event. For a thread: it gives way to others.
        """
        files, count, mark = self._files()[: -max_files - 1 : -1], 0, f'"event": "{event}"'.encode()
        for place, path in enumerate(files, 1):
            count += sum(mark in line for _, line in self._lines_in(path, gives_way=True))
            if count >= most:
                files = files[:place]
                break
        for path in reversed(files if count else []):
            yield from self._entries_in(path, gives_way=True)

    def find(self, event: EventName, seq: int, day: str) -> tuple[str, dict[str, Any]] | None:
        """Return a memory's entry and the reference to it, or None if its day and the next have none near its place.

        For a thread: it gives way to others. Raises: NoteError if a file cannot be read.
        """
        mark = f'"event": "{event}"'.encode(), f'"seq": {seq}, '.encode()
        days = sorted({path.stem[:10] for path in self._files()})
        near = [one for one in days if one >= day][:2]
        files, at = self._near(near[0], lambda entry: entry.get("seq", 0) <= seq, near[-1]) if near else ([], 0)
        for path in files[max(0, at - 1) : at + 2]:
            for number, line in self._lines_in(path, gives_way=True):
                entry = parsed_line(line) if all(part in line for part in mark) else None
                if entry and (entry["event"], entry.get("seq")) == (event, seq):
                    return f"{path.stem}#{number}", entry
        return None

    def last_seq(self) -> int | None:
        """Return the highest number that the newest entries name, or None if there is no entry. Raises: NoteError."""
        for path in reversed(self._files()):
            for tail_bytes in (LAST_BYTES, 0):  # most entries are short; one with a prompt may be longer than the tail
                entries = [entry for line in whole_lines(self._tail(path, tail_bytes)) if (entry := parsed_line(line))]
                seqs = [seq for entry in _since_reset(entries) if isinstance(seq := entry.get("seq"), int)]
                if seqs:
                    return max(seqs)
        return None

    def size(self) -> tuple[int, int]:
        """Return how many files there are, and how many bytes they take. Raises: NoteError."""
        try:
            sizes = [path.stat().st_size for path in self._files()]
        except OSError as error:
            raise self._failure("cannot be looked at", error) from error
        return len(sizes), sum(sizes)

    def sync(self) -> None:
        """Force every entry to disk. Raises: NoteError."""
        try:
            self._open.sync()
        except OSError as error:
            raise self._failure("cannot be forced to disk", error) from error

    def close(self) -> None:
        """Force every entry to disk and let go of the file. Raises: NoteError."""
        try:
            self.sync()
        finally:
            self._open.close_file()

    def _turn_to(self, day: str) -> None:
        """Open the file that an entry of a day goes into: never one before the newest, though the clock go back."""
        newest: Path | None = self._open.path
        if not self._open.is_as_left():
            self._open.close_file()
            newest = max(self._files(), key=lambda path: archive_order(path.name), default=None)
        wanted = self._name_after(newest, day)
        if newest is None or wanted != newest.name or not self._open.is_open:
            self._open.close_file()
            self._vault.make_folder(self._folder)
            self._open.open(self._folder / wanted)
            self._prompt = ""

    def _name_after(self, newest: Path | None, day: str) -> str:
        if newest is None or newest.stem[:10] < day:
            return archive_name(day, 1)
        if newest.stat().st_size < self._file_bytes:
            return newest.name
        newest_day, part = archive_order(newest.name)
        return archive_name(newest_day, part + 1)

    def _files(self) -> list[Path]:
        try:
            found = os.listdir(self._folder) if self._folder.is_dir() else []
        except OSError as error:
            raise self._failure("cannot be read", error) from error
        return [self._folder / name for name in sorted(filter(is_archive_name, found), key=archive_order)]

    def _locate(self, reference: str) -> tuple[Path, int]:
        found = parsed_reference(reference)
        if found is None:
            raise NoteError(f"{reference!r} is not a reference into an archive; expected one like 2026-11-21#7.")
        return self._folder / found[0], found[1]

    def _lines_in(self, path: Path, gives_way: bool = False) -> Iterator[tuple[int, bytes]]:
        """Yield the lines of a file with their numbers, one at a time in memory; a torn last line is none."""
        begun = perf_counter()
        try:
            with path.open("rb", READ_BYTES) as file:
                for number, line in enumerate(file, 1):
                    if line.endswith(b"\n") or parsed_line(line):
                        yield number, line
                    if gives_way and perf_counter() - begun > WORK_SECONDS:
                        sleep(REST_SECONDS)
                        begun = perf_counter()
        except FileNotFoundError as error:
            raise NoteError(f"{self._vault.source(path)} is not there; was it moved away?") from error
        except OSError as error:
            raise self._failure("cannot be read", error) from error

    def _tail(self, path: Path, tail_bytes: int) -> bytes:
        """Return the end of a file, all of it with 0. Raises: NoteError."""
        try:
            with open(path, "rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - tail_bytes) if tail_bytes else 0)
                return file.read()
        except OSError as error:
            raise self._failure("cannot be read", error) from error

    def _entry(self, path: Path, number: int, line: bytes) -> dict[str, Any]:
        entry = parsed_line(line)
        if entry is None:
            raise NoteError(
                f"{self._vault.source(path)}:{number}: this entry is not valid; the line was edited by hand."
            )
        return entry

    def _failure(self, what: str, error: OSError) -> NoteError:
        where = self._vault.source(self._folder)
        return NoteError(f"{where}: {what}: {error.strerror}. Make room on the disk or mend its permissions.")


def _since_reset(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entries from the last one on at which the agent was reset: numbers began again with it."""
    begun = [place for place, entry in enumerate(entries) if entry["event"] == "begin_anew"]
    return entries[begun[-1] :] if begun else entries


MEMORY_FILES = ("journal", "summaries", "facts.md", "insights.md", "people", "promises.md")
ARCHIVE = "archive"
FORMER = "former lives"


def archive_memories(vault: Vault, agent_id: str, at_ms: int, archive: bool = True) -> str:
    """Reset an agent: move its MEMORY_FILES, and its archive if wanted, into a dated folder; return it.

    The world must be closed. Its notes, profile and templates stay. What was moved already by a try that failed
    half-way stays in its own folder. An archive that stays notes that numbers begin again. Raises: NoteError if there
    is no such agent, it remembers nothing, or a folder cannot be moved.
    """
    if not vault.exists("agents", agent_id, "agent.md"):
        known = ", ".join(vault.folders("agents"))
        raise NoteError(f"There is no agent {agent_id!r}; there are {known or 'none'}.")
    wanted = (*MEMORY_FILES, ARCHIVE) if archive else MEMORY_FILES
    names = [name for name in wanted if vault.exists("agents", agent_id, name)]
    if not names:
        raise NoteError(f"{agent_id} remembers nothing yet.")
    when = datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y%m%d-%H%M%S")
    life = vault.path("agents", agent_id, FORMER, when)
    try:
        remove_journal_caches(vault, agent_id)  # first: else they restore the former life
        life.mkdir(parents=True)
        for name in names:
            vault.disk.replace(vault.path("agents", agent_id, name), life / name)
    except OSError as error:
        raise NoteError(f"{vault.source(life)}: cannot take what {agent_id} remembers: {error.strerror}.") from error
    if not archive and vault.exists("agents", agent_id, ARCHIVE):
        kept = Archive(vault, agent_id)
        kept.append("begin_anew", at_ms, 0, former_life=life.name)
        kept.close()
    return vault.source(life)
