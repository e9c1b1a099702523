"""The prompt cache of a model's server, as far as it can be known from outside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agents.models.model import Message, Request
from vault.memory.archive_file import shared_length

KEPT_PROMPTS = 32
"""A server is taken to keep so many prompts. Ollama's keeps 8 GiB of them, the model in this process 768 MiB."""

PIECE_SECONDS = 4.0
FIRST_PIECE_CHARACTERS = 1000
LEAST_PIECE_CHARACTERS = 400
"""How long a server may read without a pause; how much that is before its speed is known, and at the least."""

LEAST_MEASURED_CHARACTERS = 400
SPEED_WEIGHT = 0.5
"""A shorter text does not tell how fast a server reads; how much the newest measure counts."""


class PromptCache:
    """The prompts that a server has read lately. Of another it reads only what no prompt before began with.

    No server can be stopped while it reads what it was sent at once. So a long text is sent in pieces: a request that
    is cancelled, because a person waits for an answer, holds the server for `PIECE_SECONDS` and no longer.
    """

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}  # the one that was read last comes last
        self._seconds_each = 0.0

    def unread(self, text: str) -> int:
        """Return how many characters of a text would have to be read."""
        return len(text) - max((shared_length(one, text) for one in self._texts), default=0)

    def note(self, text: str, unread: int = 0, seconds: float | None = None) -> None:
        """Note that a text has been read, `unread` characters of it in so many `seconds`."""
        self._texts.pop(text, None)
        self._texts[text] = None
        if len(self._texts) > KEPT_PROMPTS:
            del self._texts[next(iter(self._texts))]
        if seconds is not None and unread >= LEAST_MEASURED_CHARACTERS:
            before = self._seconds_each or seconds / unread
            self._seconds_each = before + SPEED_WEIGHT * (seconds / unread - before)

    def forget(self) -> None:
        """Note that the server has been started again."""
        self._texts.clear()

    def pieces(self, request: Request) -> Iterator[Request]:
        """Yield the requests by which a server reads a long request piece by piece; none for a short one.

        Each asks for one token, and begins with what the one before had. The request itself is the last piece.
        """
        text = request.text
        length = FIRST_PIECE_CHARACTERS
        if self._seconds_each:
            length = max(LEAST_PIECE_CHARACTERS, int(PIECE_SECONDS / self._seconds_each))
        read = len(text) - self.unread(text)
        for end in range(read + length, len(text) - length // 2, length):
            beginning = _beginning(request, end)
            if len(beginning.text) > read:
                read = len(beginning.text)
                yield replace(beginning, max_tokens=1, stop=(), grammar=None, schema=None)


def _beginning(request: Request, characters: int) -> Request:
    """Return a request with the first characters of its text; of a chat up to the last of them that is no answer."""
    if not request.messages:
        return replace(request, prompt=request.prompt[:characters])
    kept: list[Message] = []
    for message in request.messages:
        if characters <= 0:
            break
        kept.append(replace(message, content=message.content[:characters]))
        characters -= len(message.content) + len("\n\n")
    while kept and kept[-1].role == "assistant":
        kept.pop()
    return replace(request, messages=tuple(kept))
