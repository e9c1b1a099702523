"""Checks a whole vault, its files and memories, and applies safe fixes.

Every fault is reported with file and line, what is wrong and what would be right. What a file was before a fix is kept
in the trash.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from vault.check_world import NAMED, check_settings, check_world
from vault.errors import NoteError
from vault.findings import Finding, Fix, Overlay, collect_errors, finding_of
from vault.memory.bullet_note import BulletNote
from vault.memory.facts_note import NAME as FACTS
from vault.memory.facts_note import parse_facts
from vault.memory.memory_line import invalid_number, is_memory_line, is_truncated, seq_of
from vault.memory.promises_note import NAME as PROMISES
from vault.memory.promises_note import PromisesNote
from vault.memory.segment import Segment, is_segment_name
from vault.memory.summaries import LONGTERM, RECENT, SummaryFolder
from vault.note import parse_note
from vault.vault import Vault, agent_names, check_name

QUARANTINE = "quarantine.md"

_REFERENCE = re.compile(r"(?<!\\)\[\[(?P<note>[^\[\]#|]*)#\^m(?P<seq>[1-9]\d{0,15})(?:\|[^\[\]]*)?\]\]")
_SUMMARY = re.compile(r"(?:recent|longterm)-\d{8}-\d{6}-m\d+(?:-\d+)?\.md")

Check = Callable[[Vault], Iterable[Finding]]
TRASH = ".trash"
MAX_ROUNDS = 5
MIN_DRAFT_AGE_SECONDS = 60
_UNREAD = frozenset({"archive", "former lives", "memories"})
_DRAFT = re.compile(r"\.(?P<name>.+?)(?:\.(?P<process>\d+))?\.draft|\.writable\.(?P<probe>\d+)|\.starter\..+")
_BOM = b"\xef\xbb\xbf"


@dataclass
class MemoryPlaces:
    """The place of each memory of an agent: file (without `.md`) and line, by number."""

    places: dict[int, tuple[str, int]] = field(default_factory=dict)

    @property
    def last(self) -> int:
        return max(self.places, default=0)


def check_memories(vault: Vault, name: str) -> Iterator[Finding]:
    """Yield the faults in the memories of an agent."""
    remembered = MemoryPlaces()
    yield from _journal(vault, name, remembered)
    yield from _summaries(vault, name, remembered.last)
    if vault.exists("agents", name, FACTS):
        yield from _facts(vault, name, remembered)
    yield from _bullets(vault, name, remembered)
    if vault.exists("agents", name, PROMISES):
        yield from _promises(vault, f"agents/{name}/{PROMISES}", remembered)


def _journal(vault: Vault, name: str, remembered: MemoryPlaces) -> Iterator[Finding]:
    folder = vault.path("agents", name, "journal")
    files = [path for path in folder.iterdir() if not path.name.startswith(".")] if folder.is_dir() else []
    for path in sorted(files, key=lambda path: Segment(path.name).order):
        source = vault.source(path)
        if is_segment_name(path.name):
            text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
            yield from _segment(source, text, remembered)
        elif path.name != QUARANTINE:
            yield Finding(source, 0, "a journal's file is named after a day, as 2026-11-21.md; nothing reads it.", True)
    before = 0
    for seq in sorted(remembered.places):
        if seq > before + 1:
            stem, line = remembered.places[seq]
            gone = f"memory {seq - 1} is" if seq == before + 2 else f"memories {before + 1} to {seq - 1} are"
            yield Finding(
                f"agents/{name}/journal/{stem}.md", line, f"before ^m{seq}, {gone} missing; put the lines back."
            )
        before = seq


def _segment(source: str, text: str, remembered: MemoryPlaces) -> Iterator[Finding]:
    stem = source.rpartition("/")[2].removesuffix(".md")
    try:
        start = parse_note(text, source).body_line
    except NoteError as error:
        yield finding_of(error)
        start = 1
    lines = text.split("\n")
    for number, line in enumerate(lines[start - 1 :], start):
        seq = seq_of(line)
        if seq in remembered.places:
            other, at = remembered.places[seq]
            what = f"the number ^m{seq} stands in {other}.md, line {at}, already; remove this one."
            yield Finding(source, number, what)
        elif seq:
            remembered.places[seq] = stem, number
        elif is_memory_line(line) and (false := invalid_number(line)):
            what = f"{false} cannot be the number of a memory; take it out, and the line is given one."
            yield Finding(source, number, what)
        elif number == len(lines) and is_memory_line(line) and is_truncated(line):
            what = "the last line was never finished; the next start sets it aside in quarantine.md."
            yield Finding(source, number, what)


def _summaries(vault: Vault, name: str, last: int) -> Iterator[Finding]:
    folder, where = SummaryFolder(vault, name), f"agents/{name}/summaries"
    for stem in vault.names(where):
        note = f"{stem}.md"
        if note not in (LONGTERM, RECENT) and not _SUMMARY.fullmatch(note):
            continue
        try:
            summary = folder.read(note)
        except NoteError as error:
            yield finding_of(error)
            continue
        line = vault.read(where, note).property_lines.get("covers", 1)
        if summary and summary.last > last:
            told = f"it covers {summary.first} to {summary.last}, but the journal ends at {last}"
            yield Finding(f"{where}/{note}", line, f"{told}; put back the journal's files, or set this one aside.")
        for source in summary.sources if summary else ():
            if _SUMMARY.fullmatch(source) and not vault.exists(where, source):
                line = vault.read(where, note).property_lines.get("sources", 1)
                yield Finding(f"{where}/{note}", line, f"it was made from {source}, which is not there any more.", True)


def _facts(vault: Vault, name: str, remembered: MemoryPlaces) -> Iterator[Finding]:
    source = f"agents/{name}/{FACTS}"
    overlay = Overlay(vault)
    yield from collect_errors(overlay, lambda vault: parse_facts(vault.read(source)))
    if overlay.is_hidden(source):
        return
    note = parse_note(overlay.read_text(source), source)
    for key in ("upto", "marked"):
        value, line = note.properties.get(key) or 0, note.property_lines.get(key, 1)
        beyond = max([0, *(value if isinstance(value, list) else [value])])
        if beyond > remembered.last:
            yield Finding(source, line, f"{key} is {beyond}, but the journal ends at {remembered.last}.")
    yield from _references(source, overlay.read_text(source), remembered)


def _bullets(vault: Vault, name: str, remembered: MemoryPlaces) -> Iterator[Finding]:
    folder = f"agents/{name}/people"
    for source in (f"agents/{name}/insights.md", *(f"{folder}/{one}.md" for one in vault.names(folder))):
        if not vault.exists(source):
            continue
        try:
            text = vault.read_text(source)
            BulletNote(text, source)
        except NoteError as error:
            yield finding_of(error)
        else:
            yield from _references(source, text, remembered)


def _promises(vault: Vault, source: str, remembered: MemoryPlaces) -> Iterator[Finding]:
    try:
        text = vault.read_text(source)
        faults = PromisesNote(text, source).faults
    except NoteError as error:
        yield finding_of(error)
        return
    yield from (finding_of(NoteError(fault)) for fault in faults)
    yield from _references(source, text, remembered)


def _references(source: str, text: str, remembered: MemoryPlaces) -> Iterator[Finding]:
    for number, line in enumerate(text.split("\n"), 1):
        for reference in _REFERENCE.finditer(line):
            stem, _ = remembered.places.get(int(reference["seq"]), ("", 0))
            if not stem:
                yield Finding(source, number, f"{reference[0]} leads nowhere: there is no memory of that number.")
            elif stem != reference["note"].strip():
                what = f"{reference[0]} leads nowhere: memory {reference['seq']} stands in [[{stem}]]."
                yield Finding(source, number, what)


def check_vault(vault: Vault, now: float, more: Iterable[Check] = ()) -> list[Finding]:
    """Return all that is wrong with a vault, by file and line; nothing in it is changed.

    `now` is in seconds since 1970. `more` are checks of what only other packages know.
    """
    checks: list[Check] = [
        lambda vault: check_files(vault, now),
        check_settings,
        check_world,
        *(lambda vault, name=name: check_memories(vault, name) for name in vault.folders("agents")),
        _without_note,
        *more,
    ]
    found = {(one.source, one.line, one.text): one for check in checks for one in check(vault)}
    unreadable = {one.source for one in found.values() if one.text.startswith("not UTF-8")}
    # A file that is no text gets one finding, with its line, and not one from each loader.
    return sorted(one for one in found.values() if one.line or one.source not in unreadable)


def _without_note(vault: Vault) -> Iterable[Finding]:
    for name in sorted(set(vault.folders("agents")) - set(agent_names(vault))):
        yield Finding(f"agents/{name}", 0, "there is no agent.md in this folder, so nobody lives here.", True)


def fix_vault(vault: Vault, check: Callable[[], list[Finding]]) -> list[str]:
    """Mend whatever `check` finds that is safe to mend; return a sentence for each thing that was done.

    It is checked again until nothing is left to mend, for one thing may hide another.
    Raises: NoteError if a file cannot be written or moved.
    """
    done: list[str] = []
    for _ in range(MAX_ROUNDS):
        mendable = [finding for finding in check() if finding.fix]
        if not mendable:
            break
        kept: set[str] = set()
        for finding in mendable:
            try:
                done += _fix(vault, finding, kept)
            except OSError as error:
                raise NoteError(f"{finding.source}: cannot be repaired: {error.strerror}.") from error
    vault.sync()
    return done


def _fix(vault: Vault, finding: Finding, kept: set[str]) -> list[str]:
    mend, path = finding.fix, vault.path(finding.source)
    if mend is None or not os.path.lexists(path):  # it was renamed just now, and comes up again in the next round
        return []
    if mend.new_name:
        target = path.with_name(mend.new_name)
        if target.exists() and not target.samefile(path):
            return []
        path.rename(target)
        return [f"{finding.source}: {mend.did} to {mend.new_name}, with its accents in one piece."]
    if mend.change is None:
        trash = _free_trash_path(vault, finding.source)
        vault.rename([finding.source], [trash])
        return [f"{finding.source}: {mend.did} as {trash}."]
    before = vault.read_exact(finding.source)
    after = mend.change(before.encode()).decode()
    if after == before:
        return []
    remark = ""
    if finding.source not in kept:
        kept.add(finding.source)
        trash = _free_trash_path(vault, finding.source)
        vault.write_together([(before, trash)])
        remark = f"; what it was is in {trash}"
    vault.write_together([(after, finding.source)])
    return [f"{finding.source}: {mend.did}{remark}."]


def _free_trash_path(vault: Vault, source: str) -> str:
    """Return a free path in the trash for a file, under its own path there."""
    where, part = vault.path(TRASH, source), 1
    free = where
    while os.path.lexists(free):
        part += 1
        free = where.with_name(f"{where.stem} {part}{where.suffix}")
    return vault.source(free)


def check_files(vault: Vault, now: float) -> Iterator[Finding]:
    """Yield the faults of the vault's files. `now` is in seconds since 1970."""
    for folder, folders, files in os.walk(vault.root):
        here = Path(folder)
        yield from _left_over_drafts(vault, here, [*folders, *files], now)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _UNREAD)
        seen = sorted(name for name in files if not name.startswith("."))
        yield from _names(vault, here, [*folders, *seen])
        for name in seen:
            if name.endswith(".md"):
                yield from _encoding(vault, here / name)
            elif here.relative_to(vault.root).as_posix() in (*NAMED, "config", "text", "templates"):
                yield Finding(vault.source(here / name), 0, "this is no note (.md), so nothing reads it.", True)


def _left_over_drafts(vault: Vault, folder: Path, names: Iterable[str], now: float) -> Iterator[Finding]:
    for name in sorted(names):
        match = _DRAFT.fullmatch(name)
        if (
            match
            and not _is_alive(match["process"] or match["probe"])
            and _age(folder / name, now) > MIN_DRAFT_AGE_SECONDS
        ):
            yield Finding(
                vault.source(folder / name),
                0,
                "a draft that was never finished, by a process that is no more; it can go.",
                fix=Fix("put away"),
            )


def _names(vault: Vault, folder: Path, names: list[str]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for name in names:
        source, normal = vault.source(folder / name), unicodedata.normalize("NFC", name)
        twin = first.setdefault(normal.casefold(), name)
        if twin != name:
            yield Finding(source, 0, f"its name differs from {twin!r} in case or form alone; give it another one.")
        elif normal != name:
            what = (
                "its name is written with separate accents (not NFC), which some systems take for another; rename it."
            )
            yield Finding(source, 0, what, fix=None if normal in names else Fix("renamed", new_name=normal))
        if folder.relative_to(vault.root).as_posix() in (*NAMED, "agents"):
            yield from _fitness(source, normal.removesuffix(".md"))


def _fitness(source: str, name: str) -> Iterator[Finding]:
    try:
        check_name(name)
    except NoteError as error:
        yield Finding(source, 0, str(error))


def _encoding(vault: Vault, path: Path) -> Iterator[Finding]:
    source = vault.source(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        yield Finding(source, 0, f"cannot be read: {error.strerror}.")
        return
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        yield Finding(source, line, f"not UTF-8 text (byte {error.start}); save it as UTF-8.")
        return
    if raw.startswith(_BOM):
        what = "begins with a byte order mark, which nothing needs; save it as UTF-8 without one."
        yield Finding(source, 1, what, True, Fix("freed of its byte order mark", lambda raw: raw.removeprefix(_BOM)))
    if b"\r\n" in raw:
        line = raw.count(b"\n", 0, raw.index(b"\r\n")) + 1
        what = "lines end as on Windows (CR LF); save it with LF alone."
        yield Finding(source, line, what, True, Fix("given plain line ends", lambda raw: raw.replace(b"\r\n", b"\n")))


def _is_alive(process: str | None) -> bool:
    if not process:
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's, or a number that no process can have
        return len(process) < 10
    return True


def _age(path: Path, now: float) -> float:
    try:
        return now - path.stat().st_mtime
    except OSError:
        return 0.0
