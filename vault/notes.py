"""A Markdown note: its properties (front matter) and its body, each property with the line it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from config.settings import Given
from vault.errors import NoteError as NoteError
from vault.escaping import unescaped_lines, unescaped_name
from vault.front_matter import HANDLER, FrontMatter, Typed, load_value, parse_front_matter

_BOLD = re.compile(r"^\s*(?:[-*+]\s+)?\*\*(?P<key>[a-z][a-z0-9_]*)(?:\*\*\s*:|:\s*\*\*)\s*(?P<value>.*?)\s*$")
_ENTRY = re.compile(r"\s*[-*+]\s+\*\*(?P<name>(?:\\.|.)+?)\*\*(?P<aliases>(?:\\.|[^:\\])*):\s*(?P<value>.*)")
_ALIAS = re.compile(r"(?:\\.|[^,\\])+")
_INDENT = re.compile(r"  |\t")
_ITEM = re.compile(r"\s*[-*+]\s")
_LINK = re.compile(r"\[\[([^\]|#]+)(?:[#|][^\]]*)?\]\]")
_UNLINKED = frozenset("[]|#")
HEADING = re.compile(r"^##\s+(.+?)\s*$")


@dataclass(frozen=True)
class Entry:
    """A list line `- **name**, alias, alias: value`, its line number in the file, and that of the line after it.

    Lines below it that are indented by two spaces belong to the value.
    """

    name: str
    aliases: tuple[str, ...]
    value: str
    line: int
    end: int = field(default=0, compare=False)


@dataclass
class Note:
    """One Markdown file. `source` is its path, for messages; `body_line` the line where its body begins.

    `typed` has the properties as they are typed, see `FrontMatter`.
    """

    source: str
    properties: dict[str, Any] = field(default_factory=dict)
    body: str = ""
    property_lines: dict[str, int] = field(default_factory=dict)
    body_line: int = 1
    typed: dict[str, Typed] = field(default_factory=dict)
    _found: tuple[str, dict[str, tuple[str, int]]] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def given(self) -> dict[str, Given]:
        """The properties with their lines, for `settings_from`."""
        return {key: Given(value, self.property_lines.get(key, 0)) for key, value in self.properties.items()}

    def settings(self) -> dict[str, Given]:
        """Return all settings in the note: properties, and lines `**key**: value` among the prose.

        Raises: NoteError if a key is set twice.
        """
        found = self.given
        for number, line in enumerate(self.body.split("\n"), self.body_line):
            match = _BOLD.match(line)
            if not match:
                continue
            key = match["key"]
            if key in found:
                raise NoteError(
                    f"{self.source}:{number}: {key!r} is set twice; it stands in line {found[key].line} already."
                )
            found[key] = Given(_scalar(match["value"], f"{self.source}:{number}"), number)
        return found

    def sections(self) -> dict[str, tuple[str, int]]:
        """Return the text under each `## Heading` (before the first: under an empty name) and its first line."""
        if self._found is None or self._found[0] is not self.body:
            self._found = self.body, self._sections()
        return self._found[1]

    def _sections(self) -> dict[str, tuple[str, int]]:
        name, start, found = "", self.body_line, {}
        lines: list[str] = []
        for number, line in enumerate(self.body.split("\n"), self.body_line):
            heading = HEADING.match(line)
            if heading:
                found[name] = _trimmed(lines, start)
                name, start, lines = heading[1], number + 1, []
            else:
                lines.append(line)
        found[name] = _trimmed(lines, start)
        return found

    def entries(self, section: str) -> Iterator[Entry]:
        """Yield the list lines of a section.

        Raises: NoteError at a list line that is not `- **name**, alias: value`.
        """
        text, start = self.sections().get(section, ("", 0))
        lines = text.split("\n")
        for index, line in enumerate(lines):
            match = _ENTRY.fullmatch(line)
            if match:
                end = _end_of_item(lines, index + 1)
                more = unescaped_lines(_INDENT.sub("", below, count=1) for below in lines[index + 1 : end])
                yield Entry(
                    _name(match["name"]),
                    tuple(name for alias in _ALIAS.findall(match["aliases"]) if (name := _name(alias))),
                    "\n".join([match["value"], *more]).strip(),
                    start + index,
                    start + end,
                )
            elif line.lstrip()[:2] in ("- ", "* ", "+ "):
                raise NoteError(
                    f"{self.source}:{start + index}: {line.strip()!r} is not of the form '- **name**, alias: text'."
                )


def parse_note(text: str, source: str) -> Note:
    """Return the note that a file's text is.

    Raises: NoteError if the front matter is not valid YAML or is not a list of properties.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not HANDLER.detect(text):
        return Note(source, {}, text)
    try:
        head, rest = HANDLER.split(text)
    except ValueError as error:
        raise NoteError(f"{source}:1: the front matter begins with '---' but no second '---' ends it.") from error
    found = parse_front_matter(head, source) if head.strip() else FrontMatter()
    body, body_line = _trimmed(rest.split("\n"), head.count("\n") + 3)
    return Note(source, found.properties, body, found.lines, body_line, found.typed)


def format_note(properties: dict[str, Any], body: str) -> str:
    """Return the text of a note: properties in their order, then the body."""
    if not properties and not HANDLER.detect(body):
        return body.rstrip("\n") + "\n"
    head = f"{HANDLER.export(properties, sort_keys=False, width=1000)}\n" if properties else ""
    return f"---\n{head}---\n{body.rstrip(chr(10))}\n"


def link_target(value: object) -> str:
    """Return the note that `[[Note]]` (or the plain name, or YAML's nested list of it) links to; empty if none."""
    if isinstance(value, list):
        inner = value[0] if len(value) == 1 and isinstance(value[0], list) else value
        value = link(", ".join(map(str, inner)) or " ")
    text = "" if value is None else str(value).strip()
    match = _LINK.search(text)
    return (match[1] if match else text).strip()


def link(name: str) -> str:
    """Return a wiki link to a note."""
    return f"[[{name}]]"


def reference(name: str) -> str:
    """Return a link to a note, or its plain name if no link can hold it."""
    return link(name) if name.strip() == name != "" and _UNLINKED.isdisjoint(name) else name


def _name(text: str) -> str:
    return unescaped_name(text.strip()).lower()


def _end_of_item(lines: list[str], start: int) -> int:
    """Return where the lines end that belong to the list item above `start`; blank ones at their end do not."""
    end = start
    for index in range(start, len(lines)):
        line = lines[index]
        if line and (not _INDENT.match(line) or _ITEM.match(line)):
            break
        if line.strip():
            end = index + 1
    return end


def _trimmed(lines: list[str], start: int) -> tuple[str, int]:
    """Return lines as text without the blank ones at its ends, and the number of the first that is left."""
    text = "\n".join(lines)
    return text.strip("\n"), start + len(text) - len(text.lstrip("\n"))


def _scalar(text: str, place: str) -> object:
    bare = re.sub(r"\s+\(.*\)$", "", text).strip().strip("`")
    try:
        value = load_value(bare)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise NoteError(
            f"{place}: the value {text!r} cannot be read; write a number, true, false or plain text."
        ) from error
    ends_in_colon = isinstance(value, dict) and not bare.startswith("{") and set(value.values()) == {None}
    return bare if ends_in_colon else value  # `::` is an address, and to YAML a key without a value
