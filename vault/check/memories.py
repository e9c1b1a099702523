"""Faults in what agents remember: journals, and the summaries and facts that speak of memories by number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from vault.errors import NoteError
from vault.findings import Finding, Overlay, collect_errors, finding_of
from vault.memory.bullet_note import BulletNote
from vault.memory.facts_note import NAME as FACTS
from vault.memory.facts_note import parse_facts
from vault.memory.memory_line import invalid_number, is_memory_line, is_truncated, seq_of
from vault.memory.segment import Segment, is_segment_name
from vault.memory.summaries import LONGTERM, RECENT, SummaryFolder
from vault.note import parse_note
from vault.vault import Vault

ASIDE = "quarantine.md"

_REFERENCE = re.compile(r"(?<!\\)\[\[(?P<note>[^\[\]#|]*)#\^m(?P<seq>[1-9]\d{0,15})(?:\|[^\[\]]*)?\]\]")
_SUMMARY = re.compile(r"(?:recent|longterm)-\d{8}-\d{6}-m\d+(?:-\d+)?\.md")


@dataclass
class Remembered:
    """Where each memory of an agent stands: file (without `.md`) and line, by number."""

    places: dict[int, tuple[str, int]] = field(default_factory=dict)

    @property
    def last(self) -> int:
        return max(self.places, default=0)


def check_memories(vault: Vault, name: str) -> Iterator[Finding]:
    """Yield what is wrong with what an agent remembers."""
    remembered = Remembered()
    yield from _journal(vault, name, remembered)
    yield from _summaries(vault, name, remembered.last)
    if vault.exists("agents", name, FACTS):
        yield from _facts(vault, name, remembered)
    yield from _bullets(vault, name, remembered)


def _journal(vault: Vault, name: str, remembered: Remembered) -> Iterator[Finding]:
    folder = vault.path("agents", name, "journal")
    files = [path for path in folder.iterdir() if not path.name.startswith(".")] if folder.is_dir() else []
    for path in sorted(files, key=lambda path: Segment(path.name).order):
        source = vault.source(path)
        if is_segment_name(path.name):
            text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
            yield from _segment(source, text, remembered)
        elif path.name != ASIDE:
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


def _segment(source: str, text: str, remembered: Remembered) -> Iterator[Finding]:
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


def _facts(vault: Vault, name: str, remembered: Remembered) -> Iterator[Finding]:
    source = f"agents/{name}/{FACTS}"
    overlay = Overlay(vault)
    yield from collect_errors(
        overlay, lambda vault: None if overlay.is_hidden(source) else parse_facts(vault.read(source))
    )
    if overlay.is_hidden(source):
        return
    note = parse_note(overlay.read_text(source), source)
    for key in ("upto", "marked"):
        value, line = note.properties.get(key) or 0, note.property_lines.get(key, 1)
        beyond = max([0, *(value if isinstance(value, list) else [value])])
        if beyond > remembered.last:
            yield Finding(source, line, f"{key} is {beyond}, but the journal ends at {remembered.last}.")
    yield from _references(source, overlay.read_text(source), remembered)


def _bullets(vault: Vault, name: str, remembered: Remembered) -> Iterator[Finding]:
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


def _references(source: str, text: str, remembered: Remembered) -> Iterator[Finding]:
    for number, line in enumerate(text.split("\n"), 1):
        for reference in _REFERENCE.finditer(line):
            stem, _ = remembered.places.get(int(reference["seq"]), ("", 0))
            if not stem:
                yield Finding(source, number, f"{reference[0]} leads nowhere: there is no memory of that number.")
            elif stem != reference["note"].strip():
                what = f"{reference[0]} leads nowhere: memory {reference['seq']} stands in [[{stem}]]."
                yield Finding(source, number, what)
