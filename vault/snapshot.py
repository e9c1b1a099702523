"""A snapshot of a world's logs up to a moment: archives, journals and chronicle, streamed.

These files only grow. So their sizes, read together, are a point in time, even while the world goes on.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vault.chronicle.event_log import FOLDER, LoggedEvent, log_files, moment_text, parsed_event
from vault.errors import NoteError
from vault.memory.archive_file import archive_order, is_archive_name, parsed_line
from vault.memory.memory_line import Memory, parse_line
from vault.memory.segment import Segment, is_segment_name
from vault.vault import Vault, agent_names, is_vault

WORLD = "world"
"""The folder of the world in the folder of a simulation."""

END_MS = 253_402_300_799_999
"""The end of the year 9999: nothing is later."""

MAX_PROBLEMS = 100
"""Maximum number of unreadable lines that are named; the rest is counted."""

BLOCK_BYTES = 1 << 20

_WITH = re.compile(rb"\[(?:with|by):: *([^\]]*)\]")
_DOER = re.compile(rb'"(?:who|to)"\s*:\s*("(?:[^"\\\n]|\\.)*")')
"""The names in an event's line. Within a text the quotes of a key would be escaped."""


def world_in(folder: Path) -> Vault:
    """Return the vault that a folder is, or that of a simulation's folder. Raises: NoteError if there is none."""
    root = folder / WORLD if is_vault(folder / WORLD) else folder
    if not is_vault(root):
        raise NoteError(f"{folder}: neither a vault nor the folder of a simulation.")
    return Vault(root)


@dataclass(frozen=True)
class LogFile:
    """An append-only file, and how many bytes of it count."""

    path: Path
    size: int


class Problems:
    """Lines that were left out, each once with its file; of very many the first are `named`, and `count` has all."""

    def __init__(self) -> None:
        self.named: list[str] = []
        self._seen: set[str] = set()

    @property
    def count(self) -> int:
        """The number of problems."""
        return len(self._seen)

    def add(self, problem: str) -> None:
        """Take in what was left out, and why."""
        if problem not in self._seen and self.count < MAX_PROBLEMS:
            self.named.append(problem)
        self._seen.add(problem)


class Snapshot:
    """The lines of a vault as they were when this was made. `problems` lists the parts left out, of those read so far.

    A torn last line is a problem too, unless the world `is_open`: then it is being written. Lines with a time after
    `until_ms` are left out.
    """

    def __init__(self, vault: Vault, is_open: bool = False, until_ms: int = END_MS) -> None:
        """Raises: NoteError if a folder cannot be read."""
        self.vault = vault
        self.until_ms = until_ms
        self.agents = agent_names(vault)
        self.problems = Problems()
        self._is_open = is_open
        try:
            self.chronicle = self._files(vault.path(FOLDER), log_files(vault.path(FOLDER)))
            self.journals = {name: self._files_named(name, "journal", is_segment_name, _part) for name in self.agents}
            self.archives = {
                name: self._files_named(name, "archive", is_archive_name, archive_order) for name in self.agents
            }
        except OSError as error:
            raise NoteError(f"{vault.root}: cannot be read: {error.strerror}.") from error

    @property
    def size(self) -> int:
        """The total size of the files, in bytes."""
        files = (self.chronicle, *self.journals.values(), *self.archives.values())
        return sum(file.size for several in files for file in several)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "vault": self.vault.root}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({**state, "vault": Vault(state["vault"])})

    def events(self) -> Iterator[LoggedEvent]:
        """Yield the events of the chronicle, oldest first. Raises: NoteError if a file cannot be read."""
        return (event for _, event, _ in self.event_lines())

    def event_lines(self) -> Iterator[tuple[str, LoggedEvent, bytes]]:
        """Yield the same, each with the name of its file (a day) and its line. Raises: NoteError as above."""
        for file in self.chronicle:
            day = file.path.stem
            for number, line in self.lines(file):
                if event := parsed_event(line):
                    if event.at_ms <= self.until_ms:
                        yield day, event, line
                elif line.strip():
                    self.leave_out(file, number, "this is no event")

    def memories(self, agent: str) -> Iterator[Memory]:
        """Yield an agent's memories in the order of its journal. Raises: NoteError if a file cannot be read."""
        for file in self.journals[agent]:
            day = file.path.name[:10]
            for _, line in self.lines(file):
                memory = parse_line(line.decode("utf-8", "replace"), day)
                if memory and memory.at_ms <= self.until_ms:
                    yield memory

    def journal_people(self, agent: str) -> set[str]:
        """Return who is named as present in an agent's memories, later ones included. Raises: NoteError as above."""
        found = {people for file in self.journals[agent] for raw in self._blocks(file) for people in _WITH.findall(raw)}
        return {name.strip() for people in found for name in people.decode("utf-8", "replace").split(",")} - {""}

    def event_people(self) -> set[str]:
        """Return who did anything, or had it done to them, in the chronicle, later events included.

        Raises: NoteError as above.
        """
        found = {name for file in self.chronicle for raw in self._blocks(file) for name in _DOER.findall(raw)}
        return {name for text in found if (name := _string(text))}

    def entries(self, agent: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the entries of an agent's archive, each with its reference. Raises: NoteError as above."""
        return ((reference, entry) for reference, entry, _ in self.entry_lines(agent))

    def entry_lines(self, agent: str) -> Iterator[tuple[str, dict[str, Any], bytes]]:
        """Yield the same, each with its line. Raises: NoteError as above."""
        until = moment_text(self.until_ms)
        for file in self.archives[agent]:
            stem = file.path.stem
            for number, line in self.lines(file):
                entry = parsed_line(line)
                if entry is None:
                    self.leave_out(file, number, "this entry is not valid")
                elif str(entry.get("at", "")) <= until:
                    yield f"{stem}#{number}", entry, line

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

    def _blocks(self, file: LogFile) -> Iterator[bytes]:
        """Yield the whole lines of a file, many at a time. Raises: NoteError."""
        left = file.size
        try:
            with open(file.path, "rb") as stream:
                while left > 0 and (block := b"".join(stream.readlines(min(left, BLOCK_BYTES)))):
                    yield block
                    left -= len(block)
        except OSError as error:
            raise NoteError(f"{self.vault.source(file.path)}: cannot be read: {error.strerror}.") from error

    def leave_out(self, file: LogFile, number: int, why: str) -> None:
        """Name a line that is left out."""
        self.problems.add(f"{self.vault.source(file.path)}:{number}: {why} and was left out")

    def _files_named(
        self, agent: str, folder: str, is_one: Callable[[str], bool], order: Callable[[str], tuple[str, int]]
    ) -> list[LogFile]:
        path = self.vault.path("agents", agent, folder)
        names = os.listdir(path) if path.is_dir() else []
        return self._files(path, sorted(filter(is_one, names), key=order))

    def _files(self, folder: Path, names: list[str]) -> list[LogFile]:
        return [LogFile(folder / name, (folder / name).stat().st_size) for name in names]


def _string(text: bytes) -> str:
    """Return the string that JSON has; what is none is empty."""
    try:
        return str(json.loads(text.decode()))
    except ValueError:
        return ""


def _part(name: str) -> tuple[str, int]:
    return Segment(name).order
