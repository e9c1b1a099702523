"""Noticing that somebody has edited a journal's files, at the same cost however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vault.remembered.segment import Segment, is_segment_name


class JournalWatch:
    """Compares a journal's folder with how its files were last read or written. Raises: OSError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folder_ns = -1
        self._looked_at = 0

    def names(self) -> list[str]:
        """Return the names of the journal's files, in no order."""
        return [p.name for p in self._folder.iterdir() if is_segment_name(p.name)] if self._folder.is_dir() else []

    def seems_edited(self, segments: Sequence[Segment]) -> bool:
        """Return whether a look at the folder, the newest file and one older file in turn shows a difference."""
        older, looked_at = segments[:-1], list(segments[-1:])
        if older:
            self._looked_at = (self._looked_at + 1) % len(older)
            looked_at.append(older[self._looked_at])
        return self._folder_time() != self._folder_ns or any(self._differs(segment) for segment in looked_at)

    def was_edited(self, segments: Sequence[Segment]) -> bool:
        """Return whether any file was changed, added or removed."""
        folder_ns = self._folder_time()
        if set(self.names()) != {segment.name for segment in segments} or any(map(self._differs, segments)):
            return True
        self._folder_ns = folder_ns
        return False

    def _folder_time(self) -> int:
        return self._folder.stat().st_mtime_ns if self._folder.is_dir() else -1

    def _differs(self, segment: Segment) -> bool:
        try:
            found = (self._folder / segment.name).stat()
        except FileNotFoundError:
            return True
        return (found.st_size, found.st_mtime_ns) != (segment.size, segment.mtime_ns)
