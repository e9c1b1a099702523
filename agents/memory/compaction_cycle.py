"""One compaction cycle: summaries are made from a frozen copy, archived, and published unless edited meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from agents.memory.archive_writer import summary_fields, with_archive_reference
from agents.memory.cost import CompactionStats
from agents.memory.coverage import Plan
from agents.memory.memory import AgentMemory
from agents.memory.summaries.drafts import Draft, mark_extract
from agents.memory.summaries.summarizing import NOTHING_LEFT, Summarizer, summary_of
from agents.memory.view import OLDER, RECENT, View
from agents.write_pool import WritePool
from vault.errors import NoteError
from vault.markdown import one_line
from vault.memory.archive_file import EventName
from vault.memory.memory_line import Memory, Range, RangeSet
from vault.memory.summaries import PendingPublication, Summary, SummaryEdited, SummaryPart, text_of_parts

log = logging.getLogger(__name__)

Pair = tuple[Summary | None, Summary | None]
CountTokens = Callable[[str], int]

NO_NUMBERS = RangeSet()
EARLIER = "Earlier"
"""The name of the part for what was summarised before there were parts."""


class Superseded(Exception):
    """A summary was edited by hand while the next one was being made; the edit counts."""


@dataclass(frozen=True)
class Prepared:
    """Summaries ready to be published, long-term first, and the summaries in force that they were made from.

    `is_rebuild` marks a long-term summary rebuilt from the leaves; the short-term one in force then stays.
    """

    longterm: Summary | None
    recent: Summary | None
    sources: Pair
    is_rebuild: bool = False


async def prepare(
    memory: AgentMemory, plan: Plan, summarizer: Summarizer, record: CompactionStats, now_ms: Callable[[], int]
) -> Prepared:
    """Make the summaries of a plan. Raises: SummaryRefused, ModelError, NoteError; nothing has changed then."""
    if not memory.write_pending():
        raise NoteError(f"Nothing is summarised while memories cannot be written. {memory.problem}")
    # The frozen copy: from here on nothing is read from the living memory.
    sources = (memory.longterm, memory.recent)
    in_force = [summary for summary in sources if summary]
    strategy, absorbed = memory.strategy, plan.absorbed
    taken = memory.to_summarise(absorbed.first, absorbed.last) if absorbed else []
    memories = memory.to_summarise(plan.recent.first, plan.recent.last) if plan.recent else []
    generation = max((summary.generation for summary in in_force), default=0) + 1
    longterm = recent = None
    if plan.longterm:
        record.state = _folding(plan, sources[1])
        parts: tuple[SummaryPart, ...] = ()
        texts = [summary.text for summary in in_force]
        if strategy.is_divided and absorbed:
            parts, draft = await divide(memory.chosen.parts_of(taken), in_force, absorbed, taken, summarizer, record)
        elif taken or len(texts) > 1 or not absorbed:
            draft = record.add_cost(await summarizer.longterm(texts, taken, strategy.has_sections))
        else:
            draft = _unchanged(in_force)
        ranges = [f"{summary.first}-{summary.last}" for summary in in_force]
        ranges += [f"{absorbed.first}-{absorbed.last}"] if absorbed else []
        longterm = summary_of(mark_extract(draft, sources), 1, plan.longterm.last, generation, now_ms(), tuple(ranges))
        contents = tuple((part.name, part.memories) for part in parts)
        longterm = replace(longterm, edited_from=sources[0].hand if sources[0] else "", contents=contents)
    if plan.recent:
        record.state = f"summarising memories {plan.recent}"
        first, last = plan.recent.first, plan.recent.last
        draft = mark_extract(record.add_cost(await summarizer.recent(memories)))
        recent = summary_of(draft, first, last, generation, now_ms(), (f"{first}-{last}",))
    return Prepared(longterm, recent, sources)


async def publish(
    memory: AgentMemory, made: Prepared, event: EventName, count_tokens: CountTokens, pool: WritePool
) -> None:
    """Archive both, write them in the background, and activate them in one step without `await`.

    Raises: Superseded if a source was edited, with the new text kept beside the edit; NoteError.
    """
    _refuse_edited(memory, made)
    longterm, recent = archive_cycle(memory, event, made.longterm, made.recent, count_tokens)
    try:
        await activate(memory, replace(made, longterm=longterm, recent=recent), pool)
    except Superseded as edit:
        memory.archive_writer.add(event, memory.journal.last, outcome="superseded", why=str(edit))
        raise
    except asyncio.CancelledError:
        memory.archive_writer.add(
            event, memory.journal.last, outcome="cut short", why="the agent fell asleep meanwhile"
        )
        raise
    for title, summary in (("Long-term", longterm), ("Short-term", recent)):
        if summary:
            log.info("[Memory] %s: %s summary updated (%d chars)", memory.name, title, len(summary.text))


async def activate(memory: AgentMemory, made: Prepared, pool: WritePool) -> None:
    """Write summaries in the background, and activate them unless those that they were made from were edited meanwhile.

    A long-term summary that was rebuilt from the leaves replaces its own predecessor alone. Raises: as `publish`.
    """
    ahead = await _written_ahead(memory, made, pool)
    try:
        _refuse_edited(memory, made)
        if made.is_rebuild:
            memory.replace(made.longterm, memory.recent, ahead)
        else:
            memory.publish(made.longterm, made.recent, ahead)
    except SummaryEdited:
        _keep_beside(memory, made)
    finally:
        if ahead:
            ahead.drafts.discard()  # none is left if they were put in place


async def _written_ahead(memory: AgentMemory, made: Prepared, pool: WritePool) -> PendingPublication | None:
    """Write what is to be published while the world goes on; return None if all is to be done at once.

    Raises: NoteError.
    """
    slow = memory.ahead(made.longterm, made.recent, has_leaf=not made.is_rebuild)
    if slow is None:
        return None
    ahead, write = slow
    begun = pool.submit(write, lambda: None)
    if begun is None:
        write()
        return ahead
    try:
        # Shielded: what waits for a thread and is called off would never let go of the journal's file.
        await asyncio.shield(asyncio.wrap_future(begun))
    except asyncio.CancelledError:
        ahead.drafts.give_up()  # and not waited for: the disk may take as long as it likes
        begun.add_done_callback(lambda _: ahead.drafts.discard())
        raise
    except BaseException:
        ahead.drafts.discard()
        raise
    return ahead


def _refuse_edited(memory: AgentMemory, made: Prepared) -> None:
    memory.poll_edits(thorough=True)
    if not same_text((memory.longterm, memory.recent), made.sources):
        _keep_beside(memory, made)


def _keep_beside(memory: AgentMemory, made: Prepared) -> NoReturn:
    """Keep what was made beside the edit, which counts. Raises: Superseded, which says so."""
    pairs = (("recent", made.recent), ("longterm", made.longterm))
    kept = [memory.summaries.keep(kind, summary, "conflict") for kind, summary in pairs if summary]
    why = f"summaries were edited by hand meanwhile; what was made is kept as {' and '.join(kept)}"
    log.warning("[Memory] %s: %s", memory.name, why)
    raise Superseded(why)


def same_text(summaries: Pair, others: Pair) -> bool:
    """Return whether two pairs of summaries have the same texts and ranges."""
    told, others_told = ([(s.first, s.last, s.text) if s else None for s in row] for row in (summaries, others))
    return told == others_told


def _unchanged(in_force: Sequence[Summary]) -> Draft:
    """Return what still holds when every line that was to be absorbed has been taken out of the journal."""
    if not in_force:
        return Draft(NOTHING_LEFT, "fallback", "", {}, 0, 0, 0)
    (one,) = in_force
    return Draft(one.text, one.quality, one.model, one.scores, one.tokens, 0, 0)


def _folding(plan: Plan, recent: Summary | None) -> str:
    folded = Range(recent.first, recent.last) if recent else plan.absorbed
    if recent and plan.absorbed:
        folded = Range(recent.first, plan.absorbed.last)
    return f"folding memories {folded} into the long-term summary"


def archive_cycle(
    memory: AgentMemory, event: EventName, longterm: Summary | None, recent: Summary | None, count_tokens: CountTokens
) -> tuple[Summary | None, Summary | None]:
    """Archive summaries that the verifier has accepted; return them with the reference among their sources.

    Raises: NoteError if they cannot be archived, or the journal cannot be read.
    """
    view = memory.view()
    tiers = memory.tiers(longterm or memory.longterm, recent)
    tail = tuple(one for one in view.tail if one.seq in tiers[-1].memories)
    after = View(view.name, (*tiers[:-1], replace(tiers[-1], lines=tail)), view.limits)
    reference = memory.archive_writer.keep(
        event,
        view.n,
        outcome="accepted",
        longterm=summary_fields(longterm),
        recent=summary_fields(recent),
        replaced={"longterm": summary_fields(memory.longterm), "recent": summary_fields(memory.recent)},
        tokens_before=view_tokens(view, count_tokens),
        tokens_after=view_tokens(after, count_tokens),
    )
    return longterm and with_archive_reference(longterm, reference), recent and with_archive_reference(
        recent, reference
    )


def view_tokens(view: View, count_tokens: CountTokens) -> int:
    """Return how many tokens of a prompt are memory."""
    return count_tokens("\n".join((view.told_in(OLDER), view.told_in(RECENT), view.tail_text())))


@dataclass(frozen=True)
class _Part:
    """A part in the making: its texts so far, and the memories that it takes in."""

    name: str
    numbers: RangeSet = NO_NUMBERS
    texts: tuple[str, ...] = ()
    memories: tuple[Memory, ...] = ()


async def divide(
    names: Mapping[int, str],
    in_force: Sequence[Summary],
    taken: Range,
    memories: Sequence[Memory],
    summarizer: Summarizer,
    record: CompactionStats,
) -> tuple[tuple[SummaryPart, ...], Draft]:
    """Return the parts of a long-term summary, and their text as a draft; the cost of each part is entered.

    `names` has the part of each memory by its number. `taken` are all numbers that it takes in, `memories` those of
    them that the journal still has; any other number goes with the one before it. Only parts that take in something
    are rewritten.
    Raises: SummaryRefused, ModelError.
    """
    made, drafts = list[SummaryPart](), list[Draft]()
    for part in _divided(names, in_force, taken, memories):
        text = "\n".join(part.texts)
        if part.memories:
            texts = part.texts
            asked = summarizer.longterm(texts, part.memories) if texts else summarizer.recent(part.memories)
            drafts.append(record.add_cost(await asked))
            text = drafts[-1].text
        made.append(SummaryPart(part.name, part.numbers, text or NOTHING_LEFT))
    return tuple(made), _joined(text_of_parts(made), in_force, drafts, summarizer)


def _divided(
    names: Mapping[int, str], in_force: Sequence[Summary], taken: Range, memories: Sequence[Memory]
) -> list[_Part]:
    parts: dict[str, _Part] = {}
    for one in (part for summary in in_force for part in summary.parts):
        name = one.name or EARLIER
        before = parts.get(name, _Part(name))
        parts[name] = replace(before, numbers=before.numbers | one.memories, texts=(*before.texts, one.text))
    named = {seq: _heading(name) for seq, name in names.items()}
    told = {memory.seq: memory for memory in memories}
    name = next(iter(named.values()), next(iter(parts), EARLIER))
    for seq in range(taken.first, taken.last + 1):
        name = named.get(seq, name)
        before = parts.get(name, _Part(name))
        numbers = before.numbers | RangeSet.of(Range(seq, seq))
        own = (told[seq],) if seq in told else ()
        parts[name] = replace(before, numbers=numbers, memories=(*before.memories, *own))
    return list(parts.values())


def _heading(name: str) -> str:
    return one_line(name).strip("# ") or EARLIER


def _joined(text: str, in_force: Sequence[Summary], drafts: Sequence[Draft], summarizer: Summarizer) -> Draft:
    """Return a text in parts as a draft that has been paid for; its scores are the means of those of its new parts."""
    scores = {
        name: sum(draft.scores.get(name, 0.0) for draft in drafts) / len(drafts)
        for name in sorted({name for draft in drafts for name in draft.scores})
    }
    qualities = [*(draft.quality for draft in drafts), *(summary.quality for summary in in_force)]
    quality = next((one for one in ("fallback", "extractive") if one in qualities), "prose")
    models = [*(draft.model for draft in drafts), *(summary.model for summary in in_force)]
    return Draft(text, quality, next(filter(None, models), ""), scores, summarizer.count_tokens(text), 0, 0)
