"""What was said earlier that has to do with a question: a small model finds it badly among many lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from agents.attending.conversation import is_question
from agents.component import AddedComponent, Moment, Section, last_heard
from agents.memory.facts.extraction import Utterance, awaits_outcome, utterance_in
from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.facts.speech_acts import classify, sentences, spans
from agents.memory.facts.store import ME
from agents.memory.view import View
from agents.reflection.speech_facts import LOSS, heard_facts, in_third_person, key_words
from vault.markdown import LINE_BREAK
from vault.memory.facts_note import PROMISES, REQUESTS
from vault.memory.memory_line import Memory
from world.entities import Character
from world.parsing import has_phrase, is_named, parse_line, split_reason
from world.sanitize import name_key
from world.world import World

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
        reading, view, world = self.owner.reading, moment.view, moment.world
        question = question_of(view, moment.partner, world, reading)
        found = remembered(question, view, moment.actor, moment.partner, world, reading)
        if question is None and last_heard(view.tail[-NEAR:], moment.partner.name) is None:
            found = message_for(moment.partner, view, world, reading)
        if found is None:
            return None
        text = self._told(*found, question or "", moment)
        return Section(self.name, text, shows=frozenset([found[0].seq]), is_aside=True)

    def _told(self, memory: Memory, spoken: Utterance, question: str, moment: Moment) -> str:
        """Return a line of the tail as the agent is reminded of it; of what others have confided only that."""
        assert moment.partner is not None
        agent, partner, say = moment.actor.name, moment.partner.name, moment.world.wording
        who = agent if memory.kind == "acted" else spoken.speaker
        if spoken.privately and who not in (agent, partner):
            return say("earlier.confided", who=who, name=agent, partner=partner)
        words = fitting(spoken, question, partner)
        if told := "" if who == agent else told_of(who, words):
            return say("earlier.told", name=agent, words=told)
        return say("earlier.said", who=who, words=words)


def question_of(view: View, partner: Character, world: World, reading: NarrationParser) -> str | None:
    """Return the question that the partner asked last, or None."""
    asked = last_heard(view.tail[-NEAR:], partner.name)
    question = utterance_in(asked, reading) if asked else None
    words = _words(question) if question else asked.text if asked else ""
    return words if is_question(words, world.wording) else None


def remembered(
    question: str | None,
    view: View,
    actor: Character,
    partner: Character,
    world: World,
    reading: NarrationParser,
) -> tuple[Memory, Utterance] | None:
    """Return the line of the tail that has most to do with a question, and what was said in it; None if none has."""
    if question is None:
        return None
    older = view.tail[-LOOKED_THROUGH:-NEAR]
    spoken = dict(_speeches(older, reading))
    found = _of_kind(question, spoken, world, partner)
    if found is None and has_phrase(world.wording("asked.asks_other"), question):
        others = (
            one
            for one in reversed(list(spoken))
            if spoken[one].speaker not in (ME, partner.name) and not spoken[one].privately
        )
        found = next(others, None)
    if found is None:
        words = key_words(question) - key_words(f"{actor.name} {partner.name}")
        speakers = {name for one in older for name in one.people[:1] if name != partner.name}
        named = frozenset(name for name in speakers if is_named(name, question))
        found = best(words, named, spoken, partner.name)
    return (found, spoken[found]) if found else None


def _of_kind(question: str, spoken: Mapping[Memory, Utterance], world: World, partner: Character) -> Memory | None:
    """Return the newest loss, promise or request that a question asks to be told again; None if it asks for none."""

    def asks(what: str) -> bool:
        return has_phrase(world.wording(f"asked.asks_{what}"), question)

    def is_meant(one: Memory, said: Utterance) -> bool:
        if one.kind == "acted":
            return asks("promise") and PROMISES in map(classify, sentences(_words(said)))
        if said.speaker != partner.name:
            return False
        if asks("loss"):
            return any(fact.kind == LOSS for fact in heard_facts(said, one.seq))
        return asks("request") and REQUESTS in map(classify, sentences(said.text))

    return next((one for one in reversed(list(spoken)) if is_meant(one, spoken[one])), None)


def message_for(
    partner: Character, view: View, world: World, reading: NarrationParser
) -> tuple[Memory, Utterance] | None:
    """Return what somebody asked the agent to tell the partner, if it has said nothing of the kind since; or None."""
    own: list[frozenset[str]] = []
    for one, said in _speeches(reversed(view.tail[-LOOKED_THROUGH:]), reading):
        if said.privately or said.speaker == partner.name:
            continue
        if one.kind == "acted":
            own.append(key_words(_words(said)))
        elif is_named(partner.name, said.text) and has_phrase(world.wording("asked.message"), said.text):
            told = key_words(said.text) - key_words(partner.name)
            return None if any(len(told & words) > 1 for words in own) else (one, said)
    return None


def secrets(view: View, partner: Character, reading: NarrationParser) -> list[Utterance]:
    """Return what others have whispered to the agent, or it to others, and not the partner."""
    found: list[Utterance] = []
    for one, said in _speeches(view.tail[-LOOKED_THROUGH:], reading):
        is_own = awaits_outcome(one)  # its own whisper, or tell
        if is_own and name_key(parse_line(one.text).arguments).startswith(name_key(partner.name)):
            continue
        if said.speaker != partner.name and (is_own or said.privately):
            found.append(replace(said, text=_words(said)))
    return found


def best(
    asked: frozenset[str], named: frozenset[str], spoken: Mapping[Memory, Utterance], asker: str = ""
) -> Memory | None:
    """Return the newest of the memories that shares most with what is asked, rare words first; None if none does.

    `asked` are the key words of the question, `named` those who are named in it, `spoken` what was said in each memory.
    Where others are named, what they said of the `asker` comes first.
    """
    words = {one: asked & key_words(_words(said)) for one, said in spoken.items()}
    counts = Counter(word for found in words.values() for word in found)
    by_named = {one for one in words if named & frozenset(one.people[:1])}
    telling = by_named | {one for one, found in words.items() if any(counts[word] <= RARE for word in found)}

    def fits(one: Memory) -> tuple[bool, bool, float, int]:
        of_asker = one in by_named and bool(asker) and is_named(asker, _words(spoken[one]))
        return one in by_named, of_asker, sum(1 / counts[word] for word in words[one]), one.seq

    return max(telling, key=fits, default=None)


def _speeches(memories: Iterable[Memory], reading: NarrationParser) -> Iterator[tuple[Memory, Utterance]]:
    """Yield the memories in which something is said, with what is said in each."""
    for one in memories:
        if LINE_BREAK not in one.text and (said := utterance_in(one, reading)):
            yield one, said


def _words(spoken: Utterance) -> str:
    return split_reason(spoken.text)[0]


def fitting(spoken: Utterance, question: str, asker: str) -> str:
    """Return the sentences of a speech that have to do with a question or name who asks; all if none has by itself."""
    words = _words(spoken)
    asked = key_words(question) - key_words(spoken.speaker) | key_words(asker)
    told = [words[start:end].strip() for start, end in spans(words)]
    return " ".join(one for one in told if key_words(one) & asked) or words


def told_of(who: str, words: str) -> str:
    """Return what somebody has said of themselves, told of them in whole sentences; empty where that is not safe."""
    told = in_third_person(words)
    return " ".join(_sentence(who, one) for one in told.split("; ")) if told else ""


def _sentence(who: str, told: str) -> str:
    """Return what `in_third_person` has told of somebody as a sentence of its own."""
    first, _, rest = told.partition(" ")
    if first == "their":
        return f"{who}'s {rest}."
    return f"{told[:1].upper()}{told[1:]}." if first in THIRD_PERSONS else f"{who} {told}."
