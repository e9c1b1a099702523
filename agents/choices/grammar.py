"""The grammar that holds a small model to what can be done now: GBNF, as llama.cpp reads it.

An answer is one space, a command, and the line break at which generation stops.
Without that line break a base model, which would rather begin a new line than end its text, babbles on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from agents.choices.possible import NOTHING, Form, Possible
from agents.models.adapter import literal

FEWEST_WORDS = 3
MOST_WORDS = 16
"""How many words a sentence has."""

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
"""Words that hardly end a thought: where a bound cut after one of them, the thought is cut shorter."""

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
    parts = [literal(form.command.verb)]
    for word in form.command.words:
        if not word.kind:
            parts.append(literal(f" {word.text}"))
        else:
            parts.append(_placeholder(form.choices.get(word.kind)))
    return " ".join(part for part in parts if part)


def _placeholder(choices: tuple[str, ...] | None) -> str:
    if choices is None:
        return '" " sentence'
    named = [literal(f" {choice}".replace("|", "\\|")) for choice in choices if choice != NOTHING]
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
