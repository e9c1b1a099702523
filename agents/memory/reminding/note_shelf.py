"""The lines of an agent's own notes, kept at hand so that it may be reminded of them: read again when they change."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path

from agents.memory.reminding.cues import telling
from vault.folder import Vault
from vault.notes import NoteError
from vault.own_notes import note_text

log = logging.getLogger(__name__)

READ_AT_ONCE = 4
LONGEST_LINE = 400
MOST_LINES = 2000
"""So many lines of all notes together are kept at hand."""


@dataclass(frozen=True)
class NoteLine:
    """A line of a note, to the letter but for the blanks around it, with its telling words in lower case."""

    title: str
    text: str
    title_words: frozenset[str]
    words: frozenset[str]


class NoteShelf:
    """The notes of one agent."""

    def __init__(self, vault: Vault, name: str) -> None:
        self._vault = vault
        self._name = name
        self._folder = vault.path("agents", name, "notes")
        self._stamps: dict[str, tuple[int, int]] = {}
        self._lines: dict[str, list[NoteLine]] = {}

    def lines(self, everything: bool = False) -> list[NoteLine]:
        """Return the lines of all notes, by title; a few changed notes are read each time, or with `everything` all."""
        found = self._on_disk()
        for name in self._stamps.keys() - found.keys():
            del self._stamps[name], self._lines[name]
        changed = sorted(name for name, stamp in found.items() if self._stamps.get(name) != stamp)
        for name in changed if everything else changed[:READ_AT_ONCE]:
            self._stamps[name], self._lines[name] = found[name], self._read(Path(name).stem)
        return [line for name in sorted(self._lines) for line in self._lines[name]][:MOST_LINES]

    def _on_disk(self) -> dict[str, tuple[int, int]]:
        try:
            with os.scandir(self._folder) as entries:
                stats = {one.name: one.stat() for one in entries if one.name.endswith(".md") and one.is_file()}
        except OSError:  # there are no notes, or none that can be read
            return {}
        return {name: (stat.st_size, stat.st_mtime_ns) for name, stat in stats.items() if name[0] != "."}

    def _read(self, title: str) -> list[NoteLine]:
        try:
            text = note_text(self._vault, self._name, title)
        except NoteError as error:
            log.warning("%s", error)
            return []
        words = frozenset(telling(title))
        kept = (line.strip() for line in text.split("\n"))
        lines = [line for line in kept if 0 < len(line) <= LONGEST_LINE]
        return [NoteLine(title, line, words, frozenset(telling(line))) for line in lines]
