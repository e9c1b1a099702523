"""A line of an extractive summary: one memory, word for word, with a link to its journal line.

- Moss says, "It always does." ([[2026-11-21#^m12]])
- I did: say Good morning ([[2026-11-21#^m13]])
"""

from __future__ import annotations

import re

from vault.memory.memory_line import Memory

_LINE = re.compile(r"- (?P<words>.*) \(\[\[\d{4}-\d\d-\d\d(?:-\d+)?#\^m(?P<seq>[1-9]\d{0,15})\]\]\)", re.DOTALL)
_FIRST_PERSON = {
    "acted": "I did: ",
    "result": "I saw: ",
    "thought": "I thought: ",
    "dreamt": "I dreamt: ",
    "told": "I was told: ",
    "noted": "I noted: ",
}


def picked_words(memory: Memory) -> str:
    """Return a memory as a picked line, in the first person where the memory is the agent's own."""
    return _FIRST_PERSON.get(memory.kind, "") + memory.text.strip()


def picked_line(memory: Memory, journal: str = "") -> str:
    """Return a memory as a line of an extractive summary.

    `journal` names the journal's note if it is not the day's first, as in `2026-11-21-2`.
    """
    return f"- {picked_words(memory)} ([[{journal or memory.day}#^m{memory.seq}]])"


def memory_of_line(line: str) -> tuple[int, str] | None:
    """Return the number of the memory that a line links to, and the line's words; None if it is not such a line."""
    match = _LINE.fullmatch(line.strip())
    return (int(match["seq"]), match["words"].strip()) if match else None


def mentions_memory(line: str, memory: Memory) -> bool:
    """Return whether a line is this memory's: its number and its words."""
    return memory_of_line(line) == (memory.seq, picked_words(memory).strip())
