"""A long-term summary in parts: each part of what there is takes in the memories that belong to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agents.memory.cost import CompactionRecord
from agents.memory.coverage import Range
from agents.memory.summaries.drafts import Draft
from agents.memory.summaries.summarizing import NOTHING_LEFT, Summarizer
from vault.remembered.memory_line import Memory, one_line
from vault.remembered.ranges import RangeSet
from vault.remembered.summaries import Summary, SummaryPart, text_of_parts

NO_NUMBERS = RangeSet()
EARLIER = "Earlier"
"""The part that has what was summarised before there were parts."""


@dataclass(frozen=True)
class _Part:
    """A part in the making: what stood there before, and what it takes in."""

    name: str
    numbers: RangeSet = NO_NUMBERS
    texts: tuple[str, ...] = ()
    memories: tuple[Memory, ...] = ()


async def in_parts(
    names: Mapping[int, str],
    in_force: Sequence[Summary],
    taken: Range,
    memories: Sequence[Memory],
    summarizer: Summarizer,
    record: CompactionRecord,
) -> tuple[tuple[SummaryPart, ...], Draft]:
    """Return the parts of a long-term summary, and their text as a draft; the cost of each part is entered.

    `names` has the part of each memory by its number. `taken` are all numbers that it takes in, `memories` those of
    them that can be told; a number that cannot goes with the one before it. Only parts that take in something are
    written anew.
    Raises: SummaryRefused, ModelError.
    """
    made, drafts = list[SummaryPart](), list[Draft]()
    for part in _divided(names, in_force, taken, memories):
        text = "\n".join(part.texts)
        if part.memories:
            texts = part.texts
            asked = summarizer.longterm(texts, part.memories) if texts else summarizer.recent(part.memories)
            drafts.append(record.paid(await asked))
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
