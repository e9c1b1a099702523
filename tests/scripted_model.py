"""A language model for tests: it answers from a script and remembers what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from agents.models.model import Capabilities, Completion, Finish, ModelError, OnText, Request

Reply = str | Exception
Writer = Callable[[Request], Reply]


class ScriptedModel:
    """Answer with each reply in turn: a text is said, an exception is raised, a callable is asked.

    A callable answers every request from then on. Texts are cut at the request's stop strings, as a real
    model's are. `constrains` is short for `capabilities` with a grammar. `hold()` makes every answer wait until
    `release()`.
    """

    def __init__(
        self,
        *script: Reply | Writer,
        name: str = "scripted",
        constrains: bool = False,
        capabilities: Capabilities | None = None,
        context_tokens: int = 8192,
    ) -> None:
        self.name = name
        self.capabilities = capabilities or Capabilities(grammar=constrains)
        self.context_tokens = context_tokens
        self.requests: list[Request] = []
        self.started = 0
        self.closed = 0
        self.running = 0
        self.cancelled = 0
        self._script = list(script)
        self._open = asyncio.Event()
        self._open.set()

    def hold(self) -> None:
        """Let answers hang from now on."""
        self._open.clear()

    def release(self) -> None:
        """Let all answers that hang go on."""
        self._open.set()

    @property
    def prompts(self) -> list[str]:
        """Return what was read in each of all requests so far."""
        return [request.text for request in self.requests]

    async def start(self) -> None:
        self.started += 1

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        self.requests.append(request)
        self.running += 1
        try:
            await self._open.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.running -= 1
        reply = self._next(request)
        if isinstance(reply, Exception):
            raise reply
        return self._said(request, _cut(reply, request.stop), on_text)

    def count_tokens(self, text: str) -> int:
        """Count words: a rule that a test can follow."""
        return len(text.split())

    async def close(self) -> None:
        self.closed += 1

    def _next(self, request: Request) -> Reply:
        if not self._script:
            return ModelError(f"The script is over; nothing is left to answer {request.text[-80:]!r} with.")
        reply = self._script[0]
        if isinstance(reply, str | Exception):
            del self._script[0]
            return reply
        return reply(request)

    def _said(self, request: Request, text: str, on_text: OnText | None) -> Completion:
        finish: Finish = "stop"
        words = text.split(" ")
        if len(words) > request.max_tokens:
            words, finish = words[: request.max_tokens], "length"
        for count in range(1, len(words) + 1):
            if on_text is not None and on_text(" ".join(words[:count])):
                words, finish = words[:count], "stop"
                break
        return Completion(
            text=" ".join(words),
            model=self.name,
            prompt_tokens=self.count_tokens(request.text),
            cached_tokens=0,
            completion_tokens=self.count_tokens(" ".join(words)),
            seconds=0.0,
            finish=finish,
        )


def _cut(text: str, stop: tuple[str, ...]) -> str:
    ends = [text.find(mark) for mark in stop if mark in text]
    return text[: min(ends)] if ends else text
