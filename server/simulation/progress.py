"""How far something is that takes its time: a line on a terminal that is written anew, and nothing anywhere else."""

from __future__ import annotations

from typing import TextIO

BAR = 30
WIDTH = 78


class Progress:
    """A bar on a stream, drawn only if that is a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_shown = stream.isatty()
        self._has_drawn = False

    def show(self, number: int, share: float, words: str) -> None:
        """Draw how much is done, as a share of all of it, with the number of what was done last and a word on it."""
        if not self._is_shown:
            return
        share = min(max(share, 0.0), 1.0)
        full = round(share * BAR)
        line = f"[{'#' * full}{'.' * (BAR - full)}] {share:4.0%}  turn {number}  {words}"
        self._stream.write("\r" + line[:WIDTH].ljust(WIDTH))
        self._stream.flush()
        self._has_drawn = True

    def end(self) -> None:
        """Leave the line as it is, and go on below it."""
        if self._has_drawn:
            self._stream.write("\n")
            self._stream.flush()
