"""The progress of a sweep: one line that is redrawn on a terminal, and plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TextIO

BAR = 24
PLAIN_SECONDS = 30.0


class SweepProgress:
    """Tells how many runs of all are done, how many a minute, and when the last will be."""

    def __init__(self, stream: TextIO, total: int, before: int, now: Callable[[], float] = time.monotonic) -> None:
        """`before` is how many were done before; `now` returns seconds."""
        self._stream = stream
        self._total = total
        self._before = before
        self._now = now
        self._began = now()
        self._told: float | None = None
        self._width = 0

    def show(self, done: int, failed: int) -> None:
        """Tell how many runs were done and given up since the beginning."""
        line = self.line(done, failed)
        if self._stream.isatty():
            self._width = max(self._width, len(line))
            self._stream.write("\r" + line.ljust(self._width))
        elif self._told is not None and self._now() - self._told < PLAIN_SECONDS and not self._is_last(done, failed):
            return
        else:
            self._stream.write(line + "\n")
        self._told = self._now()
        self._stream.flush()

    def end(self) -> None:
        """Leave the line as it is."""
        if self._width:
            self._stream.write("\n")
            self._stream.flush()

    def line(self, done: int, failed: int) -> str:
        """Return what is told."""
        over = self._before + done + failed
        full = round(BAR * over / self._total) if self._total else BAR
        words = [f"[{'#' * full}{'.' * (BAR - full)}] {self._before + done:,}/{self._total:,} runs"]
        words += [f"{failed:,} failed"] if failed else []
        minutes = (self._now() - self._began) / 60
        if (new := done + failed) and minutes > 0:
            words += [f"{new / minutes:.3g} a minute", _time_left_text((self._total - over) * minutes / new)]
        return ", ".join(words)

    def _is_last(self, done: int, failed: int) -> bool:
        return self._before + done + failed >= self._total


def _time_left_text(minutes: float) -> str:
    if minutes < 1.5:
        return f"{max(0, round(minutes * 60))} s left"
    return f"{minutes:.0f} min left" if minutes < 90 else f"{minutes / 60:.1f} h left"
