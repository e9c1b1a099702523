"""How an agent asks its model and reads the answer: for how much text, held to what, and until when it listens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agents.attending.perceiving import Address
from agents.choices.schema import JSON_TOKENS
from agents.circles.conduct import Conduct
from agents.models.model import Completion, OnText, Request
from agents.models.voices import Voices
from agents.replies.early_stop import Listener
from agents.replies.reply import Reply, first_command, open_to
from agents.replies.reply_text import shows_thoughts
from agents.replies.secrecy import Reasons
from config.settings import AgentSettings
from world.game import Game


@dataclass(frozen=True)
class Held:
    """What an answer is held to: a grammar, a JSON schema, or nothing."""

    grammar: str | None = None
    schema: Mapping[str, Any] | None = None


TOLD_A_REASON = "Your reply told others one of your private reasons, and those are yours alone. Say something else."

THOUGHT_SHARE = 4
"""Thoughts may take this part of the context window at most, one in so many."""


class Asking:
    """Makes the requests of one agent and reads what is answered.

    A model that has shown its thoughts is given room for them from then on, beside the command itself. `conduct` is how
    the agent has behaved, from which follows how its model is asked.
    """

    def __init__(self, name: str, game: Game, conduct: Conduct, timeout_seconds: float) -> None:
        self._name = name
        self._game = game
        self._conduct = conduct
        self._timeout_seconds = timeout_seconds
        self._thinks = False
        self._reasons = Reasons(name, "")

    def most_tokens(self, settings: AgentSettings, context_tokens: int) -> int:
        """Return how long an answer may be, thoughts and all."""
        thoughts = min(settings.thought_tokens, context_tokens // THOUGHT_SHARE) if self._thinks else 0
        return settings.reply_tokens + thoughts

    def is_held(self, model: Voices, settings: AgentSettings) -> bool:
        """Return whether the engine chooses the verb and a grammar holds the model to it."""
        return model.constrains and settings.steering != "off"

    def held(self, model: Voices, settings: AgentSettings, addressed: Address) -> Held:
        """Return what the next answer is held to, drawn anew each time; `addressed` is how it was spoken to."""
        world, commands = self._game.world, self._game.commands
        of = (world, world.characters[self._name], commands, addressed)
        if self.is_held(model, settings):
            return Held(self._conduct.grammar(*of))
        return Held(schema=self._conduct.schema(*of) if model.takes_schema else None)

    def request(self, prompt: str, held: Held, seed: int, settings: AgentSettings, context_tokens: int) -> Request:
        """Return a request. Under a grammar an answer is one line; else it ends where the next prompt would begin."""
        self._reasons = Reasons(self._name, prompt)
        remedy, json_tokens = self._conduct.remedy, JSON_TOKENS if held.schema else 0
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

    def listener(self, model: Voices, settings: AgentSettings, count_tokens: Callable[[str], int]) -> OnText | None:
        """Return what ends an answer as soon as it has its command; None under a grammar, which ends it by itself."""
        if self.is_held(model, settings):
            return None
        return Listener(self.read, self._thinks, settings.reply_tokens, count_tokens)

    def read(self, text: str) -> Reply:
        """Return what an answer to the last request comes to, where the agent stands now."""
        character = self._game.world.characters[self._name]
        ways = self._game.world.room_of(character).ways
        reply = first_command(text, self._name, self._game.commands, ways, open_to(character))
        return Reply("", TOLD_A_REASON) if self._reasons.are_told_by(reply.line) else reply

    def learn(self, completion: Completion) -> None:
        """Take note of whether the model shows its thoughts."""
        self._thinks = self._thinks or shows_thoughts(completion.text)
