"""Taking in the memories of an older kind of vault: a Markdown file each, in `agents/<Name>/memories/`."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from vault.folder import Vault
from vault.journal import Journal
from vault.notes import Note, NoteError, link_target, parse_note
from vault.remembered.memory_line import KINDS, Memory, one_line

log = logging.getLogger(__name__)

DONE = "imported"
BATCH = 64

_NAME = re.compile(r"(\d{8})-(\d{6}).*\.md")
_TITLE = re.compile(r"\A\s*# [^\n]*\n?")
_KIND_OF = {"action": "acted", "command": "acted", "thought": "thought", "dream": "dreamt", "note": "noted"}


def import_old_memories(vault: Vault, agent_id: str, journal: Journal) -> int:
    """Write an agent's old memory files to its journal, oldest first, and return how many there were.

    A file that has been taken in is moved to `memories/imported`, so that a crash loses none and repeats none.
    Raises: NoteError if the journal cannot be written.
    """
    folder = vault.path("agents", agent_id, "memories")
    files = sorted(path for path in folder.glob("*.md") if _NAME.fullmatch(path.name)) if folder.is_dir() else []
    if not files:
        return 0
    (folder / DONE).mkdir(exist_ok=True)
    # A crash before a batch was moved leaves files whose memories are written: they are only moved then.
    written = {_mark(memory) for memory in journal.read(journal.last - BATCH + 1, journal.last)}
    for start in range(0, len(files), BATCH):
        batch = [(path, memory) for path in files[start : start + BATCH] if (memory := _memory(vault, path))]
        for _, memory in batch:
            if _mark(memory) not in written:
                journal.append(memory)
        journal.sync()
        _move(vault, [path for path, _ in batch], folder / DONE)
    log.info("[Memory] %s: %d old memories were taken into the journal", agent_id, len(files))
    return len(files)


def old_memory(properties: Mapping[str, object], body: str, at_ms: int) -> Memory:
    """Return the memory that an old file is, without a number yet."""
    kinds = [str(properties.get(key) or "").lower() for key in ("event_type", "type")]
    known = [kind if kind in KINDS else _KIND_OF[kind] for kind in kinds if kind in KINDS or kind in _KIND_OF]
    occupants = properties.get("occupants") or []
    people = occupants if isinstance(occupants, list) else str(occupants).split(",")
    return Memory(
        0,
        at_ms,
        known[0] if known else "observed",
        link_target(properties.get("location")).replace(" · ", " "),
        one_line(_TITLE.sub("", body)) or "(nothing)",
        tuple(name for name in (link_target(person) for person in people) if name and "]" not in name),
    )


def _memory(vault: Vault, path: Path) -> Memory | None:
    try:
        note = parse_note(path.read_text("utf-8", "replace"), vault.source(path))
    except NoteError as error:
        log.warning("%s It is left where it is.", error)
        return None
    return old_memory(note.properties, note.body, _at_ms(note, path.name))


def _at_ms(note: Note, name: str) -> int:
    given = note.properties.get("timestamp")
    try:
        moment = given if isinstance(given, datetime) else datetime.fromisoformat(str(given))
    except ValueError:
        match = _NAME.fullmatch(name)
        assert match is not None  # only such files are taken in
        try:
            moment = datetime.strptime(f"{match[1]}{match[2]}", "%Y%m%d%H%M%S")
        except ValueError:
            return 0
    return round(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() * 1000)


def _mark(memory: Memory) -> tuple[int, str, str]:
    return memory.at_ms % 86_400_000, memory.kind, memory.text


def _move(vault: Vault, paths: list[Path], folder: Path) -> None:
    for path in paths:
        try:
            vault.disk.replace(path, folder / path.name)
        except OSError as error:
            raise NoteError(f"{vault.source(path)}: cannot be moved to {DONE}/: {error.strerror}.") from error
