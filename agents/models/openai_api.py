"""OpenAI's HTTP API: a streamed answer, errors with remedies, and detection of what a server supports."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agents.models.adapter import billions
from agents.models.http_server import NOT_SUPPORTED, ModelServer, ServerKind
from agents.models.streaming import OtherApi, StreamedAnswer, count_in, dict_in, reason_in, seconds_in, text_of

CHECK_ADDRESS = "Check the address in config/models.md; it mostly ends with /v1, as in http://127.0.0.1:8000/v1."
OPENAI = ServerKind(
    name="The server",
    api="OpenAI's",
    no_server="No server answers",
    start="Start it there, or change the address in config/models.md.",
    check_address=CHECK_ADDRESS,
    other_api=CHECK_ADDRESS,
    look_there="Look into that server's own log if this goes on.",
    get_model="Load it there, or change model in config/models.md.",
    set_key="Set api_key_from in config/models.md to the name of the environment variable that holds the key.",
)

Mode = Literal["chat", "raw"]
Constraint = Literal["auto", "none", "grammar", "guided_grammar", "structured_outputs", "json_schema"]
"""The request fields that constrain an answer: llama.cpp's, vLLM's older and newer ones, or a schema."""

PATHS: Mapping[Mode, str] = {"chat": "chat/completions", "raw": "completions"}
GRAMMARS = ("grammar", "guided_grammar", "structured_outputs")
TRIED: Mapping[Mode, tuple[Constraint, ...]] = {
    "chat": ("json_schema",),
    "raw": ("grammar", "structured_outputs", "guided_grammar", "json_schema"),
}

WORD = "fallwater"
SCHEMA = {
    "type": "object",
    "properties": {"answer": {"enum": [WORD]}},
    "required": ["answer"],
    "additionalProperties": False,
}
GRAMMAR = f'root ::= "{WORD}"'
QUESTION = "Name a town in one word."
TRIAL_TOKENS = 24

FEWEST_MILLIONS = 10
"""Fewer "m" in a model's name are no parameters, but a context: claude-4-1m."""

_SIZE = re.compile(r"(?<![a-z0-9.])(?:\d+x)?\d+(?:\.\d+)?[bm](?![a-z0-9])")

Post = Callable[[str, dict[str, Any]], Awaitable[tuple[int, bytes]]]
"""Posts a body to a path; returns the status and the body of the reply."""


def take_in(answer: StreamedAnswer, event: dict[str, Any], now: float) -> bool:
    """Add an event that came at `now`, in seconds, to an answer; return whether text came. Raises: OtherApi."""
    _take_in_costs(answer, event)
    choices = event.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else {}
    if not isinstance(choice, dict):
        raise OtherApi("a choice that is none")
    answer.finish = str(choice.get("finish_reason") or answer.finish)
    said = dict_in(choice, "delta")
    if not said and not answer.pieces and (said := dict_in(choice, "message")):  # it is not streamed
        answer.finish = answer.finish or "stop"
    return answer.add(said or choice or (event if "choices" not in event else {}), now)


def _take_in_costs(answer: StreamedAnswer, event: dict[str, Any]) -> None:
    """Read the cost of the answer, from OpenAI's `usage` or llama.cpp's `timings`."""
    usage, timings = dict_in(event, "usage"), dict_in(event, "timings")
    details = dict_in(usage, "prompt_tokens_details")
    answer.prompt_tokens = count_in(usage, "prompt_tokens") or answer.prompt_tokens
    answer.completion_tokens = count_in(usage, "completion_tokens") or answer.completion_tokens
    for told, name in ((details, "cached_tokens"), (timings, "cache_n")):
        if isinstance(told.get(name), int):
            answer.cached_tokens = count_in(told, name)
    if (seconds := seconds_in(timings, "predicted_ms", 1000)) is not None:
        answer.prompt_seconds, answer.answer_seconds = seconds_in(timings, "prompt_ms", 1000), seconds


def size_in_name(name: str) -> float | None:
    """Return the parameters that the name of a model tells, in billions: 7 of "Qwen2.5-7B-Instruct"; or None."""
    written = _SIZE.findall(re.sub(r"(?<=\d)_(?=\d)", ".", name.casefold()))
    sizes = (size for one in written if (size := billions(one)) is not None)
    return next((size for size in sizes if size * 1000 >= FEWEST_MILLIONS), None)


@dataclass(frozen=True)
class RequestFormat:
    """The format of a server's requests: messages or plain text, and the field for the constraint on an answer."""

    mode: Mode
    constraint: Constraint


async def detect_format(post: Post, server: ModelServer, mode: str, constraint: Constraint) -> RequestFormat:
    """Return how a server takes requests: messages if it can, and the first constraint that it keeps to.

    `mode` and `constraint` are "auto", or what is given and not tried. A constraint counts only if an answer that it
    leaves no choice is as it has to be: many servers pass over what they do not know.

    Raises: ModelError if it takes neither messages nor plain text, or refuses for another reason.
    """
    last: tuple[int, bytes] = (0, b"")
    for each in _modes(mode):
        is_taken = False
        for one in (*(TRIED[each] if constraint == "auto" else ()), "none"):
            if one == "none" and is_taken:
                break
            last = await post(PATHS[each], _trial(each, one, server.model))
            if last[0] != 200 and last[0] not in NOT_SUPPORTED:
                raise server.refusal(last[0], reason_in(last[1]))
            is_taken = is_taken or last[0] == 200
            if last[0] == 200 and _keeps_to(each, one, last[1]):
                return RequestFormat(each, one)
        if is_taken:
            return RequestFormat(each, "none" if constraint == "auto" else constraint)
    raise server.refusal(last[0], reason_in(last[1]))


def constraint_fields(constraint: Constraint, grammar: str | None, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the fields of a request that hold its answer to a grammar or a JSON schema."""
    if grammar and constraint in ("grammar", "guided_grammar"):
        return {constraint: grammar}
    if grammar and constraint == "structured_outputs":
        return {"structured_outputs": {"grammar": grammar}}
    if schema and constraint == "json_schema":
        schema_of_reply = {"name": "reply", "schema": dict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": schema_of_reply}}
    return {}


def _modes(mode: str) -> Iterable[Mode]:
    if mode == "auto":
        return ("chat", "raw")
    return ("chat",) if mode == "chat" else ("raw",)


def _trial(mode: Mode, constraint: Constraint, model: str) -> dict[str, Any]:
    asked = {"messages": [{"role": "user", "content": QUESTION}]} if mode == "chat" else {"prompt": QUESTION}
    held = constraint_fields(constraint, GRAMMAR, SCHEMA)
    return {"model": model, "max_tokens": TRIAL_TOKENS, "temperature": 0.0, **asked, **held}


def _keeps_to(mode: Mode, constraint: Constraint, body: bytes) -> bool:
    """Return whether an answer is the only one that its constraint leaves."""
    try:
        choice = json.loads(body)["choices"][0]
        text = text_of(choice["message"]["content"] if mode == "chat" else choice["text"]).strip()
        return bool(json.loads(text) == {"answer": WORD} if constraint == "json_schema" else text == WORD)
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return False
