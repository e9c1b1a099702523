"""The tokens of texts whose lines come again and again: each line is counted once."""

from __future__ import annotations

import re
from collections.abc import Callable

KEPT_LINES = 16_384
# A token never spans a line break, so a text has as many tokens as its lines have.
_LINES = re.compile(r"[^\n]*\n+|[^\n]+")


class LineCounts:
    """Counts by `count`, which is slow, and remembers of the lines counted last how many tokens each has.

    It may be used by several threads at once: at worst a line is counted twice.
    """

    def __init__(self, count: Callable[[str], int], most: int = KEPT_LINES) -> None:
        self._count = count
        self._most = most
        self._known: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Return how many tokens a text has. Raises: whatever `count` raises."""
        return sum(self._of_line(line) for line in _LINES.findall(text))

    def unknown(self, text: str) -> list[str]:
        """Return the lines of a text that would have to be counted first."""
        return [line for line in _LINES.findall(text) if line not in self._known]

    def _of_line(self, line: str) -> int:
        found = self._known.get(line)
        if found is None:
            found = self._count(line)
            if len(self._known) >= self._most:
                self._known = dict(list(self._known.items())[self._most // 2 :])
            self._known[line] = found
        return found
