"""An answer of a server that speaks OpenAI's API as it comes in, event by event."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

from agents.models.model import ModelError, Timing
from agents.models.openai_errors import NotOurs, said_in
from agents.models.said import Said

THOUGHTS = ("reasoning_content", "reasoning")
"""Where servers put what a model thinks: llama.cpp's and older vLLM's field, and that of newer vLLM and others."""


@dataclass
class Heard:
    """What was read of an answer so far; `cached_tokens` and the seconds are None if the server did not tell."""

    said: Said = field(default_factory=Said)
    finish: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int | None = None
    first_at: float | None = None
    prompt_seconds: float | None = None
    answer_seconds: float | None = None

    @property
    def text(self) -> str:
        return self.said.text

    def take_in(self, event: dict[str, Any], is_chat: bool, now: float) -> bool:
        """Add an event that came at `now`, in seconds; return whether there is more text now.

        Raises: ModelError if the event is an error, NotOurs if it is none of this API.
        """
        if event.get("error"):
            message = f"It failed in the midst of its answer: {said_in(json.dumps(event).encode())}."
            raise ModelError(message, remedy="Look into that server's log.")
        self._take_in_costs(event)
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else {}
        if not isinstance(choice, dict):
            raise NotOurs("a choice that is none")
        said = choice.get("delta") if is_chat else choice
        piece = said.get("content" if is_chat else "text") if isinstance(said, dict) else ""
        if choice.get("finish_reason"):
            self.finish = str(choice["finish_reason"])
        thoughts = (said.get(name) for name in THOUGHTS) if isinstance(said, dict) else ()
        self.said.think(next((one for one in thoughts if one and isinstance(one, str)), ""))
        if not isinstance(piece, str):
            return False
        self.said.say(piece)
        if self.text and self.first_at is None:
            self.first_at = now
        return bool(piece)

    def timing(self, began: float, ended: float) -> Timing:
        """Return where the time went between these moments: as the server told, or as it could be seen from here."""
        if self.answer_seconds is not None:
            return Timing(prompt=self.prompt_seconds, answer=self.answer_seconds)
        first = ended if self.first_at is None else self.first_at
        return Timing(prompt=first - began, answer=ended - first)

    def _take_in_costs(self, event: dict[str, Any]) -> None:
        """Read what the answer has cost, in OpenAI's `usage` or llama.cpp's `timings`."""
        usage, timings = dict_in(event, "usage"), dict_in(event, "timings")
        details = dict_in(usage, "prompt_tokens_details")
        self.prompt_tokens = count_in(usage, "prompt_tokens") or self.prompt_tokens
        self.completion_tokens = count_in(usage, "completion_tokens") or self.completion_tokens
        for told, name in ((details, "cached_tokens"), (timings, "cache_n")):
            if isinstance(told.get(name), int):
                self.cached_tokens = count_in(told, name)
        if (seconds := _seconds_in(timings, "predicted_ms")) is not None:
            self.prompt_seconds, self.answer_seconds = _seconds_in(timings, "prompt_ms"), seconds


def object_of(content: str | bytes) -> dict[str, Any]:
    """Return the JSON object that a text is. Raises: NotOurs if it is none."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        text = content if isinstance(content, str) else content.decode("utf-8", "replace")
        raise NotOurs(f"it says {' '.join(text.split())[:60]!r}") from error
    if not isinstance(found, dict):
        raise NotOurs(f"it says {str(found)[:60]!r}")
    return found


def dict_in(told: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the object of a name; empty if there is none."""
    value = told.get(name)
    return value if isinstance(value, dict) else {}


def count_in(told: dict[str, Any], name: str) -> int:
    """Return the whole number of a name; 0 if there is none above 0."""
    value = told.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _seconds_in(told: dict[str, Any], name: str) -> float | None:
    """Return the milliseconds of a name in seconds; None if there are none."""
    value = told.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < math.inf:
        return None
    return value / 1000
