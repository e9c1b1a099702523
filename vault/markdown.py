r"""The lines of a note as Markdown has them: text, headings, code and comments; and how any text stands among them.

This is the one place that tells them apart.

    ``` or ~~~      fenced code, up to a fence of at least that length
    four spaces     indented code, after a blank line and outside of lists
    %% ... %%       an Obsidian comment, in a line or over many
    <!-- ... -->    an HTML comment, likewise

Nothing in code or in a comment is a heading, a setting or a list line. Every line is kept to the letter, so that a
note can be put together again byte for byte. A fence or comment that nothing closes is text: a slip of the pen does
not swallow the rest of a note. The time that a scan takes grows with the length of the note and no faster.

A line that would be something else to a reader of the note gets a backslash before the mark that makes it so:
`\## Exits`, `\---`, `\````, `\- **lamp**: dented`; so does what would begin or end a comment, `\%%`, `\<!--` or
`\-->`. Obsidian shows such a line without the backslash. A line of nothing but backslashes gets one more, and an empty
first or last line is one backslash, for blank lines at the ends of a section count for nothing. All else stands as it
is: links, HTML, templates, tables. What is in fenced code is read to the letter.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from world.sanitize import clean_block

_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\Z)")
_ITEM_MARKS = frozenset("-*+0123456789")
_COMMENT_MARK = re.compile(r"\\+(?:%%|<!--|`+)?|`+|%%|<!--")
_BACKTICKS = re.compile("`+")
_CLOSES = {"%%": "%%", "<!--": "-->"}
_END_OF_PARAGRAPH = re.compile(r"\n[ \t]*(?=\n|#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|```|~~~)|\Z")


class Kind(Enum):
    """The kind of a line; a line of a comment is text with nothing visible."""

    TEXT = "text"
    HEADING = "heading"
    INDENTED = "indented code"
    FENCED = "fenced code"


class NoteLine(NamedTuple):
    """A line of a note by its number in the file: `raw` to the letter, `text` without comments.

    `comments` are the parts of the line that are in comments; `is_continued` is true if the first of them began in a
    line above. A heading has its `title`, and its `level` from 1 to 6.
    """

    number: int
    raw: str
    text: str
    kind: Kind = Kind.TEXT
    title: str = ""
    level: int = 0
    comments: tuple[str, ...] = ()
    is_continued: bool = False

    @property
    def counts(self) -> bool:
        """True if the line may be a setting, an entry or a row: it is neither code nor a heading."""
        return self.kind is Kind.TEXT

    @property
    def is_hidden(self) -> bool:
        """True if the line has nothing but comments."""
        return bool(self.comments) and not self.text.strip()


def scan(text: str, first_number: int = 1) -> list[NoteLine]:
    """Return the lines of a text; the first gets the given number. Lines end with a line feed alone."""
    return _Scan(text).lines(first_number)


def unclosed(lines: Iterable[NoteLine]) -> list[tuple[int, str]]:
    """Return the openings of code or comments that nothing closes, and that are text therefore, by line number."""
    found = []
    for line in lines:
        text = line.text.lstrip(" ")
        mark = next((mark for mark in ("```", "~~~", *_CLOSES) if text.startswith(mark)), "")
        if line.counts and mark and _indent(line.raw) < 4:
            found.append((line.number, mark))
    return found


def visible(lines: Iterable[NoteLine]) -> list[NoteLine]:
    """Return lines without those that are comments, and without the double blank lines that this would leave."""
    shown: list[NoteLine] = []
    was_hidden = False
    for line in lines:
        if line.is_hidden:
            was_hidden = True
        elif not (was_hidden and not line.raw and (not shown or not shown[-1].raw)):
            shown.append(line)
            was_hidden = False
    return shown


class _Scan:
    """One pass over a text, with what is known between two of its lines."""

    def __init__(self, text: str) -> None:
        self._raws = text.split("\n")
        self._comments = _Comments(text)
        self._fenced_until = 0
        self._unclosed: dict[tuple[str, bool], tuple[int, int]] = {}
        self._in_list = False
        self._in_paragraph = False

    def lines(self, first_number: int) -> list[NoteLine]:
        found, at = [], 0
        for index, raw in enumerate(self._raws):
            found.append(self._line(index, at, raw, first_number + index))
            at += len(raw) + 1
        return found

    def _line(self, index: int, at: int, raw: str, number: int) -> NoteLine:
        if index < self._fenced_until:
            return NoteLine(number, raw, raw, Kind.FENCED)
        if at < self._comments.open_until:
            return self._text(number, raw, *self._comments.split(raw, at), is_continued=True)
        bare = raw.lstrip(" \t")
        if not bare or bare.isspace():
            self._in_paragraph = False
            return NoteLine(number, raw, raw)
        indent = _indent(raw) if bare is not raw else 0
        if bare[0] in "`~" and (end := self._fence_end(index, raw, indent)):
            self._fenced_until, self._in_paragraph = end, False
            self._in_list = self._in_list and indent >= 2
            return NoteLine(number, raw, raw, Kind.FENCED)
        if indent >= 4 and not self._in_paragraph and not self._in_list:
            return NoteLine(number, raw, raw, Kind.INDENTED)
        text, comments = self._comments.split(raw, at)
        level = _level(bare) if bare[0] == "#" and indent < (2 if self._in_list else 4) else 0
        if level and (title := _title(text, level)):
            self._in_list = self._in_paragraph = False
            return NoteLine(number, raw, text, Kind.HEADING, title, level, comments)
        return self._text(number, raw, text, comments)

    def _text(
        self, number: int, raw: str, text: str, comments: tuple[str, ...], is_continued: bool = False
    ) -> NoteLine:
        if not comments or text.strip():
            if text.lstrip(" \t")[0] in _ITEM_MARKS and _ITEM.match(text) and (self._in_list or _indent(raw) < 4):
                self._in_list = True
            elif self._in_list and not self._in_paragraph and _indent(raw) < 2:
                self._in_list = False
            self._in_paragraph = True
        return NoteLine(number, raw, text, Kind.TEXT, "", 0, comments, is_continued)

    def _fence_end(self, index: int, raw: str, indent: int) -> int:
        """Return the index of the line after a fenced block that begins in a line; 0 if none does, or none ends."""
        match = _FENCE.match(raw)
        if not match or (indent > 3 and not self._in_list) or (match["mark"][0] == "`" and "`" in match["info"]):
            return 0
        char, length, is_nested = match["mark"][0], len(match["mark"]), self._in_list and indent >= 2
        until, shortest = self._unclosed.get((char, is_nested), (0, 0))
        if index < until and length >= shortest:
            return 0
        end = index
        for end in range(index + 1, len(self._raws)):
            line = self._raws[end]
            if is_nested and line.strip() and _indent(line) < 2:
                break
            mark = line.strip()
            is_fence = mark[:1] == char and len(mark) >= length and mark == char * len(mark)
            if is_fence and (is_nested or _indent(line) < 4):
                return end + 1
        else:
            end = len(self._raws)
        self._unclosed[char, is_nested] = end, length
        return 0


class _Comments:
    """The comments of a text, found from its beginning on. `open_until` is where the last one that was found ends."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._has_any = "%%" in text or "<!--" in text
        self._found: dict[str, int] = {}
        self._paragraph_end = -1
        self.open_until = 0

    def split(self, raw: str, at: int) -> tuple[str, tuple[str, ...]]:
        """Return the parts of a line outside of comments, and those inside; the line begins at a place in the text."""
        if not self._has_any or (at >= self.open_until and "%%" not in raw and "<!--" not in raw):
            return raw, ()
        place = max(0, min(self.open_until - at, len(raw)))
        pieces, comments = ([""], [raw[:place]]) if at < self.open_until else (list[str](), list[str]())
        runs, begin, is_block = _runs(raw), place, True
        while match := _COMMENT_MARK.search(raw, place):
            mark, place = match[0], match.end()
            if mark[0] == "`":
                place = _end_of_span(runs, match.start(), len(mark)) or place
            elif mark in _CLOSES:
                is_block = is_block and not raw[begin : match.start()].strip()
                end = self._end(mark, at + place, is_block) - at
                if end > 0:
                    pieces.append(raw[begin : match.start()])
                    comments.append(raw[match.start() : end])
                    begin = place = min(end, len(raw))
                    self.open_until = at + end
        pieces.append(raw[begin:])
        return (_join_visible(pieces), tuple(comments)) if comments else (raw, ())

    def _end(self, mark: str, place: int, is_block: bool) -> int:
        """Return where a comment ends whose text begins at a place; 0 if nothing ends it.

        One that begins among other text ends in its paragraph or is none.
        """
        close = _CLOSES[mark]
        found = self._found.get(close)
        if found is None or 0 <= found < place:
            found = self._text.find(close, place)
            while found > 0 and self._text[found - 1] == "\\":
                found = self._text.find(close, found + len(close))
            self._found[close] = found
        if found < 0:
            return 0
        if not is_block:
            if self._paragraph_end < place and (match := _END_OF_PARAGRAPH.search(self._text, place)):
                self._paragraph_end = match.start()
            if found > self._paragraph_end:
                return 0
        return found + len(close)


def _indent(raw: str) -> int:
    """Return how far a line is indented, in spaces; a tab counts as four."""
    space = len(raw) - len(raw.lstrip(" \t"))
    return space + 3 * raw.count("\t", 0, space)


def _level(text: str) -> int:
    level = len(text) - len(text.lstrip("#"))
    return level if level <= 6 and text[level : level + 1] in (" ", "\t") else 0


def _title(text: str, level: int) -> str:
    """Return the title of a heading, without the number signs that may close it."""
    title = text.lstrip(" ")[level:].strip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else title


def _runs(raw: str) -> dict[int, list[int]]:
    """Return where the runs of backticks in a line begin, by their length."""
    found: dict[int, list[int]] = defaultdict(list)
    for match in _BACKTICKS.finditer(raw) if "`" in raw else ():
        found[len(match[0])].append(match.start())
    return found


def _end_of_span(runs: dict[int, list[int]], start: int, length: int) -> int:
    """Return where the code between two runs of backticks ends, the second run included; 0 if there is no second."""
    places = runs.get(length, [])
    index = bisect_right(places, start)
    return places[index] + length if index < len(places) else 0


def _join_visible(pieces: list[str]) -> str:
    """Return the visible pieces of a line, with one space where a comment stood between two."""
    kept, is_open = pieces[:1], not pieces[0] or pieces[0][-1].isspace()
    for piece in pieces[1:]:
        kept.append(piece.lstrip() if is_open else piece)
        is_open = kept[-1][-1].isspace() if kept[-1] else is_open
    return "".join(kept).rstrip()


_HARD = r"##(?=\s|\Z)|`{3}|~{3}"
_MARK = rf"(?:[-*+](?=\s|\Z)|---[ \t]*\Z|{_HARD})"
_ESCAPED = re.compile(rf"\A(?P<space>\s*)(?P<mark>\\*{_MARK})|\A(?P<only>\\+)\Z")
_UNESCAPED = re.compile(rf"\A(?P<space>\s*)\\(?P<mark>\\*{_MARK})|\A\\(?P<only>\\*)\Z")
_IN_A_SECTION = re.compile(rf"---[ \t]*\Z|\s*(?:{_HARD})|\s*\\+{_MARK}|\\+\Z")
"""Text that needs a backslash in a section, where a list stays a list: other marks, and text that looks escaped."""
_COMMENT = re.compile(r"(?<!\\)\\*(?:%%|<!--|-->)")
_COMMENT_ESCAPED = re.compile(r"(?<!\\)\\(\\*(?:%%|<!--|-->))")
_NAME_MARK = re.compile(r"[\\*,:]")
_NAME_ESCAPED = re.compile(r"\\([\\*,:])")


def escape_section(text: str) -> str:
    """Return a text as the lines of a section; list items in it stay what they are."""
    lines = text.split("\n")
    if text:
        lines = [_escape(line) if _IN_A_SECTION.match(line) else escape_comments(line) for line in lines]
        for end in (0, -1):
            lines[end] = lines[end] or "\\"
    return "\n".join(lines)


def unescape_section(text: str) -> str:
    """Return the text of a section: without comments, and to the letter what `escape_section` was given."""
    return unescape(scan(text))


def unescape(lines: Iterable[NoteLine]) -> str:
    """Return the text of some lines of a note, without comments and without the blank lines at the ends."""
    shown = visible(lines)
    while shown and not shown[-1].raw:
        shown.pop()
    while shown and not shown[0].raw:
        shown.pop(0)
    return "\n".join(line.raw if line.kind is Kind.FENCED else unescape_line(line.text) for line in shown)


def escape_item(text: str) -> list[str]:
    """Return a text as the lines of a list item: those after the first are indented, and none is an item itself."""
    first, *more = text.split("\n")
    return [escape_comments(first), *(f"  {_escape(line)}" if line else "" for line in more)]


def unescape_line(line: str) -> str:
    """Return a line without the backslashes that keep it from being something else."""
    if "\\" not in line:
        return line
    return unescape_comments(_UNESCAPED.sub(r"\g<space>\g<mark>\g<only>", line, count=1))


def escape_comments(line: str) -> str:
    """Return a line in which nothing begins or ends a comment."""
    return _COMMENT.sub(r"\\\g<0>", line)


def unescape_comments(line: str) -> str:
    """Return the text that `escaped_comments` was given."""
    return _COMMENT_ESCAPED.sub(r"\1", line)


def escape_name(name: str) -> str:
    """Return the name of an exit or a detail as it stands between its stars."""
    return _NAME_MARK.sub(r"\\\g<0>", name)


def unescape_name(text: str) -> str:
    """Return the text that `escaped_name` was given."""
    return _NAME_ESCAPED.sub(r"\1", text) if "\\" in text else text


def _escape(line: str) -> str:
    return escape_comments(_ESCAPED.sub(_with_backslash, line, count=1))


def _with_backslash(match: re.Match[str]) -> str:
    return f"\\{match['only']}" if match["only"] else f"{match['space']}\\{match['mark']}"


LINE_BREAK = " ⏎ "


def one_line(text: str) -> str:
    """Return text as a memory holds it: one line, line breaks shown as ⏎, no control characters."""
    if text.isascii() and text.isprintable():
        return text.strip()  # as nearly all is: nothing in it is to be cleaned, and a line break is not printable
    lines = (line.strip() for line in clean_block(text).split("\n"))
    return LINE_BREAK.join(line for line in lines if line)


_WORDS_ESCAPED = re.compile(r"\\|<|\[(?=\[)|%(?=%)|#(?=\w)|\^(?=m\d)|\*(?=\*)|\((?=seen \d)|·")
_WORDS_UNESCAPED = re.compile(r"\\([\\<\[%#^*(·])")


def escape_words(text: str) -> str:
    """Return text as a line may hold it."""
    return _WORDS_ESCAPED.sub(r"\\\g<0>", one_line(text))


def unescape_words(text: str) -> str:
    """Return the text that `escaped` was given."""
    return one_line(_WORDS_UNESCAPED.sub(r"\1", text))
