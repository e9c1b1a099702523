"""Constrained decoding: a GBNF grammar or a JSON schema that holds an answer to what can be done now.

The grammar is for small models, as llama.cpp reads it. An answer is one space, a command, and the line break at which
generation stops. Without that line break a base model, which would rather begin a new line than end its text, babbles
on.

The schemas are for servers that take one and no grammar. Only what every server knows is used: strings, choices,
lengths and patterns. Ollama writes the keys of an object in alphabetical order, whatever the schema says: `words` comes
before `you_follow` and `you_give`, so that what is done follows from what was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from agents.choices.possible import NOTHING, Form, Possible
from agents.models.adapter import gbnf_literal

FEWEST_WORDS = 3
MOST_WORDS = 16
"""Minimum and maximum number of words of a sentence."""

# A sentence begins with a capital and ends with a mark, so that narration is not said.
RULES = f"""\
sentence ::= capital tail (gap word){{{FEWEST_WORDS - 1},{MOST_WORDS - 1}}} [.!?]
gap ::= ","? " "
word ::= letter tail
tail ::= letter{{0,14}} ("'" letter{{1,2}})?
capital ::= [A-Z]
letter ::= [A-Za-z\\u00C0-\\u024F]
"""

LOOSE = frozenset(
    "a an the this that these those my your his her its our their some any every no and or but nor so if as than "
    "because when while where which who whose what how of to in on at by for from with into onto over under about "
    "through between after before i we they he she it's i'm you're i'll i've he's she's is are was were be been am "
    "do does did has have had will would can could should may might must not very too more most like going then".split()
)
"""Words that rarely end a thought: a thought that the length limit cuts after one of them is cut shorter."""

_MARKS = (".", "!", "?")
_VERB = re.compile(r'(?:\(| \| )"((?:[^"\\ ]|\\.)+)"')  # the choices for a placeholder begin with a space


def gbnf(possible: Possible) -> str:
    """Return the grammar of every line that these forms can spell. `possible` holds at least one form."""
    lines = _either(_spelling(form) for form in possible.values())
    return f'root ::= " " {lines} "\\n"\n{RULES}'


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
        return '" " sentence'
    named = [gbnf_literal(f" {choice}".replace("|", "\\|")) for choice in choices if choice != NOTHING]
    if not named:
        return ""
    return _either(named) + ("?" if NOTHING in choices else "")


def _either(parts: Iterable[str]) -> str:
    return f"({' | '.join(parts)})"


def tidied(line: str) -> str:
    """Return a line that the grammar admitted without a half thought at its end.

    `say I am wet, and I am in the.` becomes `say I am wet.` when the sentence has all the words it may have; a shorter
    one ended by itself and is left alone.
    """
    verb, space, said = line.strip().partition(" ")
    if said[-1:] in _MARKS and said.count(" ") >= MOST_WORDS - 1:
        said = f"{_without_loose_end(said[:-1])}{said[-1]}"
    return f"{verb}{space}{said}"


def _without_loose_end(text: str) -> str:
    words = text.split(" ")
    if words[-1].lower() not in LOOSE:
        return text
    clause = text.rpartition(",")[0]
    if clause.count(" ") >= FEWEST_WORDS - 1 and clause.split(" ")[-1].lower() not in LOOSE:
        return clause
    while words and words[-1].lower().rstrip(",") in LOOSE:
        words.pop()
    return " ".join(words).rstrip(",")


NO_GIFT = "nothing"
"""The choice of handing nothing over."""

YES, NO = "yes", "no"
"""The answers of an agent that is asked to come along: it goes, or it stays."""

MAX_WORDS = 220
"""Maximum length of one speech of an agent, in characters, so that an answer ends with its closing brace."""

JSON_TOKENS = 24
"""Tokens for the braces, keys and quotation marks of an answer."""

# It begins with a letter or a digit of any script, or small models open with a quotation mark; and holds no marks of
# JSON or Markdown, or they write their thoughts behind the words. llama.cpp, and so Ollama, knows no \s between
# brackets, and refuses the whole schema for it.
_WORDS = rf"^[^ \r\n\t\"'(*|\\\[{{<_~`#>-][^\"\\|\r\n\t{{}}`*]{{1,{MAX_WORDS - 1}}}$"


def words_schema(hand_over: Sequence[str] = (), asked_along: bool = False) -> dict[str, Any]:
    """Return the schema of a speech: `{"words": …}`, with the things to hand over, and whether it goes along."""
    properties: dict[str, Any] = {"words": {"type": "string", "pattern": _WORDS}}
    if asked_along:
        properties |= {"you_follow": {"type": "string", "enum": [YES, NO]}}
    if hand_over:
        properties |= {"you_give": {"type": "string", "enum": [*hand_over, NO_GIFT]}}
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
