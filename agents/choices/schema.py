"""The JSON schema that holds an answer to what can be done now, for servers that take one and no grammar.

An answer is `{"command": "say Good morning.", "reason": "to greet him"}`. Only what every server knows is used:
strings, their lengths, and patterns of groups, alternatives and character classes.
"""

from __future__ import annotations

from typing import Any

from agents.choices.possible import NOTHING, Form, Possible

LONGEST_TEXT = 240
LONGEST_REASON = 80
"""How many characters free words and a reason may have, so that an answer ends with its closing brace."""

JSON_TOKENS = 24
"""What the braces, keys and quotation marks of an answer take, in tokens."""

_TEXT = rf'[^"\\|\r\n\t]{{1,{LONGEST_TEXT}}}'
_UNFIT = frozenset('"\\|\r\n\t')  # names with these would have to be written otherwise in JSON, or end the command
_SPECIAL = str.maketrans({mark: f"\\{mark}" for mark in ".^$*+?()[]{}"})


def schema_of(possible: Possible) -> dict[str, Any]:
    """Return the schema of every line that these forms can spell. `possible` holds at least one form."""
    lines = _either([_spelling(form) for form in possible.values()])
    return {
        "type": "object",
        "properties": {
            "command": {"type": "string", "pattern": f"^{lines}$"},
            "reason": {"type": "string", "maxLength": LONGEST_REASON},
        },
        "required": ["command", "reason"],
        "additionalProperties": False,
    }


def _spelling(form: Form) -> str:
    parts = [_escaped(form.command.verb)]
    for word in form.command.words:
        if not word.kind:
            parts.append(f" {_escaped(word.text)}")
            continue
        choices = form.choices.get(word.kind, ())
        named = [_escaped(one) for one in choices if one != NOTHING and _UNFIT.isdisjoint(one)]
        # Who finds words for an answer finds them for a pose, too, of which a small model is given a choice.
        found = f" {_either(named)}" if named and word.kind != "text" else f" {_TEXT}"
        parts.append(f"({found})?" if word.optional else found)
    return "".join(parts)


def _either(parts: list[str]) -> str:
    return f"({'|'.join(parts)})"


def _escaped(text: str) -> str:
    return text.translate(_SPECIAL)
