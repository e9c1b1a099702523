"""A Markdown note: its properties (front matter) and its body, each property with the line it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

from config.settings import Given

# A fence is exactly three dashes and takes its line end with it, so that lines can be counted.
_HANDLER = YAMLHandler(fm_boundary=re.compile(r"^---[ \t]*(?:\n|\Z)", re.MULTILINE))
_BOLD = re.compile(r"^\s*(?:[-*+]\s+)?\*\*(?P<key>[a-z][a-z0-9_]*)(?:\*\*\s*:|:\s*\*\*)\s*(?P<value>.*?)\s*$")
_ENTRY = re.compile(r"^\s*[-*+]\s+\*\*(?P<name>.+?)\*\*(?P<aliases>[^:]*):\s*(?P<value>.*?)\s*$")
_LINK = re.compile(r"\[\[([^\]|#]+)(?:[#|][^\]]*)?\]\]")
_HEADING = re.compile(r"^##\s+(.+?)\s*$")


class NoteError(Exception):
    """A note in the vault cannot be read or is not as it should be; the message names file and line."""


@dataclass(frozen=True)
class Entry:
    """A list line `- **name**, alias, alias: value`, and its line number in the file."""

    name: str
    aliases: tuple[str, ...]
    value: str
    line: int


@dataclass
class Note:
    """One Markdown file. `source` is its path, for messages; `body_line` the line where its body begins."""

    source: str
    properties: dict[str, Any] = field(default_factory=dict)
    body: str = ""
    property_lines: dict[str, int] = field(default_factory=dict)
    body_line: int = 1

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
        name, start, found = "", self.body_line, {}
        lines: list[str] = []
        for number, line in enumerate(self.body.split("\n"), self.body_line):
            heading = _HEADING.match(line)
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
        for number, line in enumerate(text.split("\n"), start):
            match = _ENTRY.match(line)
            if match:
                aliases = tuple(a.strip().lower() for a in match["aliases"].split(",") if a.strip())
                yield Entry(match["name"].strip().lower(), aliases, match["value"], number)
            elif line.lstrip()[:2] in ("- ", "* ", "+ "):
                raise NoteError(
                    f"{self.source}:{number}: {line.strip()!r} is not of the form '- **name**, alias: text'."
                )


def parse_note(text: str, source: str) -> Note:
    """Return the note that a file's text is.

    Raises: NoteError if the front matter is not valid YAML or is not a list of properties.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not _HANDLER.detect(text):
        return Note(source, {}, text)
    try:
        head, rest = _HANDLER.split(text)
    except ValueError as error:
        raise NoteError(f"{source}:1: the front matter begins with '---' but no second '---' ends it.") from error
    properties, lines = _properties(head, source)
    body, body_line = _trimmed(rest.split("\n"), head.count("\n") + 3)
    return Note(source, properties, body, lines, body_line)


def format_note(properties: dict[str, Any], body: str) -> str:
    """Return the text of a note: properties in their order, then the body."""
    if not properties and not _HANDLER.detect(body):
        return body.rstrip("\n") + "\n"
    head = f"{_HANDLER.export(properties, sort_keys=False, width=1000)}\n" if properties else ""
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


def _properties(head: str, source: str) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the properties of a front matter by the keys as they are typed, and the line of each."""
    properties: dict[str, Any] = {}
    lines: dict[str, int] = {}
    line = 1
    try:
        loader = yaml.SafeLoader(head)
        for key, value in _pairs(loader.get_single_node(), source):
            line, name = key.start_mark.line + 2, str(key.value)
            if name in lines:
                raise NoteError(f"{source}:{line}: {name!r} is set twice; it stands in line {lines[name]} already.")
            properties[name], lines[name] = loader.construct_object(value, deep=True), line
    except yaml.YAMLError as error:
        place, problem = _explained(error, head)
        raise NoteError(f"{source}:{place}: the front matter is not valid YAML: {problem}.") from error
    except (ValueError, RecursionError) as error:
        raise NoteError(f"{source}:{line}: the front matter cannot be read: {error}.") from error
    return properties, lines


def _pairs(node: yaml.Node | None, source: str) -> list[tuple[yaml.Node, yaml.Node]]:
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    if (node and not isinstance(node, yaml.MappingNode)) or not all(
        isinstance(key, yaml.ScalarNode) for key, _ in pairs
    ):
        raise NoteError(f"{source}:1: the front matter must be lines of the form 'key: value'.")
    return pairs


def _explained(error: yaml.YAMLError, head: str) -> tuple[int, str]:
    match error:
        case yaml.MarkedYAMLError(problem_mark=mark, problem=problem) if mark:
            return min(mark.line, head.count("\n")) + 2, str(problem)
        case yaml.reader.ReaderError(position=position, reason=reason):
            return head.count("\n", 0, position) + 2, reason
        case _:
            return 1, str(error)


def _trimmed(lines: list[str], start: int) -> tuple[str, int]:
    """Return lines as text without the blank ones at its ends, and the number of the first that is left."""
    text = "\n".join(lines)
    return text.strip("\n"), start + len(text) - len(text.lstrip("\n"))


def _scalar(text: str, place: str) -> object:
    bare = re.sub(r"\s+\(.*\)$", "", text).strip().strip("`")
    try:
        return yaml.safe_load(bare)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise NoteError(
            f"{place}: the value {text!r} cannot be read; write a number, true, false or plain text."
        ) from error
