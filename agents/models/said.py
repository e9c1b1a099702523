"""What a model has said so far, with what it thought before it."""

from __future__ import annotations

from io import StringIO

BEGINS, ENDS = "<think>", "</think>\n"


class Said:
    """Grows piece by piece. Thoughts that come in a field of their own are put where a model would write them inline.

    So whoever reads an answer knows one kind of thoughts only. `text` is all of it.
    """

    def __init__(self) -> None:
        self._pieces = StringIO()  # a text that grows piece by piece may be copied for each
        self._thinks = False

    @property
    def text(self) -> str:
        return self._pieces.getvalue()

    def think(self, piece: str) -> None:
        """Add a piece of a thought; a mark in it that would end the thought is none any more."""
        if piece and not self._thinks:
            self._pieces.write(BEGINS)
            self._thinks = True
        self._pieces.write(piece.replace("<", "‹"))

    def say(self, piece: str) -> None:
        """Add a piece of the answer itself."""
        if piece and self._thinks:
            self._pieces.write(ENDS)
            self._thinks = False
        self._pieces.write(piece)
