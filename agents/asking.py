"""How an agent asks its model: for how much text, how varied, and until when it listens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agents.choices.schema import JSON_TOKENS
from agents.circles.remedies import Remedy
from agents.models.model import Completion, OnText, Request
from agents.replies.early_stop import Listener, Read
from agents.replies.reply_text import shows_thoughts
from config.settings import AgentSettings


@dataclass(frozen=True)
class Held:
    """What an answer is held to: a grammar, a JSON schema, or nothing."""

    grammar: str | None = None
    schema: Mapping[str, Any] | None = None


THOUGHT_SHARE = 4
"""Thoughts may take this part of the context window at most, one in so many."""


class Asking:
    """Makes the requests of one agent.

    A model that has shown its thoughts is given room for them from then on, beside the command itself.
    """

    def __init__(self, name: str, timeout_seconds: float) -> None:
        self._name = name
        self._timeout_seconds = timeout_seconds
        self._thinks = False

    def most_tokens(self, settings: AgentSettings, context_tokens: int) -> int:
        """Return how long an answer may be, thoughts and all."""
        thoughts = min(settings.thought_tokens, context_tokens // THOUGHT_SHARE) if self._thinks else 0
        return settings.reply_tokens + thoughts

    def request(
        self, prompt: str, held: Held, seed: int, settings: AgentSettings, remedy: Remedy, context_tokens: int
    ) -> Request:
        """Return a request. Under a grammar an answer is one line; else it ends where the next prompt would begin."""
        json_tokens = JSON_TOKENS if held.schema else 0
        return Request(
            prompt,
            max_tokens=self.most_tokens(settings, context_tokens) + json_tokens,
            stop=("\n",) if held.grammar else (f"\n~{self._name}>",),
            temperature=remedy.temperature(settings.temperature),
            seed=seed,
            grammar=held.grammar,
            schema=held.schema,
            repeat_penalty=remedy.repeat_penalty,
            timeout_seconds=self._timeout_seconds,
        )

    def listener(self, read: Read, settings: AgentSettings, count_tokens: Callable[[str], int]) -> OnText:
        """Return what ends an answer as soon as it has its command; `read` is what a whole reply comes to."""
        return Listener(read, self._thinks, settings.reply_tokens, count_tokens)

    def learn(self, completion: Completion) -> None:
        """Take note of whether the model shows its thoughts."""
        self._thinks = self._thinks or shows_thoughts(completion.text)
