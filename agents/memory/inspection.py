"""Inspects a memory: what a summary covers, why a memory is in the prompt, and the status."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from agents.memory.compactor import Compactor
from agents.memory.coverage import NONE, TailSize
from agents.memory.memory import AgentMemory
from agents.memory.summaries.formats import memory_of_line
from agents.memory.view import RECENT, Tier, View
from vault.errors import NoteError
from vault.markdown import LINE_BREAK, one_line
from vault.memory.archive_file import parsed_reference
from vault.memory.memory_line import Memory, Range, RangeSet
from vault.memory.summaries import covered_by_name
from world.errors import CommandError
from world.message_catalog import Wording
from world.room_view import format_duration

MAX_LINES = 200

_RANGE = re.compile(r"(\d{1,15})(?:\s*(?:-|–|to)\s*(\d{1,15}))?")
_BLOCK = re.compile(r"\[*(?:[\d-]+)?#?\^m(\d{1,15})\]*")
PAGE_CHARACTERS = 16_000
_FROM = re.compile(r"(?P<what>\S+) +from +(?P<first>[1-9]\d{0,11})")
_HEADING = ("event", "at", "seq")

CountTokens = Callable[[str], int]

MB = 1_000_000
MAX_WARNINGS = 5


def expansion(memory: AgentMemory, wanted: str, say: Wording, is_for_prompt: bool = False) -> str | Callable[[], str]:
    """Return the memories of a range, a reference, or the name of a summary or a leaf, a line each.

    `3-17`, `12`, `^m12`, `[[2026-11-21#^m12]]`, `recent`, `longterm`, `recent-20261121-203501-m000129`, `all`. They are
    as the journal has them, with a note on what is missing or left out. One result of a command is returned as it
    came, and `2026-11-21#7` as the archive has it; of a text too long for a screen, from some character on:
    `^m12 from 16001`. What is read from the archive is a function for any thread, which raises NoteError. What
    `is_for_prompt` is without what was whispered, and nothing of the archive.
    Raises: CommandError that says what can be asked for, or NoteError if the journal cannot be read.
    """
    what, character = without_page(wanted.strip())
    memory.archive_writer.write()  # what is asked for may be from the turn that is not over yet
    if parsed_reference(what.strip("[]")):
        if is_for_prompt:
            raise CommandError(say("memory.for_people"))
        return partial(entry_text, memory, what.strip("[]"), say, character)
    covered = _resolve_range(memory, what, say)
    one = memory.memory(covered.first) if len(covered) == 1 else None
    if one and one.kind == "result":
        return partial(result_text, memory, one, say, character)
    shown = Range(covered.first, min(covered.last, covered.first + MAX_LINES - 1))
    found = memory.journal.read(shown.first, shown.last)
    found = [memory.withhold(one) for one in found] if is_for_prompt else found
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


def explain_text(
    memory: AgentMemory, seq: int, say: Wording, unshown: Range = NONE, is_for_prompt: bool = False
) -> str:
    """Return in which tier a memory is, and whether its own words are in the prompt.

    `unshown` are the memories that the prompt of this moment has no room for. What `is_for_prompt` is without what was
    whispered. Raises: CommandError.
    """
    view = memory.view()  # what is in the prompt: the strategy window tells no summary
    found = memory.journal.read(seq, seq) if 1 <= seq <= view.n else []
    if not found:
        raise CommandError(say("memory.no_memory", who=memory.name, number=seq, last=view.n))
    told = journal_text(memory.withhold(found[0]) if is_for_prompt else found[0], say)
    tier = view.tier_of(seq)
    why = _in_summary(tier, seq, say) if tier.summary else _in_tail(memory, view, found[0], unshown, say)
    return f"{told}\n{why}"


def diff_text(memory: AgentMemory, say: Wording) -> str:
    """Return how the long-term summary differs from the one before. Raises: CommandError if there are not two."""
    now, newest_first = memory.longterm, sorted(memory.summaries.former_names(), reverse=True)
    before = next(filter(None, map(memory.summaries.leaf, newest_first)), None)
    if now is None or before is None:
        raise CommandError(say("memory.one_longterm" if now else "memory.no_longterm", who=memory.name))
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


def _resolve_range(memory: AgentMemory, wanted: str, say: Wording) -> Range:
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
    summary = in_force.get(name) or (memory.summaries.leaf(f"{name}.md") if covered_by_name(f"{name}.md") else None)
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


def entry_text(memory: AgentMemory, reference: str, say: Wording, first: int = 1) -> str:
    """Return an archive entry whole, from a character on. Raises: NoteError if there is none."""
    archive = memory.archive_writer.archive
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
    found = memory.archive_writer.archive.find("tool_result", result.seq, result.day)
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


def status_text(
    memory: AgentMemory,
    compactor: Compactor,
    count_tokens: CountTokens,
    now_ms: int,
    say: Wording,
    unshown: Range = NONE,
) -> str:
    """Return the state of one agent's memory, a fact a line; `unshown` are the memories that its prompt has no room
    for.

    Raises: NoteError if the journal cannot be read.
    """
    view = memory.view()
    lines = [
        _tiers(memory, view, unshown, say),
        _newest(memory, now_ms, say),
        *_word_for_word(view, count_tokens, unshown, say),
        *_summaries(view, memory.strategy.makes, now_ms, say),
        *_compaction(memory, compactor, now_ms, say),
        *_ledger(compactor, say),
        *_archive(memory, say),
        _health(memory, compactor, len(_unshown(view, unshown)), say),
    ]
    missing = memory.journal.last - memory.journal.count
    if missing > 0:
        lines.append(say("status.taken_out", count=missing))
    warnings = (memory.warnings + memory.journal.warnings)[-MAX_WARNINGS:]
    return "\n".join([*lines, *(say("status.note", text=warning) for warning in warnings)])


def _word_for_word(view: View, count_tokens: CountTokens, unshown: Range, say: Wording) -> list[str]:
    before = _unshown(view, unshown)
    shown = Range(max(before.last + 1, view.verbatim.first), view.n)
    tokens = f"{count_tokens(view.tail_text(sum(one.seq <= before.last for one in view.tail))):,}"
    lines = [say("status.verbatim", memories=_range(shown, say), tokens=tokens)]
    if before:
        lines.append(say("status.unshown", memories=_range(before, say)))
    return lines


def _tiers(memory: AgentMemory, view: View, unshown: Range, say: Wording) -> str:
    tiers = view.heading(_unshown(view, unshown), say)
    return say("status.tiers" if tiers else "status.no_memories", who=memory.name, count=f"{view.n:,}", tiers=tiers)


def _unshown(view: View, unshown: Range) -> Range:
    """Return the verbatim memories that neither the view nor a prompt that has no room for `unshown` tells."""
    return Range(view.verbatim.first, max(view.first_shown() - 1, unshown.last))


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
    record, coverage, strategy, tail = compactor.stats, memory.coverage, memory.strategy, compactor.tail_size()
    lines = [strategy.described(tail, say)]
    key = "status.last" if record.last_done_ms else "status.no_last"
    lines.append(say(key, span=_span(now_ms - record.last_done_ms, say), cycles=_cycles(record.cycles, say)))
    lines.append(_next(memory, compactor, tail, now_ms, say))
    plan = memory.plan()
    backlog = len(coverage.verbatim) - (strategy.next_due_at(coverage) - coverage.b)
    if plan and backlog > len(plan.taken):
        cycles = -(-backlog // len(plan.taken))
        lines.append(say("status.backlog", count=f"{backlog:,}", cycles=_cycles(cycles, say)))
    return lines


def _cycles(count: int, say: Wording) -> str:
    return say("status.one_cycle") if count == 1 else say("status.some_cycles", count=f"{count:,}")


def _next(memory: AgentMemory, compactor: Compactor, tail: TailSize, now_ms: int, say: Wording) -> str:
    record = compactor.stats
    if compactor.is_running:
        return say("status.running", state=record.state)
    if not memory.settings.enabled:
        return say("status.never_enabled")
    if record.not_worth:
        return say("status.not_worth", why=record.not_worth)
    if waits := memory.strategy.waits_for(memory.coverage, tail, say):
        return waits
    wait = max(0, record.next_try_ms - now_ms)
    return say("status.due_later", span=_span(wait, say)) if wait else say("status.due")


def _ledger(compactor: Compactor, say: Wording) -> list[str]:
    record = compactor.stats
    spent, saved = f"{record.spent_tokens:,}", f"{record.saved_tokens:,}"
    lines = [say("status.ledger", calls=f"{record.calls:,}", spent=spent, saved=saved)]
    if record.refused:
        counted = ", ".join(f"{reason} {count}" for reason, count in record.refused.most_common())
        lines.append(say("status.refused", reasons=counted))
    return lines


def _archive(memory: AgentMemory, say: Wording) -> list[str]:
    trail, settings = memory.archive_writer, memory.settings
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


def _health(memory: AgentMemory, compactor: Compactor, unshown: int, say: Wording) -> str:
    record = compactor.stats
    if memory.problem:
        return say("status.not_well", problem=memory.problem, count=memory.waiting)
    if record.failures_in_a_row:
        return say("status.failing", count=record.failures_in_a_row, error=record.last_error)
    return say("status.well_but_short", count=f"{unshown:,}") if unshown else say("status.well")


def _moment(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _span(milliseconds: int, say: Wording) -> str:
    return format_duration(max(0, milliseconds // 1000), say)
