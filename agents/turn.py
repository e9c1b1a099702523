"""What a turn is made from, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agents.models.model import Completion
from agents.prompt import PromptTemplate


@dataclass(frozen=True)
class Turn:
    """What became of one turn, the line done, and why it went no better.

    It is `acted`, `refused`, `speechless` or `failed`; or no model was asked: `paused`, `asleep`, `resting` while
    nothing is worth a thought, `listening` while somebody else is about to answer.
    """

    outcome: str
    line: str = ""
    why: str = ""


@dataclass(frozen=True)
class Templates:
    """What a prompt is made from: for a model that can do without help, and for one so small that it cannot."""

    full: PromptTemplate
    small: PromptTemplate


def archived(prompt: str, completion: Completion) -> dict[str, Any]:
    """Return what the archive keeps of a question to the model and its answer."""
    return {
        "prompt": prompt,
        "reply": completion.text,
        "model": completion.model,
        "prompt_tokens": completion.prompt_tokens,
        "cached_tokens": completion.cached_tokens,
        "completion_tokens": completion.completion_tokens,
        "seconds": round(completion.seconds, 3),
        "finish": completion.finish,
    }
