"""Getting a summary: of one model after the other, and if need be by rule."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agents.memory.gate import Source
from agents.memory.summaries.drafts import Asking, Draft, SummaryRefused, Withdrawn
from agents.memory.summaries.picked import memory_of_line
from agents.memory.summaries.picking import Candidate, Resolve, extracted, picked
from agents.memory.summaries.prose import written
from agents.memory.summaries.templates import SummaryTemplate
from agents.models.model import ModelError
from agents.models.queue import ModelQueue, QueueStopped

log = logging.getLogger(__name__)

TINY_TOKENS = 12

_SENTENCE_END = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"”’]))\s+(?=[\"“‘]?[^\W\d_a-z])")


@dataclass(frozen=True)
class SummarizerProfile:
    """How summaries are asked for: `style` is prose or pick; `chat` leaves out the cue for base models.

    A short-term summary has from `floor_tokens` to `cap_tokens`, by what happened. `grouping` is none or place.
    `fallback` is none, or extractive: when no model gives a summary, lines are picked by rule.
    """

    style: str
    temperature: float
    cap_tokens: int
    timeout_seconds: float
    chat: bool = False
    floor_tokens: int = 100
    grouping: str = "place"
    fallback: str = "none"


@dataclass(frozen=True)
class Work:
    """What is to be summarised: how a model is asked for it, and the lines of which an extract can be made.

    At most `count` lines are picked; `key` tells this work from all other.
    """

    source: Source
    template: SummaryTemplate
    values: dict[str, str]
    lines: tuple[Candidate, ...]
    count: int
    key: tuple[object, ...]


@dataclass
class _Spent:
    """What was spent on models that gave nothing."""

    calls: int = 0
    tokens: int = 0
    refused: list[str] = field(default_factory=list)

    def add(self, asking: Asking, error: SummaryRefused | ModelError) -> None:
        self.calls += asking.calls
        self.tokens += asking.tokens
        self.refused += [*asking.refused, *(error.reasons if isinstance(error, SummaryRefused) else ())]

    def charged_to(self, draft: Draft) -> Draft:
        return replace(
            draft,
            calls=draft.calls + self.calls,
            spent_tokens=draft.spent_tokens + self.tokens,
            refused=(*self.refused, *draft.refused),
        )


async def attempted(
    work: Work, queues: Sequence[ModelQueue], name: str, profile: SummarizerProfile, resolve: Resolve
) -> Draft:
    """Return the first summary that the gate accepts, with the cost of all tries; `queues` are not empty.

    Raises: SummaryRefused or ModelError, whichever the last model gave; at once if the world is closing.
    """
    spent, failure = _Spent(), Exception()
    for queue in queues:
        asking = Asking(queue, name, profile.temperature, profile.timeout_seconds)
        try:
            return spent.charged_to(await _made(asking, work, profile, resolve))
        except (Withdrawn, QueueStopped):
            raise
        except (SummaryRefused, ModelError) as error:
            failure = error
            spent.add(asking, error)
    if profile.fallback == "extractive" and (extract := _extract(work, Asking(queues[0], name, 0.0, 0.0), resolve)):
        log.warning("[Memory] %s: No model gave a summary, so lines were picked by rule: %s", name, failure)
        return replace(spent.charged_to(extract), model="")
    if isinstance(failure, SummaryRefused):
        tried = tuple(spent.refused)
        raise SummaryRefused(failure.reasons, str(failure), spent.calls, spent.tokens, tried) from failure
    raise failure


async def _made(asking: Asking, work: Work, profile: SummarizerProfile, resolve: Resolve) -> Draft:
    source_tokens = asking.model.count_tokens(work.source.text)
    if profile.style == "pick" or source_tokens <= TINY_TOKENS:
        return await picked(asking, work.lines, work.count, work.source, resolve)
    try:
        return await written(asking, work.template, work.values, work.source, profile.chat)
    except SummaryRefused as error:
        if "not-smaller" not in error.reasons or source_tokens > profile.floor_tokens:
            raise
        asking.refused += error.reasons  # so little happened that no prose is shorter: the lines themselves stand
        return await picked(asking, work.lines, work.count, work.source, resolve)


def _extract(work: Work, asking: Asking, resolve: Resolve) -> Draft | None:
    """Return an extract by rule, of prose in whole sentences; None if not even that is accepted."""
    lines, source = list(work.lines), work.source
    if source.previous:
        lines = [sentence for one in lines for sentence in _sentences(one)]
        source = replace(source, previous=tuple(one.line for one in lines))
    try:
        return extracted(asking, lines, work.count, source, resolve)
    except SummaryRefused:
        return None


def _sentences(one: Candidate) -> list[Candidate]:
    said = [one.line] if memory_of_line(one.line) else _SENTENCE_END.split(one.line.strip())
    return [replace(one, line=sentence) for sentence in said]
