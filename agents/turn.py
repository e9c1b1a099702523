"""What a turn is made from, and what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.choices.grammar import verbs_in
from agents.models.model import Completion
from agents.prompts.prompt import PromptTemplate


@dataclass(frozen=True)
class Turn:
    """What became of one turn, the line done, and why it went no better.

    It is `acted`, `refused`, `speechless`, `failed`, or `silent` where it would only have said its own words again; or
    no model was asked: `paused`, `asleep`, `resting` while nothing is worth a thought, `listening` while somebody else
    is about to answer.
    """

    outcome: str
    line: str = ""
    why: str = ""


@dataclass(frozen=True)
class Templates:
    """What a prompt is made from: for a model that can do without help, and for one so small that it cannot."""

    full: PromptTemplate
    small: PromptTemplate


@dataclass(frozen=True)
class Asked:
    """What a model was asked: the prompt, the grammar if there was one, and what the prompt tells of this moment.

    `told` is by name: `facts`, `known` (what was looked up, and reminders), `recollected` (what came to mind) and
    `notice` (of going in circles). `newest` is the number of the newest memory then.
    """

    prompt: str = ""
    grammar: str | None = None
    told: Mapping[str, str] = field(default_factory=dict)
    newest: int = 0


def archived(asked: Asked, completion: Completion, finish: str) -> dict[str, Any]:
    """Return what the archive keeps of a question to the model and its answer.

    `finish` is how it ended, or what became of it. `verbs` are those that the engine let it choose from, if it did.
    `told` is where in the prompt what is told of the moment stands: the first character, counted from 0, and how many
    there are.
    """
    kept = {
        "prompt": asked.prompt,
        "reply": completion.text,
        "model": completion.model,
        "prompt_tokens": completion.prompt_tokens,
        "cached_tokens": completion.cached_tokens,
        "completion_tokens": completion.completion_tokens,
        "seconds": round(completion.seconds, 3),
        "finish": finish,
        "newest": asked.newest,
    }
    if not completion.is_counted:
        kept["is_counted"] = False
    if asked.grammar:
        kept["verbs"] = verbs_in(asked.grammar)
    places = {name: [asked.prompt.rfind(text), len(text)] for name, text in asked.told.items() if text}
    if told := {name: place for name, place in places.items() if place[0] >= 0}:
        kept["told"] = told
    return kept
