"""The files of a journal as they are on disk: finds what others have changed, merges it, and keeps their index."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from vault.atomic_write import NO_FILE, Stamp, file_stamp
from vault.errors import NoteError
from vault.memory.journal_copies import MAX_COPIES, JournalCopies
from vault.memory.journal_merge import MergedFile, merge
from vault.memory.memory_line import MAX_NUMBER, NO_NUMBERS, Range, RangeSet, invalid_number
from vault.memory.segment import OpenSegment, Segment, is_segment_name, numbers_in
from vault.vault import Vault

log = logging.getLogger(__name__)

RESTORED = "were overwritten or taken away, and are written again"
MAX_BYTES_AT_ONCE = 200_000
"""The size of the files, but for one, that are merged at one look: more would hold the server up."""
AWAY_SECONDS = 10.0
"""How long a file that was taken away may be away before it is restored: sync tools and editors bring it back."""


class JournalFiles:
    """The rows of a journal's files, the file with the newest memory last; `last` is the highest number given.

    `warn` takes what an admin should know. `clock` returns seconds. Every method that reads or writes raises OSError.
    """

    def __init__(
        self, vault: Vault, agent_id: str, opened: OpenSegment, clock: Callable[[], float], warn: Callable[[str], None]
    ) -> None:
        self.folder = vault.path("agents", agent_id, "journal")
        self.copies = JournalCopies(vault, agent_id, clock)
        self.segments: list[Segment] = []
        self.last = 0
        self._agent_id = agent_id
        self._disk = vault.disk
        self._make_folder = vault.make_folder
        self._index = JournalIndex(vault, agent_id)
        self._open = opened
        self._clock = clock
        self._warn = warn
        self._away_since: float | None = None
        self._overwritten = b""
        self.has_more = False
        self._folder_ns = -1
        self._looked_at = 0

    def write_index(self) -> None:
        """Write the rows of the files into the index."""
        self._index.write(self.segments, self.last)

    def were_edited(self) -> bool:
        """Return whether somebody else changed, added or removed a file since it was read or written."""
        folder_ns = self._folder_time()
        if set(self._names()) != {segment.name for segment in self.segments}:
            return True
        if any(map(self._differs, self.segments)):
            return True
        self._folder_ns = folder_ns
        return False

    def find(self, starting: bool, held: tuple[str, bytes], overwritten: bytes) -> None:
        """Find out what is on disk; merge what others have changed, and give numbers to lines typed by hand.

        `held` is from `held`, `overwritten` a line of ours that somebody else's write has met. Raises: OSError.
        """
        self._overwritten = overwritten or self._overwritten  # it may stand in a file that was replaced
        rows, noted = self._index.read() if starting else ({one.name: one for one in self.segments}, self.last)
        stamps = {name: file_stamp(self.folder / name) for name in self._names()}
        changed, later = self._changed(rows, stamps, starting)
        self.has_more = bool(later)
        numbers = {name: row.numbers for name, row in rows.items() if name not in changed}
        numbers |= {name: numbers_in((self.folder / name).read_bytes()) for name in changed if name in stamps}
        copied = [
            one for name in changed if starting or name not in rows for one in numbers_in(self.copies.read(name)).ranges
        ]
        known = RangeSet.of(*(one for row in rows.values() for one in row.numbers.ranges))
        given = (last for last in (known.last, noted, *(one.last for one in copied)) if last < MAX_NUMBER)
        self.last = max(self.last, *given, *(found.last for found in numbers.values()))
        self.segments = [rows[name] for name in (*(stamps.keys() - {*changed, *later}), *later) if name in rows]
        removed = NO_NUMBERS
        for name in changed:
            others = [one for other, found in numbers.items() if other != name for one in found.ranges]
            segment, gone = self._settle(
                name, rows.get(name), RangeSet.of(*others), held[1] if held[0] == name else b"", overwritten
            )
            removed |= gone
            if segment:
                segment.edited_ns = segment.mtime_ns
                numbers[name] = segment.numbers
                self.segments.append(segment)
        self.segments.sort(key=lambda segment: (segment.last, segment.order))
        self.copies.keep([segment.name for segment in self.segments[-MAX_COPIES:]])
        known |= RangeSet.of(Range(noted + 1 if rows else 1, self.last))
        if lost := known - removed - self.numbers():
            self._warn(f"memories {lost} are gone: no file has them, and no copy; going on from {self.last + 1}")
        if changed or {row.name for row in self.segments} != rows.keys() or noted != self.last:
            self._index.write(self.segments, self.last)

    def _changed(
        self, rows: dict[str, Segment], stamps: dict[str, Stamp], starting: bool
    ) -> tuple[list[str], list[str]]:
        """Return the files to merge, and those that have to wait and keep their rows meanwhile.

        At a start none waits; then come the newest, and no more than the server can wait for.
        """
        changed = [name for name, stamp in stamps.items() if name not in rows or rows[name].stamp != stamp]
        changed += self.copies.rewritten()
        if starting and stamps:  # of the file written last the content counts: a time says little after a crash
            newest = max(stamps, key=lambda name: rows[name].last if name in rows else 0)
            changed += [newest] * (self.copies.names() >= {newest} and not self._is_as_copied(newest))
        missing = sorted(name for name in self.copies.names() | rows.keys() if name not in stamps)
        changed = [*dict.fromkeys(changed), *filter(is_segment_name, missing)]
        if starting:
            return changed, []
        now, left = list[str](), MAX_BYTES_AT_ONCE
        for name in sorted(changed, key=lambda name: -rows[name].last if name in rows else 0):
            if name not in rows or left > 0:
                now.append(name)
                left -= rows[name].size if name in rows else 0
        return now, [name for name in changed if name not in now]

    def _settle(
        self, name: str, row: Segment | None, elsewhere: RangeSet, held: bytes, overwritten: bytes
    ) -> tuple[Segment | None, RangeSet]:
        """Merge a file with its copy, and with what an editor wrote into a file that was replaced.

        Return its row, if there is such a file now, and the numbers of the lines that were taken out by hand.
        """
        path, copy = self.folder / name, self.copies.read(name)
        stamp = file_stamp(path)
        raw = path.read_bytes() if stamp != NO_FILE else b""
        if row and stamp == NO_FILE and numbers_in(copy) == row.numbers and row.numbers - elsewhere == row.numbers:
            self._replace(path, copy, stamp)
            self._tell_numbers(name, row.numbers, RESTORED)
            return replace(row, size=len(copy), mtime_ns=path.stat().st_mtime_ns), NO_NUMBERS
        merged = merge(raw, held if held.startswith(copy) else copy, elsewhere, overwritten)
        if stamp == NO_FILE and not merged.restored:
            return None, NO_NUMBERS
        raw, removed = self._write_merged(name, merged, raw, stamp), RangeSet.of_numbers(merged.removed)
        for rewritten in self.copies.take_rewritten(name):
            stamp, merged = file_stamp(path), merge(rewritten, raw, elsewhere, self._overwritten)
            raw, removed = self._write_merged(name, merged, raw, stamp), removed | RangeSet.of_numbers(merged.removed)
        if raw != copy:
            self.copies.put(name, raw)
        return merged.segment(name, path.stat()), removed

    def _write_merged(self, name: str, merged: MergedFile, before: bytes, stamp: Stamp) -> bytes:
        path, disk = self.folder / name, self._disk
        self._make_folder(path.parent)
        for torn in merged.torn:
            disk.set_aside(path, torn)
            self._warn(f"a torn last line of {name} was set aside in journal/quarantine.md")
        typed = merged.number(self.last + 1)
        raw = merged.raw
        if raw and raw == before:  # an empty file may be in the midst of being saved: it is replaced
            disk.sync_file(path)  # one what a killed process has written may not be on disk yet
        else:
            self._replace(path, raw, stamp)
        self.last += len(typed)
        self._tell(name, merged, typed)
        return raw

    def _replace(self, path: Path, raw: bytes, stamp: Stamp) -> None:
        """Write a file whole; what somebody writes into the old one after it had this stamp is looked at again."""
        self._make_folder(path.parent)
        draft = path.with_name(f".{path.name}.draft")
        try:
            self._disk.write_draft(draft, raw, True)
            self.copies.keep_replaced(path, stamp)
            self._disk.replace(draft, path)
        except OSError:
            with suppress(OSError):
                draft.unlink()
            raise

    def _tell(self, name: str, merged: MergedFile, typed: list[str]) -> None:
        """Log what a merge has done, with every number."""
        if typed:
            log.info("[Memory] %s: %d lines typed by hand in %s were given numbers", self._agent_id, len(typed), name)
        for place, line in enumerate(typed, self.last - len(typed) + 1):
            if false := invalid_number(line):
                self._warn(f"{name}: {false} is no number for a memory; its line was given ^m{place}")
        for what, seqs in (
            (RESTORED, merged.restored),
            ("were taken out by hand; they stay out", merged.removed),
            ("stood there in other words, which were given new numbers", merged.renumbered),
        ):
            self._tell_numbers(name, RangeSet.of_numbers(seqs), what)
        if merged.first_marker:
            self._warn(f"{name}:{merged.first_marker}: conflict markers of git; lines of both sides count")

    def _tell_numbers(self, name: str, numbers: RangeSet, what: str) -> None:
        if numbers:
            self._warn(f"{name}: memories {numbers} {what}")

    def held(self) -> tuple[str, bytes]:
        """Return the name of the open file and what was in it, though its name or its copy may be gone."""
        if not self._open.is_open or not self.segments:
            return "", b""
        name = self.segments[-1].name
        copy, content = self.copies.read(name), b""
        if not self._open.is_open_at(self.folder / name):
            content = self._open.content()
            content += b"\n" * (not content.endswith(b"\n"))
        return name, content if content.startswith(copy) else copy

    def _is_as_copied(self, name: str) -> bool:
        return (self.folder / name).read_bytes() == self.copies.read(name)

    def numbers(self) -> RangeSet:
        return RangeSet.of(*(one for segment in self.segments for one in segment.numbers.ranges))

    def _names(self) -> list[str]:
        """Return the names of the journal's files, in no order."""
        try:
            return [name for name in os.listdir(self.folder) if is_segment_name(name)]
        except FileNotFoundError:
            return []

    def is_away(self) -> bool:
        """Return whether files were taken away that may come back: until then all stays as it is known.

        What was deleted is not waited for, nor a file that others have changed, unless its folder is gone too.
        """
        missing = {segment.name for segment in self.segments} - set(self._names())
        if not missing:
            self._away_since = None
            return False
        self._away_since = self._clock() if self._away_since is None else self._away_since
        if self._clock() - self._away_since >= AWAY_SECONDS:
            return False
        newest = self.segments[-1]
        if newest.name not in missing:
            return not self._differs(newest)
        return self._open.was_moved(newest.stamp) or not (self.folder.is_dir() or self._open.was_deleted)

    def seem_edited(self) -> bool:
        """Return whether a look at the folder, the newest file and one older file in turn shows a difference."""
        older, looked_at = self.segments[:-1], self.segments[-1:]
        if older:
            self._looked_at = (self._looked_at + 1) % len(older)
            looked_at.append(older[self._looked_at])
        return self._folder_time() != self._folder_ns or any(map(self._differs, looked_at))

    def _folder_time(self) -> int:
        return file_stamp(self.folder)[1]

    def _differs(self, segment: Segment) -> bool:
        return file_stamp(self.folder / segment.name) != segment.stamp


class JournalIndex:
    """The rows of one agent's journal files in `.index/`, and the highest number given.

    A row counts only while file size and time are as noted.
    """

    def __init__(self, vault: Vault, agent_id: str) -> None:
        self._vault = vault
        self._parts = (".index", f"{agent_id}.json")

    def read(self) -> tuple[dict[str, Segment], int]:
        """Return the rows by file name and the number; nothing if there is no index or it cannot be understood."""
        if not self._vault.exists(*self._parts):
            return {}, 0
        try:
            index = json.loads(self._vault.read_text(*self._parts))
            rows = [row | {"pinned": tuple(row["pinned"]), "gaps": _ranges(row["gaps"])} for row in index["files"]]
            return {row["name"]: Segment(**row) for row in rows}, int(index["last"])
        except (NoteError, ValueError, TypeError, KeyError, RecursionError):
            log.warning("%s could not be read and is rebuilt", "/".join(self._parts))
            return {}, 0

    def write(self, segments: Iterable[Segment], last: int) -> None:
        """Note the rows; a failure to do so is no more than a slower start."""
        rows = [asdict(segment) | {"gaps": str(segment.gaps) if segment.gaps else ""} for segment in segments]
        try:
            self._vault.write_text(json.dumps({"last": last, "files": rows}), *self._parts)
        except NoteError as error:
            log.warning("%s", error)


def _ranges(text: str) -> RangeSet:
    return RangeSet.parse(text) if text else NO_NUMBERS
