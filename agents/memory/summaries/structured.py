"""A summary that a template asks for as JSON: read, checked and made readable."""

from __future__ import annotations

import json
from typing import Any

from agents.memory.gate import Objection, Source
from agents.memory.judging.claims import folded, plain
from agents.memory.judging.form import short

SHAPE = '{"summary": "...", "variables": ["...", ...]}'


class BadJson(Exception):
    """A reply is not the JSON that was asked for; `objection` says why."""

    def __init__(self, why: str) -> None:
        detail = f"{why} Answer with JSON of this form and nothing else: {SHAPE}"
        super().__init__(detail)
        self.objection = Objection("bad-json", detail)


def readable(reply: str, source: Source) -> str:
    """Return a reply in JSON as text: the summary, and a line with its variables.

    Raises: BadJson if it is no such JSON, or a variable has a name that stands nowhere in the source.
    """
    try:
        found = json.loads(_without_fence(reply.strip()))
    except (ValueError, RecursionError) as error:
        raise BadJson(f"It is not valid JSON: {short(str(error))}.") from error
    summary, variables = _parts(found)
    known = folded(plain("\n".join([source.text, *source.roster, *(m.room for m in source.memories)])))
    unknown = [name for name, _ in variables if folded(plain(name)) not in known]
    if unknown:
        raise BadJson(f"No memory has these variables: {', '.join(short(name) for name in unknown)}.")
    listed = ", ".join(f"{name} = {value}" if value else name for name, value in variables)
    return f"{summary}\nWhat I keep in mind: {listed}." if listed else summary


def _without_fence(text: str) -> str:
    """Return what is between a fence around the whole of a text, else the text."""
    begin, _, rest = text.partition("\n")
    is_fenced = begin.rstrip() in ("```", "```json") and rest.endswith("```")
    return rest.removesuffix("```") if is_fenced else text


def _parts(found: Any) -> tuple[str, list[tuple[str, str]]]:
    """Return the summary and the (name, value) of each variable; a value may be empty."""
    if not isinstance(found, dict):
        raise BadJson("It is not a JSON object.")
    summary, variables = found.get("summary"), found.get("variables")
    if not isinstance(summary, str) or not summary.strip():
        raise BadJson("Its summary is missing or no text.")
    if not isinstance(variables, list):
        raise BadJson("Its variables are missing or no list.")
    return " ".join(summary.split()), [_variable(one) for one in variables]


def _variable(one: Any) -> tuple[str, str]:
    match one:
        case str() if one.strip():
            return " ".join(one.split()), ""
        case {"name": str(name)} if name.strip():
            value = one.get("value")
            return " ".join(name.split()), "" if value is None else " ".join(str(value).split())
        case _:
            raise BadJson(f"{short(repr(one))} is no variable: write its name, or name and value.")
