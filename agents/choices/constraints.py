"""Constrained decoding: a GBNF grammar or a JSON schema that holds an answer to what can be done now.

The grammar is for models that go on with a transcript, as llama.cpp reads it. An answer is one space, a command, and
the line break at which generation stops. Without that line break a base model, which would rather begin a new line than
end its text, babbles on. Free words are any text of one line, in any script.

The schemas are for servers that take one and no grammar. Only what every server knows is used: strings, choices,
lengths and patterns. Ollama writes the keys of an object in alphabetical order, whatever the schema says: `words` comes
before `you_do`, so that what is done follows from what was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from agents.choices.possible import NOTHING, Form, Possible
from agents.models.adapter import gbnf_literal

MAX_WORDS = 220
"""Maximum length of one speech of an agent, in characters, so that an answer ends with its closing brace."""

JSON_TOKENS = 24
"""Tokens for the braces, keys and quotation marks of an answer."""

WORDS = f"words ::= [^ \\r\\n|] [^\\r\\n|]{{0,{MAX_WORDS - 1}}}\n"

_VERB = re.compile(r'(?:\(| \| )"((?:[^"\\ ]|\\.)+)"')  # the choices for a placeholder begin with a space


def gbnf(possible: Possible) -> str:
    """Return the grammar of every line that these forms can spell. `possible` holds at least one form."""
    lines = _either(_spelling(form) for form in possible.values())
    return f'root ::= " " {lines} "\\n"\n{WORDS}'


def speech_grammar(opening: str, name: str, labels: Sequence[str], silence: str = "") -> str:
    """Return the grammar of a speech in a transcript: `say WORDS`, and below it one of some acts.

    `opening` is how the line begins, `name` the agent's own name, `labels` the acts that it may do along with its
    words, none if there are none. With `silence`, that label stands alone instead of the words.
    """
    spoken = f"{gbnf_literal(f' {opening} ')} words {gbnf_literal(chr(10))}"
    if acts := [one for one in labels if one != silence]:
        chosen = _either(gbnf_literal(f"~{name}> {one}\n") for one in acts)
        spoken = f"{spoken} {chosen}"
    said = f"({spoken} | {gbnf_literal(f' {silence}{chr(10)}')})" if silence else spoken
    return f"root ::= {said}\n{WORDS}"


def verbs_in(grammar: str) -> list[str]:
    """Return the verbs that a grammar of `gbnf` admits, in order."""
    return list(dict.fromkeys(_VERB.findall(grammar.partition("\n")[0])))


def _spelling(form: Form) -> str:
    parts = [gbnf_literal(form.command.verb)]
    for word in form.command.words:
        if not word.kind:
            parts.append(gbnf_literal(f" {word.text}"))
        else:
            parts.append(_placeholder(form.choices.get(word.kind)))
    return " ".join(part for part in parts if part)


def _placeholder(choices: tuple[str, ...] | None) -> str:
    if choices is None:
        return '" " words'
    named = [gbnf_literal(f" {choice}".replace("|", "\\|")) for choice in choices if choice != NOTHING]
    if not named:
        return ""
    return _either(named) + ("?" if NOTHING in choices else "")


def _either(parts: Iterable[str]) -> str:
    return f"({' | '.join(parts)})"


# It begins with a letter or a digit of any script, or small models open with a quotation mark; and holds no marks of
# JSON or Markdown, or they write their thoughts behind the words. llama.cpp, and so Ollama, knows no \s between
# brackets, and refuses the whole schema for it.
_WORDS = rf"^[^ \r\n\t\"'(*|\\\[{{<_~`#>-][^\"\\|\r\n\t{{}}`*]{{0,{MAX_WORDS - 1}}}$"


def words_schema(acts: Sequence[str] = (), may_be_silent: bool = False) -> dict[str, Any]:
    """Return the schema of a speech: `{"words": …}`, and with `acts` what is done along with them, one of these.

    Words may be empty only if it `may_be_silent`.
    """
    pattern = f"({_WORDS[1:-1]})?" if may_be_silent else _WORDS[1:-1]
    properties: dict[str, Any] = {"words": {"type": "string", "pattern": f"^{pattern}$"}}
    if acts:
        properties |= {"you_do": {"type": "string", "enum": list(acts)}}
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
