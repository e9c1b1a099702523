"""The header of a GGUF file: what model is in it, before anything is loaded."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from agents.models.model import ModelError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MAX_TEXT_BYTES = 4_000_000
"""Longer texts are passed over; the longest chat template is a hundredth of that."""
MAX_DIMENSIONS = 8

_NUMBERS = dict(enumerate("B b H h I i f ?".split())) | {10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9


@dataclass(frozen=True)
class GgufHeader:
    """What a file tells of its model: None or empty where it tells nothing. `parameters` counts all weights."""

    architecture: str = ""
    name: str = ""
    context_tokens: int | None = None
    chat_template: str = ""
    parameters: int = 0


class _Broken(ValueError):
    """A file that is no GGUF, or not a whole one."""


def read_gguf(path: Path) -> GgufHeader:
    """Return the header of a GGUF file. Raises: ModelError if it is none, is not whole, or holds no language model."""
    try:
        with path.open("rb") as file:
            header = _Reader(file, path.stat().st_size).header()
    except OSError as error:
        message = f"The model file {path} cannot be read: {error.strerror}."
        raise ModelError(message, remedy="Check the name after gguf:", retryable=False) from error
    except (_Broken, UnicodeDecodeError) as error:
        message = f"The model file {path} is no whole GGUF file: {error}."
        raise ModelError(message, remedy="Fetch it again; its name ends in .gguf.", retryable=False) from error
    if header.context_tokens is None:
        kind = header.architecture or "no architecture"
        message = f"The model file {path} holds no language model that can be used ({kind})."
        raise ModelError(message, remedy="Take the file of the model itself.", retryable=False)
    return header


class _Reader:
    """Reads from the beginning, and never more than there is: lengths in a file may be anything."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size

    def header(self) -> GgufHeader:
        if self._bytes(4) != MAGIC:
            raise _Broken("it does not begin with GGUF")
        version = self._number("I")
        if version not in VERSIONS:
            raise _Broken(f"its version is {version}")
        tensors, keys = self._number("Q"), self._number("Q")
        values: dict[str, Any] = {}
        for _ in range(keys):
            key = self._text()
            values[key] = self._value(self._number("I"))
        parameters = values.get("general.parameter_count") or sum(self._weights() for _ in range(tensors))
        architecture = values.get("general.architecture")
        context = values.get(f"{architecture}.context_length")
        return GgufHeader(
            architecture if isinstance(architecture, str) else "",
            str(values.get("general.name") or ""),
            context if isinstance(context, int) and context > 0 else None,
            str(values.get("tokenizer.chat_template") or ""),
            parameters if isinstance(parameters, int) else 0,
        )

    def _value(self, kind: int) -> Any:
        """Return a text or a number; None for an array, which is passed over."""
        if kind == _TEXT:
            return self._text()
        if kind != _ARRAY:
            return self._number(self._form(kind))
        inner, count = self._number("I"), self._number("Q")
        if inner != _TEXT:
            self._skip(count * struct.calcsize(f"<{self._form(inner)}"))
            return None
        for _ in range(count):
            self._skip(self._number("Q"))
        return None

    def _weights(self) -> int:
        """Return how many weights a tensor has."""
        self._text()
        dimensions = self._number("I")
        if dimensions > MAX_DIMENSIONS:
            raise _Broken(f"a tensor in it has {dimensions:,} dimensions")
        sizes = [self._number("Q") for _ in range(dimensions)]
        self._skip(4 + 8)
        return math.prod(sizes)

    def _form(self, kind: int) -> str:
        if kind not in _NUMBERS:
            raise _Broken(f"it has a value of the unknown kind {kind}")
        return _NUMBERS[kind]

    def _text(self) -> str:
        length = self._number("Q")
        if length > MAX_TEXT_BYTES:
            raise _Broken(f"a text in its header has {length:,} bytes")
        return self._bytes(length).decode("utf-8", "replace")

    def _number(self, form: str) -> Any:
        return struct.unpack(f"<{form}", self._bytes(struct.calcsize(f"<{form}")))[0]

    def _bytes(self, count: int) -> bytes:
        found = self._file.read(count)
        if len(found) < count:
            raise _Broken("it ends within its header")
        return found

    def _skip(self, count: int) -> None:
        if self._file.tell() + count > self._size:
            raise _Broken("it ends within its header")
        self._file.seek(count, 1)
