"""The starter world with its agents awake, in a folder of its own: for one situation, or for a day.

Their models stand behind a queue that notes what agents ask, and what that costs.
"""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agents.component_registry import loaded_components
from agents.models.model import Completion, ModelError, OnText, Request
from agents.models.profiles import Profiles
from agents.models.queue import ModelQueue
from agents.models.scheduler import BuildRequest, Priority
from bench.minds.situation import Step
from config.settings import ModelSettings
from vault.memory.archive_file import shared_length
from vault.vault import STARTER, Vault

TIMEOUT_SECONDS = 600
"""A slow machine is no fault of the model's, so nobody gives up on an answer."""

_ERRANDS = re.compile(r"^## Errands[ \t]*$.*?(?=^#{1,2} |\Z)", re.MULTILINE | re.DOTALL)


TEXTS = ("yesterday", "older", "recent", "board")
"""The parts of a mind that are texts of its own; like every component they can be switched off."""


class UnknownComponent(Exception):
    """A component that is to be switched off and that no agent has; the message names those there are."""


def prepare_vault(root: Path, errands: Mapping[str, Sequence[Step]], without: Sequence[str] = ()) -> Vault:
    """Copy the starter world to `root`; each agent has the errands given for it there, or none.

    `without` are the components of agents that are switched off. Raises: UnknownComponent.
    """
    shutil.copytree(STARTER, root)
    vault = Vault(root)
    for note in sorted(root.glob("agents/*/agent.md")):
        body = _ERRANDS.sub("", note.read_text("utf-8")).rstrip()
        steps = "\n".join(step.note_line for step in errands.get(note.parent.name, ()))
        note.write_text(f"{body}\n\n## Errands\n{steps}\n" if steps else f"{body}\n", "utf-8")
    check_components(without)
    edit(vault, ("config", "agents.md"), r"^\*\*without\*\*: .*$", f'**without**: "{", ".join(without)}"')
    edit(vault, ("config", "models.md"), r"^\*\*timeout_seconds\*\*: .*$", f"**timeout_seconds**: {TIMEOUT_SECONDS}")
    return vault


def edit(vault: Vault, parts: Sequence[str], pattern: str, line: str) -> None:
    """Replace the lines of a note that fit a pattern."""
    path = vault.path(*parts)
    path.write_text(re.sub(pattern, line, path.read_text("utf-8"), flags=re.MULTILINE), "utf-8")


def check_components(names: Sequence[str]) -> None:
    """Raise UnknownComponent if one of the names is no component of agents."""
    known = sorted({*TEXTS, *loaded_components().names})
    for name in names:
        if name not in known:
            raise UnknownComponent(f"There is no component {name!r} to do without. There are: {', '.join(known)}.")


@dataclass(frozen=True)
class Thought:
    """One answer of the model to an agent. Tokens are as the model counts them.

    `new_tokens` are those of the prompt behind what it has in common with the agent's prompt before.
    """

    prompt_tokens: int
    new_tokens: int
    completion_tokens: int
    seconds: float


class WatchedQueue(ModelQueue):
    """A queue over the models of another one, whose thoughts are noted.

    Closing it leaves the models as they are, so that one population after another can think with them.
    """

    def __init__(self, queue: ModelQueue, profiles: Profiles) -> None:
        super().__init__(
            queue.routes, pool=profiles.pool, name=queue.name, overrides=queue.overrides, reads_ahead=False
        )
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
        """Leave the models open for the next population."""

    def forget_prompts(self) -> None:
        """Take the next prompt of each agent for a new one."""
        self._last.clear()

    def _note(self, owner: str, prompt: str, completion: Completion) -> None:
        new = prompt[shared_length(self._last.get(owner, ""), prompt) :]
        new_tokens = self.model.count_tokens(new) if new else 0
        self._last[owner] = prompt
        told = (completion.prompt_tokens, min(new_tokens, completion.prompt_tokens), completion.completion_tokens)
        self.thoughts.append(Thought(*told, completion.seconds))


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
