"""Line layout: wraps text to a width in columns, which differ from characters."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from functools import lru_cache

from wcwidth import wcwidth, wrap
from wcwidth import width as columns_shown


def wrap_wide(text: str, room: int, hanging: str = "") -> list[str]:
    """Return text as lines of at most `room` columns, those after the first behind `hanging`.

    It breaks at spaces, which are left out where it does, and within a word that is longer than a line. A library that
    knows every sequence of a terminal takes 20 ms for 4 kB; in the world's cleaned text there is no such sequence, no
    joiner and no variation selector, so a text has the columns of its characters.
    """
    lines: list[str] = []
    line, free = "", room
    for gap, word, columns in _words(text):
        is_endless = columns > room - len(hanging) and free - len(gap) > 1
        if line.strip() and len(gap) + columns > free and not is_endless:
            lines.append(line.rstrip(" "))
            line, free, gap = hanging, room - len(hanging), ""
        line, free = line + gap, free - len(gap)
        for part, width in _parts(word, columns, free, room - len(hanging)):
            if width > free and line != hanging:
                lines.append(line.rstrip(" "))
                line, free = hanging, room - len(hanging)
            line, free = line + part, free - width
    return [*lines, line.rstrip(" ")] if line.strip() else lines


def columns_in(text: str) -> int:
    """Return how many columns a cleaned text takes on a screen."""
    return len(text) if text.isascii() else sum(max(0, wcwidth(char)) for char in text)


def _words(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield each word with the spaces before it and its columns."""
    gap = ""
    for number, word in enumerate(text.split(" ")):
        gap += " " * (number > 0)
        if word:
            yield gap, word, columns_in(word)
            gap = ""


def _parts(word: str, columns: int, free: int, room: int) -> Iterator[tuple[str, int]]:
    """Yield a word whole if it fits into a line, or else in parts that fill what is free and then whole lines."""
    if columns <= room:
        yield word, columns
        return
    part, width, most = "", 0, free if free > 1 else room
    for char in word:
        wide = max(0, wcwidth(char))
        if part and width + wide > most:
            yield part, width
            part, width, most = "", 0, room
        part, width = part + char, width + wide
    yield part, width


MAX_COLUMNS = 100

NARROW_INDENT = "    "
"""The indent of a second column where the first leaves it no room."""

ESCAPE = "\x1b"

WHOLE = 0
"""The width of a screen that is read aloud: a line has no end there but its own."""

_COLUMN = re.compile(r"\S+(?: \S+)*(?<![.!?:]) {2,}(?=\S)")


_GAP = re.compile(r"(?<=\S) {2,}(?=\S)")
_PAUSES = ".,:;!?"


@lru_cache(maxsize=64)
def lay_out(text: str, width: int, has_columns: bool = False) -> str:
    """Return text wrapped to a screen's width in columns, or as it is listened to if that is `WHOLE`.

    Each line keeps its own indentation, and none is made longer than is good to read. `has_columns` says that rows of
    spaces stand between columns, which a screen reader reads one after the other. The same text for many screens of
    one width is wrapped once, and so is a line that is in many texts, as the description of a room does in what
    each of its visitors sees.
    """
    if width != WHOLE:
        columns = max(20, min(width - 1, MAX_COLUMNS))
        lines = text.split("\n")
        return "\n".join(
            [one if len(one) <= columns and one.isascii() else "\n".join(_lines(one, columns)) for one in lines]
        )
    text = "\n".join([line.strip(" ") for line in text.split("\n")])
    return _GAP.sub(_pause, text) if has_columns else text


def _pause(gap: re.Match[str]) -> str:
    return " " if gap.string[gap.start() - 1] in _PAUSES else ": "


@lru_cache(maxsize=512)
def _lines(line: str, columns: int) -> list[str]:
    indent = line[: len(line) - len(line.lstrip(" "))]
    if len(indent) > columns // 2:
        indent = NARROW_INDENT
    text = line.strip()
    # A second column keeps its place when its text goes on in the next line.
    column = _COLUMN.match(text)
    if column and _COLUMN.match(text, column.end()):
        column = None  # a row of many columns: each line holds as many as there is room for
    if column and _columns(column[0]) > columns // 2:
        first, second = indent + column[0].rstrip(), indent + NARROW_INDENT + text[column.end() :]
        return [lay_out(first, columns + 1), lay_out(second, columns + 1)]
    hanging = " " * _columns(column[0]) if column else ""
    room = columns - len(indent)
    if ESCAPE in text:  # of our own colours and links, which are made to end on each line
        lines = wrap(text, room, subsequent_indent=hanging, break_on_hyphens=False)
    elif text.isascii() and text.isprintable():  # a column a character, so that nothing has to be measured
        lines = textwrap.wrap(text, room, subsequent_indent=hanging, break_on_hyphens=False)
    else:
        lines = wrap_wide(text, room, hanging)
    return [indent + part for part in lines] or [""]


def _columns(text: str) -> int:
    return columns_shown(text) if ESCAPE in text else columns_in(text)
