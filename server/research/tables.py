"""The tables of an export, written as parquet in row groups with bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

GROUP_ROWS = 50_000
GROUP_CHARACTERS = 64_000_000
"""Number of rows, or of characters of text, after which a row group is written."""

_TEXT, _NUMBER, _FLAG, _TIME = pa.string(), pa.int64(), pa.bool_(), pa.timestamp("ms", tz="UTC")
_NAME = pa.dictionary(pa.int32(), pa.string())
"""The type of texts with few different values."""

SCHEMAS: Mapping[str, pa.Schema] = {
    "turns": pa.schema(
        {
            "run": _NAME,
            "agent": _NAME,
            "reference": _TEXT,
            "at": _TIME,
            "seq": _NUMBER,
            "event": _NAME,
            "cause": _NAME,
            "model": _NAME,
            "reply": _TEXT,
            "finish": _NAME,
            "command": _TEXT,
            "outcome": _NAME,
            "result": _TEXT,
            "prompt_tokens": _NUMBER,
            "cached_tokens": _NUMBER,
            "completion_tokens": _NUMBER,
            "seconds": pa.float64(),
            "withheld": _FLAG,
            "lines": pa.list_(_TEXT),
        }
    ),
    "events": pa.schema(
        {
            "run": _NAME,
            "file": _NAME,
            "at": _TIME,
            **dict.fromkeys(("kind", "who", "to", "room"), _NAME),
            **dict.fromkeys(("line", "words", "secret", "reason", "thing"), _TEXT),
            **dict.fromkeys(("from_room", "to_room", "by"), _NAME),
            "heard_in": pa.list_(_TEXT),
            "withheld": _FLAG,
            "json": _TEXT,
        }
    ),
    "memories": pa.schema(
        {
            "run": _NAME,
            "agent": _NAME,
            "seq": _NUMBER,
            "at": _TIME,
            "kind": _NAME,
            "room": _NAME,
            "text": _TEXT,
            "people": pa.list_(_TEXT),
            "importance": pa.int8(),
            "pinned": _FLAG,
            "refused": _FLAG,
            "withheld": _FLAG,
        }
    ),
    "prompts": pa.schema(
        {
            "run": _NAME,
            "agent": _NAME,
            "reference": _TEXT,
            "at": _TIME,
            "prompt": _TEXT,
            "shared": _NUMBER,
            "whole": _FLAG,
            "withheld": _FLAG,
        }
    ),
    "runs": pa.schema(
        {
            "run": _TEXT,
            "until": _TIME,
            "version": _TEXT,
            "world": _TEXT,
            "seed": _NUMBER,
            "agents": pa.list_(_TEXT),
            "refused_agents": _NUMBER,
            "refused_people": _NUMBER,
            "report": _TEXT,
            "parameters": _TEXT,
        }
    ),
}
"""The columns of each table, in order; docs/research.md and the data card say what is in them."""

Opener = Callable[[Path], BinaryIO]


def open_new(path: Path) -> BinaryIO:
    """Open a new file for writing. Raises: OSError."""
    return path.open("xb")


class TableWriter:
    """Writes one table into a file, a row group at a time. Every method raises OSError as the disk does."""

    def __init__(self, name: str, path: Path, open_file: Opener) -> None:
        self.rows = 0
        self._schema = SCHEMAS[name]
        self._waiting: list[Sequence[Any]] = []
        self._characters = 0
        self._file = open_file(path)
        names = [one.name for one in self._schema if one.type == _NAME]
        self._writer = pq.ParquetWriter(
            self._file, self._schema, compression="zstd", use_dictionary=names, write_statistics=names
        )

    def add(self, row: Sequence[Any], characters: int = 0) -> None:
        """Add a row, its values in the order of the columns; `characters` is about how long its texts are."""
        self._waiting.append(row)
        self.rows += 1
        self._characters += characters
        if len(self._waiting) >= GROUP_ROWS or self._characters >= GROUP_CHARACTERS:
            self._flush()

    def close(self) -> None:
        """Write the remaining rows, and the end of the file."""
        if self._waiting:
            self._flush()
        self._writer.close()
        self._file.close()

    def abandon(self) -> None:
        """Close the unfinished file."""
        self._writer.is_open = False  # or it writes an end when it is collected
        self._file.close()

    def _flush(self) -> None:
        columns = zip(zip(*self._waiting, strict=True), self._schema, strict=True)
        self._writer.write_batch(pa.record_batch([_array(values, one.type) for values, one in columns], self._schema))
        self._waiting.clear()
        self._characters = 0


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    try:
        found = pa.array(values, plain)
    except UnicodeEncodeError:  # half a character
        found = pa.array([_whole(one) for one in values], plain)
    return found.dictionary_encode() if plain is not kind else found


def _whole(value: Any) -> Any:
    """Return a value whose texts have a mark in place of each half of a character."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return [_whole(one) for one in value] if isinstance(value, list | tuple) else value


def rows_of(path: Path, columns: Sequence[str]) -> Iterable[tuple[Any, ...]]:
    """Yield some columns of a table, row by row."""
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(4096, columns=list(columns)):
            yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)
