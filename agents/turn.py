"""What becomes of a turn."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Turn:
    """What became of one turn, the line done, why it went no better, and why it was taken.

    It is `acted`, `refused`, `speechless`, `failed`, or `silent` where it would only have said its own words again; or
    no model was asked: `paused`, `asleep`, `resting` while nothing is worth a thought, `listening` while somebody else
    is about to answer. `cause` is what the engine decided on: answer, thank, errand, greet, free or rest.
    """

    outcome: str
    line: str = ""
    why: str = ""
    cause: str = field(default="", compare=False)
