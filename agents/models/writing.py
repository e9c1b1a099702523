"""Having a model write a text that is kept or told as it is: without what a reasoning model thinks before it."""

from __future__ import annotations

from dataclasses import replace

from agents.models.jobs import Make, Priority
from agents.models.model import Completion, Request
from agents.models.queue import ModelQueue
from agents.replies.reply_text import without_thoughts

THOUGHT_SHARE = 4
"""Thoughts may take this part of the context window at most, one in so many."""


async def written_by(queue: ModelQueue, owner: str, priority: Priority, make: Make) -> Completion:
    """Have the request completed that `make` builds, and return what was written; see `ModelQueue.ask`.

    Raises: as `ModelQueue.ask` does.
    """
    asked: list[Request] = []

    def with_room() -> Request | None:
        request = make()
        if request is not None:
            asked[:] = [request]
        return roomy(request, queue) if request and queue.thinks else request

    completion = await queue.ask(owner, priority, with_room)
    text = without_thoughts(completion.text)
    if text == completion.text:
        return completion
    for stop in asked[0].stop:
        text = text.lstrip("\n").partition(stop)[0]
    return replace(completion, text=text)


def roomy(request: Request, queue: ModelQueue) -> Request:
    """Return a request with room for thoughts, which do not end at an empty line as the text after them does."""
    model = queue.model
    free = model.context_tokens - model.count_tokens(request.text) - request.max_tokens
    thoughts = max(0, min(free, model.context_tokens // THOUGHT_SHARE))
    stop = tuple(one for one in request.stop if one.strip())
    return replace(request, max_tokens=request.max_tokens + thoughts, stop=stop)
