"""`voice.md` in an agent's folder: examples of how it talks, as remarks and questions with its answers.

A line of it is `**how are you; how do you do**: Damp. It suits me.`; all other lines are for those who read the note.
Several answers have ` | ` between them. A wording behind `…` is a subject, a phrase anywhere in a remark:
`**…my brother; …my sister**: Is your {word} older? | …`, where `{word}` is the last word of the phrase. With a question
mark behind it, as in `…brothers?`, it is a phrase in a question. `…` alone has the answers to every other remark, `…?`
to every other question, `…!` to orders, threats and the like.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from vault.errors import NoteError
from vault.vault import Vault

log = logging.getLogger(__name__)

NAME = "voice.md"
MAX_ANSWER_CHARACTERS = 200
"""A longer answer would not be read as one example of how somebody talks."""

MAX_EXCHANGES = 500
"""More are left out: all of them are compared with whatever is said."""

Kind = Literal["told", "asked", "pressing"]
"""A remark, a question, or words that want the agent to say or be what it is not; see `agents.attending.pressure`."""

ANY: Mapping[str, Kind] = MappingProxyType({"…": "told", "…?": "asked", "…!": "pressing"})
WORD = "{word}"

_EXCHANGE = re.compile(r"\*\*(?P<heard>[^*]+)\*\*:[ \t]*(?P<answer>.*\S)[ \t]*")


@dataclass(frozen=True)
class Exchange:
    """Something that people say, in one or several wordings, and the answers of the agent, which take turns.

    `subjects` are phrases anywhere in a remark or, with a `?` behind them, in a question.
    `to_any` makes the answers those to every other remark, or question, or to all that presses.
    """

    heard: tuple[str, ...]
    answers: tuple[str, ...]
    subjects: tuple[str, ...] = ()
    to_any: Kind | Literal[""] = ""


def load_voice(vault: Vault, name: str) -> tuple[Exchange, ...]:
    """Return the examples of an agent; none without the note. What is not valid is logged and left out."""
    try:
        found, faults = read_voice(vault, name)
    except NoteError as error:
        found, faults = [], [error]
    for fault in faults:
        log.warning("left out: %s", fault)
    return tuple(found)


def read_voice(vault: Vault, name: str) -> tuple[list[Exchange], list[NoteError]]:
    """Return the examples of an agent, and what is wrong with other lines. Raises: NoteError if it is no text."""
    if not vault.exists("agents", name, NAME):
        return [], []
    note = vault.read("agents", name, NAME)
    found, faults = list[Exchange](), list[NoteError]()
    for number, line in enumerate(note.body.split("\n"), note.body_line):
        if not line.startswith("**"):
            continue
        exchange = _exchange(line) if len(found) < MAX_EXCHANGES else f"only {MAX_EXCHANGES} lines are read."
        if isinstance(exchange, str):
            faults.append(NoteError(f"{note.source}:{number}: {exchange}"))
        else:
            found.append(exchange)
    return found, faults


def _exchange(line: str) -> Exchange | str:
    """Return the exchange in a line, or what is wrong with it."""
    typed = _EXCHANGE.fullmatch(line)
    heard = [one.strip().replace("...", "…") for one in typed["heard"].split(";") if one.strip()] if typed else []
    answers = tuple(one.strip() for one in typed["answer"].split("|") if one.strip()) if typed else ()
    if not heard or not answers:
        return "expected what somebody says and what is answered, as **how are you; what's up**: Damp."
    longest = max(map(len, answers))
    if longest > MAX_ANSWER_CHARACTERS:
        return f"the answer has {longest} characters; expected at most {MAX_ANSWER_CHARACTERS}."
    if len(heard) == 1 and heard[0] in ANY:
        return Exchange((), answers, (), ANY[heard[0]])
    subjects = tuple(one[1:].strip() for one in heard if one.startswith("…"))
    if not all(re.search(r"\w", one) for one in subjects):
        return f"{', '.join(ANY)} each stand in a line of their own; expected words behind … here."
    whole = tuple(one for one in heard if not one.startswith("…"))
    if whole and any(WORD in one for one in answers):
        return f"{WORD} is the last word of what stands behind …; expected all that somebody says to begin with … here."
    return Exchange(whole, answers, subjects)
