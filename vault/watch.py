"""Noticing when somebody edits the notes that the running world reads: settings, templates, agents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from vault.agent_notes import agent_names
from vault.folder import Vault

FOLDERS = ("config", "templates", "text")


class Watch:
    """Calls `changed`, on a thread of its own, whenever a watched note may have changed; it may call too often.

    Journals, summaries and facts are not watched: they are looked at when they are used.
    """

    def __init__(self, vault: Vault, changed: Callable[[], None]) -> None:
        self._observer = Observer()
        self._observer.daemon = True
        handler = _Notes(changed)
        for folder in _watched(vault):
            self._observer.schedule(handler, str(folder), recursive=False)

    def start(self) -> None:
        """Begin to watch. Raises: OSError if the system watches too much already."""
        self._observer.start()

    def stop(self) -> None:
        """Stop watching."""
        self._observer.stop()


class _Notes(FileSystemEventHandler):
    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed

    def on_any_event(self, event: FileSystemEvent) -> None:
        paths = (Path(str(event.src_path)), Path(str(event.dest_path or event.src_path)))
        # Drafts begin with a dot; facts are written all the time; reading a note is no change.
        is_note = any(path.suffix == ".md" and not path.name.startswith((".", "facts")) for path in paths)
        if is_note and event.event_type in ("created", "modified", "moved", "deleted"):
            self._changed()


def _watched(vault: Vault) -> list[Path]:
    agents = [vault.path("agents", name) for name in agent_names(vault)]
    folders = [*(vault.path(name) for name in FOLDERS), *agents, *(folder / "templates" for folder in agents)]
    return [folder for folder in folders if folder.is_dir()]
