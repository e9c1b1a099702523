"""How a server that speaks OpenAI's API wants to be asked: found out by trying, since it cannot be looked up."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from agents.models.openai_errors import Refusal, refused

Mode = Literal["chat", "raw"]
Constraint = Literal["auto", "none", "grammar", "guided_grammar", "structured_outputs", "json_schema"]
"""How a server is told what an answer has to be like: llama.cpp's field, vLLM's older and newer ones, or a schema."""

PATHS: Mapping[Mode, str] = {"chat": "chat/completions", "raw": "completions"}
GRAMMARS = ("grammar", "guided_grammar", "structured_outputs")
TRIED: Mapping[Mode, tuple[Constraint, ...]] = {
    "chat": ("json_schema",),
    "raw": ("grammar", "structured_outputs", "guided_grammar", "json_schema"),
}
NOT_SUPPORTED = (400, 404, 405, 415, 422, 501)

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

Post = Callable[[str, dict[str, Any]], Awaitable[tuple[int, bytes]]]
"""Posts a body to a path; returns the status and the body of the reply."""


@dataclass(frozen=True)
class Manner:
    """What a server takes: messages or plain text, and in which field what an answer is held to."""

    mode: Mode
    constraint: Constraint


async def find_manner(post: Post, address: str, model: str, mode: str, constraint: Constraint) -> Manner:
    """Return how a server takes requests: messages if it can, and the first constraint that it keeps to.

    `mode` and `constraint` are "auto", or what is given and not tried. A constraint counts only if an answer that it
    leaves no choice is as it has to be: many servers pass over what they do not know.

    Raises: Refusal if it takes neither messages nor plain text, or refuses for another reason.
    """
    last: tuple[int, bytes] = (0, b"")
    for each in _modes(mode):
        is_taken = False
        for one in (*(TRIED[each] if constraint == "auto" else ()), "none"):
            if one == "none" and is_taken:
                break
            last = await post(PATHS[each], _trial(each, one, model))
            if last[0] != 200 and last[0] not in NOT_SUPPORTED:
                raise refused(*last, address, model)
            is_taken = is_taken or last[0] == 200
            if last[0] == 200 and _keeps_to(each, one, last[1]):
                return Manner(each, one)
        if is_taken:
            return Manner(each, "none" if constraint == "auto" else constraint)
    raise refused(*last, address, model)


def constraining(constraint: Constraint, grammar: str | None, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the fields of a request that hold its answer to a grammar or a JSON schema."""
    if grammar and constraint in ("grammar", "guided_grammar"):
        return {constraint: grammar}
    if grammar and constraint == "structured_outputs":
        return {"structured_outputs": {"grammar": grammar}}
    if schema and constraint == "json_schema":
        schema_of_reply = {"name": "reply", "schema": dict(schema)}
        return {"response_format": {"type": "json_schema", "json_schema": schema_of_reply}}
    return {}


def is_refusal_of_constraint(error: Exception) -> bool:
    """Return whether a server may have refused a request for what its answer was to be held to."""
    if not isinstance(error, Refusal):
        return False
    said = error.problem.lower()
    return error.status in NOT_SUPPORTED or any(word in said for word in ("grammar", "schema", "response_format"))


def _modes(mode: str) -> Iterable[Mode]:
    if mode == "auto":
        return ("chat", "raw")
    return ("chat",) if mode == "chat" else ("raw",)


def _trial(mode: Mode, constraint: Constraint, model: str) -> dict[str, Any]:
    asked = {"messages": [{"role": "user", "content": QUESTION}]} if mode == "chat" else {"prompt": QUESTION}
    held = constraining(constraint, GRAMMAR, SCHEMA)
    return {"model": model, "max_tokens": TRIAL_TOKENS, "temperature": 0.0, **asked, **held}


def _keeps_to(mode: Mode, constraint: Constraint, body: bytes) -> bool:
    """Return whether an answer is the only one that its constraint leaves."""
    try:
        choice = json.loads(body)["choices"][0]
        text = str(choice["message"]["content"] if mode == "chat" else choice["text"]).strip()
        return bool(json.loads(text) == {"answer": WORD} if constraint == "json_schema" else text == WORD)
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return False
