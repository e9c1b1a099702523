"""Wrapping text in which not every character is one column wide.

What a library does that knows of every sequence a terminal has takes 20 milliseconds for four kilobytes. Text of this
world was cleaned: no sequence, no joiner, no variation selector is in it. So the columns of a text are those of its
characters.
"""

from __future__ import annotations

from collections.abc import Iterator

from wcwidth import wcwidth


def wrapped_wide(text: str, room: int, hanging: str = "") -> list[str]:
    """Return text as lines of at most `room` columns, those after the first behind `hanging`.

    It breaks at spaces, which are left out where it does, and within a word that is longer than a line.
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
