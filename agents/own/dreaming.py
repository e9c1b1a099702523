"""Dreams: made by the model in the background, from what somebody has lived through of late, and told when ready."""

from __future__ import annotations

import asyncio
import logging
import random
import re
from collections.abc import Callable
from functools import partial

from agents.models.model import ModelError, Request
from agents.models.queue import ModelQueue, Priority, written_by
from agents.prompts.quoting import filling
from vault.errors import NoteError
from vault.vault import STARTER, Vault
from world.parsing import one_spaced
from world.sanitize import clean_line

log = logging.getLogger(__name__)

TEMPLATE = ("templates", "dream.md")
SLOTS = ("name", "past")
DREAM_TOKENS = 120
LONGEST_DREAM = 600
"""How long a dream may be, in characters; it ends with a sentence if it can."""
PAST_SHARE = 2
"""One part in so many of what the model can read is for the past; the oldest of it is left out first."""
TEMPERATURE = 1.1

_SLOT = re.compile(r"\{([a-z_]+)\}")
_SENTENCES = re.compile(r".*[.!?…][\"'”’)]?", re.DOTALL)

Told = Callable[[str], None]


class Dreamer:
    """Dreams for everyone, one dream at a time for each. `queue` is what stands before the model, if there is one."""

    def __init__(
        self, vault: Vault, queue: Callable[[], ModelQueue | None], rng: random.Random, timeout_seconds: float
    ) -> None:
        self._vault = vault
        self._queue = queue
        self._rng = rng
        self._timeout_seconds = timeout_seconds
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def can_dream(self) -> bool:
        """Whether there is a model."""
        return self._queue() is not None

    def is_dreaming(self, name: str) -> bool:
        """Return whether somebody's dream is not told yet."""
        return name in self._tasks

    def dream(self, name: str, past: str, told: Told) -> None:
        """Begin a dream of somebody's past; `told` is given its text later, an empty one if nothing came of it.

        Raises: NoteError if the template cannot be read.
        """
        queue = self._queue()
        if queue is None or self.is_dreaming(name):
            return
        template = dream_template(self._vault)
        task = asyncio.create_task(self._dreamt(queue, name, template, past, told))
        self._tasks[name] = task
        task.add_done_callback(lambda done: self._tasks.pop(name))

    async def _dreamt(self, queue: ModelQueue, name: str, template: str, past: str, told: Told) -> None:
        try:
            make = partial(self._request, queue, name, template, past)
            answer = await written_by(queue, name, Priority.OTHER, make)
        except ModelError as error:
            log.info("%s dreams nothing: %s", name, error)
            told("")
            return
        if answer.finish != "cancelled":
            told(as_dream(answer.text))

    def _request(self, queue: ModelQueue, name: str, template: str, past: str) -> Request:
        lines = past.split("\n")
        most = queue.model.context_tokens // PAST_SHARE
        while len(lines) > 1 and queue.model.count_tokens("\n".join(lines)) > most:
            del lines[: max(1, len(lines) // 8)]
        values = filling({"name": name, "past": "\n".join(lines)})
        return Request(
            _SLOT.sub(lambda slot: values.get(slot[1], slot[0]), template),
            max_tokens=DREAM_TOKENS,
            stop=("\n\n", f"\n~{name}>"),
            temperature=TEMPERATURE,
            seed=self._rng.getrandbits(31),
            timeout_seconds=self._timeout_seconds,
        )


def dream_template(vault: Vault) -> str:
    """Return how a dream is asked for. Raises: NoteError if a slot is missing."""
    source = vault if vault.exists(*TEMPLATE) else Vault(STARTER)
    text = source.read(*TEMPLATE).body.strip()
    missing = [slot for slot in SLOTS if f"{{{slot}}}" not in text]
    if missing:
        raise NoteError(f"{'/'.join(TEMPLATE)}: the slot {{{missing[0]}}} is missing.")
    return text


def as_dream(text: str) -> str:
    """Return what a model answered as a dream to be told: one line, whole sentences if there are any."""
    line = one_spaced(clean_line(text)).strip('"“” ')[:LONGEST_DREAM]
    whole = _SENTENCES.match(line)
    return whole[0] if whole else line
