"""From summaries back to the memories that they stand for, and to the archive: expand, why, diff."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from agents.memory.coverage import NONE, Range
from agents.memory.memory import AgentMemory
from agents.memory.summaries.picked import memory_of_line
from agents.memory.view import RECENT, Tier, View
from vault.markdown import LINE_BREAK, one_line
from vault.memory.archive_file import parsed_reference
from vault.memory.memory_line import Memory
from world.errors import CommandError
from world.message_catalog import Wording

MOST_LINES = 200

_RANGE = re.compile(r"(\d{1,15})(?:\s*(?:-|–|to)\s*(\d{1,15}))?")
_BLOCK = re.compile(r"\[*(?:[\d-]+)?#?\^m(\d{1,15})\]*")
PAGE_CHARACTERS = 16_000
_FROM = re.compile(r"(?P<what>\S+) +from +(?P<first>[1-9]\d{0,11})")
_HEADING = ("event", "at", "seq")


def expanded(memory: AgentMemory, wanted: str, say: Wording) -> list[Memory]:
    """Return the memories that a range, a reference, the name of a summary or of a leaf stands for.

    `3-17`, `12`, `^m12`, `[[2026-11-21#^m12]]`, `recent`, `longterm`, `recent-20261121-203501-m000129`, `all`.
    Raises: CommandError that says what can be asked for.
    """
    covered = _meant(memory, wanted.strip(), say)
    return memory.journal.read(covered.first, covered.last)


def expanded_text(memory: AgentMemory, wanted: str, say: Wording) -> str:
    """Return these memories a line each, as they stand in the journal, with what is missing or left out said.

    One result of a command is returned as it came, and `2026-11-21#7` as the archive has it; of a text too long for a
    screen, from some character on: `^m12 from 16001`. Raises: CommandError, or NoteError if a file cannot be read.
    """
    what, character = without_page(wanted.strip())
    if is_reference(what.strip("[]")):
        return entry_text(memory, what.strip("[]"), say, character)
    covered = _meant(memory, what, say)
    one = memory.memory(covered.first) if len(covered) == 1 else None
    if one and one.kind == "result":
        return result_text(memory, one, say, character)
    shown = Range(covered.first, min(covered.last, covered.first + MOST_LINES - 1))
    found = memory.journal.read(shown.first, shown.last)
    heading = "memory.one_expanded" if len(covered) == 1 else "memory.some_expanded"
    lines = [say(heading, memories=covered, who=memory.name), *(journal_text(one, say) for one in found)]
    gone = len(shown) - len(found)
    if gone:
        lines.append(say("status.taken_out", count=gone))
    if len(shown) < len(covered):
        lines.append(say("memory.more", who=memory.name, first=shown.last + 1, last=covered.last))
    return "\n".join(lines)


def journal_text(memory: Memory, say: Wording) -> str:
    """Return a memory for people: its number, time, kind, place and text."""
    when = datetime.fromtimestamp(memory.at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    text = memory.text.replace(LINE_BREAK, " / ")
    key = "memory.line" if memory.room else "memory.line_of_nowhere"
    return say(key, number=memory.seq, when=when, kind=memory.kind, room=memory.room, text=text)


def why_text(memory: AgentMemory, seq: int, say: Wording, unshown: Range = NONE) -> str:
    """Return in which tier a memory is, and whether its own words are in the prompt.

    `unshown` are the memories that the prompt of this moment has no room for. Raises: CommandError.
    """
    view = memory.view()  # what is in the prompt: the strategy window tells no summary
    found = memory.journal.read(seq, seq) if 1 <= seq <= view.n else []
    if not found:
        raise CommandError(say("memory.no_memory", who=memory.name, number=seq, last=view.n))
    told = journal_text(found[0], say)
    tier = view.tier_of(seq)
    why = _in_summary(tier, seq, say) if tier.summary else _in_tail(memory, view, found[0], unshown, say)
    return f"{told}\n{why}"


def diff_text(memory: AgentMemory, say: Wording) -> str:
    """Return how the long-term summary differs from the one before. Raises: CommandError if there are not two."""
    former = [summary for _, summary in memory.summaries.former()]
    now = memory.longterm
    if now is None or not former:
        raise CommandError(say("memory.one_longterm" if now else "memory.no_longterm", who=memory.name))
    before = max(former, key=lambda summary: (summary.made_ms, summary.generation))
    ranges = {"now": Range(now.first, now.last), "before": Range(before.first, before.last)}
    heading = say("memory.longterm_of", who=memory.name, **ranges)
    return "\n".join([heading, *(say(key, text=text) for key, text in changes(before.text, now.text))])


def changes(before: str, now: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence of two texts with the name of what became of it: new, gone or kept."""
    old, new = _sentences(before), _sentences(now)
    for what, i, j, k, m in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if what == "equal":
            yield from (("memory.kept", sentence) for sentence in old[i:j])
        else:
            yield from (("memory.gone", sentence) for sentence in old[i:j])
            yield from (("memory.new", sentence) for sentence in new[k:m])


def _meant(memory: AgentMemory, wanted: str, say: Wording) -> Range:
    coverage = memory.coverage
    block, numbers = _BLOCK.fullmatch(wanted), _RANGE.fullmatch(wanted)
    if block:
        covered = Range(int(block[1]), int(block[1]))
    elif wanted.lower() == "all":
        covered = Range(1, coverage.n)
    elif numbers:
        covered = Range(int(numbers[1]), int(numbers[2] or numbers[1]))
    else:
        covered = _summary_range(memory, wanted.lower().removesuffix(".md"), say)
    if not covered or covered.first < 1 or covered.first > coverage.n:
        raise CommandError(say("memory.no_memories", who=memory.name, wanted=wanted, last=coverage.n))
    return Range(covered.first, min(covered.last, coverage.n))


def _summary_range(memory: AgentMemory, name: str, say: Wording) -> Range:
    in_force = {
        "recent": memory.recent,
        "short-term": memory.recent,
        "longterm": memory.longterm,
        "long-term": memory.longterm,
    }
    summary = in_force.get(name) or dict(memory.summaries.leaves() + memory.summaries.former()).get(f"{name}.md")
    if summary is None:
        raise CommandError(say("memory.no_summary", who=memory.name, wanted=name))
    return Range(summary.first, summary.last)


def _in_tail(memory: AgentMemory, view: View, found: Memory, unshown: Range, say: Wording) -> str:
    if found.seq < (view.tail[0].seq if view.tail else 0) or found.seq in unshown:
        return memory.strategy.why_not_shown(say) or say("memory.no_room")
    if found.seq in view.failed:
        return say("memory.failed")
    if found.text.replace(LINE_BREAK, " ") not in view.tail_text():
        return say("memory.told_in_short", number=found.seq)
    return say("memory.word_for_word")


def _in_summary(tier: Tier, seq: int, say: Wording) -> str:
    name = say("memory.short_term" if tier.slot == RECENT else "memory.long_term")
    shown = f"{tier.memories} ({tier.title})" if tier.title else tier.memories
    where = say("memory.in_summary", summary=name, memories=shown)
    if tier.summary is None or tier.summary.quality == "prose":
        return say("memory.in_prose", where=where)
    lines = (memory_of_line(line) for line in tier.summary.text.split("\n"))
    kept = any(line is not None and line[0] == seq for line in lines)
    return say("memory.picked" if kept else "memory.not_picked", where=where)


def _sentences(text: str) -> list[str]:
    return [part for line in text.split("\n") for part in re.split(r"(?<=[.!?]) +", line) if part]


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
