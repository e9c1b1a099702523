"""The tiers of a memory, which add up to all memories, and the memories behind a sentence of a summary.

Views that take a while are made in steps of a few milliseconds, between which everybody else goes on.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.memory.english import stem
from agents.memory.inspection import journal_text
from agents.memory.journal_search import JournalSearch
from agents.memory.memory import AgentMemory
from agents.memory.retrieval import distinctive_words
from agents.memory.summaries.formats import memory_of_line
from agents.memory.view import Tier, View
from vault.markdown import LINE_BREAK
from vault.memory.memory_line import Memory
from world.errors import CommandError
from world.message_catalog import Wording

Shown = dict[str, Any]
"""The shown form of something: texts, numbers, lists and dictionaries, as JSON has them."""

MAX_LINES = 12
"""Maximum number of memories named for one sentence, the best first."""

MAX_READ = 1024
"""Number of a tier's newest memories whose words are compared; older ones are looked up in the search index."""

STEP_READ = 128
"""Number of memories whose words are compared in one step."""

MIN_FIT = 2.0
"""The weight of the words that a sentence and a memory must share; a name weighs 1.3, a common word 0.6."""

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”’)]* +(?=\S)")


def shown_memory(memory: Memory, view: View | None = None) -> Shown:
    """Return a memory: `seq`, `at` in milliseconds since 1970, `kind`, `room`, `people`, `text`, marks and `tier`."""
    shown: Shown = {
        "seq": memory.seq,
        "at": memory.at_ms,
        "kind": memory.kind,
        "room": memory.room,
        "people": list(memory.people),
        "text": memory.text.replace(LINE_BREAK, "\n"),
        "importance": memory.importance,
        "pinned": memory.pinned,
        "refused": memory.refused,
    }
    if view is not None and memory.seq <= view.n:
        shown["tier"] = view.tier_of(memory.seq).name
    return shown


def row_text(row: Shown, say: Wording) -> str:
    """Return the line of a shown memory for people."""
    return journal_text(Memory(row["seq"], row["at"], row["kind"], row["room"], row["text"]), say)


def tiers_shown(view: View) -> Shown:
    """Return the tiers, oldest memories first: `n` is how many there are, and the `count`s add up to it.

    A summary has its `sentences` and its `quality`; `shown` says how many of the tail's memories a prompt can tell.
    """
    return {"n": view.n, "parts": [_tier(one) for one in view.tiers]}


def _tier(tier: Tier) -> Shown:
    summary = tier.summary
    shown: Shown = {
        "name": tier.name,
        "title": tier.title,
        "count": len(tier.memories),
        "ranges": [[one.first, one.last] for one in tier.memories.ranges],
        "sentences": sentences_of(tier),
        "shown": len(tier.lines),
    }
    if summary is not None:
        shown |= {"quality": summary.quality, "tokens": summary.tokens, "made": summary.made_ms}
        shown |= {"model": summary.model, "is_edited": summary.is_edited}
    return shown


def sentences_of(tier: Tier) -> list[str]:
    """Return the sentences of a summary, or its lines where each is a memory."""
    text = tier.summary.text if tier.summary and len(tier.summary.parts) == 1 else tier.text
    found: list[str] = []
    for line in (line.strip() for line in text.split("\n")):
        if memory_of_line(line):
            found.append(line)
        elif line:
            found += [part for part in _SENTENCE_END.split(line) if part]
    return found


@dataclass(frozen=True)
class SentencePlace:
    """The place of a sentence of a summary: the `tier` of a view, and its `number` from 0."""

    view: View
    tier: str
    number: int


def lines_behind(memory: AgentMemory, place: SentencePlace, finder: JournalSearch, say: Wording) -> Steps:
    """Return the memories behind a sentence, best first, in steps.

    `how` is `cited` where the sentence names its memory, and `words` where the model wrote it and nothing but shared
    words tells. Words of old memories are looked up in `finder`, once it has indexed them.

    Raises: CommandError if there is no such sentence, NoteError.
    """
    tier, sentence = _sentence(place, memory.name, say)
    shown: Shown = {"tier": place.tier, "sentence": place.number, "text": sentence}
    if cited := memory_of_line(sentence):
        found, how = memory.journal.read(cited[0], cited[0]), "cited"
    else:
        found, how = (yield from _by_words(memory, tier, sentence, finder)), "words"
    return shown | {"how": how, "lines": [shown_memory(one, place.view) for one in found]}


def lines_text(shown: Shown, say: Wording) -> str:
    """Return a sentence with the memories behind it, for people."""
    sentence = {"number": shown["sentence"] + 1, "tier": shown["tier"], "text": shown["text"]}
    lines = [f"  {row_text(row, say)}" for row in shown["lines"]]
    return "\n".join([say(f"observatory.{shown['how'] if lines else 'nothing'}_behind", **sentence), *lines])


def sentences_for(memory: AgentMemory, view: View, seq: int, say: Wording) -> Shown:
    """Return the tier of a memory in a view, and the numbers of the sentences that draw on it.

    Raises: CommandError if there is no such memory, NoteError.
    """
    found = memory.memory(seq) if 1 <= seq <= view.n else None
    if found is None:
        raise CommandError(say("memory.no_memory", who=memory.name, number=seq, last=view.n))
    tier = view.tier_of(seq)
    numbers = [at for at, sentence in enumerate(sentences_of(tier)) if tells(sentence, found)]
    return {"memory": shown_memory(found, view), "tier": tier.name, "sentences": numbers}


def tells(sentence: str, memory: Memory) -> bool:
    """Return whether a sentence tells a memory: it names it, or shares enough words that few others have."""
    cited = memory_of_line(sentence)
    return cited[0] == memory.seq if cited else _fit(rank_sources(sentence), memory) >= MIN_FIT


def rank_sources(text: str) -> dict[str, float]:
    """Return the stems of the words that matter in a text, with their weights."""
    found: dict[str, float] = {}
    for word, weight in distinctive_words(text).items():
        root = stem(word)
        found[root] = max(weight, found.get(root, 0.0))
    return found


def _fit(words: Mapping[str, float], memory: Memory) -> float:
    own = rank_sources(" ".join((memory.text, *memory.people))).keys()
    return sum(weight for word, weight in words.items() if word in own)


def _sentence(place: SentencePlace, who: str, say: Wording) -> tuple[Tier, str]:
    tier = next((one for one in place.view.summaries if one.name == place.tier), None)
    sentences = sentences_of(tier) if tier else []
    if tier is None or not 0 <= place.number < len(sentences):
        raise CommandError(say("observatory.no_sentence", who=who, tier=place.tier, number=place.number + 1))
    return tier, sentences[place.number]


def _by_words(
    memory: AgentMemory, tier: Tier, sentence: str, finder: JournalSearch
) -> Generator[None, None, list[Memory]]:
    words, last = rank_sources(sentence), tier.memories.last
    first = max(tier.memories.first, last - MAX_READ + 1)
    fits: dict[Memory, float] = {}
    for start in range(first, last + 1, STEP_READ):
        fits |= {one: _fit(words, one) for one in memory.journal.read(start, min(last, start + STEP_READ - 1))}
        yield
    if first > tier.memories.first and finder.is_ready(first - 1):
        for seq in _older(distinctive_words(sentence), first, finder):
            fits |= {one: _fit(words, one) for one in memory.journal.read(seq, seq)}
            yield
    fitting = [(fit, one) for one, fit in fits.items() if one.seq in tier.memories and fit >= MIN_FIT]
    best = sorted(fitting, key=lambda row: (-row[0], -row[1].seq))
    return [one for _, one in best[:MAX_LINES]]


def _older(words: Iterable[str], before: int, finder: JournalSearch) -> Sequence[int]:
    """Return the older memories that have most of some words."""
    counts: dict[int, int] = {}
    for word in words:
        for seq in finder.holding(word, before, MAX_READ // 4):
            counts[seq] = counts.get(seq, 0) + 1
    return sorted(counts, key=lambda seq: (-counts[seq], -seq))[: 2 * MAX_LINES]


Steps = Generator[None, None, Shown]

QUICK_STEPS = 4
"""Number of steps within which a view is answered at once."""


async def run_to_end(steps: Steps) -> Shown:
    """Run some steps and return their result; others go on between two of them. Raises: whatever a step raises."""
    while True:
        shown = run_steps(steps, 1)
        if shown is not None:
            return shown
        await asyncio.sleep(0)


def run_steps(steps: Steps, most: int) -> Shown | None:
    """Go at most so many steps; return what they lead to, or None if there are more. Raises: whatever a step raises."""
    for _ in range(most):
        try:
            next(steps)
        except StopIteration as ended:
            shown: Shown = ended.value
            return shown
    return None
