"""What stands in the archive, told to people: an entry by its reference, and a result with every line it had."""

from __future__ import annotations

import re
from typing import Any

from agents.memory.memory import AgentMemory
from vault.remembered.archive_file import parsed_reference
from vault.remembered.memory_line import LINE_BREAK, Memory, one_line
from world.wording import Wording

PAGE_CHARACTERS = 16_000

_FROM = re.compile(r"(?P<what>\S+) +from +(?P<first>[1-9]\d{0,11})")
_HEADING = ("event", "at", "seq")


def without_page(wanted: str) -> tuple[str, int]:
    """Return what is wanted and the character from which on, counted from 1: `^m12 from 16001`."""
    match = _FROM.fullmatch(wanted)
    return (match["what"], int(match["first"])) if match else (wanted, 1)


def is_reference(wanted: str) -> bool:
    """Return whether something has the form of a reference into an archive: `2026-11-21#7`."""
    return parsed_reference(wanted) is not None


def entry_text(memory: AgentMemory, reference: str, say: Wording, first: int = 1) -> str:
    """Return an archive entry whole, from a character on. Raises: NoteError if there is none."""
    archive = memory.trail.archive
    entry = archive.read(reference)
    if "prompt_rest" in entry:
        entry["prompt"] = archive.prompt_of(reference)
    of = {"event": entry["event"], "at": entry.get("at"), "number": entry.get("seq")}
    heading = say("memory.archive_entry", reference=reference, who=memory.name, **of)
    hidden = {*_HEADING, "prompt_rest", "prompt_shared", "prompt_characters"}
    fields = {name: value for name, value in entry.items() if name not in hidden}
    text = fields["text"] if set(fields) <= {"text", "refused"} and "text" in fields else _listed(fields)
    return "\n".join([heading, page(str(text), first, f"{memory.name} {reference}", say)])


def result_text(memory: AgentMemory, result: Memory, say: Wording, first: int = 1) -> str:
    """Return a result as it came, from a character on: from the archive if it is there, else from the journal.

    Raises: NoteError if the archive cannot be read.
    """
    memory.trail.write()  # it may be from the turn that is not over yet
    found = memory.trail.archive.find("tool_result", result.seq, result.day)
    told = result.text.replace(LINE_BREAK, "\n")
    where = say("memory.the_journal")
    if found and _is_of(result, str(found[1].get("text"))):
        where, told = say("memory.the_archive", reference=found[0]), str(found[1]["text"])
    heading = say("memory.result", number=result.seq, who=memory.name, where=where)
    return "\n".join([heading, page(told, first, f"{memory.name} ^m{result.seq}", say)])


def page(text: str, first: int, wanted: str, say: Wording) -> str:
    """Return as much of a text as a screen should be sent, and how to ask for the rest."""
    last = first - 1 + PAGE_CHARACTERS
    shown = text[first - 1 : last]
    if first == 1 and len(text) <= PAGE_CHARACTERS:
        return text
    if first > len(text):
        return say("memory.past_the_end", count=f"{len(text):,}")
    key = "memory.page" if len(text) > last else "memory.last_page"
    place = {"first": f"{first:,}", "last": f"{min(last, len(text)):,}", "count": f"{len(text):,}"}
    return f"{shown}\n{say(key, wanted=wanted, next=last + 1, **place)}"


def _is_of(result: Memory, whole: str) -> bool:
    """Return whether a text is what a journal line tells, or tells the beginning of."""
    told = one_line(whole)
    return told == result.text or result.text.startswith(told[:200])


def _listed(fields: dict[str, Any]) -> str:
    lines = []
    for name, value in fields.items():
        if isinstance(value, dict):
            lines += [f"{name}:", *(f"  {key}: {one}" for key, one in value.items())]
        else:
            lines.append(f"{name}: {value}")
    return "\n".join(lines)
