"""What a turn is made from, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass

from agents.prompt import PromptTemplate


@dataclass(frozen=True)
class Turn:
    """What became of one turn: `acted`, `refused`, `speechless`, `failed`, `paused` or `asleep`; and the line done."""

    outcome: str
    line: str = ""
    why: str = ""


@dataclass(frozen=True)
class Templates:
    """What a prompt is made from: for a model that can do without help, and for one so small that it cannot."""

    full: PromptTemplate
    small: PromptTemplate
