"""Having a model summarise: in its own prose, or by picking whole lines; nothing leaves here unjudged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.grammar import literal
from agents.memory.gate import Source, Verdict, judge, judge_picked
from agents.memory.picked import memory_of_line, picked_line
from agents.memory.templates import STOP, SummaryTemplates, filled
from agents.memory.view import memory_text
from agents.models.model import Completion, ModelError, Request
from agents.models.queue import ModelQueue, Priority
from vault.memory_line import LINE_BREAK, Memory
from vault.summaries import Summary

PICKED_RECENT = 6
PICKED_LONGTERM = 10
MARGIN_TOKENS = 64
TINY_TOKENS = 12
NOTHING_LEFT = "Of this time I remember nothing: its lines were taken out of my journal."
LINE_CHARACTERS = (400, 160, 80, 40)
WORTH_PICKING = ("observed", "acted", "thought", "dreamt", "told", "noted")


class SummaryRefused(Exception):
    """The gate has refused what the model wrote, twice; `reasons` are its kinds of objection. It was paid for."""

    def __init__(self, reasons: tuple[str, ...], details: str, calls: int = 0, spent_tokens: int = 0) -> None:
        super().__init__(details)
        self.reasons = reasons
        self.calls = calls
        self.spent_tokens = spent_tokens


@dataclass(frozen=True)
class SummarizerProfile:
    """How summaries are asked for: `style` is prose or pick; `chat` leaves out the cue for base models."""

    style: str
    temperature: float
    cap_tokens: int
    timeout_seconds: float
    chat: bool = False


@dataclass(frozen=True)
class Draft:
    """A summary that the gate has accepted: its text, quality and scores, and what it cost in calls and tokens."""

    text: str
    quality: str
    model: str
    scores: dict[str, float]
    tokens: int
    calls: int
    spent_tokens: int


@dataclass
class _Spent:
    calls: int = 0
    tokens: int = 0


class Summarizer:
    """Makes drafts for one agent. `roster` gives the names that the world knows."""

    def __init__(
        self,
        name: str,
        queue: ModelQueue,
        templates: SummaryTemplates,
        profile: SummarizerProfile,
        roster: Callable[[], frozenset[str]],
        resolve: Callable[[int], Memory | None],
    ) -> None:
        self._name = name
        self._queue = queue
        self._templates = templates
        self._profile = profile
        self._roster = roster
        self._resolve = resolve

    @property
    def source_tokens(self) -> int:
        """How many tokens of text one request can take in."""
        return max(256, self._queue.model.context_tokens // 2 - self._profile.cap_tokens)

    async def recent(self, memories: Sequence[Memory]) -> Draft:
        """Summarise memories; so few that no text is shorter stay as they are. Raises: SummaryRefused, ModelError."""
        if not memories:
            return Draft(NOTHING_LEFT, "fallback", "", {}, self._queue.model.count_tokens(NOTHING_LEFT), 0, 0)
        pins = [picked_line(memory) for memory in memories if memory.pinned]
        source = Source(tuple(memories), (), self._roster(), self._name, "", tuple(pins), self._profile.cap_tokens)
        if self._profile.style == "pick" or self._is_tiny(source):
            return await self._picked(_candidates(memories), pins, PICKED_RECENT, source)
        for width in LINE_CHARACTERS:
            lines = "\n".join(_shortened(memory_text(memory, self._name), width) for memory in memories)
            if self._fits(filled(self._templates.recent, {"name": self._name, "memories": lines})):
                break
        return await self._written(self._templates.recent, {"memories": lines}, pins, source)

    async def longterm(self, texts: Sequence[str]) -> Draft:
        """Make one summary of several, oldest first. Raises: SummaryRefused, ModelError."""
        lines = [line for text in texts for line in text.split("\n") if line.strip()]
        pins = [line for line in lines if self._is_pinned(line)]
        source = Source((), tuple(texts), self._roster(), self._name, "", tuple(pins), self._profile.cap_tokens)
        if self._profile.style == "pick" or self._is_tiny(source):
            return await self._picked(list(dict.fromkeys(lines)), pins, PICKED_LONGTERM, source)
        values = {"older": "\n".join(texts[:-1]) or "Nothing yet.", "recent": texts[-1]}
        return await self._written(self._templates.longterm, values, pins, source)

    # Prose

    async def _written(self, template: str, values: dict[str, str], pins: list[str], source: Source) -> Draft:
        spent, objection = _Spent(), ""
        for _ in range(2):
            slots = {**values, "name": self._name, "objection": objection}
            prompt = filled(template, slots, self._profile.chat)
            completion = await self._ask(prompt, None, self._profile.cap_tokens, spent)
            text = "\n".join([" ".join(completion.text.split()), *pins])
            verdict = judge(text, _prompted(source, prompt), self._queue.model.count_tokens)
            if verdict.accepted and completion.finish != "length":
                return self._draft(text, "prose", verdict, spent)
            why = " ".join(one.detail for one in verdict.objections) or "It broke off; make it shorter."
            objection = f"\nA first try was refused: {why}"
        reasons = tuple(one.reason for one in verdict.objections) or ("cut-off",)
        raise SummaryRefused(reasons, why, spent.calls, spent.tokens)

    # Picking

    async def _picked(self, lines: list[str], pins: list[str], count: int, source: Source) -> Draft:
        spent, chosen = _Spent(), [line for line in lines if line in pins]
        chosen += [pin for pin in pins if pin not in chosen]
        cap, count_tokens = self._profile.cap_tokens, self._queue.model.count_tokens
        left = [line for line in lines if line not in chosen]
        while left and len(chosen) < count:
            if len(left) + len(chosen) <= count:
                line = left[0]
            else:
                line = await self._pick_one(lines, chosen, left, count, spent)
            left.remove(line)
            if count_tokens("\n".join([*chosen, line])) <= cap:
                chosen.append(line)
        order = {line: place for place, line in enumerate([*pins, *lines])}
        text = "\n".join(sorted(chosen, key=lambda line: order[line]))
        verdict = judge_picked(text, source, self._resolve, count_tokens)
        if not verdict.accepted:
            reasons = tuple(one.reason for one in verdict.objections)
            why = " ".join(one.detail for one in verdict.objections)
            raise SummaryRefused(reasons, why, spent.calls, spent.tokens)
        return self._draft(text, "extractive", verdict, spent)

    async def _pick_one(
        self, lines: Sequence[str], chosen: Sequence[str], left: Sequence[str], count: int, spent: _Spent
    ) -> str:
        if not self._queue.model.constrains:
            return left[-1]
        told = "\n".join([*lines, "", f"The {count} of these that {self._name} must never forget:", *chosen, ""])
        grammar = f'root ::= ({" | ".join(literal(line) for line in left)}) "\\n"\n'
        longest = max(self._queue.model.count_tokens(line) for line in left)
        completion = await self._ask(told, grammar, longest + 8, spent)
        answer = completion.text.strip("\n")
        return answer if answer in left else left[0]

    # Both

    async def _ask(self, prompt: str, grammar: str | None, max_tokens: int, spent: _Spent) -> Completion:
        request = Request(
            prompt,
            max_tokens,
            ("\n",) if grammar else STOP,
            self._profile.temperature,
            grammar=grammar,
            timeout_seconds=self._profile.timeout_seconds,
        )
        completion = await self._queue.ask(f"memory of {self._name}", Priority.SUMMARY, lambda: request)
        if completion.finish == "cancelled":
            raise ModelError("The summary was withdrawn before the model had answered.")
        spent.calls += 1
        spent.tokens += completion.prompt_tokens + completion.completion_tokens
        return completion

    def _draft(self, text: str, quality: str, verdict: Verdict, spent: _Spent) -> Draft:
        model = self._queue.model
        return Draft(text, quality, model.name, verdict.scores, model.count_tokens(text), spent.calls, spent.tokens)

    def _fits(self, prompt: str) -> bool:
        model = self._queue.model
        return model.count_tokens(prompt) + self._profile.cap_tokens + MARGIN_TOKENS <= model.context_tokens

    def _is_tiny(self, source: Source) -> bool:
        return self._queue.model.count_tokens(source.text) <= TINY_TOKENS

    def _is_pinned(self, line: str) -> bool:
        found = memory_of_line(line)
        memory = self._resolve(found[0]) if found else None
        return memory is not None and memory.pinned


def _candidates(memories: Sequence[Memory]) -> list[str]:
    """Return the lines worth picking, each text once, in order; all of them if none is worth it."""
    worth = [memory for memory in memories if memory.kind in WORTH_PICKING] or list(memories)
    by_text = {memory.text: memory for memory in reversed(worth)}
    return [picked_line(memory) for memory in sorted(by_text.values(), key=lambda memory: memory.seq)]


def _shortened(text: str, characters: int) -> str:
    plain = text.replace(LINE_BREAK, " ")
    return plain if len(plain) <= characters else f"{plain[:characters].rsplit(' ', 1)[0]} …"


def _prompted(source: Source, prompt: str) -> Source:
    return Source(
        source.memories,
        source.previous,
        source.roster,
        source.name,
        prompt,
        source.pins,
        source.cap_tokens,
        source.first_person,
    )


def summary_of(draft: Draft, first: int, last: int, generation: int, made_ms: int, sources: tuple[str, ...]) -> Summary:
    """Return a draft as the summary of the memories from `first` to `last`."""
    return Summary(
        first, last, draft.text, generation, draft.quality, draft.model, draft.tokens, made_ms, sources, draft.scores
    )
