"""The text of a note, changed one property, section or list line at a time: all the rest stays to the letter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vault.escaping import escaped_item, escaped_name, escaped_section
from vault.front_matter import Text, compose, format_front_matter
from vault.notes import HEADING, Note, NoteError, parse_note

_FENCE = re.compile(r"\ufeff?---[ \t]*\r?\Z")


class NoteText:
    """A note's text that is being changed; `str()` of it is what to write. `source` is its path, for messages.

    Line ends, a byte order mark, remarks and the order of everything stay as they are. Every method raises NoteError
    if the note cannot be read.
    """

    def __init__(self, text: str, source: str) -> None:
        self._source = source
        self._break = "\r" if "\r\n" in text else ""
        self._lines = text.split("\n")
        self._note = parse_note(text, source)

    def __str__(self) -> str:
        return "\n".join(self._lines)

    @property
    def note(self) -> Note:
        """The note as it is now."""
        return self._note

    def set_property(self, key: str, value: str | bool | int | Sequence[str] | dict[str, str] | None) -> None:
        """Give a property another value, or take it away with None. One that is new comes after all others."""
        written = format_front_matter({key: _as_typed(value)}).split("\n")[:-1] if value is not None else []
        wanted = {name: one for name, one in _texts(self._note).items() if name != key}
        wanted |= {key: _as_read(value)} if value is not None else {}
        before, note = list(self._lines), self._note
        try:
            self._splice_property(key, written)
            self._parse()
        except NoteError:
            self._note = Note("")
        if _texts(self._note) != wanted:  # in one line with others, linked with them, or unlike what YAML is mostly
            self._lines, self._note = before, note
            self._replace_head({name: one for name, one in wanted.items() if name != key}, written)
            self._parse()

    def set_section(self, name: str, text: str) -> None:
        """Give the section under `## name` another text (an empty name: what stands before the first heading).

        The text may be any, see `vault.escaping`. A section that is new comes after all others; one without a text
        goes, with its heading.
        """
        found = self._section(name)
        lines = self._ended(escaped_section(text).split("\n")) if text else []
        if found is None:
            self._append([f"## {name}{self._break}", *lines] if lines else [])
        else:
            start, end = found
            if not lines and name:
                start -= 1
            self._fill(start, end, lines)
        self._parse()

    def set_body(self, text: str) -> None:
        """Give the note another body, to the letter but for blank lines at its ends."""
        self._lines[self._body_start() :] = [*self._ended(text.strip("\n").split("\n")), ""]
        self._parse()

    def set_entry(self, section: str, name: str, line: Sequence[str] | None) -> None:
        """Give a list line of a section, and what belongs to it, another text, or take it away with None.

        `line` is of `entry_lines`. One that is new comes after the others.
        """
        entries = list(self._note.entries(section))
        found = [entry for entry in entries if entry.name == name]
        lines = self._ended(line or ())
        if found:
            self._lines[found[-1].line - 1 : found[-1].end - 1] = lines
        elif entries:
            self._insert(entries[-1].end - 1, lines)
        elif lines:
            place = self._section(section)
            if place is None:
                self._append([f"## {section}{self._break}", *lines])
            else:
                start, end = place
                self._fill(start, end, [*self._text_lines(start, end), *lines])
        self._parse()

    def _parse(self) -> None:
        if not self._lines or self._lines[-1].endswith("\r"):
            self._lines.append("")
        self._note = parse_note(str(self), self._source)

    # The front matter

    def _splice_property(self, key: str, written: list[str]) -> None:
        if not self._has_head():
            mark = "\ufeff" if self._lines[0].startswith("\ufeff") else ""
            self._lines[0] = self._lines[0].removeprefix("\ufeff")
            self._lines[:0] = self._ended([f"{mark}---", *written, "---"]) if written else [mark]
            return
        start, end, tail = self._property_place(key)
        one_line = end == start + 1 and len(written) == 1
        self._lines[start:end] = self._ended([line + tail for line in written] if one_line else written)

    def _property_place(self, key: str) -> tuple[int, int, str]:
        """Return where a property's lines begin and end, and what remark ends them if it is one line."""
        head = "\n".join(line.removesuffix("\r") for line in self._head_lines())
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
        properties = {name: one if name not in self._note.typed else _as_typed(one) for name, one in others.items()}
        self._lines[1 : self._head_end()] = self._ended(format_front_matter(properties).split("\n")[:-1] + written)

    def _has_head(self) -> bool:
        return bool(_FENCE.fullmatch(self._lines[0])) and len(self._lines) > 1

    def _head_end(self) -> int:
        """Return the line, from 0, of the fence that ends the front matter."""
        return next(index for index, line in enumerate(self._lines[1:], 1) if _FENCE.fullmatch(line))

    def _head_lines(self) -> list[str]:
        return self._lines[1 : self._head_end()] if self._has_head() else []

    # The body

    def _body_start(self) -> int:
        return self._head_end() + 1 if self._has_head() else 0

    def _section(self, name: str) -> tuple[int, int] | None:
        """Return where the lines of a section begin and end, the last of its name, without its heading."""
        found, start, current = None, self._body_start(), ""
        for index in range(start, len(self._lines) + 1):
            heading = HEADING.match(self._lines[index]) if index < len(self._lines) else None
            if heading or index == len(self._lines):
                if current == name:
                    found = (start, index)
                start, current = index + 1, heading[1] if heading else ""
        return found

    def _text_lines(self, start: int, end: int) -> list[str]:
        lines = [line.removesuffix("\r") for line in self._lines[start:end]]
        while lines and not lines[-1]:
            lines.pop()
        while lines and not lines[0]:
            lines.pop(0)
        return lines

    def _fill(self, start: int, end: int, lines: list[str]) -> None:
        """Put lines in the place of a section's, between the blank ones that are at its ends."""
        first, last = start, end
        while first < last and not self._lines[first].strip("\r"):
            first += 1
        while last > first and not self._lines[last - 1].strip("\r"):
            last -= 1
        if first == last:  # all of it is blank
            first = last = start
        lines = self._ended(lines)
        if lines and last == len(self._lines):
            lines.append("")
        elif lines and HEADING.match(self._lines[last]):
            lines.append(self._break)
        self._lines[first:last] = lines

    def _append(self, lines: list[str]) -> None:
        if not lines:
            return
        end = len(self._lines)
        while end > self._body_start() and not self._lines[end - 1].strip("\r"):
            end -= 1
        gap = [self._break] if end > self._body_start() else []
        if end and not self._lines[end - 1].endswith("\r"):
            self._lines[end - 1] += self._break
        self._lines[end:] = [*gap, *self._ended(lines), ""]

    def _insert(self, index: int, lines: list[str]) -> None:
        if index == len(self._lines):
            lines = [*lines, ""]
        self._lines[index:index] = lines

    def _ended(self, lines: Iterable[str]) -> list[str]:
        return [line.removesuffix("\r") + self._break for line in lines]


def entry_lines(name: str, aliases: Iterable[str], text: str) -> list[str]:
    """Return the lines `- **name**, alias: text` of a section; the text may have several."""
    names = "".join(f", {escaped_name(alias)}" for alias in aliases)
    first, *more = escaped_item(text)
    return [f"- **{escaped_name(name)}**{names}:{f' {first}' if first else ''}", *more]


def _texts(note: Note) -> dict[str, Any]:
    """Return the properties as they are typed, or what YAML makes of those that are more than a text, list or table."""
    return note.properties | note.typed


def _as_typed(value: Any) -> Any:
    match value:
        case str():
            return Text(value)
        case dict():
            return {str(key): Text(one) for key, one in value.items()}
        case bool() | int():
            return value
        case _:
            return [Text(one) if isinstance(one, str) else one for one in value]


def _as_read(value: Any) -> Any:
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
