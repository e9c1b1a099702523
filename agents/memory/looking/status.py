"""What an admin wants to know of an agent's memory, in lines that fit 80 columns and read well aloud."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from agents.memory.compaction import Compactor
from agents.memory.coverage import NONE, Range
from agents.memory.memory import AgentMemory
from agents.memory.view import Tier, View
from vault.errors import NoteError
from vault.memory.ranges import RangeSet
from world.character_status import span
from world.message_catalog import Wording

CountTokens = Callable[[str], int]

MB = 1_000_000
MOST_WARNINGS = 5


def status_text(
    memory: AgentMemory,
    compactor: Compactor,
    count_tokens: CountTokens,
    now_ms: int,
    say: Wording,
    unshown: Range = NONE,
) -> str:
    """Return the state of one agent's memory, a fact a line; `unshown` are those that its prompt has no room for.

    Raises: NoteError if the journal cannot be read.
    """
    view = memory.view()
    lines = [
        say("status.memories", who=memory.name, count=f"{view.n:,}"),
        _newest(memory, now_ms, say),
        *_word_for_word(view, count_tokens, unshown, say),
        *_summaries(view, memory.strategy.makes, now_ms, say),
        *_compaction(memory, compactor, now_ms, say),
        *_ledger(compactor, say),
        *_archive(memory, say),
        _health(memory, compactor, say),
    ]
    missing = memory.journal.last - memory.journal.count
    if missing > 0:
        lines.append(say("status.taken_out", count=missing))
    warnings = (memory.warnings + memory.journal.warnings)[-MOST_WARNINGS:]
    return "\n".join([*lines, *(say("status.note", text=warning) for warning in warnings)])


def _word_for_word(view: View, count_tokens: CountTokens, unshown: Range, say: Wording) -> list[str]:
    verbatim = view.verbatim
    told = [one.seq for one in view.tail if one.seq > unshown.last]
    first_shown = told[0] if told else verbatim.last + 1
    shown, before = Range(first_shown, verbatim.last), Range(verbatim.first, first_shown - 1)
    tokens = f"{count_tokens(view.tail_text(len(view.tail) - len(told))):,}"
    lines = [say("status.verbatim", memories=_range(shown, say), tokens=tokens)]
    if before:
        lines.append(say("status.unshown", memories=_range(before, say)))
    return lines


def _range(covered: Range | RangeSet, say: Wording) -> str:
    return say("status.range", memories=covered, count=f"{len(covered):,}") if covered else say("lists.none")


def _summaries(view: View, makes: Sequence[str], now_ms: int, say: Wording) -> list[str]:
    """Return a line for each summary, the newest first, and for each that the strategy makes and that is not there."""
    tiers = {tier.name: tier for tier in view.summaries}
    names = [*(name for name in makes if not any(_file(one) == name for one in tiers)), *tiers]
    names.sort(key=lambda name: _file(name) == "longterm")
    return [_summary(name, tiers.get(name), now_ms, say) for name in names]


def _file(tier_name: str) -> str:
    return tier_name.partition(":")[0]


def _summary(name: str, tier: Tier | None, now_ms: int, say: Wording) -> str:
    title = say("status.short_term" if _file(name) == "recent" else "status.long_term")
    summary = tier.summary if tier else None
    if tier is None or summary is None:
        return say("status.no_summary", title=title)
    return say(
        "status.summary" if summary.made_ms else "status.summary_of_no_age",
        title=f"{title} ({tier.title})" if tier.title else title,
        memories=_range(tier.memories, say),
        tokens=f"{summary.tokens * len(tier.text) // max(1, len(summary.text)) if tier.title else summary.tokens:,}",
        quality=summary.quality,
        span=_span(now_ms - summary.made_ms, say),
    )


def _newest(memory: AgentMemory, now_ms: int, say: Wording) -> str:
    newest = memory.journal.read(memory.journal.last, memory.journal.last)
    if not newest:
        return say("status.no_newest")
    return say("status.newest", span=_span(now_ms - newest[0].at_ms, say), moment=_moment(newest[0].at_ms))


def _compaction(memory: AgentMemory, compactor: Compactor, now_ms: int, say: Wording) -> list[str]:
    record, coverage, strategy = compactor.record, memory.coverage, memory.strategy
    lines = list(filter(None, [strategy.described(say)]))
    key = "status.last" if record.last_done_ms else "status.no_last"
    lines.append(say(key, span=_span(now_ms - record.last_done_ms, say), cycles=_cycles(record.cycles, say)))
    lines.append(_next(memory, compactor, now_ms, say))
    plan = memory.plan()
    backlog = len(coverage.verbatim) - (strategy.next_due_at(coverage) - coverage.b)
    if plan and backlog > len(plan.taken):
        cycles = -(-backlog // len(plan.taken))
        lines.append(say("status.backlog", count=f"{backlog:,}", cycles=_cycles(cycles, say)))
    return lines


def _cycles(count: int, say: Wording) -> str:
    return say("status.one_cycle") if count == 1 else say("status.some_cycles", count=f"{count:,}")


def _next(memory: AgentMemory, compactor: Compactor, now_ms: int, say: Wording) -> str:
    record = compactor.record
    if compactor.is_running:
        return say("status.running", state=record.state)
    if not memory.settings.enabled:
        return say("status.never_enabled")
    if record.not_worth:
        return say("status.not_worth", why=record.not_worth)
    if waits := memory.strategy.waits_for(memory.coverage, say):
        return waits
    wait = max(0, record.next_try_ms - now_ms)
    return say("status.due_later", span=_span(wait, say)) if wait else say("status.due")


def _ledger(compactor: Compactor, say: Wording) -> list[str]:
    record = compactor.record
    spent, saved = f"{record.spent_tokens:,}", f"{record.saved_tokens:,}"
    lines = [say("status.ledger", calls=f"{record.calls:,}", spent=spent, saved=saved)]
    if record.refused:
        counted = ", ".join(f"{reason} {count}" for reason, count in record.refused.most_common())
        lines.append(say("status.refused", reasons=counted))
    return lines


def _archive(memory: AgentMemory, say: Wording) -> list[str]:
    trail, settings = memory.trail, memory.settings
    if trail.problem:
        key = "status.archive_lost" if trail.lost else "status.archive_not_well"
        return [say(key, problem=trail.problem, lost=f"{trail.lost:,}")]
    if not settings.archive:
        return [say("status.archive_off")]
    try:
        files, size = trail.archive.size()
    except NoteError as error:
        return [say("status.archive_unreadable", problem=error)]
    lines = [say("status.archive_of_one" if files == 1 else "status.archive", count=files, size=f"{size / MB:,.1f}")]
    if 0 < settings.archive_alarm_mb * MB < size:
        lines.append(say("status.archive_large", most=f"{settings.archive_alarm_mb:,}", who=memory.name))
    return lines


def _health(memory: AgentMemory, compactor: Compactor, say: Wording) -> str:
    record = compactor.record
    if memory.problem:
        return say("status.not_well", problem=memory.problem, count=memory.waiting)
    if record.failures_in_a_row:
        return say("status.failing", count=record.failures_in_a_row, error=record.last_error)
    return say("status.well")


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _span(milliseconds: int, say: Wording) -> str:
    return span(max(0, milliseconds // 1000), say)
