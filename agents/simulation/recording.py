"""Records every model answer of a simulation, and replays a recording."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from agents.models.model import Capabilities, Completion, LanguageModel, ModelError, OnText, Request, Timing
from agents.models.queue import SamplingOverrides
from agents.simulation.shared_slots import MAX_WAIT_SECONDS, SharedSlots

VERSION = 2
HASH_DIGITS = 16

CHARACTERS_A_TOKEN = 3
SHOWN_CHARACTERS = 160
_ANSWER = ("text", "model", "prompt_tokens", "cached_tokens", "completion_tokens", "seconds", "finish")

Line = Mapping[str, Any]


class SimulationError(Exception):
    """A simulation that cannot go on, or cannot begin; the message says why, and what would be right."""


@dataclass
class TurnCursor:
    """The position of a simulation: the agent whose turn it is, and the number of the turn, counted from 1."""

    turn: int = 0
    owner: str = ""


@dataclass
class Usage:
    """The use of models: requests, failures and tokens, and their time, in seconds of wall time."""

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
    """Return the hash of a text that identifies it in a recording."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]


def count_key(number: int, text: str) -> str:
    """Return the key of a text's token count by the model of this number: each model counts in its own way."""
    return f"{number}:{text_hash(text)}" if number else text_hash(text)


class Recording:
    """A file that is being written. Raises SimulationError where it cannot be; nothing is ever written over."""

    def __init__(self, path: Path, place: TurnCursor) -> None:
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
        self._write({**self._request_fields(number, request), **asdict(completion)})

    def failure(self, number: int, request: Request, error: ModelError) -> None:
        """Write that the model gave none."""
        names = ("remedy", "retryable", "about_request", "is_gone")
        fields = {name: getattr(error, name) for name in names}
        self._write({**self._request_fields(number, request), "error": error.problem, **fields})

    def count(self, key: str, tokens: int) -> None:
        """Take how many tokens the text with this `count_key` has, to be written at the end of the turn."""
        self._new[key] = tokens

    def end_turn(self) -> None:
        """Write the counts of this turn."""
        if self._new:
            self._write({"turn": self._place.turn, "counts": self._new})
        self._new = {}

    def close(self) -> None:
        """Write the rest and close the file."""
        with suppress(SimulationError):
            self.end_turn()
        self._file.close()

    def _request_fields(self, number: int, request: Request) -> dict[str, Any]:
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

    def __init__(
        self,
        model: LanguageModel,
        number: int,
        usage: Usage,
        recording: Recording | None,
        slots: SharedSlots | None = None,
    ) -> None:
        """With `slots` it waits for one before each request; that is not counted as time of the model."""
        self._slots = slots
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
        if request.timeout_seconds > MAX_WAIT_SECONDS:  # which is for the wait alone
            request = replace(request, timeout_seconds=request.timeout_seconds - MAX_WAIT_SECONDS)
        if self._slots is None:
            return await self._answered(request, on_text)
        try:
            async with self._slots.acquire():
                return await self._answered(request, on_text)
        except OSError as error:
            raise ModelError(f"The slots of {self.name} cannot be shared: {error}.") from error

    async def _answered(self, request: Request, on_text: OnText | None) -> Completion:
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


class ReplayedModels:
    """A recording that was read. `heading` is its first line; `divergence` says where what is asked differs from it.

    Raises: SimulationError if the file is none, or is damaged.
    """

    def __init__(self, path: Path, place: TurnCursor) -> None:
        self.divergence = ""
        self._path = path
        self.place = place
        self._answers: defaultdict[tuple[int, str], list[Line]] = defaultdict(list)
        self._owners: dict[int, str] = {}
        self._counts: dict[str, int] = {}
        self._uncounted = ""
        self.heading = self._read()

    @property
    def models(self) -> list[LanguageModel]:
        """The models that were recorded, those for thoughts first. Raises: SimulationError as `asked` does."""
        try:
            return [ReplayedModel(self, number, told) for number, told in enumerate(self.heading["models"])]
        except (KeyError, TypeError, ValueError) as error:
            raise SimulationError(f"{self._path}:1: this line was changed by hand: {error}.") from error

    @property
    def asked(self) -> dict[str, SamplingOverrides]:
        """The sampling options of the profiles, by name. Raises: SimulationError if the heading was changed by hand."""
        try:
            given = self.heading.get("asked", {}).items()
            return {name: SamplingOverrides(**{**told, "stop": tuple(told["stop"])}) for name, told in given}
        except (AttributeError, KeyError, TypeError) as error:
            raise SimulationError(f"{self._path}:1: this line was changed by hand: {error}.") from error

    def answer(self, number: int, prompt: str) -> Completion:
        """Return the recorded answer to a prompt in this turn. Raises: ModelError, also where there is none."""
        left = self._answers[self.place.turn, self.place.owner]
        key = text_hash(prompt)
        for line in left:
            if (line["number"], line["hash"]) == (number, key):
                left.remove(line)
                return _completion_of(line)
        self._diverge(self._difference(number, prompt, left))
        raise ModelError(self.divergence, retryable=False, about_request=True)

    def count(self, number: int, text: str) -> int:
        """Return how many tokens a text had for a model; an estimate if it was not counted."""
        found = self._counts.get(count_key(number, text))
        if found is None:
            self._uncounted = self._uncounted or text
            return math.ceil(len(text) / CHARACTERS_A_TOKEN)
        return found

    def end_turn(self) -> None:
        """Note a divergence if this turn has not asked for all that was asked in it, or for more to be counted."""
        if left := self._answers.pop((self.place.turn, self.place.owner), []):
            asked = left[0]["prompt"].strip().rpartition("\n")[2]
            self._diverge(f"a prompt of the recording was not asked, which ends in {_shorten(asked)}.")
        if self._uncounted:
            self._diverge(self._end_message() or f"a text of the world is not as it was: {_shorten(self._uncounted)}")

    def _diverge(self, how: str) -> None:
        place = self.place
        self.divergence = self.divergence or f"{self._path}: turn {place.turn}, {place.owner}: {how}"

    def _difference(self, number: int, prompt: str, left: list[Line]) -> str:
        recorded = [str(line["prompt"]) for line in left if line["number"] == number]
        if not recorded:
            if ended := self._end_message():
                return ended
            owner = self._owners.get(self.place.turn)
            told = "asked nothing more" if owner == self.place.owner else f"had {owner or 'nobody'} asking"
            last = prompt.strip().rpartition("\n")[2]
            return f"a prompt is asked that ends in {_shorten(last)}, where the recording {told}."
        nearest = max(recorded, key=lambda text: _first_difference(text, prompt)[0])
        place, was, now = _first_difference(nearest, prompt)
        return f"the prompt differs in line {place}.\n  recorded: {_shorten(was)}\n  now:      {_shorten(now)}"

    def _end_message(self) -> str:
        """Return that there are no more answers, if that is so; the turns without a model may go on."""
        last_turn = max(self._owners, default=0)
        if self.place.turn <= last_turn:
            return ""
        return f"the recording has ended; give --turns {last_turn} for all that is in it."

    def _read(self) -> Line:
        try:
            lines = self._path.read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise SimulationError(f"{self._path}: cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise SimulationError(f"{self._path}: this is not a recording of a simulation.") from error
        heading = self._parse_line(1, lines[0] if lines else "")
        kinds = (("models", list), ("queues", dict), ("later", list))
        version = heading.get("recording")
        if type(version) is int and version != VERSION:
            told = f"this recording has format {version}, and this program reads format {VERSION}"
            better = f"Replay it with Fallwater {heading.get('program') or 'as it was then'}, or record it again"
            raise SimulationError(f"{self._path}: {told}. {better}.")
        if version != VERSION or not all(isinstance(heading.get(name), kind) for name, kind in kinds):
            raise SimulationError(f"{self._path}: this is not a recording of a simulation.")
        for number, text in enumerate(lines[1:], 2):
            self._take(self._parse_line(number, text), number)
        return heading

    def _parse_line(self, number: int, text: str) -> Line:
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            line = None
        if not isinstance(line, dict):
            raise SimulationError(f"{self._path}:{number}: this is not a line of a recording; is the file complete?")
        return line

    def _take(self, line: Line, number: int) -> None:
        try:
            if "counts" in line:
                self._counts |= line["counts"]
                return
            self._answers[line["turn"], line["owner"]].append(line)
            self._owners[line["turn"]] = line["owner"]
            if not ("error" in line or all(name in line for name in _ANSWER)):
                raise KeyError("text")
        except (KeyError, TypeError) as error:
            raise SimulationError(f"{self._path}:{number}: this line was changed by hand: {error}.") from error


class ReplayedModel:
    """A model that gives what was recorded of it, at once."""

    def __init__(self, replay: ReplayedModels, number: int, told: Line) -> None:
        self.name = str(told["name"])
        self.capabilities = Capabilities(**told["capabilities"])
        self.context_tokens = int(told["context_tokens"])
        self._replay = replay
        self._number = number

    async def start(self) -> None:
        """Do nothing: there is nothing to load."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Return the recorded answer. Raises: ModelError where the model had failed, and where nothing is recorded."""
        return self._replay.answer(self._number, request.text)

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text had."""
        return self._replay.count(self._number, text)

    async def close(self) -> None:
        """Do nothing."""


def _completion_of(line: Line) -> Completion:
    if "error" in line:
        told = {name: line.get(name, False) for name in ("retryable", "about_request", "is_gone")}
        raise ModelError(line["error"], remedy=line["remedy"], **told)
    return Completion(**{name: line[name] for name in _ANSWER}, is_counted=line.get("is_counted", True))


def _first_difference(before: str, after: str) -> tuple[int, str | None, str | None]:
    """Return the number of the first line that differs, counted from 1, and how it reads in both; 0 if none does."""
    for place, (was, now) in enumerate(zip_longest(before.split("\n"), after.split("\n")), 1):
        if was != now:
            return place, was, now
    return 0, None, None


def _shorten(text: str | None) -> str:
    if text is None:
        return "(no such line)"
    return repr(text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…")
