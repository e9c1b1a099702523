"""The six fixed sections of a layered summary: what stands in them, in this order, and nothing outside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from agents.memory.summaries.picked import memory_of_line
from vault.remembered.memory_line import Memory

SECTIONS = (
    "User Goal",
    "Confirmed Facts",
    "Decisions Made",
    "Open Issues",
    "Pending Actions",
    "Important References",
)
NOTHING = "None."

_HEADING = re.compile(r"##\s+(\S.*)")
_ASSUMED = re.compile(r"\b(?:maybe|perhaps|probably|presumably|might|I (?:think|guess|assume|suppose)|seems?)\b", re.I)
_GOAL = re.compile(r"\b(?:I (?:want|need|must|have) to|my (?:goal|aim|task)|today I)\b", re.IGNORECASE)
_PENDING = re.compile(r"\b(?:promise|I will|I'll|I shall|will you|please)\b", re.IGNORECASE)


def section_faults(text: str) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the sections of a text, as kinds of objection with a sentence each."""
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
    """Return only what is told: no headings, no lines that say that there is nothing."""
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line and line != NOTHING and not _HEADING.fullmatch(line))


def sectioned(lines: Sequence[str], resolve: Callable[[int], Memory | None]) -> str:
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
