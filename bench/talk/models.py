"""The models that `--model` names, and a queue that notes what agents ask and what it costs."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from agents.models.endpoint import CircuitBreaker, ConcurrencyLimit, Endpoint, Route
from agents.models.model import Capabilities, Completion, LanguageModel, ModelError, OnText, Request
from agents.models.pool import ModelPool
from agents.models.profiles import Profiles
from agents.models.queue import ModelQueue, SamplingOverrides
from agents.models.scheduler import BuildRequest, Priority
from bench.lib.models import CHARACTERS_A_TOKEN, CONTEXT_TOKENS, ScriptedModel
from config.settings import ModelSettings
from vault.memory.archive_file import shared_length

LOOK_SECONDS = 0.5
PATIENCE_SECONDS = 7200.0
BY_HAND, NONE, REFERENCE = "by_hand", "none", "reference"


@dataclass(frozen=True)
class Thought:
    """One answer of the model to an agent, its cost in tokens as the model counts them, and its seconds.

    `new_tokens` are those of the prompt behind what it has in common with the agent's prompt before.
    """

    new_tokens: int
    seconds: float


class WatchedQueue(ModelQueue):
    """A queue whose prompts and thoughts are noted; closing it leaves its models as they are, for the next world."""

    def __init__(self, queue: ModelQueue, pool: ModelPool) -> None:
        super().__init__(queue.routes, pool=pool, name=queue.name, overrides=queue.overrides, reads_ahead=False)
        self.thoughts: list[Thought] = []
        self.prompts: list[str] = []
        self._last = ""

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
            self._note(made[-1].text, completion)
        return completion

    async def close(self) -> None:
        """Leave the models open for the next world."""

    def forget_prompts(self) -> None:
        """Take the next prompt for a new one."""
        self._last = ""

    def _note(self, prompt: str, completion: Completion) -> None:
        new = prompt[shared_length(self._last, prompt) :]
        self._last = prompt
        self.prompts.append(prompt)
        self.thoughts.append(Thought(self.model.count_tokens(new) if new else 0, completion.seconds))


async def open_queue(model: str, tell: Callable[[str], None]) -> WatchedQueue:
    """Return a queue before the model that `--model` names, other than by hand; `tell` hears which it is.

    Raises: ModelError if there is none.
    """
    if model in (NONE, REFERENCE):
        return queue_before(ScriptedModel(NONE, _no_answer))
    host = os.environ.get("OLLAMA_HOST") or ModelSettings().ollama_host
    profiles = Profiles(random.Random(0))
    for sentence in await profiles.set_up(replace(ModelSettings(), model=model, ollama_host=host), {}):
        tell(sentence)
    if profiles.thinker is None:
        raise ModelError(f"{model!r} leaves the agents without a model.", remedy="Give another with --model.")
    return WatchedQueue(profiles.thinker, profiles.pool)


def queue_before(model: LanguageModel) -> WatchedQueue:
    """Return a queue of its own before a model."""
    endpoint = Endpoint(model.name, ConcurrencyLimit(1), CircuitBreaker(random.Random(0)))
    patient = SamplingOverrides(timeout_seconds=PATIENCE_SECONDS)
    pool = ModelPool()
    return WatchedQueue(ModelQueue([Route(endpoint, model)], pool=pool, overrides=patient, reads_ahead=False), pool)


def _no_answer(request: Request) -> str:
    raise ModelError("No model answers in this run.", retryable=False)


class FolderModel:
    """An instructed model that takes a schema; another process answers for it, by files.

    Each request is FOLDER/asked/NAME.json, with its messages and the schema of the answer, which belongs in
    FOLDER/answers/NAME.json. A person, a program or a model without a server may answer.
    """

    context_tokens = CONTEXT_TOKENS

    def __init__(self, folder: Path, title: str, look_seconds: float = LOOK_SECONDS) -> None:
        self.name = BY_HAND
        self.capabilities = Capabilities(chat=True, raw=False, json_schema=True)
        self._asked, self._answers = folder / "asked", folder / "answers"
        self._title = title.replace(":", "-")
        self._look_seconds = look_seconds
        self._count = 0
        for path in (self._asked, self._answers):
            path.mkdir(parents=True, exist_ok=True)

    async def start(self) -> None:
        """There is nothing to load."""

    async def close(self) -> None:
        """There is nothing to release."""

    def count_tokens(self, text: str) -> int:
        return -(-len(text) // CHARACTERS_A_TOKEN)

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Put the request into a file, and return what is answered, however long that takes."""
        self._count += 1
        name = f"{self._title}.{self._count}.json"
        messages = [{"role": message.role, "content": message.content} for message in request.chat]
        unfinished = self._asked / f"{name}.part"
        unfinished.write_text(
            json.dumps({"messages": messages, "schema": request.schema}, indent=1, ensure_ascii=False), "utf-8"
        )
        unfinished.rename(self._asked / name)
        while not (text := _complete_json(self._answers / name)):  # noqa: ASYNC110  # another process writes it
            await asyncio.sleep(self._look_seconds)
        if on_text:
            on_text(text)
        return Completion(text, self.name, self.count_tokens(request.text), 0, self.count_tokens(text), 0.0, "stop")


def _complete_json(path: Path) -> str:
    """Return the JSON of a file; empty while there is none, or only a part of it."""
    try:
        text = path.read_text("utf-8")
        json.loads(text)
    except (OSError, ValueError):
        return ""
    return text
