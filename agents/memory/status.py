"""What an admin wants to know of an agent's memory, in lines that fit 80 columns and read well aloud."""

from __future__ import annotations

from datetime import UTC, datetime

from agents.memory.coverage import Range
from agents.memory.memory import AgentMemory


def status_text(memory: AgentMemory, now_ms: int) -> str:
    """Return the state of one agent's memory, a fact a line."""
    coverage = memory.coverage
    lines = [
        f"Memory of {memory.name}: {_number(coverage.n)} memories.",
        f"Word for word: {_range(coverage.verbatim)}.",
        f"Short-term summary: {_range(coverage.recent)}.",
        f"Long-term summary: {_range(coverage.longterm)}.",
        _newest(memory, now_ms),
        _health(memory),
    ]
    missing = memory.journal.last - memory.journal.count
    if missing:
        lines.append(f"Lines missing from the journal, taken out by hand: {missing}.")
    return "\n".join([*lines, *(f"Note: {warning}" for warning in memory.warnings + memory.journal.warnings)])


def _range(covered: Range) -> str:
    return f"memories {covered}, {_number(len(covered))} of them" if covered else "none"


def _number(count: int) -> str:
    return f"{count:,}"


def _newest(memory: AgentMemory, now_ms: int) -> str:
    newest = memory.journal.read(memory.journal.last, memory.journal.last)
    if not newest:
        return "Newest memory: none yet."
    when = datetime.fromtimestamp(newest[0].at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return f"Newest memory: {age(now_ms - newest[0].at_ms)} ago, at {when}."


def _health(memory: AgentMemory) -> str:
    if memory.problem:
        return f"Health: not well. {memory.problem} {memory.waiting} memories wait to be written; the agent pauses."
    return "Health: well; every memory is written."


def age(milliseconds: int) -> str:
    """Return a time span in its largest whole unit: `12 seconds`, `3 hours`."""
    seconds = max(0, milliseconds // 1000)
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}{'s' if seconds >= 2 * length else ''}"
    return f"{seconds} second{'' if seconds == 1 else 's'}"
