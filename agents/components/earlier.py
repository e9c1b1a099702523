"""What was said earlier that has to do with a question: a small model finds it badly among many lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from agents.component import AddedComponent, Moment, Section, last_heard
from agents.memory.facts.extraction import Utterance, utterance_in
from agents.memory.facts.speech_acts import spans
from agents.reflection.speech_facts import LOSS, heard_facts, in_third_person, key_words
from vault.markdown import LINE_BREAK
from vault.memory.memory_line import Memory
from world.parsing import has_phrase, is_named, split_reason

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
        asked = last_heard(moment.view.tail[-NEAR:], moment.partner.name)
        if asked is None or "?" not in asked.text:
            return None
        older = [one for one in moment.view.tail[-LOOKED_THROUGH:-NEAR] if one.seq < asked.seq]
        spoken = {one: said for one in older if LINE_BREAK not in one.text and (said := utterance_in(one))}
        names = key_words(f"{moment.actor.name} {moment.partner.name}")
        question = utterance_in(asked)
        words = key_words(_words(question) if question else asked.text) - names
        speakers = {name for one in older for name in one.people[:1] if name != moment.partner.name}
        found = best(words, frozenset(name for name in speakers if is_named(name, asked.text)), spoken)
        if has_phrase(moment.world.wording("asked.asks_loss"), asked.text):
            losses = (one for one in reversed(spoken) if _is_loss(one, spoken[one], moment.partner.name))
            found = next(losses, found)
        if found is None:
            return None
        text = self._told(found, spoken[found], words, moment)
        return Section(self.name, text, shows=frozenset([found.seq]), is_aside=True)

    def _told(self, memory: Memory, spoken: Utterance, asked: frozenset[str], moment: Moment) -> str:
        """Return a line of the tail as the agent is reminded of it; of what others have confided only that."""
        assert moment.partner is not None
        agent, partner, say = moment.actor.name, moment.partner.name, moment.world.wording
        who = agent if memory.kind == "acted" else spoken.speaker
        if spoken.privately and who not in (agent, partner):
            return say("earlier.confided", who=who, name=agent, partner=partner)
        words = _fitting(_words(spoken), asked)
        told = "" if who == agent else in_third_person(words)
        if not told:
            return say("earlier.said", who=who, words=words)
        return say("earlier.told", name=agent, words=" ".join(_sentence(who, one) for one in told.split("; ")))


def best(asked: frozenset[str], named: frozenset[str], spoken: Mapping[Memory, Utterance]) -> Memory | None:
    """Return the newest of the memories that shares most with what is asked, rare words first; None if none does.

    `asked` are the key words of the question, `named` those who are named in it, `spoken` what was said in each memory.
    """
    words = {one: asked & key_words(_words(said)) for one, said in spoken.items()}
    counts = Counter(word for found in words.values() for word in found)
    by_named = {one for one in words if named & frozenset(one.people[:1])}
    telling = by_named | {one for one, found in words.items() if any(counts[word] <= RARE for word in found)}

    def fits(one: Memory) -> tuple[bool, float, int]:
        return one in by_named, sum(1 / counts[word] for word in words[one]), one.seq

    return max(telling, key=fits, default=None)


def _words(spoken: Utterance) -> str:
    return split_reason(spoken.text)[0]


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


def _is_loss(memory: Memory, spoken: Utterance, partner: str) -> bool:
    return spoken.speaker == partner and any(one.kind == LOSS for one in heard_facts(spoken, memory.seq))
