"""A Markdown note: its properties (front matter) and its body, with line numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import yaml

from config.validation import SourcedValue, closest_name
from vault.errors import NoteError
from vault.front_matter import (
    FrontMatter,
    Typed,
    format_block_style,
    has_front_matter,
    load_value,
    parse_front_matter,
    split_front_matter,
)
from vault.markdown import Kind, NoteLine, scan, unescape, unescape_comments, unescape_line, unescape_name, visible
from world.entities import FIELDS, Entries, Table
from world.entities import Section as Section_
from world.game_time import DAY_PARTS

_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_CODECS = [stored.codec for table in FIELDS.values() for stored in table.values()]
SECTIONS = {
    title.casefold(): title
    for title in (
        *(codec.title for codec in _CODECS if isinstance(codec, Section_ | Entries | Table) and codec.title),
        *(part.capitalize() for part in DAY_PARTS),
        "Errands",
    )
}
"""The titles of the sections that the world reads, by their folded form."""
BOLD = re.compile(r"\s*(?:[-*+]\s+)?\*\*(?P<key>[A-Za-z][\w. -]*)(?:\*\*\s*:|:\s*\*\*)(?P<value>.*)")
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_ENTRY = re.compile(r"\s*[-*+]\s+\*\*(?P<name>(?:\\.|[^\\*]|\*(?!\*))+)\*\*(?P<aliases>(?:\\.|[^:\\])*):(?P<value>.*)")
_ALIAS = re.compile(r"(?:\\.|[^,\\])+")
_INDENT = re.compile(r"  |\t")
ITEM = re.compile(r"\s*[-*+]\s")
_LINK = re.compile(r"\[\[([^\[\]|#]+)(?:[#|][^\[\]]*)?\]\]")
_MARKDOWN_LINK = re.compile(r"\[[^\[\]]*\]\((?:<(?P<bracketed>[^<>]+)>|(?P<plain>[^()\s]+))\)")
_UNLINKED = frozenset("[]|#")
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")


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


@dataclass(frozen=True)
class Row:
    """A row of a table: its cells, its line number in the file, and how it is written."""

    cells: tuple[str, ...]
    line: int
    text: str


@dataclass(frozen=True)
class Section:
    """The lines under a heading, without blank ones at their ends; none if a note has no such section.

    `start` is the line of the file, from 1, in which it begins, after its heading.
    """

    lines: Sequence[NoteLine] = ()
    start: int = 0

    @property
    def exists(self) -> bool:
        """True if the note has such a section."""
        return self.start > 0

    @property
    def text(self) -> str:
        """The text of the section, without comments."""
        return unescape(self.lines) if self.lines else ""


_NOTHING = Section()


@dataclass
class Note:
    """One Markdown file. `source` is its path, for messages; `body_line` the line where its body begins.

    `typed` has the properties as they are typed, see `FrontMatter`. `text` is the whole file, to the letter.
    """

    source: str
    properties: dict[str, Any] = field(default_factory=dict)
    body: str = ""
    property_lines: dict[str, int] = field(default_factory=dict)
    body_line: int = 1
    typed: dict[str, Typed] = field(default_factory=dict)
    text: str = field(default="", repr=False, compare=False)
    _scanned: tuple[str, list[NoteLine]] | None = field(default=None, init=False, repr=False, compare=False)
    _sections: tuple[str, dict[str, list[tuple[str, Section]]]] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    @property
    def sourced_properties(self) -> dict[str, SourcedValue]:
        """The properties with their lines, for `settings_from`."""
        return {key: SourcedValue(value, self.property_lines.get(key, 0)) for key, value in self.properties.items()}

    @property
    def lines(self) -> list[NoteLine]:
        """The lines of the body, see `vault.markdown`."""
        if self._scanned is None or self._scanned[0] is not self.body:
            self._scanned = self.body, scan(self.body, self.body_line)
        return self._scanned[1]

    def settings(self, known: Collection[str] = ()) -> dict[str, SourcedValue]:
        """Return all settings in the note: properties, and lines `**key**: value` among the prose.

        A key that differs from a `known` one only in capitals and hyphens counts as that one.
        Raises: NoteError if a key is set twice or is nearly a known one.
        """
        found = self.sourced_properties
        for line in self.lines:
            match = BOLD.match(unescape_comments(line.text)) if line.counts else None
            key = self._key(match["key"], line.number, known) if match else ""
            if not match or not key:
                continue
            if key in found:
                raise NoteError(
                    f"{self.source}:{line.number}: {key!r} is set twice; it stands in line {found[key].line} already."
                )
            found[key] = SourcedValue(_scalar(match["value"].strip(), f"{self.source}:{line.number}"), line.number)
        return found

    def _key(self, typed: str, number: int, known: Collection[str]) -> str:
        """Return the key of a setting as it is declared; an empty string for what is bold for another reason."""
        if _KEY.fullmatch(typed):
            return typed
        folded = re.sub(r"[\s-]+", "_", typed.lower().strip())
        if folded in known:
            return folded
        if meant := closest_name(folded, tuple(known)):
            raise NoteError(f"{self.source}:{number}: unknown setting {typed!r}; did you mean {meant!r}?")
        return ""

    def section(self, title: str) -> Section:
        """Return the section under `## title`, in any case; with an empty title, the text before the first section.

        Raises: NoteError if there are two with this title.
        """
        if self._sections is None or self._sections[0] is not self.body:
            self._sections = self.body, self._sections_by_title()
        found = self._sections[1].get(title.casefold(), ())
        if len(found) > 1:
            (_, first), (name, second) = found[:2]
            raise NoteError(
                f"{self.source}:{second.start - 1}: the section {name!r} stands in line {first.start - 1} already; "
                "make them one."
            )
        return found[0][1] if found else _NOTHING

    def rows(self, title: str) -> Iterator[Row]:
        r"""Yield each row of the tables in a section, heads included; the rules below heads are left out.

        A bar inside a cell is written `\|`. Raises: NoteError if there are two such sections.
        """
        for line in self.section(title).lines:
            row = unescape_comments(line.text).strip()
            if not line.counts or not row.startswith("|"):
                continue
            cells = tuple(cell.strip().replace("\\|", "|") for cell in _BAR.split(row.removesuffix("|"))[1:])
            if not all(_RULE.fullmatch(cell) for cell in cells):
                yield Row(cells, line.number, row)

    def _sections_by_title(self) -> dict[str, list[tuple[str, Section]]]:
        """Return each section and its title, by the title in any case of letters."""
        lines, offset = self.lines, self.body_line
        heads = [("", offset), *((title, line.number + 1) for line in lines if (title := section_title(line)))]
        ends = [start - 1 for _, start in heads[1:]] + [offset + len(lines)]
        found: dict[str, list[tuple[str, Section]]] = {}
        for (name, start), end in zip(heads, ends, strict=True):
            first, last = start - offset, end - offset
            while last > first and not lines[last - 1].raw:
                last -= 1
            while first < last and not lines[first].raw:
                first += 1
            found.setdefault(name.casefold(), []).append((name, Section(lines[first:last], start)))
        return found

    def entries(self, title: str) -> Iterator[Entry]:
        """Yield the list lines of a section.

        Raises: NoteError at a list line that is not `- **name**, alias: value`, or if there are two such sections.
        """
        lines = self.section(title).lines
        for index, line in enumerate(lines):
            if not line.counts or not ITEM.match(line.text):
                continue
            match = _ENTRY.fullmatch(unescape_comments(line.text))
            if not match:
                form = "'- **name**, alias: text'"
                raise NoteError(f"{self.source}:{line.number}: {line.raw.strip()!r} is not of the form {form}.")
            end = _end_of_item(lines, index + 1)
            yield Entry(
                _name(match["name"]),
                tuple(name for alias in _ALIAS.findall(match["aliases"]) if (name := _name(alias))),
                "\n".join([match["value"].lstrip(), *_continuation(lines[index + 1 : end])]).strip(),
                line.number,
                lines[end - 1].number + 1,
            )


def section_title(line: NoteLine) -> str:
    """Return the title of the section that a line begins, or an empty text if it begins none.

    Sections begin at headings of the second level. One that the world reads may have any level, and a colon.
    """
    title = line.title.rstrip(" :")
    if line.level and title.casefold() in SECTIONS:
        return title
    return line.title if line.level == 2 else ""


def heading_faults(note: Note) -> Iterator[tuple[int, str]]:
    """Yield the lines that look like headings of sections that the world reads and are none, with what to write."""
    for line, below in zip(note.lines, [*note.lines[1:], None], strict=True):
        name = line.text.strip(" :").casefold()
        if line.counts and name in SECTIONS and below and _UNDERLINE.fullmatch(below.text):
            yield line.number, f"{line.text.strip()!r} is underlined, so it is no section; write '## {SECTIONS[name]}'."
            continue
        title = line.title.rstrip(" :").casefold()
        if title and title not in SECTIONS and (meant := closest_name(title, tuple(SECTIONS))):
            yield line.number, f"nothing reads the section {line.title!r}; did you mean '## {SECTIONS[meant]}'?"


def parse_note(text: str, source: str) -> Note:
    """Return the note that a file's text is.

    Raises: NoteError if the front matter is not valid YAML or is not a list of properties, or if a merge by git left
    its conflict markers in the note.
    """
    exact, text = text, with_plain_ends(text.removeprefix("\ufeff"))
    _check_merged(text, source)
    if not has_front_matter(text):
        return Note(source, {}, text, text=exact)
    head, rest = split_front_matter(text, source)
    found = parse_front_matter(head, source) if head.strip() else FrontMatter()
    first_line = head.count("\n") + 3 + len(rest) - len(rest.lstrip("\n"))
    return Note(source, found.properties, rest.strip("\n"), found.lines, first_line, found.typed, exact)


_CONFLICT = re.compile(
    r"^<{7}(?: [^\n]*)?\n(?P<first>[\s\S]*?)^(?P<second>(?:\|{7}[^\n]*\n[\s\S]*?)?={7}\n[\s\S]*?^>{7}(?: [^\n]*)?$)",
    re.MULTILINE,
)


def without_conflicts(text: str) -> str:
    """Return a text with only the first side of each conflict that git has marked; the other lines of it are blank."""

    def first_side(conflict: re.Match[str]) -> str:
        return "\n" + conflict["first"] + "\n" * conflict["second"].count("\n")

    return _CONFLICT.sub(first_side, text)


def _check_merged(text: str, source: str) -> None:
    """Raises: NoteError if git has left both sides of a conflict in a text."""
    if "<<<<<<<" in text and (conflict := _CONFLICT.search(text)):
        line = text.count("\n", 0, conflict.start()) + 1
        raise NoteError(
            f"{source}:{line}: both sides of a merge conflict stand here, '<<<<<<<' to '>>>>>>>'; keep one of them."
        )


def format_note(properties: dict[str, Any], body: str) -> str:
    """Return the text of a note: properties in their order, then the body."""
    if not properties and not has_front_matter(body):
        return body.rstrip("\n") + "\n"
    head = format_block_style(properties) if properties else ""
    return f"---\n{head}---\n{body.rstrip(chr(10))}\n"


def link_target(value: object) -> str:
    """Return the name of the note that a link leads to; empty if there is none.

    A link is `[[Note]]`, with a folder, `.md`, heading or other text in it as Obsidian writes them; `[Note](Note.md)`;
    the plain name; or YAML's nested list of one.
    """
    if isinstance(value, list):
        inner = value[0] if len(value) == 1 and isinstance(value[0], list) else value
        value = link(", ".join(map(str, inner)) or " ")
    text = "" if value is None else str(value).strip()
    if match := _LINK.search(text):
        target = match[1]
    elif match := _MARKDOWN_LINK.fullmatch(text):
        target = unquote(match["bracketed"] or match["plain"]).partition("#")[0]
    else:
        return text
    return target.strip().rpartition("/")[2].removesuffix(".md").strip()


def link(name: str) -> str:
    """Return a wiki link to a note."""
    return f"[[{name}]]"


def link_or_name(name: str) -> str:
    """Return a link to a note, or its plain name if no link can hold it."""
    return link(name) if name.strip() == name != "" and _UNLINKED.isdisjoint(name) else name


def _name(text: str) -> str:
    return unescape_name(text.strip()).lower()


def with_plain_ends(text: str) -> str:
    """Return a text in which every line ends with a line feed alone."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _end_of_item(lines: Sequence[NoteLine], start: int) -> int:
    """Return where the lines end that belong to the list item above `start`; blank ones at their end do not."""
    end = start
    for index in range(start, len(lines)):
        line = lines[index]
        if line.is_hidden:
            continue
        if line.raw and (not _INDENT.match(line.raw) or (line.counts and ITEM.match(line.text))):
            break
        if line.text.strip():
            end = index + 1
    return end


def _continuation(lines: Sequence[NoteLine]) -> list[str]:
    """Return the lines of a list item after its first, without their indent."""
    dedented = ((line, _INDENT.sub("", line.text, count=1)) for line in visible(lines))
    return [text if line.kind is Kind.FENCED else unescape_line(text) for line, text in dedented]


def _scalar(text: str, place: str) -> object:
    remark = re.search(r"\s\(", text) if text.endswith(")") else None
    bare = text[: remark.start() if remark else None].strip().strip("`")
    try:
        value = load_value(bare)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise NoteError(
            f"{place}: the value {text!r} cannot be read; write a number, true, false or plain text."
        ) from error
    ends_in_colon = isinstance(value, dict) and not bare.startswith("{") and set(value.values()) == {None}
    return bare if ends_in_colon else value  # `::` is an address, and to YAML a key without a value


def text_in(note: Note, key: str) -> str:
    """Return a property as text, or an empty one if it is none."""
    typed = note.typed.get(key, "")
    return typed if isinstance(typed, str) else ""


def texts_in(note: Note, key: str) -> tuple[str, ...]:
    """Return a property as a list of texts; one alone counts as a list of it."""
    match note.typed.get(key, ()):
        case str(one):
            return (one,) if one else ()
        case tuple(several):
            return several
        case _:
            return ()


def table_in(note: Note, key: str) -> dict[str, str]:
    """Return a property as a table of texts, or an empty one if it is none."""
    typed = note.typed.get(key, {})
    return dict(typed) if isinstance(typed, dict) else {}


def own_properties(note: Note, known: Collection[str]) -> dict[str, str]:
    """Return the properties that builders set: the unknown ones that have one value, as text."""
    return {key: typed for key, typed in note.typed.items() if isinstance(typed, str) and key not in known}
