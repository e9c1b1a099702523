"""Watches the vault for edits while the world runs.

Watched are rooms, things, people, lore, agents with their templates, settings, templates and texts. Journals,
summaries and facts are not: they are looked at when they are used. A note that is gone is reported when it has been
gone for ten seconds, one that is only the beginning of what it was after two: an editor, a sync tool or a checkout may
be just about to write it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from time import monotonic

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from vault.sync_copies import is_sync_copy
from vault.vault import Vault, agent_names

# What a journal goes through all the time, an append to an open file, is none of these.
_EVENTS: list[type[FileSystemEvent]] = [
    *(FileClosedEvent, FileCreatedEvent, FileDeletedEvent, FileMovedEvent),
    *(DirCreatedEvent, DirDeletedEvent, DirMovedEvent),
]
FOLDERS = ("rooms", "things", "people", "lore", "config", "templates", "text", "text/topics")
AGENT_NOTES = ("agent", "yesterday", "lines")

MISSING_SECONDS = 10.0
CUT_SECONDS = 2.0
"""For how long a note has to be gone, or cut short, until that counts, in seconds."""

_NAME = r"[^/.][^/]*"
_NOTE = re.compile(
    rf"(?:{'|'.join(FOLDERS)}|agents/{_NAME}/templates)/{_NAME}\.md|agents/{_NAME}/(?:{'|'.join(AGENT_NOTES)})\.md"
)
_FOLDER = re.compile(rf"{'|'.join(FOLDERS)}|agents(?:/{_NAME}(?:/templates)?)?")


class Watcher:
    """Calls `changed`, on a thread of its own, once something may have changed; `take` says what, and listens on."""

    def __init__(self, vault: Vault, changed: Callable[[], None]) -> None:
        self._root = vault.root
        self._changed = changed
        self._lock = Lock()
        self._paths: set[str] = set()
        self._is_told = False
        self._observer: BaseObserver | None = None

    def start(self) -> None:
        """Begin to watch. Raises: OSError if the system watches too much already."""
        observer = Observer()  # which takes from the system, at once, one of the few that an account may have
        observer.daemon = True
        # With all folders below it, those that are made later too.
        observer.schedule(_Listener(self._record), str(self._root), recursive=True, event_filter=_EVENTS)
        observer.start()
        self._observer = observer

    def stop(self) -> None:
        """Stop watching, if that has begun."""
        if self._observer:
            self._observer.stop()

    def rearm(self) -> None:
        """Have `changed` called at the next event again."""
        with self._lock:
            self._is_told = False

    def drain_changes(self) -> set[str]:
        """Return the notes and folders that may have changed since the last time, as paths in the vault."""
        with self._lock:
            paths, self._paths, self._is_told = self._paths, set(), False
            return paths

    def _record(self, paths: list[str]) -> None:
        found = {path for raw in paths if (path := self._path(raw))}
        if not found:
            return
        with self._lock:
            self._paths |= found
            is_new, self._is_told = not self._is_told, True
        if is_new:
            self._changed()

    def _path(self, raw: str) -> str:
        path = Path(raw)
        if not path.is_relative_to(self._root):
            return ""
        source = path.relative_to(self._root).as_posix()
        return source if is_watched(source) else ""


def is_watched(source: str) -> bool:
    """Return whether a note, or a folder that holds some, is one that the running world reads."""
    is_copy = any(is_sync_copy(part.removesuffix(".md")) for part in source.split("/"))
    return not is_copy and bool(_NOTE.fullmatch(source) or _FOLDER.fullmatch(source))


class _Listener(FileSystemEventHandler):
    def __init__(self, record: Callable[[list[str]], None]) -> None:
        self._record = record

    def on_any_event(self, event: FileSystemEvent) -> None:
        self._record([str(path) for path in (event.src_path, event.dest_path) if path])


Stamp = tuple[int, int, int]


@dataclass
class Changes:
    """Sources, as `rooms/The Mill.md`: new or changed, gone, and missing for the first time; each in order."""

    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


class ChangeScanner:
    """The state of every watched note at the last scan. `is_waiting` is true while one may be about to be written.

    `texts` has what notes said last, by source. `seconds` is a clock that never goes back.
    """

    def __init__(
        self, vault: Vault, texts: Mapping[str, str] | None = None, seconds: Callable[[], float] = monotonic
    ) -> None:
        self._vault = vault
        self._texts = texts if texts is not None else {}
        self._seconds = seconds
        self._stamps: dict[str, Stamp] = {}
        self._pending: dict[str, tuple[Stamp | None, float]] = {}
        self._before: dict[str, Stamp | None] = {}

    @property
    def is_waiting(self) -> bool:
        return bool(self._pending)

    def baseline(self) -> None:
        """Record the current state of every note as the baseline."""
        self._stamps = {source: stamp for source in self._sources() if (stamp := self._stamp(source))}

    def scan(self, paths: Iterable[str] | None = None) -> Changes:
        """Return what has changed among some notes and folders, or anywhere; and of what was waited for."""
        found, waited, now = Changes(), self._pending, self._seconds()
        self._pending, self._before = {}, {}
        for source in sorted(self._sources_in(paths) | set(waited)):
            before, stamp = self._stamps.get(source), self._stamp(source)
            if stamp == before:
                continue
            seen, since = waited.get(source, (stamp, now))
            since = since if seen == stamp else now
            if now - since < self._rest_seconds(source, stamp):
                self._pending[source] = stamp, since
                found.missing += [source] if stamp is None else []
            elif stamp is None:
                self._before[source] = self._stamps.pop(source)
                found.gone.append(source)
            else:
                self._before[source], self._stamps[source] = before, stamp
                found.changed.append(source)
        return found

    def _rest_seconds(self, source: str, stamp: Stamp | None) -> float:
        """Return for how long a note has to stay as it is until it counts."""
        if stamp is None:
            return MISSING_SECONDS if source in self._stamps else 0.0
        before = self._texts.get(source, "")
        is_cut = stamp[0] == 0 and source in self._stamps
        if not is_cut and stamp[0] < len(before.encode()):
            is_cut = before.startswith(self._vault.read_lossy(source))
        return CUT_SECONDS if is_cut else 0.0

    def undo(self) -> list[str]:
        """Take back the last scan: what it found counts as unseen again. Return the sources, the gone ones last."""
        undone, self._before = self._before, {}
        gone = [source for source in undone if source not in self._stamps]
        for source, stamp in undone.items():
            if stamp is None:
                del self._stamps[source]
            else:
                self._stamps[source] = stamp
        return [*(source for source in undone if source not in gone), *gone]

    def _sources_in(self, paths: Iterable[str] | None) -> set[str]:
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
            yield from (f"{agent}/{name}.md" for name in AGENT_NOTES)

    def _stamp(self, source: str) -> Stamp | None:
        try:
            found = os.stat(f"{self._vault.root}/{source}")
        except OSError:
            return None
        return found.st_size, found.st_mtime_ns, found.st_ino
