"""A draft of a summary, the cost of the calls to a model for it, and the cache of drafts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.memory.summary_verifier import Objection, Source, Verdict, judge_in_form, judge_picked, read_ahead
from agents.models.model import Completion, ModelError, Request
from agents.models.queue import ModelQueue, complete_text
from agents.models.scheduler import Priority
from vault.memory.caches import SummaryCache
from vault.memory.memory_line import Memory
from vault.memory.summaries import Summary

FALLBACK = "fallback"
"""The quality of an extract, which waits for a model to write it."""


class SummaryRefused(Exception):
    """The verifier has refused what the model wrote, twice. It was paid for.

    `reasons` are the objections to the last try, by kind; `refused` are those to all tries.
    """

    def __init__(
        self,
        reasons: tuple[str, ...],
        details: str,
        calls: int = 0,
        spent_tokens: int = 0,
        refused: tuple[str, ...] = (),
    ) -> None:
        super().__init__(details)
        self.reasons = reasons
        self.calls = calls
        self.spent_tokens = spent_tokens
        self.refused = refused or reasons


class Withdrawn(ModelError):
    """The world is closing: the model was not asked to its end."""


@dataclass(frozen=True)
class Draft:
    """A summary that the verifier has accepted: its text, quality and scores, and what it cost in calls and tokens.

    `refused` are the verifier's kinds of objection to earlier tries.
    """

    text: str
    quality: str
    model: str
    scores: dict[str, float]
    tokens: int
    calls: int
    spent_tokens: int
    refused: tuple[str, ...] = ()


def is_extract(summary: Summary | None) -> bool:
    """Return whether a summary waits for a model to write it. One that somebody has edited since counts as it is."""
    return summary is not None and summary.quality == FALLBACK and not summary.is_edited


def mark_extract(draft: Draft, sources: Iterable[Summary | None] = ()) -> Draft:
    """Return a draft marked as waiting if it is an extract, or was made from one."""
    if draft.quality != FALLBACK and not any(map(is_extract, sources)):
        return draft
    return replace(draft, quality=FALLBACK)


class SummaryCall:
    """Asks one model on behalf of one agent, and keeps account of calls, tokens and what the verifier has refused."""

    def __init__(self, queue: ModelQueue, name: str, temperature: float, timeout_seconds: float) -> None:
        self.model = queue.model
        self.calls = 0
        self.tokens = 0
        self.refused: list[str] = []
        self._queue = queue
        self._owner = f"memory of {name}"
        self._temperature = temperature
        self._timeout_seconds = timeout_seconds

    async def ask(
        self,
        prompt: str,
        max_tokens: int,
        stop: tuple[str, ...],
        grammar: str | None = None,
        schema: Mapping[str, Any] | None = None,
    ) -> Completion:
        """Return what the model answers. Raises: ModelError; Withdrawn if nobody waits for the answer any more."""
        request = Request(
            prompt,
            max_tokens,
            stop,
            self._temperature,
            grammar=grammar,
            schema=schema,
            timeout_seconds=self._timeout_seconds,
        )
        completion = await complete_text(self._queue, self._owner, Priority.SUMMARY, lambda: request)
        if completion.finish == "cancelled":
            raise Withdrawn("The summary was withdrawn before the model had answered.")
        self.calls += 1
        self.tokens += completion.prompt_tokens + completion.completion_tokens
        return completion

    def accept(self, text: str, quality: str, verdict: Verdict) -> Draft:
        """Return an accepted text as a draft with all that it has cost."""
        tokens = self.model.count_tokens(text)
        refused = tuple(self.refused)
        return Draft(text, quality, self.model.name, verdict.scores, tokens, self.calls, self.tokens, refused)

    def refuse(self, objections: Sequence[Objection]) -> SummaryRefused:
        """Return the error that says why nothing came of it."""
        why = " ".join(one.detail for one in objections)
        return SummaryRefused(tuple(one.reason for one in objections), why, self.calls, self.tokens)


async def read_cache(
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
                await read_ahead(text, source)
                verdict = judge_in_form(text, schema, source, count_tokens)
            if verdict.accepted:
                return Draft(text, quality, model, verdict.scores, count_tokens(text), 0, 0)
    return None


def write_cache(cache: SummaryCache | None, key: str, draft: Draft) -> None:
    """Put a summary into the cache, if there is one."""
    row: dict[str, Any] = {"text": draft.text, "quality": draft.quality, "model": draft.model}
    if cache:
        cache.put(key, row)
