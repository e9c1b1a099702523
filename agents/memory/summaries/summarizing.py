"""The summarizer: tries models one after the other, in prose or by picking lines, and verifies each draft.

A model that writes prose is asked twice at most, the second time with the faults of its first try. If both tries have
wrong sentences, the rest of the better try counts, if enough is left.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

from agents.memory.facts.narration_parser import ENGLISH, NarrationParser
from agents.memory.importance import notable_share, summary_budget
from agents.memory.summaries.drafts import Draft, SummaryCall, SummaryRefused, Withdrawn, read_cache, write_cache
from agents.memory.summaries.formats import BadJson, memory_of_line, readable, sort_into_sections, without_headings
from agents.memory.summaries.picking import (
    Candidate,
    Resolve,
    candidates,
    candidates_of_lines,
    pick_by_rule,
    pick_with_model,
)
from agents.memory.summaries.prompt import (
    CUE,
    STOP,
    SummaryTemplate,
    SummaryTemplates,
    fill_template,
    group_memories,
    render_groups,
)
from agents.memory.summary_verifier import (
    MENDABLE,
    Objection,
    Source,
    Verdict,
    judge,
    judge_in_form,
    read_ahead,
    without_faults,
)
from agents.models.model import Completion, ModelError
from agents.models.queue import ModelQueue
from agents.models.scheduler import QueueStopped
from vault.memory.caches import SummaryCache, cache_key
from vault.memory.memory_line import Memory
from vault.memory.summaries import Summary

log = logging.getLogger(__name__)

MIN_PICKED, MAX_PICKED = 3, 9
PICKED_LONGTERM = 10
MARGIN_TOKENS = 64
NOTHING_LEFT = "Of this time I remember nothing."
LINE_CHARACTERS = (400, 160, 80, 40)
TINY_TOKENS = 12
MAX_TRIES = 2
MAX_OBJECTIONS_SENT = 5
"""The number of objections in the prompt of the second try; a small model ignores more."""

MIN_KEPT = 0.4
"""Minimum share of a try's words that has to be left without the wrong sentences for the rest to count."""

FORM_TOKENS = 64

_TOO_LONG = Objection("cut-off", "It broke off; make it shorter.")

_SENTENCE_END = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"”’]))\s+(?=[\"“‘]?[^\W\d_a-z])")


@dataclass(frozen=True)
class SummaryContext:
    """Whose memories are summarised, and what a summary of them may speak of.

    `roster` gives the names that the world knows, `memory_of` the memory of a number, `domain_of` the domain of a room.
    """

    name: str
    roster: Callable[[], frozenset[str]]
    memory_of: Callable[[int], Memory | None]
    domain_of: Callable[[str], str] = lambda room: ""
    reading: NarrationParser = ENGLISH


class Summarizer:
    """Makes drafts for one agent.

    `queues` are the models that are asked in turn, the next when one gives no summary that is accepted.
    """

    def __init__(
        self,
        context: SummaryContext,
        queues: Sequence[ModelQueue],
        templates: SummaryTemplates,
        profile: SummarizerProfile,
        cache: SummaryCache | None = None,
    ) -> None:
        self._context = context
        self._queues = tuple(queues)
        self._templates = templates
        self._profile = profile
        self._cache = cache

    @property
    def source_tokens(self) -> int:
        """The number of tokens of text that fit into one request."""
        return max(256, self._context_tokens // 2 - self._profile.cap_tokens)

    @property
    def strict(self) -> Summarizer:
        """The same without its fallback: it gives a summary by a model or none."""
        without = copy(self)
        without._profile = replace(self._profile, fallback="none")
        return without

    async def recent(self, memories: Sequence[Memory]) -> Draft:
        """Summarise memories; so few that no text is shorter stay as they are. Raises: SummaryRefused, ModelError."""
        if not memories:
            return Draft(NOTHING_LEFT, "fallback", "", {}, self.count_tokens(NOTHING_LEFT), 0, 0)
        profile, share = self._profile, notable_share(memories)
        cap = summary_budget(memories, profile.floor_tokens, profile.cap_tokens)
        source = self._source_of(memories, (), cap)
        template, fewest = self._template_for(memories), round(2 + 2 * share)
        values = {"name": source.name, "sentences": f"{fewest}-{fewest + 1}"}
        values["memories"] = self._render_memories(memories, template, values)
        count = round(MIN_PICKED + (MAX_PICKED - MIN_PICKED) * share)
        key = ("recent", [memory.seq for memory in memories])
        source = replace(source, counted=values["memories"])
        return await self._make(SummaryJob(source, template, values, tuple(candidates(memories)), count, key))

    async def longterm(self, texts: Sequence[str], absorbed: Sequence[Memory] = (), sections: bool = False) -> Draft:
        """Make one summary of several, oldest first, and of the memories that are `absorbed` after them.

        With `sections` it has the fixed sections. Raises: SummaryRefused, ModelError.
        """
        lines = [line for text in texts for line in without_headings(text).split("\n") if line]
        source = self._source_of(absorbed, texts, self._profile.cap_tokens)
        template = self._templates.sections if sections else self._templates.longterm
        told_apart = texts if absorbed else texts[:-1]
        values = {"name": source.name, "older": "\n".join(told_apart) or "Nothing yet."}
        values["recent"] = self._render_memories(absorbed, template, values, "recent") if absorbed else texts[-1]
        found = [*candidates_of_lines(lines, self._context.memory_of), *(candidates(absorbed) if absorbed else ())]
        key = ("longterm", [memory.seq for memory in absorbed])
        draft = await self._make(SummaryJob(source, template, values, tuple(found), PICKED_LONGTERM, key))
        if sections and draft.quality != "prose":
            return replace(draft, text=sort_into_sections(draft.text.split("\n"), self._context.memory_of))
        return draft

    def _source_of(self, memories: Sequence[Memory], previous: Sequence[str], cap_tokens: int) -> Source:
        who = self._context
        roster = who.roster()
        return Source(tuple(memories), tuple(previous), roster, who.name, cap_tokens=cap_tokens, reading=who.reading)

    async def _make(self, work: SummaryJob) -> Draft:
        """Have it made by one model after the other; what was made before of the same is not made again."""
        profile, model = self._profile, self._queues[0].model
        limits = (work.source.cap_tokens, work.count)
        told_so = (work.template.text, work.template.schema, work.values, [one.line for one in work.lines])
        key = cache_key(work.key, told_so, model.name, profile.style, profile.chat, limits)
        schema, resolve = work.template.schema, self._context.memory_of
        if draft := await read_cache(self._cache, key, work.source, resolve, self.count_tokens, schema):
            return draft
        draft = await summarize_with_fallback(work, self._queues, self._context.name, profile, resolve)
        if draft.quality != "fallback":
            write_cache(self._cache, key, draft)
        return draft

    def _template_for(self, memories: Sequence[Memory]) -> SummaryTemplate:
        """Return the template of the domain in which most of it happened, or the common one."""
        domains = Counter(self._context.domain_of(memory.room) for memory in memories if memory.room)
        domain, count = domains.most_common(1)[0] if domains else ("", 0)
        special = self._templates.domains.get(domain) if 2 * count > len(memories) else None
        return special or self._templates.recent

    def _render_memories(
        self, memories: Sequence[Memory], template: SummaryTemplate, values: dict[str, str], slot: str = "memories"
    ) -> str:
        """Return the memories as text, the lines as long as the model's context allows."""
        groups, lines = group_memories(memories, self._profile.grouping), ""
        for width in LINE_CHARACTERS:
            lines = render_groups(groups, self._context.name, width, self._context.reading)
            prompt = fill_template(template.text, {**values, slot: lines})
            if self.count_tokens(prompt) + self._profile.cap_tokens + MARGIN_TOKENS <= self._context_tokens:
                break
        return lines

    @property
    def _context_tokens(self) -> int:
        return min(queue.model.context_tokens for queue in self._queues)

    def count_tokens(self, text: str) -> int:
        return self._queues[0].model.count_tokens(text)


def summary_of(draft: Draft, first: int, last: int, generation: int, made_ms: int, sources: tuple[str, ...]) -> Summary:
    """Return a draft as the summary of the memories from `first` to `last`."""
    return Summary(
        first, last, draft.text, generation, draft.quality, draft.model, draft.tokens, made_ms, sources, draft.scores
    )


@dataclass(frozen=True)
class SummarizerProfile:
    """The settings of summaries: `style` is prose or pick; `chat` leaves out the cue for base models.

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
class SummaryJob:
    """One summary to be made: its source, the prompt of a model, and the lines for an extract.

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
    """The cost of models that gave nothing."""

    calls: int = 0
    tokens: int = 0
    refused: list[str] = field(default_factory=list)

    def add(self, asking: SummaryCall, error: SummaryRefused | ModelError) -> None:
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


async def summarize_with_fallback(
    work: SummaryJob, queues: Sequence[ModelQueue], name: str, profile: SummarizerProfile, resolve: Resolve
) -> Draft:
    """Return the first summary that the verifier accepts, with the cost of all tries; `queues` are not empty.

    Raises: SummaryRefused or ModelError, whichever the last model gave; at once if the world is closing.
    """
    spent, failure = _Spent(), Exception()
    for queue in queues:
        asking = SummaryCall(queue, name, profile.temperature, profile.timeout_seconds)
        try:
            return spent.charged_to(await _make_draft(asking, work, profile, resolve))
        except (Withdrawn, QueueStopped):
            raise
        except (SummaryRefused, ModelError) as error:
            failure = error
            spent.add(asking, error)
    if profile.fallback == "extractive" and (
        extract := _extract(work, SummaryCall(queues[0], name, 0.0, 0.0), resolve)
    ):
        log.warning("[Memory] %s: No model gave a summary, so lines were picked by rule: %s", name, failure)
        return replace(spent.charged_to(extract), model="")
    if isinstance(failure, SummaryRefused):
        tried = tuple(spent.refused)
        raise SummaryRefused(failure.reasons, str(failure), spent.calls, spent.tokens, tried) from failure
    raise failure


async def _make_draft(asking: SummaryCall, work: SummaryJob, profile: SummarizerProfile, resolve: Resolve) -> Draft:
    source_tokens = asking.model.count_tokens(work.source.text)
    if profile.style == "pick" or source_tokens <= TINY_TOKENS:
        return await pick_with_model(asking, work.lines, work.count, work.source, resolve)
    try:
        return await write_summary(asking, work.template, work.values, work.source, profile.chat)
    except SummaryRefused as error:
        if "not-smaller" not in error.reasons or source_tokens > profile.floor_tokens:
            raise
        asking.refused += error.reasons  # so little happened that no prose is shorter: the lines themselves serve
        return await pick_with_model(asking, work.lines, work.count, work.source, resolve)


async def write_summary(
    asking: SummaryCall, template: SummaryTemplate, values: Mapping[str, str], source: Source, chat: bool
) -> Draft:
    """Return a summary that the verifier has accepted. Raises: SummaryRefused, ModelError."""
    objections: tuple[Objection, ...] = ()
    tries: list[str] = []
    for _ in range(MAX_TRIES):
        why = " ".join(list(dict.fromkeys(one.detail for one in objections))[:MAX_OBJECTIONS_SENT])
        slots = {**values, "objection": f"\nA first try was refused: {why}" if why else ""}
        completion = await _ask(asking, template, fill_template(template.text, slots, chat), source)
        # Neither the source nor the objection, which quotes the first try, is an instruction that may not be copied.
        told = {"memories": "", "recent": ""} if source.memories else {}
        instructions = fill_template(template.text, {**slots, **told, "objection": ""}, chat)
        told_of = replace(source, prompt=instructions)
        await read_ahead(completion.text, source)
        text, verdict = _judge_completion(completion, template, told_of, asking)
        if verdict.accepted:
            return asking.accept(text, "prose", verdict)
        objections = verdict.objections
        if MENDABLE.issuperset(one.reason for one in objections):
            tries.append(text)
        asking.refused += [one.reason for one in objections]
    if template.schema == "prose" and (rest := _what_is_true(tries, told_of, asking)):
        return rest
    del asking.refused[-len(objections) :]  # the error below has these
    raise asking.refuse(objections)


def _what_is_true(tries: Sequence[str], source: Source, asking: SummaryCall) -> Draft | None:
    """Return the rest of the better try without its wrong sentences; None if that is too little."""
    found = [without_faults(text, source) for text in tries]
    left = [rest for rest, whole in found if len(rest.split()) >= MIN_KEPT * max(1, len(whole.split()))]
    for rest in sorted(left, key=len, reverse=True):
        verdict = judge(rest, source, asking.model.count_tokens)
        if verdict.accepted:
            return asking.accept(rest, "prose", verdict)
    return None


async def _ask(asking: SummaryCall, template: SummaryTemplate, prompt: str, source: Source) -> Completion:
    if template.schema != "prose":
        return await asking.ask(prompt, source.cap_tokens + FORM_TOKENS, (CUE,))
    return await asking.ask(prompt, source.cap_tokens, STOP)


def _judge_completion(
    completion: Completion, template: SummaryTemplate, source: Source, asking: SummaryCall
) -> tuple[str, Verdict]:
    """Return the text to keep, and what is to be said of the one that the model wrote, line by line."""
    heard = "\n".join([source.text, *source.roster, *(memory.room for memory in source.memories)])
    try:
        said = readable(completion.text, heard) if template.schema == "json" else _lines(completion.text)
    except BadJson as error:
        return "", Verdict((Objection("bad-json", str(error)),), {})
    verdict = judge_in_form(said, template.schema, source, _counting(said, completion, asking))
    if verdict.accepted and completion.finish == "length":
        verdict = Verdict((_TOO_LONG,), verdict.scores)
    told = " ".join(said.split()) if template.schema == "prose" else said
    return told, verdict


def _counting(said: str, completion: Completion, asking: SummaryCall) -> Callable[[str], int]:
    """Return a counter of tokens; for the model's text it never exceeds the model's own count."""

    def count(text: str) -> int:
        estimated = asking.model.count_tokens(text)
        return min(estimated, completion.completion_tokens or estimated) if text == said else estimated

    return count


def _lines(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


def _extract(work: SummaryJob, asking: SummaryCall, resolve: Resolve) -> Draft | None:
    """Return an extract by rule, of prose in whole sentences; None if not even that is accepted."""
    lines, source = list(work.lines), work.source
    if source.previous:
        lines = [sentence for one in lines for sentence in _sentences(one)]
        source = replace(source, previous=tuple(one.line for one in lines))
    try:
        return pick_by_rule(asking, lines, work.count, source, resolve)
    except SummaryRefused:
        return None


def _sentences(one: Candidate) -> list[Candidate]:
    said = [one.line] if memory_of_line(one.line) else _SENTENCE_END.split(one.line.strip())
    return [replace(one, line=sentence) for sentence in said]
