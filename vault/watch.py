"""Noticing when somebody edits the notes that the running world reads.

Watched are rooms, things, people, agents with their templates, settings, templates and texts. Journals, summaries and
facts are not: they are looked at when they are used.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from threading import Lock

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

from vault.folder import Vault

# What a journal goes through all the time, an append to an open file, is none of these.
_EVENTS: list[type[FileSystemEvent]] = [
    *(FileClosedEvent, FileCreatedEvent, FileDeletedEvent, FileMovedEvent),
    *(DirCreatedEvent, DirDeletedEvent, DirMovedEvent),
]
_NOTE = re.compile(
    r"(?:rooms|things|people|config|templates|text|text/topics)/[^/.][^/]*\.md"
    r"|agents/[^/.][^/]*/(?:agent\.md|yesterday\.md|templates/[^/.][^/]*\.md)"
)
_FOLDER = re.compile(
    r"(?:rooms|things|people|config|templates|text|text/topics|agents)|agents/[^/.][^/]*(?:/templates)?"
)


class Watch:
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
        observer.schedule(_Listener(self._note), str(self._root), recursive=True, event_filter=_EVENTS)
        observer.start()
        self._observer = observer

    def stop(self) -> None:
        """Stop watching, if that has begun."""
        if self._observer:
            self._observer.stop()

    def go_on(self) -> None:
        """Have `changed` called at the next event again."""
        with self._lock:
            self._is_told = False

    def take(self) -> set[str]:
        """Return the notes and folders that may have changed since the last time, as paths in the vault."""
        with self._lock:
            paths, self._paths, self._is_told = self._paths, set(), False
            return paths

    def _note(self, paths: list[str]) -> None:
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
    return bool(_NOTE.fullmatch(source) or _FOLDER.fullmatch(source))


class _Listener(FileSystemEventHandler):
    def __init__(self, note: Callable[[list[str]], None]) -> None:
        self._note = note

    def on_any_event(self, event: FileSystemEvent) -> None:
        self._note([str(path) for path in (event.src_path, event.dest_path) if path])
