"""An answer of Ollama as it comes in, piece by piece."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agents.models.model import Finish, Timing
from agents.models.said import Said


@dataclass
class Heard:
    """What was read of an answer: its text, when its first piece came, and the last chunk, which has the costs.

    `said` is the whole of it, `enough` what of it was wanted; `last` is None if the host did not tell the costs.
    """

    said: Said = field(default_factory=Said)
    enough: str | None = None
    pieces: int = 0
    first_at: float | None = None
    last: Any = None
    finish: Finish = "stop"

    @property
    def text(self) -> str:
        return self.said.text if self.enough is None else self.enough

    def count_piece(self, now: float) -> None:
        """Note that a piece came at `now`, in seconds."""
        self.pieces += 1
        self.first_at = now if self.first_at is None else self.first_at

    def timing(self, began: float, ended: float) -> Timing:
        """Return where the time went between these moments: as the host told, or as it could be seen from here."""
        last, first_at = self.last, self.first_at
        if last is None or not last.eval_duration:
            first = ended if first_at is None else first_at
            return Timing(prompt=first - began, answer=ended - first)
        return Timing(
            load=(last.load_duration or 0) / 1e9,
            prompt=(last.prompt_eval_duration or 0) / 1e9,
            answer=last.eval_duration / 1e9,
        )
