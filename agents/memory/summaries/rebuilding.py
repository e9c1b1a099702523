"""Rebuilds summaries: the long-term one from the leaves, and extracts once a model answers.

Folding again and again loses what the leaves still have. Where a person has edited a long-term summary, their text
counts for all that it covers, and only later leaves are added to it: what they wrote stays, and what they took out does
not come back from a leaf.

What is only an extract, because no model gave a summary, is written by a model later. The queue is the vault itself: a
summary of the quality `fallback` waits, and a long-term one into which such a summary was folded is marked in the same
way until all its leaves have been rewritten.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.memory.english import FUNCTION_WORDS
from agents.memory.judging.entities import words_of
from agents.memory.memory import AgentMemory
from agents.memory.summaries.drafts import Draft, is_extract
from agents.memory.summaries.summarizing import Summarizer, summary_of
from agents.memory.summary_verifier import Source, scores_of
from vault.memory.summaries import Summary

LEAVES_A_CYCLE = 4
Paid = Callable[[Draft], Draft]


@dataclass(frozen=True)
class Rebuilding:
    """The sources of a rebuilt long-term summary: texts, oldest first; the first may be a person's (`hand`).

    `own_words` are the words that only the person's text brought in.
    """

    texts: tuple[str, ...]
    hand: Summary | None = None
    own_words: frozenset[str] = frozenset()

    def keeps_own_words(self, new: str, old: str) -> bool:
        """Return whether a summary keeps every word of the person's text that the one in force has."""
        return self.own_words & words_of(old) <= words_of(new)


async def rebuilding_of(memory: AgentMemory, longterm: Summary) -> Rebuilding:
    """Return the sources for rebuilding a long-term summary: no texts if there is nothing, or a leaf is missing."""
    leaves, hand = await leaves_of(memory), edited_text_of(memory, longterm)
    if hand is None:
        return Rebuilding(tuple(leaf.text for leaf in chain_of(leaves, longterm.last)))
    later = chain_of(leaves, longterm.last, hand.last + 1)
    if not later:
        return Rebuilding((), hand)
    before = "\n".join(leaf.text for leaf in chain_of(leaves, hand.last))
    own = words_of(hand.text) - words_of(before) - FUNCTION_WORDS
    return Rebuilding((hand.text, *(leaf.text for leaf in later)), hand, frozenset(own))


def edited_text_of(memory: AgentMemory, longterm: Summary) -> Summary | None:
    """Return the long-term summary, this one or one before it, that a person has edited last; None if there is none.

    It is found by the checksum of the person's text.
    """
    if longterm.is_edited:
        return longterm
    if not longterm.edited_from:
        return None
    kept = [former for _, former in memory.summaries.former() if former.is_edited and former.last <= longterm.last]
    found = [former for former in kept if former.hand == longterm.edited_from]
    return max(found, key=lambda former: (former.generation, former.made_ms), default=None)


def chain_of(leaves: Sequence[Summary], last: int, first: int = 1) -> list[Summary]:
    """Return the leaves that cover memories `first` to `last` without a hole, oldest first; nothing if there is a hole.

    Of several leaves that begin at one memory the one made last counts that leads on to `last`.
    """
    leading_on, usable = {last + 1}, dict[int, Summary]()
    for leaf in sorted(leaves, key=lambda leaf: (-leaf.first, leaf.made_ms, leaf.generation)):
        if leaf.last + 1 in leading_on:
            leading_on.add(leaf.first)
            usable[leaf.first] = leaf
    chain: list[Summary] = []
    following = first
    while following <= last and following in usable:
        chain.append(usable[following])
        following = chain[-1].last + 1
    return chain if following == last + 1 else []


async def leaves_of(memory: AgentMemory) -> list[Summary]:
    """Return all leaves of an agent, read in steps, so that a long life holds up nobody else."""
    found = []
    for name in memory.summaries.leaf_names():
        found.append(memory.summaries.leaf(name))
        await asyncio.sleep(0)
    return [leaf for leaf in found if leaf]


async def rebuild(
    summarizer: Summarizer, texts: Sequence[str], count_tokens: Callable[[str], int], most_tokens: int, paid: Paid
) -> Draft:
    """Summarise texts as one, in as many rounds as it takes so that no prompt holds more than `most_tokens` of them.

    `paid` is given every draft on the way. Raises: SummaryRefused, ModelError.
    """
    while True:
        groups = _group_texts(texts, count_tokens, most_tokens)
        drafts = [paid(await summarizer.longterm(group)) for group in groups]
        if len(drafts) == 1:
            return drafts[0]
        texts = [draft.text for draft in drafts]


def is_better(new: str, old: str, leaves: Sequence[str], name: str, count_tokens: Callable[[str], int]) -> bool:
    """Return whether a summary keeps more of what the leaves tell than another, by the verifier's own scores."""
    source = Source((), tuple(leaves), name=name, cap_tokens=1_000_000)
    scores = [scores_of(text, source, count_tokens) for text in (new, old)]
    kept_new, kept_old = (score["entities_kept"] - score["unsupported_share"] for score in scores)
    return kept_new > kept_old


def _group_texts(texts: Sequence[str], count_tokens: Callable[[str], int], most_tokens: int) -> list[list[str]]:
    """Return the texts in groups of two and more that fit; so every round has at most half as many."""
    groups: list[list[str]] = [[]]
    size = 0
    for text in texts:
        tokens = count_tokens(text)
        if len(groups[-1]) >= 2 and size + tokens > most_tokens:
            groups.append([])
            size = 0
        groups[-1].append(text)
        size += tokens
    if len(groups) > 1 and len(groups[-1]) == 1:
        groups[-2] += groups.pop()
    return groups


async def redo(memory: AgentMemory, summarizer: Summarizer, paid: Paid, now_ms: Callable[[], int]) -> bool:
    """Have the model rewrite extracts; return whether the long-term summary can be rebuilt without any of them.

    Some leaves are rewritten each time, oldest first. Raises: SummaryRefused, ModelError, NoteError; Edited if
    somebody edits what was to be replaced.
    """
    memory.archive_writer.check()
    recent = memory.recent
    if recent and is_extract(recent):
        again = await _redo_extract(memory, recent, summarizer, paid, now_ms)
        memory.poll_edits(thorough=True)
        if again and memory.recent == recent:
            memory.publish(None, again)
    if memory.longterm is None or not is_extract(memory.longterm):
        return False
    done = 0
    for leaf in filter(is_extract, chain_of(await leaves_of(memory), memory.longterm.last)):
        if done == LEAVES_A_CYCLE:
            return False
        if again := await _redo_extract(memory, leaf, summarizer, paid, now_ms):
            memory.summaries.add_leaf(again)
            done += 1
    return True


async def _redo_extract(
    memory: AgentMemory, old: Summary, summarizer: Summarizer, paid: Paid, now_ms: Callable[[], int]
) -> Summary | None:
    memories = memory.to_summarise(old.first, old.last)
    if not memories:
        return None  # no memory is left, so the extract is all there is
    draft = paid(await summarizer.recent(memories))
    again = summary_of(draft, old.first, old.last, old.generation, now_ms(), (f"{old.first}-{old.last}",))
    return memory.archive_writer.keep_rebuilt(memory.journal.last, "recent", again, old)
