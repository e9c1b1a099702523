"""Restores chronicle and archives of a data set as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from server.research.rows import EMPTY_REST, REST
from server.research.tables import rows_of
from vault.chronicle.event_log import FOLDER
from vault.errors import NoteError
from vault.memory.archive_file import encode_value, is_archive_name
from vault.vault import check_name

TURNS = ("run", "agent", "reference", "event", "lines")
PROMPTS = ("run", "agent", "reference", "prompt", "shared", "withheld")
EVENTS = ("run", "file", "json")


def restore(dataset: Path, to: Path) -> int:
    """Write the JSON lines of a data set into a new folder, a folder a run; return how many lines there are.

    Raises: NoteError if a table is not there, is none of an export, or the folder cannot be written.
    """
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise NoteError(f"{to} exists already, and nothing is written over; give another folder with --to.")
    count = 0
    try:
        with _Lines(to) as lines:
            for run, file, text in rows_of(dataset / "events.parquet", EVENTS):
                lines.write((run, FOLDER, f"{file}.jsonl"), text)
                count += 1
            prompts = iter(rows_of(dataset / "prompts.parquet", PROMPTS))
            for run, agent, reference, event, texts in rows_of(dataset / "turns.parquet", TURNS):
                file = f"{reference.partition('#')[0]}.jsonl"
                for text in _whole(texts, _rest((run, agent, reference), prompts) if event == "message" else None):
                    lines.write((run, "agents", agent, "archive", file), text)
                    count += 1
    except (OSError, KeyError, ValueError) as error:
        raise NoteError(f"{dataset}: this is not an export, or it cannot be read: {error}") from error
    return count


class _Lines:
    """Files of lines in a folder; the last one written to is open."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._open = ExitStack()
        self._parts: tuple[str, ...] = ()
        self._file: IO[bytes] | None = None

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def write(self, parts: tuple[str, ...], text: str) -> None:
        """Append a line to a file. Raises: NoteError if a part of its path is no name, OSError."""
        if parts != self._parts or self._file is None:
            self._open.close()
            if not is_archive_name(parts[-1]):
                raise NoteError(f"{parts[-1]!r} is not a file of a chronicle or archive.")
            path = self._root.joinpath(*map(check_name, parts))
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file, self._parts = self._open.enter_context(path.open("ab")), parts
        self._file.write(text.encode() + b"\n")


def _rest(key: tuple[Any, ...], prompts: Iterator[tuple[Any, ...]]) -> str:
    """Return the new part of a turn's prompt. Raises: ValueError if the next prompt is another's."""
    row = next(prompts, None)
    if row is None or row[:3] != key:
        raise ValueError(f"the prompt of {key[1]} {key[2]} is not where it should be")
    *_, prompt, shared, is_withheld = row
    return "" if is_withheld else prompt[shared:]


def _whole(lines: list[str], rest: str | None) -> Iterator[str]:
    """Yield lines, and the first with what is new in its prompt put in, if that was taken out."""
    for place, line in enumerate(lines):
        if place == 0 and rest and line.endswith(EMPTY_REST):
            yield f"{line[: -len(EMPTY_REST)]}{REST}{encode_value(rest).decode()}}}"
        else:
            yield line
