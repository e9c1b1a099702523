"""From summaries back to the memories that they stand for: expand, why, diff."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from datetime import UTC, datetime

from agents.memory.coverage import NONE, Range
from agents.memory.looking.archive_text import entry_text, is_reference, result_text, without_page
from agents.memory.memory import AgentMemory
from agents.memory.summaries.picked import memory_of_line
from agents.memory.view import RECENT, Tier, View
from vault.remembered.memory_line import LINE_BREAK, Memory
from world.errors import CommandError
from world.wording import Wording

MOST_LINES = 200

_RANGE = re.compile(r"(\d{1,15})(?:\s*(?:-|–|to)\s*(\d{1,15}))?")
_BLOCK = re.compile(r"\[*(?:[\d-]+)?#?\^m(\d{1,15})\]*")


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
