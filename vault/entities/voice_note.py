"""`voice.md` in an agent's folder: how it talks, in examples of what somebody says and what it answers.

A line of it is `**how are you; how do you do**: Damp. It suits me.`; all other lines are for those who read the note.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

from vault.errors import NoteError
from vault.vault import Vault

log = logging.getLogger(__name__)

NAME = "voice.md"
MAX_ANSWER_CHARACTERS = 200
"""A longer answer would not be read as one example of how somebody talks."""

_EXCHANGE = re.compile(r"\*\*(?P<heard>[^*]+)\*\*:[ \t]*(?P<answer>.*\S)[ \t]*")


@dataclass(frozen=True)
class Exchange:
    """What somebody may say, in one or several wordings, and what the agent answers."""

    heard: tuple[str, ...]
    answer: str


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
        typed = _EXCHANGE.fullmatch(line)
        heard = tuple(one.strip() for one in typed["heard"].split(";") if one.strip()) if typed else ()
        if typed is None or not heard:
            wrong = "expected what somebody says and what is answered, as **how are you; what's up**: Damp."
        elif len(typed["answer"]) > MAX_ANSWER_CHARACTERS:
            wrong = f"the answer has {len(typed['answer'])} characters; expected at most {MAX_ANSWER_CHARACTERS}."
        else:
            found.append(Exchange(heard, typed["answer"]))
            continue
        faults.append(NoteError(f"{note.source}:{number}: {wrong}"))
    return found, faults
