"""The note editor: changes one property, section or list line; the rest stays byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vault.errors import NoteError
from vault.front_matter import Text, compose, format_front_matter
from vault.markdown import Kind, escape_item, escape_name, escape_section
from vault.note import BOLD, ITEM, Note, Section, parse_note

_FENCE = re.compile(r"\ufeff?---[ \t]*")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


class NoteEditor:
    """A note's text that is being changed; `str()` of it is what to write. `source` is its path, for messages.

    Line ends, a byte order mark, remarks, comments and the order of everything stay as they are. Every method raises
    NoteError if the note cannot be read, or if the section that it is to change stands there twice.
    """

    def __init__(self, text: str, source: str) -> None:
        self._source = source
        self._lines: list[str] = _LINE.findall(text)
        self._break = _end_of(self._lines[0]) if self._lines else ""
        self._break = self._break or "\n"
        self._note = parse_note(text, source)

    def __str__(self) -> str:
        return "".join(self._lines)

    @property
    def note(self) -> Note:
        """The note as it is now."""
        return self._note

    def set_property(self, key: str, value: str | bool | int | Sequence[str] | dict[str, str] | None) -> None:
        """Give a property another value, or take it away with None. One that is new comes after all others."""
        written = format_front_matter({key: _to_yaml(value)}).split("\n")[:-1] if value is not None else []
        wanted = {name: one for name, one in _typed_properties(self._note).items() if name != key}
        wanted |= {key: _as_typed_text(value)} if value is not None else {}
        before, note = list(self._lines), self._note
        try:
            self._splice_property(key, written)
            self._parse()
        except NoteError:
            self._note = Note("")
        # In one line with others, linked with them, or unlike what YAML is mostly.
        if _typed_properties(self._note) != wanted:
            self._lines, self._note = before, note
            self._replace_head({name: one for name, one in wanted.items() if name != key}, written)
            self._parse()

    def set_section(self, name: str, text: str) -> None:
        """Give the section under `## name` another text (an empty name: what stands before the first heading).

        The text may be any, see `vault.markdown`. A section that is new comes after all others; one without a text
        goes, with its heading. Comments stay: in their place if they are around the text, else below it.
        """
        section = self._note.section(name)
        lines = escape_section(text).split("\n") if text else []
        shown = [line.number for line in section.lines if line.raw and not line.is_hidden]
        if not section.exists:
            self._append([f"## {name}", *lines] if lines else [])
        elif not lines and name and not any(line.comments for line in section.lines):
            self._splice(section.start - 1, shown[-1] + 1 if shown else section.start, [])
        elif shown:
            self._replace(shown[0], shown[-1] + 1, self._spaced(lines, shown[-1] + 1))
        elif lines:
            self._add_to(section, ["", *lines] if section.lines else lines, name)
        self._parse()

    def set_setting(self, number: int, value: str) -> None:
        """Give the setting in a line `**key**: value` another value, as it is to stand there."""
        line = self._note.lines[number - self._note.body_line]
        match = BOLD.match(line.text)
        assert match
        self._replace(number, number + 1, [f"{line.text[: match.start('value')].rstrip()} {value}"])
        self._parse()

    def add_paragraph(self, text: str, above: int = 0) -> None:
        """Add a line of its own at the end of the note, or above the heading in a line."""
        end = above or len(self._lines) + 1
        while end - 1 > self._body_start() and not self._bare(end - 2).strip():
            end -= 1
        gap = [""] if end - 1 > 0 else []
        self._splice(end, end, self._spaced([*gap, text], end))
        self._parse()

    def set_body(self, text: str) -> None:
        """Give the note another body, to the letter but for blank lines at its ends."""
        start = self._body_start() + 1
        self._splice(start, len(self._lines) + 1, text.strip("\n").split("\n"))
        self._parse()

    def set_entry(self, section: str, name: str, line: Sequence[str] | None) -> None:
        """Give a list line of a section, and what belongs to it, another text, or take it away with None.

        `line` is of `entry_lines`. One that is new comes after the others. Comments stay.
        """
        entries = list(self._note.entries(section))
        found = [entry for entry in entries if entry.name == name]
        if found:
            self._replace(found[-1].line, found[-1].end, line or ())
        elif line and entries:
            place = self._outside_comments(entries[-1].end)
            self._splice(place, place, line)
        elif line and (there := self._note.section(section)).exists:
            self._add_to(there, line, section)
        elif line:
            self._append([f"## {section}", *line])
        self._parse()

    def set_items(self, section: str, lines: Sequence[str]) -> None:
        """Replace all list lines of a section; everything else in it stays."""
        there = self._note.section(section)
        old = [line.number for line in there.lines if line.counts and ITEM.match(line.text)]
        for number in reversed(old[1:]):
            self._replace(number, number + 1, [])
        if old:
            self._replace(old[0], old[0] + 1, lines)
        elif there.exists:
            self._add_to(there, lines, section)
        elif lines:
            self._append([f"## {section}", *lines])
        self._parse()

    def _parse(self) -> None:
        self._note = parse_note(str(self), self._source)

    # The front matter

    def _splice_property(self, key: str, written: list[str]) -> None:
        if not self._has_head():
            mark = "\ufeff" if str(self).startswith("\ufeff") else ""
            if written:
                self._lines[:1] = [line.removeprefix(mark) for line in self._lines[:1]]
                self._splice(1, 1, [f"{mark}---", *written, "---"])
            return
        start, end, tail = self._property_place(key)
        one_line = end == start + 1 and len(written) == 1
        self._splice(start + 1, end + 1, [line + tail for line in written] if one_line else written)

    def _property_place(self, key: str) -> tuple[int, int, str]:
        """Return where a property's lines begin and end, and what remark ends them if it is one line."""
        head = "\n".join(self._bare(index) for index in range(1, self._head_end())) if self._has_head() else ""
        node = compose(head)
        for name, value in node.value if node else ():
            if str(name.value) == key:
                start, last = name.start_mark.line, value.end_mark
                end = max(start + 1, last.line + bool(last.column))
                lines = head.split("\n")
                while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
                    end -= 1
                tail = re.search(r"\s+#.*\Z", lines[start][value.end_mark.column :]) if end == start + 1 else None
                return start + 1, end + 1, tail[0] if tail else ""
        return self._head_end(), self._head_end(), ""

    def _replace_head(self, others: Mapping[str, Any], written: list[str]) -> None:
        properties = {name: one if name not in self._note.typed else _to_yaml(one) for name, one in others.items()}
        self._splice(2, self._head_end() + 1, format_front_matter(properties).split("\n")[:-1] + written)

    def _has_head(self) -> bool:
        return len(self._lines) > 1 and bool(_FENCE.fullmatch(self._bare(0)))

    def _head_end(self) -> int:
        """Return the line, from 0, of the fence that ends the front matter."""
        return next(index for index in range(1, len(self._lines)) if _FENCE.fullmatch(self._bare(index)))

    # The body

    def _body_start(self) -> int:
        return self._head_end() + 1 if self._has_head() else 0

    def _replace(self, first: int, end: int, lines: Sequence[str]) -> None:
        """Replace the lines numbered from `first` to before `end`; the comments in them stay."""
        old = [line for line in self._note.lines if first <= line.number < end]
        comments = [comment for line in old for comment in line.comments]
        above = comments[:1] if old and old[0].is_continued else []
        self._splice(first, end, [*above, *lines, *comments[len(above) :]])

    def _add_to(self, section: Section, lines: Sequence[str], name: str) -> None:
        """Add lines at the end of a section, before the blank ones there."""
        start = section.start if name else self._body_start() + 1
        place = section.lines[-1].number + 1 if section.lines else start
        self._splice(place, place, self._spaced(lines, place))

    def _append(self, lines: list[str]) -> None:
        """Add lines at the end of the note, after a blank one."""
        end = len(self._lines)
        while end > self._body_start() and not self._bare(end - 1):
            end -= 1
        gap = [""] if lines and end > self._body_start() else []
        self._splice(end + 1, end + 1, [*gap, *lines])

    def _spaced(self, lines: Sequence[str], number: int) -> list[str]:
        """Return lines with a blank one after them if they come just above a heading."""
        headings = {line.number for line in self._note.lines if line.kind is Kind.HEADING}
        return [*lines, ""] if lines and number in headings else [*lines]

    def _outside_comments(self, number: int) -> int:
        """Return the number of a line, or of the next in which no comment goes on."""
        inside = {line.number for line in self._note.lines if line.is_continued}
        while number in inside:
            number += 1
        return number

    def _splice(self, first: int, end: int, lines: Iterable[str]) -> None:
        """Replace the lines numbered from `first` to before `end`."""
        written = [line + self._break for line in lines]
        if written and first > 1 and not _end_of(self._lines[first - 2]):
            self._lines[first - 2] += self._break
        self._lines[first - 1 : end - 1] = written

    def _bare(self, index: int) -> str:
        return self._lines[index].rstrip("\r\n")


def _end_of(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def entry_lines(name: str, aliases: Iterable[str], text: str) -> list[str]:
    """Return the lines `- **name**, alias: text` of a section; the text may have several."""
    names = "".join(f", {escape_name(alias)}" for alias in aliases)
    first, *more = escape_item(text)
    return [f"- **{escape_name(name)}**{names}:{f' {first}' if first else ''}", *more]


def _typed_properties(note: Note) -> dict[str, Any]:
    """Return the properties as they are typed, or as YAML has them if they are more than a text, list or table."""
    return note.properties | note.typed


def _to_yaml(value: Any) -> Any:
    match value:
        case str():
            return Text(value)
        case dict():
            return {str(key): Text(one) for key, one in value.items()}
        case bool() | int():
            return value
        case _:
            return [Text(one) if isinstance(one, str) else one for one in value]


def _as_typed_text(value: Any) -> Any:
    """Return a value as it is typed once it is in a note."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str() | dict():
            return value
        case _:
            return tuple(value)
