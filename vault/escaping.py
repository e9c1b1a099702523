r"""How any text stands in the body of a note, so that it comes back to the letter.

A line that would be something else to whoever reads the note gets a backslash before the mark that makes it so, as
one does it in Markdown: `\## Exits`, `\---`, `\````, `\- **lamp**: dented`; so does what would begin or end a
comment, `\%%`, `\<!--` or `\-->`. Obsidian shows such a line without the backslash. A line of nothing but backslashes
gets one more, and an empty first or last line is one backslash, for blank lines at the ends of a section count for
nothing. All else stands as it is: links, HTML, templates, tables. What is in fenced code is read to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from vault.blocks import Kind, Line, scan, visible

_HARD = r"##(?=\s|\Z)|`{3}|~{3}"
_MARK = rf"(?:[-*+](?=\s|\Z)|---[ \t]*\Z|{_HARD})"
_ESCAPED = re.compile(rf"\A(?P<space>\s*)(?P<mark>\\*{_MARK})|\A(?P<only>\\+)\Z")
_UNESCAPED = re.compile(rf"\A(?P<space>\s*)\\(?P<mark>\\*{_MARK})|\A\\(?P<only>\\*)\Z")
_IN_A_SECTION = re.compile(rf"---[ \t]*\Z|\s*(?:{_HARD})|\s*\\+{_MARK}|\\+\Z")
"""What gets a backslash in a section, where a list stays a list: other marks, and what looks escaped already."""
_COMMENT = re.compile(r"\\*(?:%%|<!--|-->)")
_COMMENT_ESCAPED = re.compile(r"\\(\\*(?:%%|<!--|-->))")
_NAME_MARK = re.compile(r"[\\*,:]")
_NAME_ESCAPED = re.compile(r"\\([\\*,:])")


def escaped_section(text: str) -> str:
    """Return a text as the lines of a section; list items in it stay what they are."""
    lines = text.split("\n")
    if text:
        lines = [_escaped(line) if _IN_A_SECTION.match(line) else escaped_comments(line) for line in lines]
        for end in (0, -1):
            lines[end] = lines[end] or "\\"
    return "\n".join(lines)


def unescaped_section(text: str) -> str:
    """Return what a section says: without comments, and to the letter what `escaped_section` was given."""
    return unescaped(scan(text))


def unescaped(lines: Iterable[Line]) -> str:
    """Return what lines of a note say, without comments and without the blank lines at the ends."""
    shown = visible(lines)
    while shown and not shown[-1].raw:
        shown.pop()
    while shown and not shown[0].raw:
        shown.pop(0)
    return "\n".join(line.raw if line.kind is Kind.FENCED else unescaped_line(line.text) for line in shown)


def escaped_item(text: str) -> list[str]:
    """Return a text as the lines of a list item: those after the first are indented, and none is an item itself."""
    first, *more = text.split("\n")
    return [escaped_comments(first), *(f"  {_escaped(line)}" if line else "" for line in more)]


def unescaped_line(line: str) -> str:
    """Return a line without the backslashes that keep it from being something else."""
    if "\\" not in line:
        return line
    return unescaped_comments(_UNESCAPED.sub(r"\g<space>\g<mark>\g<only>", line, count=1))


def escaped_comments(line: str) -> str:
    """Return a line in which nothing begins or ends a comment."""
    return _COMMENT.sub(r"\\\g<0>", line)


def unescaped_comments(line: str) -> str:
    """Return what `escaped_comments` was given."""
    return _COMMENT_ESCAPED.sub(r"\1", line)


def escaped_name(name: str) -> str:
    """Return the name of an exit or a detail as it stands between its stars."""
    return _NAME_MARK.sub(r"\\\g<0>", name)


def unescaped_name(text: str) -> str:
    """Return what `escaped_name` was given."""
    return _NAME_ESCAPED.sub(r"\1", text) if "\\" in text else text


def _escaped(line: str) -> str:
    return escaped_comments(_ESCAPED.sub(_with_backslash, line, count=1))


def _with_backslash(match: re.Match[str]) -> str:
    return f"\\{match['only']}" if match["only"] else f"{match['space']}\\{match['mark']}"
