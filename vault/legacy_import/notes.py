"""Notes of the older layout as they are found, and what of them an import took and under which names.

They are lines `key: value`, a `# Title`, `##` sections, and a table, written by hand and by a program that did not know
YAML, so nothing in them is refused: what is not of the form is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from world.sanitize import file_name_for, name_key

_KEY = re.compile(r"(?P<key>[A-Za-z_][\w .-]*?)\s*:(?:\s+(?P<value>.*))?\s*")
_PROPERTY = re.compile(r"[-*+] (?P<key>[^\s:][^:]*?)\s*:(?: (?P<value>.*))?")
_ITEM = re.compile(r"\s*[-*+]\s+(?P<text>.+?)\s*")
_LINK = re.compile(r"\[\[(?P<target>[^\]|#]+)(?:[#|][^\]]*)?\]\]")
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")


@dataclass(frozen=True)
class Item:
    """One line of a list: its text and its number in the file."""

    text: str
    line: int

    @property
    def names(self) -> list[str]:
        """What stands between the bars, links as their targets: `[[Hall]] | h | door` has three."""
        parts = (part.strip().strip("'\"`*").strip() for part in _BAR.split(_LINK.sub(r"\g<target>", self.text)))
        return [part for part in parts if part]


@dataclass
class OldNote:
    """One file. `source` is its path in its vault; `properties` and `lines` are those of the front matter."""

    source: str
    properties: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    title: str = ""
    sections: dict[str, list[Item]] = field(default_factory=dict)
    body: str = ""

    def text(self, section: str) -> str:
        """Return a section to the letter, without blank lines at its ends."""
        return "\n".join(item.text for item in self.sections.get(section.lower(), [])).strip("\n")

    def items(self, section: str) -> Iterator[Item]:
        """Yield the list lines of a section, without their marks."""
        for item in self.sections.get(section.lower(), []):
            if match := _ITEM.fullmatch(item.text):
                yield Item(match["text"], item.line)

    def listed_properties(self) -> dict[str, Item]:
        """Return the section Properties; lines that are no property belong to the one above them."""
        found: dict[str, Item] = {}
        key = ""
        for item in self.sections.get("properties", []):
            match = _PROPERTY.fullmatch(item.text)
            if match:
                key = match["key"].strip("*` ")
                found[key] = Item(match["value"] or "", item.line)
            elif key:
                found[key] = Item(f"{found[key].text}\n{item.text}", found[key].line)
        return {key: Item(item.text.strip("\n"), item.line) for key, item in found.items()}


def read_old(path: Path, source: str) -> tuple[OldNote, str]:
    """Return a file and what is wrong with it as a file, or an empty string. Raises: OSError."""
    raw = path.read_bytes()
    try:
        text, problem = raw.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        text = raw.decode("utf-8", "replace")
        line = raw.count(b"\n", 0, error.start) + 1
        problem = f"{source}:{line}: not UTF-8 text; what could not be read stands there as \ufffd."
    return parse_old(text.replace("\r\n", "\n").replace("\r", "\n"), source), problem


def parse_old(text: str, source: str) -> OldNote:
    """Return what a file's text says."""
    lines = text.split("\n")
    note, start = OldNote(source), 0
    if lines[0].rstrip() == "---" and "---" in (rest := [line.rstrip() for line in lines[1:]]):
        start = rest.index("---") + 2
        _read_head(note, lines[1 : start - 1])
    body = list(enumerate(lines[start:], start + 1))
    while body and not body[0][1].strip():
        body.pop(0)
    if body and body[0][1].startswith("# "):
        note.title = body.pop(0)[1][2:].strip()
    section = note.sections.setdefault("", [])
    for number, line in body:
        if line.startswith("## "):
            section = note.sections.setdefault(line[3:].strip().lower(), [])
        else:
            section.append(Item(line, number))
    note.body = "\n".join(line for _, line in body).strip("\n")
    return note


def target_of(value: str) -> str:
    """Return what `[[Name]]`, `"[[Name|other]]"` or a plain name links to; empty if nothing does."""
    match = _LINK.search(value)
    return (match["target"] if match else value.strip().strip("'\"[]")).strip()


def names_in(value: str) -> list[str]:
    """Return the names in a list, however it is written: links, or names between commas."""
    links = [match["target"].strip() for match in _LINK.finditer(value)]
    return links or [name for part in value.split(",") if (name := part.strip().strip("'\"[]").strip())]


def table_rows(note: OldNote) -> Iterator[tuple[list[str], int]]:
    """Yield the rows of every table in a note, heads included, as cells with links as their targets; and the line."""
    for items in note.sections.values():
        for item in items:
            row = item.text.strip()
            # A link in a table has its bar behind a backslash, or has none.
            cells = [cell.replace("\\|", "|").strip() for cell in _BAR.split(row.strip("|"))]
            if row.startswith("|") and not all(_RULE.fullmatch(cell) for cell in cells):
                yield [target_of(cell) for cell in cells], item.line


def _read_head(note: OldNote, lines: list[str]) -> None:
    key = ""
    for number, line in enumerate(lines, 2):
        item, match = _ITEM.fullmatch(line), _KEY.fullmatch(line)
        if match and not line[:1].isspace():
            key = match["key"]
            note.properties[key], note.lines[key] = _unquoted(match["value"] or ""), number
        elif key and item:
            before = note.properties[key]
            note.properties[key] = f"{before}, {_unquoted(item['text'])}" if before else _unquoted(item["text"])


def _unquoted(value: str) -> str:
    text = value.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


@dataclass
class Report:
    """`taken` says what is in the new vault, `problems` what is not, or not as it was, each with file and line."""

    taken: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def problem(self, source: str, line: int, text: str) -> None:
        """Note something that could not be taken as it was."""
        self.problems.append(f"{source}:{line}: {text}" if line else f"{source}: {text}")


@dataclass
class Names:
    """The names in the new vault. Rooms, things and characters share them, whatever the case."""

    taken: dict[str, str] = field(default_factory=dict)
    _by_kind: dict[tuple[str, str], str] = field(default_factory=dict)

    def reserve(self, kind: str, name: str) -> str:
        """Return a free name for something of a kind, and remember it under its old one."""
        new = file_name_for(name, self.taken.values())
        self.taken[name_key(new)] = new
        self.add_alias(kind, name, new)
        return new

    def add_alias(self, kind: str, old: str, new: str) -> None:
        """Let something be found under another old name, unless something else of the kind is."""
        self._by_kind.setdefault((kind, name_key(old)), new)

    def resolve(self, kind: str, old: str) -> str:
        """Return what something of a kind is called now, or an empty string if there is no such thing."""
        return self._by_kind.get((kind, name_key(old)), "")
