"""What a world has written until a moment: the lines of its archives, journals and chronicle, streamed.

These files only grow. So their sizes, read together, are a point in time, even while the world goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vault.chronicle.event_log import FOLDER, LoggedEvent, log_files, parsed_event
from vault.errors import NoteError
from vault.memory.archive_file import archive_order, is_archive_name, parsed_line
from vault.memory.memory_line import Memory, parse_line
from vault.memory.segment import Segment, is_segment_name
from vault.vault import MARK, Vault, agent_names

WORLD = "world"
"""The folder of the world in the folder of a simulation."""

MAX_PROBLEMS = 100
"""How many lines that cannot be read are named; the rest is counted."""


def world_in(folder: Path) -> Vault:
    """Return the vault that a folder is, or that of a simulation's folder. Raises: NoteError if there is none."""
    root = folder / WORLD if (folder / WORLD / MARK).is_file() or (folder / WORLD / "rooms").is_dir() else folder
    if not ((root / MARK).is_file() or (root / "rooms").is_dir()):
        raise NoteError(f"{folder}: neither a vault nor the folder of a simulation.")
    return Vault(root)


@dataclass(frozen=True)
class LogFile:
    """An append-only file, and how many bytes of it count."""

    path: Path
    size: int


@dataclass
class Problems:
    """Lines that were left out, each with its file; of very many the first ones are kept, and all are counted."""

    count: int = 0
    named: list[str] = field(default_factory=list)

    def add(self, problem: str) -> None:
        """Take in a line that was left out."""
        self.count += 1
        if len(self.named) < MAX_PROBLEMS:
            self.named.append(problem)


class Snapshot:
    """The lines of a vault as they were when this was made. `problems` has what was left out of those read so far.

    A torn last line is a problem too, unless the world `is_open`: then it is being written.
    """

    def __init__(self, vault: Vault, is_open: bool = False) -> None:
        """Raises: NoteError if a folder cannot be read."""
        self.vault = vault
        self.agents = agent_names(vault)
        self.problems = Problems()
        self._is_open = is_open
        try:
            self.chronicle = self._files(vault.path(FOLDER), log_files(vault.path(FOLDER)))
            self.journals = {name: self._named(name, "journal", is_segment_name, _part) for name in self.agents}
            self.archives = {name: self._named(name, "archive", is_archive_name, archive_order) for name in self.agents}
        except OSError as error:
            raise NoteError(f"{vault.root}: cannot be read: {error.strerror}.") from error

    def events(self) -> Iterator[LoggedEvent]:
        """Yield the events of the chronicle, oldest first. Raises: NoteError if a file cannot be read."""
        for file in self.chronicle:
            for number, line in self.lines(file):
                if event := parsed_event(line):
                    yield event
                elif line.strip():
                    self.leave_out(file, number, "this is no event")

    def memories(self, agent: str) -> Iterator[Memory]:
        """Yield an agent's memories in the order of its journal. Raises: NoteError if a file cannot be read."""
        for file in self.journals[agent]:
            day = file.path.name[:10]
            for _, line in self.lines(file):
                if memory := parse_line(line.decode("utf-8", "replace"), day):
                    yield memory

    def entries(self, agent: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the entries of an agent's archive, each with its reference. Raises: NoteError as above."""
        for file in self.archives[agent]:
            for number, line in self.lines(file):
                entry = parsed_line(line)
                if entry is None:
                    self.leave_out(file, number, "this is no entry")
                else:
                    yield f"{file.path.stem}#{number}", entry

    def lines(self, file: LogFile) -> Iterator[tuple[int, bytes]]:
        """Yield the lines of a file without their ends, each with its number. Raises: NoteError."""
        left = file.size
        try:
            with open(file.path, "rb") as stream:
                for number, line in enumerate(stream, 1):
                    left -= len(line)
                    if left < 0 or not line.endswith(b"\n"):
                        if not self._is_open:
                            self.leave_out(file, number, "the last line is torn")
                        return
                    yield number, line[:-1]
                    if not left:
                        return
        except OSError as error:
            raise NoteError(f"{self.vault.source(file.path)}: cannot be read: {error.strerror}.") from error

    def leave_out(self, file: LogFile, number: int, why: str) -> None:
        """Name a line that is left out."""
        self.problems.add(f"{self.vault.source(file.path)}:{number}: {why} and was left out")

    def _named(
        self, agent: str, folder: str, is_one: Callable[[str], bool], order: Callable[[str], tuple[str, int]]
    ) -> list[LogFile]:
        path = self.vault.path("agents", agent, folder)
        names = os.listdir(path) if path.is_dir() else []
        return self._files(path, sorted(filter(is_one, names), key=order))

    def _files(self, folder: Path, names: list[str]) -> list[LogFile]:
        return [LogFile(folder / name, (folder / name).stat().st_size) for name in names]


def _part(name: str) -> tuple[str, int]:
    return Segment(name).order
