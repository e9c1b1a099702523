"""From summaries back to the memories that they stand for: expand, why, diff."""

from __future__ import annotations

import difflib
import re
from datetime import UTC, datetime

from agents.memory.archive_text import entry_text, is_reference, result_text, without_page
from agents.memory.coverage import Range
from agents.memory.memory import AgentMemory
from agents.memory.picked import memory_of_line
from agents.memory.strategies import NONE, Window
from agents.memory.view import View
from vault.memory_line import LINE_BREAK, Memory
from vault.summaries import Summary
from world.errors import CommandError

MOST_LINES = 200

_RANGE = re.compile(r"(\d+)(?:\s*(?:-|–|to)\s*(\d+))?")
_BLOCK = re.compile(r"\[*(?:[\d-]+)?#?\^m(\d+)\]*")


def expanded(memory: AgentMemory, wanted: str) -> list[Memory]:
    """Return the memories that a range, a reference, the name of a summary or of a leaf stands for.

    `3-17`, `12`, `^m12`, `[[2026-11-21#^m12]]`, `recent`, `longterm`, `recent-20261121-203501-m000129`, `all`.
    Raises: CommandError that says what can be asked for.
    """
    covered = _meant(memory, wanted.strip())
    return memory.journal.read(covered.first, covered.last)


def expanded_text(memory: AgentMemory, wanted: str) -> str:
    """Return these memories a line each, as they stand in the journal, with what is missing or left out said.

    One result of a command is returned as it came, and `2026-11-21#7` as the archive has it; of a text too long for a
    screen, from some character on: `^m12 from 16001`. Raises: CommandError, or NoteError if a file cannot be read.
    """
    what, character = without_page(wanted.strip())
    if is_reference(what.strip("[]")):
        return entry_text(memory, what.strip("[]"), character)
    covered = _meant(memory, what)
    one = memory.memory(covered.first) if len(covered) == 1 else None
    if one and one.kind == "result":
        return result_text(memory, one, character)
    shown = Range(covered.first, min(covered.last, covered.first + MOST_LINES - 1))
    found = memory.journal.read(shown.first, shown.last)
    heading = f"Memory {covered}" if len(covered) == 1 else f"Memories {covered}"
    it = "it" if len(covered) == 1 else "them"
    lines = [f"{heading} of {memory.name}, as the journal has {it}:", *(journal_text(one) for one in found)]
    gone = len(shown) - len(found)
    if gone:
        lines.append(f"Lines taken out of the journal by hand: {gone}.")
    if len(shown) < len(covered):
        lines.append(f"There are more: @memory-expand {memory.name} {shown.last + 1}-{covered.last}")
    return "\n".join(lines)


def journal_text(memory: Memory) -> str:
    """Return a memory for people: its number, time, kind, place and text."""
    when = datetime.fromtimestamp(memory.at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    place = f" in {memory.room}" if memory.room else ""
    return f"{memory.seq}: {when} {memory.kind}{place}: {memory.text.replace(LINE_BREAK, ' / ')}"


def why_text(memory: AgentMemory, seq: int, unshown: Range = NONE) -> str:
    """Return in which tier a memory is, and whether its own words are in the prompt.

    `unshown` are the memories that the prompt of this moment has no room for. Raises: CommandError.
    """
    view = memory.view()  # what is in the prompt: the strategy window tells no summary
    coverage = view.coverage
    found = memory.journal.read(seq, seq) if 1 <= seq <= coverage.n else []
    if not found:
        raise CommandError(f"{memory.name} has no memory {seq}; they go from 1 to {coverage.n}.")
    told = journal_text(found[0])
    if seq in coverage.verbatim:
        return f"{told}\n{_in_tail(memory, view, found[0], unshown)}"
    name, summary = ("short-term", memory.recent) if seq in coverage.recent else ("long-term", memory.longterm)
    assert summary is not None  # the coverage is made of the summaries
    return f"{told}\n{_in_summary(summary, name, seq)}"


def diff_text(memory: AgentMemory) -> str:
    """Return how the long-term summary differs from the one before. Raises: CommandError if there are not two."""
    former = [summary for _, summary in memory.summaries.former()]
    now = memory.longterm
    if now is None or not former:
        raise CommandError(f"{memory.name} has had {'one long-term summary' if now else 'no long-term summary yet'}.")
    before = max(former, key=lambda summary: (summary.made_ms, summary.generation))
    ranges = f"now {Range(now.first, now.last)}, before {Range(before.first, before.last)}"
    lines = difflib.ndiff(_sentences(before.text), _sentences(now.text))
    words = {"+ ": "New: ", "- ": "Gone: ", "  ": "Kept: "}
    heading = f"Long-term summary of {memory.name}: {ranges}."
    return "\n".join([heading, *(words[line[:2]] + line[2:] for line in lines if line[:2] in words)])


def _meant(memory: AgentMemory, wanted: str) -> Range:
    coverage = memory.coverage
    block, numbers = _BLOCK.fullmatch(wanted), _RANGE.fullmatch(wanted)
    if block:
        covered = Range(int(block[1]), int(block[1]))
    elif wanted.lower() == "all":
        covered = Range(1, coverage.n)
    elif numbers:
        covered = Range(int(numbers[1]), int(numbers[2] or numbers[1]))
    else:
        covered = _summary_range(memory, wanted.lower().removesuffix(".md"))
    if not covered or covered.first < 1 or covered.first > coverage.n:
        raise CommandError(f"{memory.name} has no memories {wanted!r}; they go from 1 to {coverage.n}.")
    return Range(covered.first, min(covered.last, coverage.n))


def _summary_range(memory: AgentMemory, name: str) -> Range:
    in_force = {
        "recent": memory.recent,
        "short-term": memory.recent,
        "longterm": memory.longterm,
        "long-term": memory.longterm,
    }
    summary = in_force.get(name) or dict(memory.summaries.leaves() + memory.summaries.former()).get(f"{name}.md")
    if summary is None:
        raise CommandError(
            f"{memory.name} has no summary {name!r}. Ask for recent, longterm, a leaf such as "
            f"recent-20261121-203501-m000129, a range such as 3-17 or a reference such as ^m12."
        )
    return Range(summary.first, summary.last)


def _in_tail(memory: AgentMemory, view: View, found: Memory, unshown: Range) -> str:
    strategy = memory.strategy
    if found.seq < (view.tail[0].seq if view.tail else 0) or found.seq in unshown:
        if isinstance(strategy, Window):
            why = f"The strategy is window, which tells the newest {strategy.max_memories} at most; this one is older."
        else:
            why = "No summary covers it yet, but there is no room for it in the prompt."
        return f"{why} @memory-find and @memory-expand bring it back."
    if found.text.replace(LINE_BREAK, " ") not in view.tail_text():
        return f"It is one of the newest, but long, so the prompt tells it in short; see @memory-expand ^m{found.seq}."
    return "It is one of the newest, which no summary covers, so it is in the prompt word for word."


def _in_summary(summary: Summary, name: str, seq: int) -> str:
    where = f"It is told in the {name} summary of memories {Range(summary.first, summary.last)}"
    if summary.quality == "prose":
        return f"{where}, which the model wrote; @memory-expand brings its words back."
    lines = (memory_of_line(line) for line in summary.text.split("\n"))
    kept = any(line is not None and line[0] == seq for line in lines)
    return f"{where}, {'in its own words.' if kept else 'which picked other lines; @memory-expand brings it back.'}"


def _sentences(text: str) -> list[str]:
    return [part for line in text.split("\n") for part in re.split(r"(?<=[.!?]) +", line) if part]
