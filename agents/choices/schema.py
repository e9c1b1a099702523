"""The JSON schemas that hold an answer to what can be done now, for servers that take one and no grammar.

Only what every server knows is used: strings, choices, lengths and patterns. Ollama writes the keys of an object in
alphabetical order, whatever the schema says: `words` comes before `you_follow` and `you_give`, so that what is done
follows from what was said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

NOTHING = "nothing"
"""The choice of handing nothing over."""

YES, NO = "yes", "no"
"""Whether it goes along with who asked for that."""

MAX_WORDS = 220
"""How many characters an agent says at once, so that an answer ends with its closing brace."""

JSON_TOKENS = 24
"""What the braces, keys and quotation marks of an answer take, in tokens."""

# It begins with a letter or a digit of any script, or small models open with a quotation mark. llama.cpp, and so
# Ollama, knows no \s between brackets, and refuses the whole schema for it.
_WORDS = rf"^[^ \r\n\t\"'(*|\\\[{{<_~`#>-][^\"\\|\r\n\t]{{1,{MAX_WORDS - 1}}}$"


def words_schema(hand_over: Sequence[str] = (), asked_along: bool = False) -> dict[str, Any]:
    """Return the schema of a speech: `{"words": …}`, with what may be handed over, and whether it goes along."""
    properties: dict[str, Any] = {"words": {"type": "string", "pattern": _WORDS}}
    if asked_along:
        properties |= {"you_follow": {"type": "string", "enum": [YES, NO]}}
    if hand_over:
        properties |= {"you_give": {"type": "string", "enum": [*hand_over, NOTHING]}}
    return _object(properties)


def command_schema(lines: Sequence[str]) -> dict[str, Any]:
    """Return the schema of one command among these lines: `{"command": …}`."""
    return _object({"command": {"type": "string", "enum": list(lines)}})


def line_schema(lines: Sequence[str]) -> dict[str, Any]:
    """Return the schema of one of these lines as a JSON string, for a model that goes on with a transcript."""
    return {"type": "string", "enum": list(lines)}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
