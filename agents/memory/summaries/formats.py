"""The formats of summaries that are not plain prose: picked lines, JSON, and six fixed sections.

A picked line is one memory, word for word, with a link to its journal line:

- Moss says, "It always does." ([[2026-11-21#^m12]])
- I did: say Good morning ([[2026-11-21#^m13]])
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agents.memory.judging.entities import folded, plain
from agents.memory.summaries.form import short
from vault.memory.memory_line import Memory

SHAPE = '{"summary": "...", "variables": ["...", ...]}'
SECTIONS = (
    "User Goal",
    "Confirmed Facts",
    "Decisions Made",
    "Open Issues",
    "Pending Actions",
    "Important References",
)
NOTHING = "None."

_LINE = re.compile(r"- (?P<words>.*) \(\[\[\d{4}-\d\d-\d\d(?:-\d+)?#\^m(?P<seq>[1-9]\d{0,15})\]\]\)", re.DOTALL)
_FIRST_PERSON = {
    "acted": "I did: ",
    "result": "I saw: ",
    "thought": "I thought: ",
    "dreamt": "I dreamt: ",
    "told": "I was told: ",
    "noted": "I noted: ",
}
_HEADING = re.compile(r"##\s+(\S.*)")
_ASSUMED = re.compile(r"\b(?:maybe|perhaps|probably|presumably|might|I (?:think|guess|assume|suppose)|seems?)\b", re.I)
_GOAL = re.compile(r"\b(?:I (?:want|need|must|have) to|my (?:goal|aim|task)|today I)\b", re.IGNORECASE)
_PENDING = re.compile(r"\b(?:promise|I will|I'll|I shall|will you|please)\b", re.IGNORECASE)


def picked_words(memory: Memory) -> str:
    """Return a memory as a picked line, in the first person where the memory is the agent's own."""
    return _FIRST_PERSON.get(memory.kind, "") + memory.text.strip()


def picked_line(memory: Memory) -> str:
    """Return a memory as a line of an extractive summary."""
    return f"- {picked_words(memory)} ([[{memory.note or memory.day}#^m{memory.seq}]])"


def memory_of_line(line: str) -> tuple[int, str] | None:
    """Return the number of the memory that a line links to, and the line's words; None if it is not such a line."""
    match = _LINE.fullmatch(line.strip())
    return (int(match["seq"]), match["words"].strip()) if match else None


def mentions_memory(line: str, memory: Memory) -> bool:
    """Return whether a line is this memory's: its number and its words."""
    return memory_of_line(line) == (memory.seq, picked_words(memory).strip())


class BadJson(Exception):
    """A reply is not the JSON that was asked for; the message says why."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why} Answer with JSON of this form and nothing else: {SHAPE}")


def readable(reply: str, heard: str) -> str:
    """Return a reply in JSON as text: the summary, and a line with its variables.

    Raises: BadJson if it is no such JSON, or a variable has a name that is not in `heard`.
    """
    try:
        found = json.loads(_without_fence(reply.strip()))
    except (ValueError, RecursionError) as error:
        raise BadJson(f"It is not valid JSON: {short(str(error))}.") from error
    summary, variables = _parts(found)
    known = folded(plain(heard))
    unknown = [name for name, _ in variables if folded(plain(name)) not in known]
    if unknown:
        raise BadJson(f"No memory has these variables: {', '.join(short(name) for name in unknown)}.")
    listed = ", ".join(f"{name} = {value}" if value else name for name, value in variables)
    return f"{summary}\nWhat I keep in mind: {listed}." if listed else summary


def _without_fence(text: str) -> str:
    """Return the text inside a fence around the whole of a text, else the text."""
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


def section_faults(text: str) -> Iterator[tuple[str, str]]:
    """Yield the faults of the sections of a text, as kinds of objection with a sentence each."""
    headings = [match[1] for line in text.split("\n") if (match := _HEADING.fullmatch(line.strip()))]
    if headings != list(SECTIONS):
        found = ", ".join(headings) or "none"
        yield "wrong-sections", f"The sections are {found}; they have to be {', '.join(SECTIONS)}, in this order."
        return
    if text.strip().split("\n")[0].strip() != f"## {SECTIONS[0]}":
        yield "wrong-sections", f"Nothing may stand before the section {SECTIONS[0]}."
    told = sections_of(text)
    for name in SECTIONS:
        if not told[name]:
            yield "wrong-sections", f"The section {name} is empty; write {NOTHING} where there is nothing to tell."
    for line in told["Confirmed Facts"]:
        if _ASSUMED.search(line):
            yield "assumption-as-fact", f"{line!r} is no fact; what is not certain belongs under Open Issues."


def sections_of(text: str) -> dict[str, list[str]]:
    """Return the lines under each heading, in order; an unknown heading has its own."""
    told: dict[str, list[str]] = {}
    name = ""
    for line in filter(None, map(str.strip, text.split("\n"))):
        heading = _HEADING.fullmatch(line)
        if heading:
            name = heading[1]
            told.setdefault(name, [])
        else:
            told.setdefault(name, []).append(line)
    return told


def without_headings(text: str) -> str:
    """Return the content alone: no headings, no lines that say that there is nothing."""
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line and line != NOTHING and not _HEADING.fullmatch(line))


def sort_into_sections(lines: Sequence[str], resolve: Callable[[int], Memory | None]) -> str:
    """Return picked lines under the six headings, sorted into them by rule."""
    placed: dict[str, list[str]] = {name: [] for name in SECTIONS}
    for line in lines:
        link = memory_of_line(line)
        words, memory = (link[1], resolve(link[0])) if link else (line, None)
        placed[_section_for(words, memory)].append(line)
    return "\n".join("\n".join([f"## {name}", *(placed[name] or [NOTHING])]) for name in SECTIONS)


def _section_for(words: str, memory: Memory | None) -> str:
    if _GOAL.search(words):
        return "User Goal"
    if _PENDING.search(words):
        return "Pending Actions"
    if words.rstrip('"” ').endswith("?") or _ASSUMED.search(words):
        return "Open Issues"
    if memory and memory.kind == "acted":
        return "Decisions Made"
    if memory and memory.kind in ("result", "noted"):
        return "Important References"
    return "Confirmed Facts"
