"""Which of the watched notes are not as they were when they were looked at last.

A note that is gone, or empty, is reported only when it is so at two looks: an editor, a sync or a checkout may be just
about to write it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from vault.agent_notes import agent_names
from vault.folder import Vault
from vault.watch import is_watched

FOLDERS = ("rooms", "things", "people", "config", "templates", "text", "text/topics")
Stamp = tuple[int, int, int]


@dataclass
class Changes:
    """Sources, as `rooms/The Mill.md`: new or changed, gone, and missing for the first time; each in order."""

    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


class NotesSeen:
    """What every watched note was like at the last look. `is_waiting` is so while a note may be about to be written."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._stamps: dict[str, Stamp] = {}
        self._pending: dict[str, Stamp | None] = {}

    @property
    def is_waiting(self) -> bool:
        return bool(self._pending)

    def begin(self) -> None:
        """Take everything to be known as it is now."""
        self._stamps = {source: stamp for source in self._sources() if (stamp := self._stamp(source))}

    def look(self, paths: Iterable[str] | None = None) -> Changes:
        """Return what has changed among some notes and folders, or anywhere; and of what was waited for."""
        found, waited = Changes(), self._pending
        self._pending = {}
        for source in sorted(self._meant(paths) | set(waited)):
            before, stamp = self._stamps.get(source), self._stamp(source)
            if stamp == before:
                continue
            is_vague = stamp is None or (stamp[0] == 0 and before is not None)
            if is_vague and (source not in waited or waited[source] != stamp):
                self._pending[source] = stamp
                found.missing += [source] if stamp is None else []
            elif stamp is None:
                del self._stamps[source]
                found.gone.append(source)
            else:
                self._stamps[source] = stamp
                found.changed.append(source)
        return found

    def _meant(self, paths: Iterable[str] | None) -> set[str]:
        """Return the notes that paths mean; a folder means all that are in it, and all that were."""
        if paths is None:
            return {*self._sources(), *self._stamps}
        notes = {path for path in paths if path.endswith(".md")}
        folders = tuple(f"{path}/" for path in paths if not path.endswith(".md"))
        if folders:
            notes |= {source for source in (*self._sources(), *self._stamps) if source.startswith(folders)}
        return {source for source in notes if is_watched(source)}

    def _sources(self) -> Iterator[str]:
        agents = [f"agents/{name}" for name in agent_names(self._vault)]
        for folder in (*FOLDERS, *(f"{agent}/templates" for agent in agents)):
            yield from (f"{folder}/{name}.md" for name in self._vault.names(folder))
        for agent in agents:
            yield from (f"{agent}/{name}.md" for name in ("agent", "yesterday"))

    def _stamp(self, source: str) -> Stamp | None:
        try:
            found = os.stat(f"{self._vault.root}/{source}")
        except OSError:
            return None
        return found.st_size, found.st_mtime_ns, found.st_ino
