"""Streamed answers of model servers: lines, the JSON objects in them, and the text and the costs that they bring."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import httpx

from agents.models.adapter import TokenEstimate
from agents.models.http_server import CLIENT_ERRORS, AnswerTooLong, ModelServer, one_line
from agents.models.model import Completion, ModelError, OnText, Request, Timing
from agents.models.thoughts import StreamBuffer, without_thoughts

MAX_LINE_BYTES = 1_000_000
DATA = "data:"
NOT_DATA = (":", "event:", "id:", "retry:")
"""The beginnings of lines of server-sent events: of those with JSON, and of the others."""


THOUGHT_FIELDS = ("reasoning_content", "reasoning", "thinking")
TEXT_FIELDS = ("content", "text", "response")
PART_FIELDS = ("text", *THOUGHT_FIELDS, "content", "summary", "value")
"""The fields of thoughts and of text: of OpenAI, llama.cpp, vLLM, Mistral, Ollama and others; and those of a part."""

MAX_DEPTH = 4
ENDS = ("stop", "length", "load", "eos_token", "end_turn")
"""How an answer may end that is empty because the model has nothing to say."""

CHARACTER_TOKENS = 4
"""A character may take so many tokens, each of them without text."""


class OtherApi(ValueError):
    """A reply that is not of the API that was expected."""


async def lines_in(chunks: AsyncIterable[bytes]) -> AsyncGenerator[str, None]:
    """Yield the lines of a stream. LF alone ends a line: a JSON string may hold any other separator.

    Raises: AnswerTooLong.
    """
    line = bytearray()
    async for chunk in chunks:
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            line += end
            yield _decoded(line)
            line.clear()
        line += rest
        if len(line) > MAX_LINE_BYTES:
            raise AnswerTooLong(f"a line of more than {MAX_LINE_BYTES // 1_000_000} MB")
    if line:
        yield _decoded(line)


def _decoded(line: bytearray) -> str:
    return line.decode("utf-8", "replace").removeprefix("\ufeff")


async def objects_in(lines: AsyncIterable[str]) -> AsyncGenerator[dict[str, Any], None]:
    """Yield the objects of newline-delimited JSON or of server-sent events, or the one that fills the whole reply.

    Raises: OtherApi.
    """
    document: list[str] = []
    is_first = True
    async for line in lines:
        content = line.removeprefix(DATA).strip()
        if document:
            document.append(line)
        elif content == "[DONE]":
            return
        elif content and not line.startswith(NOT_DATA):
            try:
                yield object_of(content)
            except OtherApi:
                if not (is_first and line.startswith("{")):
                    raise
                document.append(line)
            is_first = False
    if document:
        yield object_of("\n".join(document))


def reason_in(body: bytes) -> str:
    """Return the reason that a server gives, in one line."""
    found: Any = body.decode("utf-8", "replace")
    for _ in range(5):  # an error may hold another server's, as an object or as its text
        if isinstance(found, str) and found.lstrip().startswith("{"):
            try:
                found = json.loads(found, strict=False)
            except (ValueError, RecursionError):
                break
        if isinstance(found, dict):
            found = found.get("error") or found.get("message") or found.get("detail") or str(found)
    return one_line(str(found))


def object_of(content: str | bytes) -> dict[str, Any]:
    """Return the JSON object that a text is; its strings may hold control characters. Raises: OtherApi."""
    try:
        found = json.loads(content, strict=False)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        text = content if isinstance(content, str) else content.decode("utf-8", "replace")
        raise OtherApi(f"it says {' '.join(text.split())[:60]!r}")
    return found


def parts_of(content: Any, is_thought: bool = False, depth: int = 0) -> Iterator[tuple[bool, str]]:
    """Yield the texts of a field, each with whether it is a thought.

    The field is null, a text, a part or a list of them. Parts of other kinds, such as pictures, have no text.

    Raises: OtherApi if the field is something else.
    """
    match content:
        case None:
            return
        case str():
            yield is_thought, content
        case list() if depth < MAX_DEPTH:
            for part in content:
                yield from parts_of(part, is_thought, depth + 1)
        case dict() if depth < MAX_DEPTH:
            name = next((name for name in PART_FIELDS if content.get(name) is not None), "")
            kind = str(content.get("type", ""))
            is_thought = is_thought or name in THOUGHT_FIELDS or kind.startswith(("think", "reason", "thought"))
            yield from parts_of(content.get(name), is_thought, depth + 1)
        case _:
            raise OtherApi(f"it says {str(content)[:60]!r} where a text belongs")


def text_of(content: Any) -> str:
    """Return the text of a field without its thoughts; see `parts_of`. Raises: OtherApi."""
    return without_thoughts("".join(text for is_thought, text in parts_of(content) if not is_thought))


def dict_in(told: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the object of a name; empty if there is none."""
    value = told.get(name)
    return value if isinstance(value, dict) else {}


def count_in(told: dict[str, Any], name: str) -> int:
    """Return the whole number of a name; 0 if there is none above 0."""
    value = told.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def seconds_in(told: dict[str, Any], name: str, per_second: float) -> float | None:
    """Return the time of a name in seconds, of which a unit has `per_second`; None if there is none."""
    value = told.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < math.inf:
        return None
    return value / per_second


@dataclass
class StreamedAnswer:
    """The parts of a streamed answer so far.

    `said` is the whole text, `enough` the wanted part of it, where a listener has ended it. `pieces` counts the pieces
    of text and of thoughts, and `first_at` is the time of the first. `finish` is empty until the server has ended it.
    The tokens are 0, `cached_tokens` and the seconds None, where the server did not tell. `has_text` is whether a field
    of text has come, even an empty one, and `received` is the fullest that came.
    """

    said: StreamBuffer = field(default_factory=StreamBuffer)
    enough: str | None = None
    pieces: int = 0
    first_at: float | None = None
    finish: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int | None = None
    load_seconds: float | None = None
    prompt_seconds: float | None = None
    answer_seconds: float | None = None
    has_text: bool = False
    received: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.said.text if self.enough is None else self.enough

    def add(self, said: dict[str, Any], now: float) -> bool:
        """Add the fields of a message or a piece of it, which came at `now`, in seconds; return whether text came.

        The field for thoughts comes first. Raises: OtherApi.
        """
        thought = next((said[name] for name in THOUGHT_FIELDS if said.get(name)), None)
        contents = [said[name] for name in TEXT_FIELDS if said.get(name) is not None]
        self.has_text = self.has_text or bool(contents)
        self.received = max(said, self.received, key=len)
        parts = [*parts_of(thought, is_thought=True), *parts_of(next(filter(None, contents), None))]
        for is_thought, text in parts:
            (self.said.think if is_thought else self.said.say)(text)
        if any(text for _, text in parts):
            self.pieces += 1
            self.first_at = now if self.first_at is None else self.first_at
        return any(text and not is_thought for is_thought, text in parts)

    @property
    def lacks_text(self) -> bool:
        """True if it has neither text nor thoughts, and not because the model had nothing to say."""
        is_empty = self.has_text and self.finish in ENDS
        return not self.pieces and not (
            is_empty and (self.finish != "length" or self.completion_tokens <= CHARACTER_TOKENS)
        )

    def timing(self, began: float, ended: float) -> Timing:
        """Return where the time went between these moments: as the server told, or as it could be seen from here."""
        if self.answer_seconds is not None:
            return Timing(load=self.load_seconds, prompt=self.prompt_seconds, answer=self.answer_seconds)
        first = ended if self.first_at is None else self.first_at
        return Timing(prompt=first - began, answer=ended - first)


TakeIn = Callable[[StreamedAnswer, dict[str, Any], float], bool]
"""Adds an object that came at a time, in seconds, to an answer; returns whether text came. Raises: OtherApi."""


@dataclass(frozen=True)
class StreamClient:
    """Sends the requests of one model, called `name`, and reads the answers as they arrive."""

    name: str
    server: ModelServer
    http: httpx.AsyncClient
    now: Callable[[], float] = time.monotonic
    estimate: TokenEstimate = field(default_factory=TokenEstimate)

    async def complete(
        self,
        path: str,
        body: dict[str, Any],
        request: Request,
        take_in: TakeIn,
        on_text: OnText | None,
        reads_on: bool = False,
    ) -> Completion:
        """Post a body and return the answer, up to where `on_text` had enough of it.

        With `reads_on`, the rest is read for the costs that stand at its end. Raises: ModelError.
        """
        began, answer = self.now(), StreamedAnswer()
        try:
            async with (
                asyncio.timeout(request.timeout_seconds),
                aclosing(self._pieces(path, body, answer, take_in)) as pieces,
            ):
                async for is_more in pieces:
                    if is_more and on_text is not None and answer.enough is None and on_text(answer.text):
                        answer.enough = answer.text
                        if not reads_on:
                            break
        except TimeoutError as error:
            raise self.server.error(error, request.timeout_seconds, has_begun=answer.pieces > 0) from error
        return self._completion(request, answer, began, self.now())

    async def _pieces(
        self, path: str, body: dict[str, Any], answer: StreamedAnswer, take_in: TakeIn
    ) -> AsyncGenerator[bool, None]:
        """Take in each object of an answer; yield whether it brought text. Closing this early closes the request."""
        try:
            async with self.http.stream("POST", path, json=body) as reply:
                if reply.status_code != 200:
                    raise self.server.refusal(reply.status_code, reason_in(await reply.aread()))
                if "html" in reply.headers.get("content-type", ""):
                    raise OtherApi("it answers with a web page")
                async with aclosing(lines_in(reply.aiter_bytes())) as lines, aclosing(objects_in(lines)) as objects:
                    async for found in objects:
                        if found.get("error"):
                            raise self.server.broken_off(reason_in(json.dumps(found).encode()))
                        yield take_in(answer, found, self.now())
        except CLIENT_ERRORS as error:
            raise self.server.error(error) from error

    def _completion(self, request: Request, answer: StreamedAnswer, began: float, ended: float) -> Completion:
        if answer.lacks_text and answer.received:
            raise self.server.lacks_text(json.dumps(answer.received, ensure_ascii=False))
        if not answer.finish and not answer.pieces:
            raise self.server.broken_off("it ended before it was done")
        # Ollama ends a model that says the same again and again without saying so, and so do some gateways.
        is_cut = answer.enough is None and answer.finish in ("length", "")
        expected, counted = self.estimate.count(request.text), answer.prompt_tokens
        self.estimate.observe(request.text, counted)
        # Some count only what was not in the cache. Half of what is expected cannot be the whole.
        prompt_tokens = expected if counted < expected / 2 else counted
        return Completion(
            text=answer.text,
            model=self.name,
            prompt_tokens=prompt_tokens,
            cached_tokens=None if answer.cached_tokens is None else min(answer.cached_tokens, prompt_tokens),
            completion_tokens=answer.completion_tokens or answer.pieces,
            seconds=ended - began,
            finish="length" if is_cut else "stop",
            is_counted=answer.prompt_tokens + answer.completion_tokens > 0,
            timing=answer.timing(began, ended),
        )

    def check_fits(self, request: Request, context_tokens: int, remedy: str) -> None:
        """Raise a ModelError if a request and its answer do not fit into a context."""
        needed = self.estimate.count(request.text) + request.max_tokens
        if needed > context_tokens:
            message = f"The prompt and its answer need about {needed} tokens; {self.name} has {context_tokens}."
            raise ModelError(message, remedy=remedy, retryable=False, about_request=True)
