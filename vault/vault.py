"""The vault's folder: all paths stay inside; files are replaced by atomic write, or appended to."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Lock

from vault.atomic_write import Disk, Drafts, Stamp, file_stamp
from vault.errors import NoteEditedError, NoteError
from vault.note import Note, format_note, parse_note, with_plain_ends
from vault.replaced_files import ReplacedFiles
from vault.sync_copies import is_sync_copy
from world.sanitize import FORBIDDEN, MAX_FILE_NAME_BYTES, clean_line, is_device

STARTER = Path(__file__).parent / "starter"
MARK = "Fallwater.md"

REST_SECONDS = 1.0
"""For how long a note has to stay as an editor has saved it until a command changes it, in seconds."""

MAX_OWN_STAMPS = 1000

NOTE_FOLDERS = ("agents", "config", "lore", "people", "rooms", "templates", "text", "things")
"""The folders that people edit. The others hold only what the world writes by itself."""


def check_name(name: str) -> str:
    """Return a name that may become a file name, in NFC.

    Raises: NoteError saying which characters are not allowed.
    """
    clean = unicodedata.normalize("NFC", name)
    bad = sorted({char for char in clean if char in FORBIDDEN or _is_unseen(char)})
    if bad:
        shown = " ".join(ascii(char) if _is_unseen(char) else repr(char) for char in bad)
        raise NoteError(f"The name {name!r} has characters that a note's name cannot have: {shown}.")
    is_fit = clean.strip(" .-") and clean == clean.strip() and not clean.startswith(".") and not clean.endswith(".")
    if not is_fit or len(clean.encode()) > MAX_FILE_NAME_BYTES:
        raise NoteError(
            f"The name {name!r} is not valid: it needs a letter or digit, no space or point at its ends, and at most "
            f"{MAX_FILE_NAME_BYTES} bytes."
        )
    if is_device(clean):
        raise NoteError(f"The name {name!r} is not valid: some systems take it for a device. Add a word to it.")
    return clean


def _is_unseen(char: str) -> bool:
    return clean_line(char) != char or unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs")


class Vault:
    """A folder of Markdown notes. Paths are given relative to it, with `/` between the parts.

    `replaced` keeps the notes that are replaced for a while, in a running world: see `vault.replaced_files`.
    """

    def __init__(self, root: Path, disk: Disk | None = None) -> None:
        self.root = root.resolve()
        self.disk = disk or Disk()
        self._within = os.path.join(self.root, "")
        self.replaced: ReplacedFiles | None = None
        self._lock = Lock()
        self._unforced: dict[Path, None] = {}
        self._own: dict[Path, Stamp] = {}
        self._seen = {name for name in NOTE_FOLDERS if os.path.isdir(self.root / name)}

    def path(self, *parts: str) -> Path:
        """Return the path of a note or folder. Raises: NoteError if it would lie outside the vault."""
        path = os.path.join(self.root, *parts)
        if not _is_unicode(path):
            raise NoteError(f"{'/'.join(parts)!a} is not a path: it has half a character in it.")
        if "\0" in path or not (self._is_plain(path) or self._is_inside(path)):
            raise NoteError(f"{'/'.join(parts)!r} lies outside the vault {self.root}.")
        return Path(path)

    def file(self, *parts: str) -> Path:
        """Return the path of the file itself, behind the links that lead to it. Raises: NoteError as `path`."""
        path = self.path(*parts)
        return path if self._is_plain(str(path)) else Path(os.path.realpath(path))

    def _is_plain(self, path: str) -> bool:
        """Return whether a path goes down from the root by names alone: no `..`, and no link on the way.

        This is asked many times in a turn; following links from the root of the disk on takes four times as long.
        """
        at = str(self.root)
        if not path.startswith(self._within):
            return False
        for name in path.removeprefix(self._within).split(os.sep):
            at = f"{at}{os.sep}{name}"
            if name == os.pardir or os.path.islink(at):
                return False
        return True

    def _is_inside(self, path: str) -> bool:
        return os.path.join(os.path.realpath(path), "").startswith(self._within)

    def source(self, path: Path) -> str:
        """Return a path as messages show it: relative to the vault."""
        text = str(path)
        return text.removeprefix(self._within).replace(os.sep, "/") if text.startswith(self._within) else text

    def names(self, folder: str) -> list[str]:
        """Return the names of the notes in a folder, without `.md`, sorted; no hidden files and sync copies."""
        return [name for name in self._stems(folder) if not is_sync_copy(name)]

    def sync_copies(self, folder: str) -> list[str]:
        """Return the names of the notes in a folder that are left out because their names are those of sync copies."""
        return [name for name in self._stems(folder) if is_sync_copy(name)]

    def _stems(self, folder: str) -> list[str]:
        try:
            found = os.listdir(self.path(folder))
        except (FileNotFoundError, NotADirectoryError):
            return []
        seen = (name for name in found if name.endswith(".md") and not name.startswith(".") and _is_unicode(name))
        return sorted(name.removesuffix(".md") for name in seen)

    def folders(self, folder: str) -> list[str]:
        """Return the names of the folders in a folder, sorted; hidden ones and sync copies do not count."""
        where = self.path(folder)
        found = [part.name for part in where.iterdir() if part.is_dir()] if where.is_dir() else []
        return sorted(name for name in found if _is_unicode(name) and not is_sync_copy(name))

    def exists(self, *parts: str) -> bool:
        """Return whether there is such a file or folder."""
        return self.path(*parts).exists()

    def read_text(self, *parts: str) -> str:
        """Return a file's text, every line end as one. Raises: NoteError if it cannot be read or is not UTF-8."""
        return with_plain_ends(self.read_exact(*parts))

    def read_exact(self, *parts: str) -> str:
        """Return a file's text with its own line ends. Raises: NoteError as `read_text`."""
        path = self.path(*parts)
        try:
            with open(path, "rb") as file:
                return file.read().decode("utf-8")
        except UnicodeDecodeError as error:
            raise NoteError(f"{self.source(path)}: not UTF-8 text (byte {error.start}); save it as UTF-8.") from error
        except OSError as error:
            raise NoteError(f"{self.source(path)}: cannot be read: {error.strerror}.") from error

    def read_exact_or_none(self, *parts: str) -> str | None:
        """Return the same, or None if there is no such file, even if it has only just been removed."""
        try:
            return self.read_exact(*parts)
        except NoteError:
            if self.exists(*parts):
                raise
            return None

    def read_to_change(self, *parts: str) -> str:
        """Return a file's text as `read_exact` does, to be written back with a change.

        Raises: NoteEditedError if the file is empty, or if somebody has written to it in the last second while the
        world runs: an editor may not have saved all of it yet. Raises: NoteError as `read_text`.
        """
        text, path = self.read_exact(*parts), self.file(*parts)
        stamp = file_stamp(path)
        is_new = abs(time.time() - stamp[1] / 1e9) < REST_SECONDS and stamp != self._own.get(path)
        if not text or (is_new and self.replaced is not None):
            raise self._edited(path)
        return text

    def is_own(self, *parts: str) -> bool:
        """Return whether a file is as the world wrote it last."""
        path = self.file(*parts)
        return self._own.get(path) == file_stamp(path)

    def disown(self, *parts: str) -> None:
        """Take a file that was just written as somebody else's: the text in it is an editor's."""
        self._own.pop(self.file(*parts), None)

    def _edited(self, path: Path) -> NoteEditedError:
        return NoteEditedError(f"{self.source(path)}: is being edited just now; try again in a moment.")

    def read_lossy(self, *parts: str) -> str:
        """Return a file's text with a mark in place of each byte that is none, or an empty one if it cannot be read."""
        try:
            return self.path(*parts).read_bytes().decode("utf-8", "replace")
        except (OSError, NoteError):
            return ""

    def read(self, *parts: str) -> Note:
        """Return a note. Raises: NoteError."""
        return parse_note(self.read_exact(*parts), "/".join(parts))

    def write(self, note: Note, *parts: str) -> None:
        """Replace a note whole. Raises: NoteError."""
        self.write_text(format_note(note.properties, note.body), *parts)

    def write_text(self, text: str, *parts: str, was: str | None = None) -> None:
        """Replace a file whole: a draft beside it, then a rename. A link stays one, and the file keeps its mode.

        It is forced to disk by the next `pending_fsync`. `was` is the text that was changed, if it was another.
        Raises: NoteError if it cannot be written; the old file is then as it was. NoteEditedError if the file says
        something else than `was` by now.
        """
        path = self.file(*parts)
        self._replace([(text, path)], durable=False, was=was)
        self.force_soon(path)
        if len(self._own) >= MAX_OWN_STAMPS:
            del self._own[next(iter(self._own))]
        self._own[path] = file_stamp(path)

    def make_folder(self, folder: Path, parents: bool = True) -> None:
        """Make a folder, with those that it is in if it has `parents`, unless it is there.

        Raises: FileNotFoundError if a folder of notes was there and is away: a second one would be in its way when it
        comes back. Raises: OSError as the operating system does.
        """
        top = next(iter(folder.relative_to(self.root).parts), "") if folder.is_relative_to(self.root) else ""
        if top in self._seen and not os.path.isdir(self.root / top):
            why = f"the folder {top} is away; bring it back, or make an empty one if it is gone for good"
            raise FileNotFoundError(errno.ENOENT, why, str(folder))
        folder.mkdir(parents=parents, exist_ok=True)
        if top in NOTE_FOLDERS:
            self._seen.add(top)

    def rename(self, parts: Sequence[str], to: Sequence[str]) -> None:
        """Move a file to where none is. Raises: NoteError."""
        path, new = self.path(*parts), self.path(*to)
        try:
            self.make_folder(new.parent)
            self.disk.replace(path, new)
            self.force_soon(path)
            self.force_soon(new)
        except OSError as error:
            raise NoteError(f"{self.source(path)}: cannot be moved to {self.source(new)}: {error.strerror}.") from error

    def write_together(self, texts: Sequence[tuple[str, str]]) -> None:
        """Replace several files of one folder, given as (text, path), durably and in this order.

        All drafts are written and forced to disk before the first rename, so that a full disk changes nothing.
        Raises: NoteError if a file cannot be written.
        """
        self._replace([(text, self.file(path)) for text, path in texts], durable=True)

    def force_soon(self, path: Path) -> None:
        """Have a file that was replaced, and its name, forced to disk by the next `pending_fsync`. In any thread."""
        with self._lock:
            self._unforced[path] = None

    def pending_fsync(self) -> Callable[[], None] | None:
        """Return a function that forces replaced files to disk, for any thread; None if there are none.

        The function raises OSError if that fails; the next one then tries again.
        """
        with self._lock:
            paths, self._unforced = self._unforced, {}
        return partial(self._force, list(paths)) if paths else None

    def sync(self) -> None:
        """Force all that was replaced to disk, now. Raises: NoteError."""
        try:
            if sync := self.pending_fsync():
                sync()
        except OSError as error:
            raise NoteError(f"{self.root}: cannot be forced to disk: {error.strerror}.") from error

    def _force(self, paths: list[Path]) -> None:
        try:
            for path in paths:
                with suppress(FileNotFoundError):  # it has been moved meanwhile
                    self.disk.sync_file(path)
            for folder in dict.fromkeys(path.parent for path in paths):
                with suppress(FileNotFoundError):
                    self.disk.sync_folder(folder)
        except OSError:
            for path in paths:
                self.force_soon(path)
            raise

    def drafts(self, texts: Sequence[tuple[str, str]]) -> Drafts:
        """Return drafts of the same, to be written in any thread and put in place here. Raises: NoteError."""
        rows = [(text, self.file(path)) for text, path in texts]
        return Drafts(self.disk, rows, True, self.source, self.make_folder, unique=True, before_replace=self._keep)

    def _keep(self, path: Path, was: str | None = None) -> None:
        stamp = file_stamp(path)  # before the reading, so that what is written after it shows
        with suppress(FileNotFoundError):
            if was is not None and path.read_bytes() != was.encode():
                raise self._edited(path)
            if self.replaced is not None:
                self.replaced.keep(path, stamp, was)

    def _replace(self, texts: Sequence[tuple[str, Path]], durable: bool, was: str | None = None) -> None:
        keep = partial(self._keep, was=was)
        drafts = Drafts(self.disk, texts, durable, self.source, self.make_folder, before_replace=keep)
        drafts.write(parents=True)
        drafts.commit()


def _is_unicode(text: str) -> bool:
    """Return whether there is no half of a character in a text, as in a file name that is not in UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def agent_names(vault: Vault) -> list[str]:
    """Return the names of all agents: the folders in `agents` that hold an `agent.md`."""
    return [name for name in vault.folders("agents") if vault.exists("agents", name, "agent.md")]


def is_vault(folder: Path) -> bool:
    """Return whether a folder is a vault."""
    return (folder / MARK).is_file() or (folder / "rooms").is_dir()


def open_vault(root: Path, disk: Disk | None = None) -> tuple[Vault, bool]:
    """Return the vault in a folder, made from the starter vault if there is none, and whether it was made.

    An existing folder is never written over: it must be empty or hold a vault.
    Raises: NoteError saying what stands in the way.
    """
    root = root.resolve()
    try:
        made = _prepare(root)
    except OSError as error:
        raise NoteError(
            f"{root}: the vault cannot be made there: {error.strerror or error}. Give another with --vault."
        ) from error
    vault = Vault(root, disk)
    _check_writable(vault)
    return vault, made


def _prepare(root: Path) -> bool:
    if root.exists() and not root.is_dir():
        raise NoteError(f"{root}: this is a file; a vault is a folder. Give another with --vault.")
    if is_vault(root):
        return False
    if root.exists() and any(root.iterdir()):
        raise NoteError(
            f"{root}: this folder holds other things and no {MARK}; give an empty or a new folder with --vault."
        )
    if root.exists():
        _fill(root)
    else:
        _make(root)
    return True


def _make(root: Path) -> None:
    root.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{root.name}.", dir=root.parent))
    try:
        shutil.copytree(STARTER, draft, dirs_exist_ok=True)
        draft.chmod(0o755)
        draft.rename(root)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _fill(root: Path) -> None:
    """Copy the starter into an empty folder, which may be a mount point and so cannot be replaced by another."""
    draft = Path(tempfile.mkdtemp(prefix=".starter.", dir=root))
    try:
        shutil.copytree(STARTER, draft, dirs_exist_ok=True)
        # What marks the folder as a vault comes last: one that was filled by half is refused, not opened.
        for part in sorted(draft.iterdir(), key=lambda path: (path.name == MARK, path.name == "rooms")):
            part.rename(root / part.name)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _check_writable(vault: Vault) -> None:
    probe = vault.root / f".writable.{os.getpid()}"
    try:
        vault.disk.write_draft(probe, b"yes", durable=False)
    except OSError as error:
        raise NoteError(
            f"{vault.root}: the vault cannot be written to: {error.strerror}. Make room or correct its permissions."
        ) from error
    finally:
        with suppress(OSError):
            probe.unlink()
