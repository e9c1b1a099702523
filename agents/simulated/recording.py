"""Every answer of a model in a file, to be read, counted, and given again without the model; see `Replay`.

JSONL: a heading, then an answer a line in the order in which they were asked for, with the prompt to the letter, and
after each turn how many tokens the texts have that were counted in it for the first time.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from agents.models.model import Capabilities, Completion, LanguageModel, ModelError, OnText, Request, Timing

VERSION = 2
HASH_DIGITS = 16


class SimulationError(Exception):
    """A simulation that cannot go on, or cannot begin; the message says why, and what would be right."""


@dataclass
class Place:
    """Where a simulation is: whose turn it is, and the number of the turn, counted from 1."""

    turn: int = 0
    owner: str = ""


@dataclass
class Usage:
    """What models were asked for, in tokens, and how long that took, in seconds by the clock on the wall."""

    requests: int = 0
    failures: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    def add(self, completion: Completion) -> None:
        """Count an answer."""
        self.requests += 1
        self.prompt_tokens += completion.prompt_tokens
        self.cached_tokens += completion.cached_tokens or 0
        self.completion_tokens += completion.completion_tokens
        self.seconds += completion.seconds


def text_hash(text: str) -> str:
    """Return what a text is known by in a recording."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]


def count_key(number: int, text: str) -> str:
    """Return what a text is known by that the model with this number has counted: each counts in its own way."""
    return f"{number}:{text_hash(text)}" if number else text_hash(text)


class Recording:
    """A file that is being written. Raises SimulationError where it cannot be; nothing is ever written over."""

    def __init__(self, path: Path, place: Place) -> None:
        self._path = path
        self._place = place
        self._new: dict[str, int] = {}
        try:
            self._file = path.open("x", encoding="utf-8")
        except FileExistsError as error:
            raise SimulationError(f"{path} exists already, and is not written over; give another file.") from error
        except OSError as error:
            raise SimulationError(f"{path}: cannot be written: {error.strerror}.") from error

    def begin(self, models: Sequence[LanguageModel], **about: Any) -> None:
        """Write the heading: the models, and what else must be the same for the recording to fit."""
        told = [
            {"name": one.name, "capabilities": asdict(one.capabilities), "context_tokens": one.context_tokens}
            for one in models
        ]
        self._write({"recording": VERSION, **about, "models": told})

    def answer(self, number: int, request: Request, completion: Completion) -> None:
        """Write an answer of the model with this number."""
        self._write({**self._asked(number, request), **asdict(completion)})

    def failure(self, number: int, request: Request, error: ModelError) -> None:
        """Write that the model gave none."""
        names = ("remedy", "retryable", "about_request", "is_gone")
        fields = {name: getattr(error, name) for name in names}
        self._write({**self._asked(number, request), "error": error.problem, **fields})

    def count(self, key: str, tokens: int) -> None:
        """Take how many tokens the text with this `count_key` has, to be written at the end of the turn."""
        self._new[key] = tokens

    def end_turn(self) -> None:
        """Write what was counted in this turn."""
        if self._new:
            self._write({"turn": self._place.turn, "counts": self._new})
        self._new = {}

    def close(self) -> None:
        """Write what is left and let go of the file."""
        with suppress(SimulationError):
            self.end_turn()
        self._file.close()

    def _asked(self, number: int, request: Request) -> dict[str, Any]:
        place, prompt = self._place, request.text
        options: dict[str, Any] = {
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
            "stop": list(request.stop),
        }
        if request.messages:
            options["messages"] = [asdict(message) for message in request.messages]
        asked = {"turn": place.turn, "owner": place.owner, "number": number, "hash": text_hash(prompt)}
        return {**asked, "options": options, "prompt": prompt}

    def _write(self, line: Mapping[str, Any]) -> None:
        try:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()
        except OSError as error:
            raise SimulationError(f"{self._path}: cannot be written: {error.strerror}.") from error


class WatchedModel:
    """A model whose answers are counted, and written down if there is a recording.

    What it answers took no time, as far as anybody in the world can tell: so no file of the world depends on it. A text
    keeps the number of tokens that it was counted with first, also where the model estimates better later.
    """

    def __init__(self, model: LanguageModel, number: int, usage: Usage, recording: Recording | None) -> None:
        self._model = model
        self._number = number
        self._usage = usage
        self._recording = recording
        self._counted: dict[str, int] = {}

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def capabilities(self) -> Capabilities:
        return self._model.capabilities

    @property
    def context_tokens(self) -> int:
        return self._model.context_tokens

    async def start(self) -> None:
        """Load the model. Raises: ModelError."""
        await self._model.start()

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Continue the prompt. Raises: ModelError."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            completion = await self._model.complete(request, on_text)
        except ModelError as error:
            self._fail(request, error)
            raise
        except asyncio.CancelledError:
            if loop.time() - began >= request.timeout_seconds:  # else nobody wants to know any more
                said = f"{self.name} did not answer within {request.timeout_seconds:g} s."
                self._fail(request, ModelError(said))
            raise
        self._usage.add(completion)
        if self._recording:
            self._recording.answer(self._number, request, completion)
        return replace(completion, seconds=0.0, timing=Timing())

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has."""
        key = count_key(self._number, text)
        if key not in self._counted:
            self._counted[key] = self._model.count_tokens(text)
            if self._recording:
                self._recording.count(key, self._counted[key])
        return self._counted[key]

    async def close(self) -> None:
        """Let go of the model."""
        await self._model.close()

    def _fail(self, request: Request, error: ModelError) -> None:
        self._usage.failures += 1
        if self._recording:
            self._recording.failure(self._number, request, error)
