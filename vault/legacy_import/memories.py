"""Memories of the older layout, a Markdown file each in `agents/<Name>/memories/`, as a journal; and its summaries.

The files say their local time with a `Z` behind it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from vault.errors import NoteError
from vault.legacy_import.places import CHARACTER, ROOM, Names, OldNote, Report, names_in, notes_in, read_note
from vault.markdown import one_line
from vault.memory.journal import Journal
from vault.memory.memory_line import KINDS, Memory
from vault.memory.summaries import Summary, SummaryFolder
from vault.note import Note, link_target, parse_note
from vault.vault import Vault

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
        batch = [(path, memory) for path in files[start : start + BATCH] if (memory := _read_memory(vault, path))]
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


def _read_memory(vault: Vault, path: Path) -> Memory | None:
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


_STAMP = re.compile(r"(\d{8})-?(\d{6})")
TIMES = ("timestamp", "created", "modified")
HEADING = "Memory"


def import_memories(
    vault: Vault, folder: Path, source: Path, agent_id: str, zone: tzinfo | None, names: Names, report: Report
) -> Journal:
    """Write the memories in `folder` to an agent's journal, in the order of time, and return it, still open.

    `zone` is where the times are local to; None for that of this machine. Raises: NoteError if it cannot be written.
    """
    found: list[tuple[int, str, Memory]] = []
    for path in notes_in(folder):
        note = read_note(path, source, report)
        if note is None:
            continue
        at_ms = _time_of(note, path, zone)
        if at_ms is None:
            at_ms = found[-1][0] if found else 0
            line = note.lines.get("timestamp", 0)
            report.problem(note.source, line, "neither it nor its name says when it was; put after the one before it.")
        found.append((at_ms, path.name, _memory(note, at_ms, names)))
    journal = Journal(vault, agent_id)
    journal.load()
    for _, _, memory in sorted(found, key=lambda row: row[:2]):
        journal.append(memory)
    return journal


def keep_summaries(folder: Path, source: Path, journal: Journal, zone: tzinfo | None, report: Report) -> int:
    """Keep an agent's old summaries beside the new ones, none of them in force, and return how many there are.

    They do not say what they cover, and the journal has every memory to make new ones of. Raises: NoteError.
    """
    target, count = SummaryFolder(journal.vault, journal.agent_id), 0
    for path in notes_in(folder):
        note = read_note(path, source, report)
        if note is None or not note.body:
            continue
        made_ms = _time_of(note, path, zone) or round(path.stat().st_mtime * 1000)
        target.keep(path.stem, Summary(1, 1, note.body, made_ms=made_ms), "of a former vault")
        count += 1
    return count


def _memory(note: OldNote, at_ms: int, names: Names) -> Memory:
    has_heading = note.title.lower() in ("", HEADING.lower())  # else the text itself began with a mark
    body = note.body if has_heading else f"{note.title}\n{note.body}"
    memory = old_memory(note.properties, f"# {HEADING}\n{body}", at_ms)
    people = tuple(names.resolve(CHARACTER, name) or name for name in names_in(note.properties.get("occupants", "")))
    return replace(memory, room=names.resolve(ROOM, memory.room) or memory.room, people=people)


def _time_of(note: OldNote, path: Path, zone: tzinfo | None) -> int | None:
    given = [note.properties.get(key, "") for key in TIMES]
    return next((ms for text in [*given, path.stem] if text and (ms := _moment(text, zone)) is not None), None)


def _moment(text: str, zone: tzinfo | None) -> int | None:
    """Return a time in ms since 1970; one that ends in `Z`, or says no zone, is local."""
    stamp = _STAMP.match(text)
    try:
        if stamp:
            moment = datetime.strptime(f"{stamp[1]}{stamp[2]}", "%Y%m%d%H%M%S")
        else:
            moment = datetime.fromisoformat(text.strip().removesuffix("Z").removesuffix("z"))
        moment = moment if moment.tzinfo else moment.replace(tzinfo=zone) if zone else moment.astimezone()
        return max(0, round(moment.astimezone(UTC).timestamp() * 1000))
    except (ValueError, OverflowError, OSError):
        return None
