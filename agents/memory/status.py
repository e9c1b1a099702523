"""What an admin wants to know of an agent's memory, in lines that fit 80 columns and read well aloud."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from agents.memory.compaction import Compactor
from agents.memory.coverage import Range
from agents.memory.memory import AgentMemory
from agents.memory.strategies import NONE
from agents.memory.view import View
from vault.notes import NoteError
from vault.summaries import Summary

CountTokens = Callable[[str], int]

MB = 1_000_000


def status_text(
    memory: AgentMemory, compactor: Compactor, count_tokens: CountTokens, now_ms: int, unshown: Range = NONE
) -> str:
    """Return the state of one agent's memory, a fact a line; `unshown` are those that its prompt has no room for.

    Raises: NoteError if the journal cannot be read.
    """
    view = memory.view()
    coverage = view.coverage
    lines = [
        f"Memory of {memory.name}: {coverage.n:,} memories.",
        _newest(memory, now_ms),
        *_word_for_word(view, count_tokens, unshown),
        _summary("Short-term summary", view.recent, now_ms),
        _summary("Long-term summary", view.longterm, now_ms),
        *_compaction(memory, compactor, now_ms),
        *_ledger(compactor),
        *_archive(memory),
        _health(memory, compactor),
    ]
    missing = memory.journal.last - memory.journal.count
    if missing > 0:
        lines.append(f"Lines taken out of the journal by hand: {missing}.")
    return "\n".join([*lines, *(f"Note: {warning}" for warning in (memory.warnings + memory.journal.warnings)[-5:])])


def _word_for_word(view: View, count_tokens: CountTokens, unshown: Range) -> list[str]:
    verbatim = view.coverage.verbatim
    told = [one.seq for one in view.tail if one.seq > unshown.last]
    first_shown = told[0] if told else verbatim.last + 1
    shown, before = Range(first_shown, verbatim.last), Range(verbatim.first, first_shown - 1)
    text = view.tail_text(len(view.tail) - len(told))
    lines = [f"Word for word: {_range(shown)}, {count_tokens(text):,} tokens."]
    if before:
        lines.append(f"Not told for now: {_range(before)}; @memory-find and @memory-expand bring them back.")
    return lines


def _range(covered: Range) -> str:
    return f"memories {covered}, {len(covered):,} of them" if covered else "none"


def _summary(title: str, summary: Summary | None, now_ms: int) -> str:
    if summary is None:
        return f"{title}: none yet."
    made = f"made {age(now_ms - summary.made_ms)} ago" if summary.made_ms else "made at an unknown time"
    return (
        f"{title}: {_range(Range(summary.first, summary.last))}, {summary.tokens:,} tokens, {summary.quality}, {made}."
    )


def _newest(memory: AgentMemory, now_ms: int) -> str:
    newest = memory.journal.read(memory.journal.last, memory.journal.last)
    if not newest:
        return "Newest memory: none yet."
    return f"Newest memory: {age(now_ms - newest[0].at_ms)} ago, at {_moment(newest[0].at_ms)}."


def _compaction(memory: AgentMemory, compactor: Compactor, now_ms: int) -> list[str]:
    record, coverage = compactor.record, memory.coverage
    last = f"{age(now_ms - record.last_done_ms)} ago" if record.last_done_ms else "none since the start"
    lines = [f"Strategy: {memory.settings.strategy}."] * (memory.settings.strategy != "waterfall")
    lines.append(f"Last compaction: {last}. Since the start: {_cycles(record.cycles)}.")
    lines.append(f"Now: {record.state}." if compactor.is_running else _next(memory, compactor, now_ms))
    plan = memory.strategy.plan(coverage)
    backlog = len(coverage.verbatim) - (memory.strategy.next_due_at(coverage) - coverage.b)
    if plan and backlog > len(plan.taken):
        cycles = -(-backlog // len(plan.taken))
        lines.append(f"Backlog: {backlog:,} memories wait to be summarised, about {_cycles(cycles)}.")
    return lines


def _cycles(count: int) -> str:
    return f"{count:,} cycle{'' if count == 1 else 's'}"


def _next(memory: AgentMemory, compactor: Compactor, now_ms: int) -> str:
    record, coverage = compactor.record, memory.coverage
    due = memory.strategy.next_due_at(coverage)
    if not memory.settings.enabled:
        return "Next compaction: never, because enabled is false in config/memory_compaction.md."
    if memory.settings.strategy == "window":
        return "Next compaction: never, because the strategy is window."
    if record.not_worth:
        return f"Next compaction: not now: {record.not_worth}."
    if not due:
        return f"Next compaction: when the tail has more than {memory.settings.threshold_tokens:,} tokens."
    if coverage.n < due:
        return f"Next compaction: at memory {due:,}, {due - coverage.n:,} from now."
    wait = max(0, record.next_try_ms - now_ms)
    return f"Next compaction: due{f', tried again in {age(wait)}' if wait else ', at the next turn'}."


def _ledger(compactor: Compactor) -> list[str]:
    record = compactor.record
    lines = [
        f"Ledger since the start: {record.calls:,} calls, {record.spent_tokens:,} tokens spent, "
        f"{record.saved_tokens:,} taken off the prompt."
    ]
    if record.refused:
        counted = ", ".join(f"{reason} {count}" for reason, count in record.refused.most_common())
        lines.append(f"Refused by the gate: {counted}.")
    return lines


def _archive(memory: AgentMemory) -> list[str]:
    trail, settings = memory.trail, memory.settings
    if trail.problem:
        lost = f" {trail.lost:,} entries were lost." if trail.lost else ""
        return [f"Archive: not well, so nothing is summarised. {trail.problem}{lost}"]
    if not settings.archive:
        return ["Archive: off, because archive is false in config/memory_compaction.md or in agent.md."]
    try:
        files, size = trail.archive.size()
    except NoteError as error:
        return [f"Archive: not well. {error}"]
    lines = [f"Archive: {files:,} file{'' if files == 1 else 's'}, {size / MB:,.1f} MB."]
    if 0 < settings.archive_alarm_mb * MB < size:
        lines.append(
            f"Note: the archive is larger than archive_alarm_mb, which is {settings.archive_alarm_mb:,}. Nothing is "
            f"deleted by itself: move old files of agents/{memory.name}/archive elsewhere."
        )
    return lines


def _health(memory: AgentMemory, compactor: Compactor) -> str:
    record = compactor.record
    if memory.problem:
        return f"Health: not well. {memory.problem} {memory.waiting} memories wait to be written; the agent pauses."
    if record.failures_in_a_row:
        failed = f"the last {record.failures_in_a_row} compactions failed: {record.last_error}"
        return f"Health: every memory is safe, but {failed}"
    return "Health: well; every memory is written, and told once."


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def age(milliseconds: int) -> str:
    """Return a time span in its largest whole unit: `12 seconds`, `3 hours`."""
    seconds = max(0, milliseconds // 1000)
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}{'s' if seconds >= 2 * length else ''}"
    return f"{seconds} second{'' if seconds == 1 else 's'}"
