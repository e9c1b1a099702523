"""Taking a summary that was made before from the cache; it is judged again, as anything in a file is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.memory.gate import Source, judge_picked
from agents.memory.summaries.drafts import Draft
from agents.memory.summaries.prose import judged
from vault.remembered.memory_line import Memory
from vault.remembered.summary_cache import SummaryCache


def recall(
    cache: SummaryCache | None,
    key: str,
    source: Source,
    resolve: Callable[[int], Memory | None],
    count_tokens: Callable[[str], int],
    schema: str = "prose",
) -> Draft | None:
    """Return the summary of this source if it was made before and is accepted still; it costs nothing."""
    row = cache.get(key) if cache else None
    match row:
        case {"text": str(text), "quality": "extractive" | "prose" as quality, "model": str(model)}:
            if quality == "extractive":
                verdict = judge_picked(text, source, resolve, count_tokens)
            else:
                verdict = judged(text, schema, source, count_tokens)
            if verdict.accepted:
                return Draft(text, quality, model, verdict.scores, count_tokens(text), 0, 0)
    return None


def remember(cache: SummaryCache | None, key: str, draft: Draft) -> None:
    """Put a summary into the cache, if there is one."""
    row: dict[str, Any] = {"text": draft.text, "quality": draft.quality, "model": draft.model}
    if cache:
        cache.put(key, row)
