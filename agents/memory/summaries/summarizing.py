"""Having models summarise: in prose, or by picking whole lines; nothing leaves here unjudged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace

from agents.memory.gate import Source
from agents.memory.importance import notable_share, summary_budget
from agents.memory.knowing.reading import ENGLISH, Reading
from agents.memory.summaries.attempts import SummarizerProfile, Work, attempted
from agents.memory.summaries.drafts import Draft
from agents.memory.summaries.grouping import grouped, told
from agents.memory.summaries.picking import candidates, candidates_of_lines
from agents.memory.summaries.reuse import recall, remember
from agents.memory.summaries.sections import sectioned, without_headings
from agents.memory.summaries.templates import SummaryTemplate, SummaryTemplates, filled
from agents.models.queue import ModelQueue
from vault.remembered.memory_line import Memory
from vault.remembered.summaries import Summary
from vault.remembered.summary_cache import SummaryCache, cache_key

PICKED_FEWEST, PICKED_MOST = 3, 9
PICKED_LONGTERM = 10
MARGIN_TOKENS = 64
NOTHING_LEFT = "Of this time I remember nothing."
LINE_CHARACTERS = (400, 160, 80, 40)


class Summarizer:
    """Makes drafts for one agent. `roster` gives the names that the world knows, `domain_of` the domain of a room.

    `later` are the models that are asked in turn when the first one gives no summary that is accepted.
    """

    def __init__(
        self,
        name: str,
        queue: ModelQueue,
        templates: SummaryTemplates,
        profile: SummarizerProfile,
        roster: Callable[[], frozenset[str]],
        resolve: Callable[[int], Memory | None],
        later: Sequence[ModelQueue] = (),
        domain_of: Callable[[str], str] = lambda room: "",
        cache: SummaryCache | None = None,
        reading: Reading = ENGLISH,
    ) -> None:
        self._name = name
        self._queues = (queue, *later)
        self._templates = templates
        self._profile = profile
        self._roster = roster
        self._resolve = resolve
        self._domain_of = domain_of
        self._cache = cache
        self._reading = reading

    @property
    def source_tokens(self) -> int:
        """How many tokens of text one request can take in."""
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
            return Draft(NOTHING_LEFT, "fallback", "", {}, self._count_tokens(NOTHING_LEFT), 0, 0)
        profile, share = self._profile, notable_share(memories)
        cap = summary_budget(memories, profile.floor_tokens, profile.cap_tokens)
        source = Source(tuple(memories), (), self._roster(), self._name, cap_tokens=cap, reading=self._reading)
        template, fewest = self._template_for(memories), round(2 + 2 * share)
        values = {"name": self._name, "sentences": f"{fewest}-{fewest + 1}"}
        values["memories"] = self._told(memories, template, values)
        count = round(PICKED_FEWEST + (PICKED_MOST - PICKED_FEWEST) * share)
        key = ("recent", [memory.seq for memory in memories])
        source = replace(source, counted=values["memories"])
        return await self._made(Work(source, template, values, tuple(candidates(memories)), count, key))

    async def longterm(self, texts: Sequence[str], absorbed: Sequence[Memory] = (), sections: bool = False) -> Draft:
        """Make one summary of several, oldest first, and of the memories that are `absorbed` after them.

        With `sections` it has the fixed sections. Raises: SummaryRefused, ModelError.
        """
        lines = [line for text in texts for line in without_headings(text).split("\n") if line]
        roster, cap = self._roster(), self._profile.cap_tokens
        source = Source(tuple(absorbed), tuple(texts), roster, self._name, cap_tokens=cap, reading=self._reading)
        template = self._templates.sections if sections else self._templates.longterm
        told_apart = texts if absorbed else texts[:-1]
        values = {"name": self._name, "older": "\n".join(told_apart) or "Nothing yet."}
        values["recent"] = self._told(absorbed, template, values, "recent") if absorbed else texts[-1]
        found = [*candidates_of_lines(lines, self._resolve), *(candidates(absorbed) if absorbed else ())]
        key = ("longterm", [memory.seq for memory in absorbed])
        draft = await self._made(Work(source, template, values, tuple(found), PICKED_LONGTERM, key))
        if sections and draft.quality != "prose":
            return replace(draft, text=sectioned(draft.text.split("\n"), self._resolve))
        return draft

    async def _made(self, work: Work) -> Draft:
        """Have it made by one model after the other; what was made before of the same is not made again."""
        profile, model = self._profile, self._queues[0].model
        limits = (work.source.cap_tokens, work.count)
        told_so = (work.template.text, work.template.schema, work.values, [one.line for one in work.lines])
        key = cache_key(work.key, told_so, model.name, profile.style, profile.chat, limits)
        if draft := recall(self._cache, key, work.source, self._resolve, self._count_tokens, work.template.schema):
            return draft
        draft = await attempted(work, self._queues, self._name, profile, self._resolve)
        if draft.quality != "fallback":
            remember(self._cache, key, draft)
        return draft

    def _template_for(self, memories: Sequence[Memory]) -> SummaryTemplate:
        """Return the template of the domain in which most of it happened, or the common one."""
        domains = Counter(self._domain_of(memory.room) for memory in memories if memory.room)
        domain, count = domains.most_common(1)[0] if domains else ("", 0)
        special = self._templates.domains.get(domain) if 2 * count > len(memories) else None
        return special or self._templates.recent

    def _told(
        self, memories: Sequence[Memory], template: SummaryTemplate, values: dict[str, str], slot: str = "memories"
    ) -> str:
        """Return the memories as text, the lines as long as the model's context allows."""
        groups, lines = grouped(memories, self._profile.grouping), ""
        for width in LINE_CHARACTERS:
            lines = told(groups, self._name, width, self._reading)
            prompt = filled(template.text, {**values, slot: lines})
            if self._count_tokens(prompt) + self._profile.cap_tokens + MARGIN_TOKENS <= self._context_tokens:
                break
        return lines

    @property
    def _context_tokens(self) -> int:
        return min(queue.model.context_tokens for queue in self._queues)

    def _count_tokens(self, text: str) -> int:
        return self._queues[0].model.count_tokens(text)


def summary_of(draft: Draft, first: int, last: int, generation: int, made_ms: int, sources: tuple[str, ...]) -> Summary:
    """Return a draft as the summary of the memories from `first` to `last`."""
    return Summary(
        first, last, draft.text, generation, draft.quality, draft.model, draft.tokens, made_ms, sources, draft.scores
    )
