"""What was said earlier that has to do with a question: a small model finds it badly among many lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from agents.component import AddedComponent, Moment, Section
from agents.memory.facts.extraction import utterance_in
from agents.memory.facts.speech_acts import spans
from agents.reflection.speech_facts import LOSS, heard_facts, in_third_person, key_words
from vault.markdown import LINE_BREAK
from vault.memory.memory_line import Memory
from world.matching import has_phrase, is_named
from world.parsing import split_reason

NEAR = 3
"""So many of the newest memories are near enough to be found."""

LOOKED_THROUGH = 200
"""So many of the newest memories are looked through."""

THIRD_PERSONS = frozenset({"he", "she", "it", "they", "his", "her", "its"})

RARE = 2
"""A word that so many memories have at most is enough to tell that one is meant."""


class Earlier(AddedComponent):
    """Tells the one line of the tail that has most to do with the question that is to be answered."""

    name = "earlier"

    def context(self, moment: Moment) -> Section | None:
        if moment.kind != "speech" or moment.partner is None:
            return None
        asked = _question(moment.view.tail, moment.partner.name)
        if asked is None:
            return None
        names = key_words(f"{moment.actor.name} {moment.partner.name}")
        older = [one for one in moment.view.tail[-LOOKED_THROUGH:-NEAR] if one.seq < asked.seq]
        words = key_words(_words(asked)) - names
        speakers = {name for one in older for name in one.people[:1] if name != moment.partner.name}
        found = best(words, frozenset(name for name in speakers if is_named(name, asked.text)), older)
        if has_phrase(moment.world.wording("asked.asks_loss"), asked.text):
            found = next((one for one in reversed(older) if _is_loss(one, moment.partner.name)), found)
        if found is None:
            return None
        text = self._told(found, words, moment)
        return Section(self.name, text, shows=frozenset([found.seq]), is_aside=True)

    def _told(self, memory: Memory, asked: frozenset[str], moment: Moment) -> str:
        """Return a line of the tail as the agent is reminded of it; of what others have confided only that."""
        assert moment.partner is not None
        agent, partner, say = moment.actor.name, moment.partner.name, moment.world.wording
        spoken = utterance_in(memory)
        who = agent if memory.kind == "acted" or spoken is None else spoken.speaker
        if spoken and spoken.privately and who not in (agent, partner):
            return say("earlier.confided", who=who, name=agent, partner=partner)
        words = _fitting(_words(memory), asked)
        told = "" if who == agent else in_third_person(words)
        if not told:
            return say("earlier.said", who=who, words=words)
        return say("earlier.told", name=agent, words=" ".join(_sentence(who, one) for one in told.split("; ")))


def best(asked: frozenset[str], named: frozenset[str], memories: Iterable[Memory]) -> Memory | None:
    """Return the newest of the memories that shares most with what is asked, rare words first; None if none does.

    `asked` are the key words of the question, `named` those who are named in it.
    """
    words = {one: asked & key_words(_words(one)) for one in memories if _is_speech(one)}
    counts = Counter(word for found in words.values() for word in found)
    by_named = {one for one in words if named & frozenset(one.people[:1])}
    telling = by_named | {one for one, found in words.items() if any(counts[word] <= RARE for word in found)}

    def fits(one: Memory) -> tuple[bool, float, int]:
        return one in by_named, sum(1 / counts[word] for word in words[one]), one.seq

    return max(telling, key=fits, default=None)


def _question(tail: Sequence[Memory], partner: str) -> Memory | None:
    """Return the memory of what the partner has just asked."""
    newest_first = (one for one in reversed(tail[-NEAR:]) if one.kind != "acted" and one.people[:1] == (partner,))
    asked = next(newest_first, None)
    return asked if asked and "?" in asked.text else None


def _is_speech(memory: Memory) -> bool:
    return LINE_BREAK not in memory.text and utterance_in(memory) is not None


def _words(memory: Memory) -> str:
    """Return what was said in a memory; where that cannot be told, all of it."""
    spoken = utterance_in(memory)
    return split_reason(spoken.text)[0] if spoken else memory.text


def _fitting(words: str, asked: frozenset[str]) -> str:
    """Return those sentences that have to do with the question; all of them if none has by itself."""
    sentences = [words[start:end].strip() for start, end in spans(words)]
    return " ".join(one for one in sentences if key_words(one) & asked) or words


def _sentence(who: str, told: str) -> str:
    """Return what `in_third_person` has told of somebody as a sentence of its own."""
    first, _, rest = told.partition(" ")
    if first == "their":
        return f"{who}'s {rest}."
    return f"{told[:1].upper()}{told[1:]}." if first in THIRD_PERSONS else f"{who} {told}."


def _is_loss(memory: Memory, partner: str) -> bool:
    spoken = utterance_in(memory)
    return bool(
        spoken and spoken.speaker == partner and any(one.kind == LOSS for one in heard_facts(spoken, memory.seq))
    )
