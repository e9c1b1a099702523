"""A queue before a model that notes what agents ask of it, and what that costs."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agents.models.model import Completion, ModelError, OnText, Request
from agents.models.profiles import Profiles
from agents.models.queue import ModelQueue, Priority
from config.settings import ModelSettings

if TYPE_CHECKING:
    from agents.models.scheduler import BuildRequest


@dataclass(frozen=True)
class Thought:
    """One answer of the model to an agent. Tokens are as the model counts them.

    `new_tokens` are those of the prompt behind what it has in common with the agent's prompt before.
    """

    owner: str
    prompt: str
    answer: str
    prompt_tokens: int
    new_tokens: int
    completion_tokens: int
    seconds: float


class WatchedQueue(ModelQueue):
    """A queue over the models of another one, whose thoughts are noted.

    Closing it leaves the models as they are, so that one population after another can think with them.
    """

    def __init__(self, queue: ModelQueue, profiles: Profiles) -> None:
        super().__init__(queue.routes, pool=profiles.pool, name=queue.name, overrides=queue.overrides)
        self.thoughts: list[Thought] = []
        self._last: dict[str, str] = {}

    async def ask(
        self, owner: str, priority: Priority, make: BuildRequest, on_text: OnText | None = None
    ) -> Completion:
        """Have a request completed, and note it if it is an agent's thought. Raises: as in `ModelQueue`."""
        made: list[Request] = []

        def noted() -> Request | None:
            if request := make():
                made.append(request)
            return request

        completion = await super().ask(owner, priority, noted, on_text)
        if made and priority <= Priority.THOUGHT and completion.finish != "cancelled":
            self._note(owner, made[-1].prompt, completion)
        return completion

    async def close(self) -> None:
        """Leave the models to whoever thinks next."""

    def forget_prompts(self) -> None:
        """Take the next prompt of each agent for a new one."""
        self._last.clear()

    def _note(self, owner: str, prompt: str, completion: Completion) -> None:
        new = prompt[shared_characters(self._last.get(owner, ""), prompt) :]
        new_tokens = self.model.count_tokens(new) if new else 0
        self._last[owner] = prompt
        told = (completion.prompt_tokens, min(new_tokens, completion.prompt_tokens), completion.completion_tokens)
        self.thoughts.append(Thought(owner, prompt, completion.text, *told, completion.seconds))


def shared_characters(one: str, other: str) -> int:
    """Return with how many characters two texts begin alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


async def open_queue(model: str, settings: ModelSettings, tell: Callable[[str], None]) -> WatchedQueue:
    """Return a queue before a model that is named as `--model` of the server names it; `tell` hears which it is.

    Raises: ModelError if there is none.
    """
    host = os.environ.get("OLLAMA_HOST") or settings.ollama_host
    profiles = Profiles(random.Random(0))
    for sentence in await profiles.set_up(replace(settings, model=model, ollama_host=host), {}):
        tell(sentence)
    if profiles.thinker is None:
        raise ModelError(f"{model!r} leaves the agents without a model.", remedy="Give another with --model.")
    return WatchedQueue(profiles.thinker, profiles)
