"""What was said earlier that has to do with a question: a small model finds it badly among many lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agents.attending.conversation import is_question
from agents.attending.questions import (
    MEASURED,
    AnswerType,
    Subject,
    answer_type,
    asking_part,
    asks_of_own_words,
    asks_of_self,
    asks_what,
    goes_back,
    is_of_type,
    is_untold,
    subject_of,
)
from agents.component import AddedComponent, Moment, Section, last_heard
from agents.components.messages import LOOKED_THROUGH, Messages
from agents.memory.facts.extraction import Utterance, speeches_in, utterance_in
from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.facts.speech_acts import classify, sentences, uncut_sentences
from agents.memory.facts.store import ME
from agents.memory.view import View
from agents.reflection.speech_facts import LOSS, heard_facts, in_third_person, key_words
from vault.memory.facts_note import PROMISES, REQUESTS
from vault.memory.memory_line import Memory
from world.entities import Character
from world.parsing import has_phrase, is_named
from world.world import World

NEAR = 3
"""Among so many of the newest memories is what is to be answered."""

WAITING = 12
"""Among so many of the newest memories are several speeches that wait for one answer."""

THIRD_PERSONS = frozenset({"he", "she", "it", "they", "his", "her", "its"})

_OF_SAME = re.compile(r"\b(?:he|she|it|its|they|his|her|him|their|them)\b", re.IGNORECASE)

SAYING = key_words("say said tell told ask asked mention call")
KNOWING = SAYING | key_words("know knew hear heard think")
"""Words that tell nothing of what was said, or known."""

RARE = 2
"""A word that so many memories have at most is enough to tell that one is meant."""

SURE = 2
"""So many words of a question about neither of the two who talk stand in what surely answers it."""


Certainty = Literal["sure", "asked", "any"]
"""What to repeat of what was said: only what surely answers; also what is related, where they ask for it; or any."""


@dataclass(frozen=True)
class Recollection:
    """A memory that has to do with a question, what was said in it, and whether that surely answers the question."""

    memory: Memory
    spoken: Utterance
    is_sure: bool = False


@dataclass(frozen=True)
class Wanted:
    """What a question asks for: its key words, who is named in it, of what type the answer is, and of whom.

    `goes_back` says that it is about what was spoken of before; `asker` and `agent` are the names of the two who talk.
    """

    words: frozenset[str]
    named: frozenset[str] = frozenset()
    asker: str = ""
    agent: str = ""
    kind: AnswerType = ""
    subject: Subject = ""
    goes_back: bool = False


class Earlier(AddedComponent):
    """Tells the one line of the tail that has most to do with the question that is to be answered.

    Where somebody asks for what they have never told, it tells that.
    """

    name = "earlier"

    def context(self, moment: Moment) -> Section | None:
        if moment.kind != "speech" or moment.partner is None:
            return None
        reading, view, world = self.owner.reading, moment.view, moment.world
        question = question_of(view, moment.partner, world, reading, moment.heard)
        if question is not None and self._is_untold(question, moment):
            text = world.wording("earlier.untold", name=moment.actor.name, partner=moment.partner.name)
            return Section(self.name, text, is_aside=True, is_unanswerable=True)
        found = remembered(question, view, moment.actor, moment.partner, world, reading)
        if question is None and last_heard(view.tail[-NEAR:], moment.partner.name) is None:
            message = Messages(view, world, reading, self.owner.names_of).for_one(moment.partner)
            found = Recollection(*message) if message else None
        if found is None:
            return None
        text = self._told(found, question or "", moment)
        return Section(self.name, text, shows=frozenset([found.memory.seq]), is_aside=True)

    def _is_untold(self, question: str, moment: Moment) -> bool:
        """Return whether somebody asks for a thing of theirs that they never spoke of, or a value that they never told.

        Values are numbers, colours and times. Of one's work one may have spoken without the word.
        """
        kind = answer_type(question)
        if kind == "work" and self._has_told(kind, moment):
            return False
        is_measured = kind in MEASURED and asks_of_self(question)
        return is_untold(question, self._known(moment)) or (is_measured and not self._has_told(kind, moment))

    def _has_told(self, kind: AnswerType, moment: Moment) -> bool:
        """Return whether the partner has told anything of a type."""
        assert moment.partner is not None
        name = moment.partner.name
        told = [one for one in moment.told.split("\n") if is_named(name, one)]
        older = _before_question(moment.view, moment.partner, self.owner.reading, moment.heard)
        said = speeches_in(older, self.owner.reading)
        told += [one for _, spoken in said if spoken.speaker == name for one in sentences(spoken.text)]
        return any(is_of_type(kind, one) and not one.endswith("?") for one in told)

    def _known(self, moment: Moment) -> frozenset[str]:
        """Return the key words of all in the prompt, but for the question and what is newer."""
        assert moment.partner is not None
        older = _before_question(moment.view, moment.partner, self.owner.reading, moment.heard)
        return frozenset().union(key_words(moment.told), *(key_words(one.text) for one in older))

    def _told(self, found: Recollection, question: str, moment: Moment) -> str:
        """Return a line of the tail as the agent is reminded of it; of what others have confided only that."""
        assert moment.partner is not None
        agent, partner, say = moment.actor.name, moment.partner.name, moment.world.wording
        spoken = found.spoken
        who = agent if found.memory.kind == "acted" else spoken.speaker
        if spoken.privately and who not in (agent, partner):
            return say("earlier.confided", who=who, name=agent, partner=partner)
        if spoken.privately and len(moment.company) > 1:
            return ""  # others would hear it
        words = fitting(spoken, question, partner)
        if told := "" if who == agent else told_of(who, words):
            return say("earlier.told", name=agent, words=told)
        return say("earlier.said", who=who, words=words)


def _before_question(view: View, partner: Character, reading: NarrationParser, heard: str) -> Sequence[Memory]:
    """Return the newest memories up to the partner's words that wait for an answer, or else to their last words."""
    lines, tail = heard.split("\n"), view.tail[-LOOKED_THROUGH:]
    said = {one: words for one in tail[-WAITING:] if (words := _words_by(partner, one, reading)) in lines}
    newest = {words: one for one, words in said.items()}  # they may have asked the same before
    asked = min(newest.values(), key=lambda one: one.seq, default=last_heard(view.tail[-NEAR:], partner.name))
    return [one for one in tail if asked is None or one.seq < asked.seq]


def _words_by(partner: Character, memory: Memory, reading: NarrationParser) -> str | None:
    """Return what the partner says in a memory; None if they say nothing in it."""
    said = utterance_in(memory, reading) if memory.people[:1] == (partner.name,) else None
    return said.words if said else None


def question_of(view: View, partner: Character, world: World, reading: NarrationParser, heard: str = "") -> str | None:
    """Return the words of the partner that are to be answered, if they ask; or None.

    They are `heard`, or without such the last that are in the view.
    """
    words = heard
    if not words and (asked := last_heard(view.tail[-NEAR:], partner.name)):
        said = utterance_in(asked, reading)
        words = said.words if said else asked.text
    return words if is_question(words, world.wording) else None


def remembered(
    question: str | None,
    view: View,
    actor: Character,
    partner: Character,
    world: World,
    reading: NarrationParser,
) -> Recollection | None:
    """Return the line of the tail that has most to do with a question; None if none has."""
    if question is None:
        return None
    older = _before_question(view, partner, reading, question)
    speeches = speeches_in(older, reading)
    spoken = {one: said for one, said in speeches if said.speaker != partner.name or not _only_asks(said, world)}
    found = _of_kind(question, spoken, world, partner)
    if found is None and has_phrase(world.wording("asked.asks_other"), question):
        others = [
            one
            for one in reversed(list(spoken))
            if spoken[one].speaker not in (ME, partner.name) and not spoken[one].privately
        ]
        typed = (one for one in others if is_of_type(answer_type(question), spoken[one].text))
        found = next(typed, others[0] if others else None)
    if found is not None:
        return Recollection(found, spoken[found], is_sure=True)
    speakers = {name for one in older for name in one.people[:1] if name != partner.name}
    wanted = Wanted(
        _asked_words(question) - key_words(f"{actor.name} {partner.name}"),
        frozenset(name for name in speakers if is_named(name, question)),
        partner.name,
        actor.name,
        answer_type(question),
        subject_of(question),
        goes_back(question),
    )
    found = best(wanted, spoken) or _by_type(wanted, spoken)
    return Recollection(found, spoken[found], _is_sure(question, wanted, spoken[found])) if found else None


def _of_kind(question: str, spoken: Mapping[Memory, Utterance], world: World, partner: Character) -> Memory | None:
    """Return the newest loss, promise, request or whisper that a question asks to be told again; None if none."""

    def asks(what: str) -> bool:
        return has_phrase(world.wording(f"asked.asks_{what}"), question)

    def is_meant(one: Memory, said: Utterance) -> bool:
        if one.kind == "acted":
            return asks("promise") and PROMISES in map(classify, sentences(said.words))
        if said.speaker != partner.name:
            return False
        if asks("whispered"):
            return said.privately
        if asks("loss"):
            return any(fact.kind == LOSS for fact in heard_facts(said, one.seq))
        return asks("request") and REQUESTS in map(classify, sentences(said.text))

    return next((one for one in reversed(list(spoken)) if is_meant(one, spoken[one])), None)


def source_of(question: str, view: View, partner: Character, reading: NarrationParser) -> str:
    """Return who has told the agent what it has said last, or what a question names; empty if nobody, or in a whisper.

    That answers "How do you know?".
    """
    speeches = speeches_in(_before_question(view, partner, reading, question), reading)
    said = [words for _, words in speeches]
    own = next((one.words for one in reversed(said) if one.speaker == ME), "")
    wanted = (key_words(own) | _asked_words(question)) - KNOWING
    others = (one for one in reversed(said) if one.speaker not in (ME, partner.name) and not one.privately)
    return next((one.speaker for one in others if wanted & key_words(one.words)), "")


def _asked_words(question: str) -> frozenset[str]:
    """Return the key words of what is asked; where that points to what was said before it, of all the words.

    That somebody has told or asked something says nothing of what it was.
    """
    asked = asking_part(question)
    every = key_words(question)
    return ((every if goes_back(asked) else key_words(asked)) - SAYING) or every - SAYING or every


def best(wanted: Wanted, spoken: Mapping[Memory, Utterance]) -> Memory | None:
    """Return the newest of the memories that shares most with what is asked, rare words first; None if none does.

    Where others are named, what they said of the asker comes first; else what holds an answer of the type that is
    asked for. Who asks of themselves means their own words.
    """
    by_named = {one for one in spoken if wanted.named & frozenset(one.people[:1])}
    is_own = wanted.subject == "asker"
    meant = {one for one, said in spoken.items() if one in by_named or not is_own or said.speaker == wanted.asker}
    words = {one: wanted.words & key_words(said.words) for one, said in spoken.items() if one in meant}
    counts = Counter(word for found in words.values() for word in found)
    gone_on = _gone_on(words, spoken)
    typed = {one for one, found in words.items() if found | gone_on[one] and _answers(wanted, spoken[one])}
    rare = {one for one, found in words.items() if any(counts[word] <= RARE for word in found)}

    def fits(one: Memory) -> tuple[bool, bool, bool, bool, float, int]:
        of_asker = one in by_named and bool(wanted.asker) and is_named(wanted.asker, spoken[one].words)
        is_heard = wanted.subject == "asked" or one.kind != "acted"  # not what the agent itself has told again
        shared = sum(1 / counts[word] for word in words[one]) + sum(0.5 / counts[word] for word in gone_on[one])
        return one in by_named, of_asker, one in typed, is_heard, shared, one.seq

    return max(by_named | typed | rare, key=fits, default=None)


def _gone_on(
    words: Mapping[Memory, frozenset[str]], spoken: Mapping[Memory, Utterance]
) -> dict[Memory, frozenset[str]]:
    """Return of each speech the words of those before it that it goes on about: "My cat hates it." "He is eight."."""
    found: dict[Memory, frozenset[str]] = {}
    last: dict[str, frozenset[str]] = {}
    for one, own in words.items():
        said = spoken[one]
        is_of_same = bool(_OF_SAME.search(said.words))
        found[one] = last.get(said.speaker, frozenset()) - own if is_of_same else frozenset()
        last[said.speaker] = own | found[one]
    return found


def _by_type(wanted: Wanted, spoken: Mapping[Memory, Utterance]) -> Memory | None:
    """Return in which of their speeches somebody has told what they ask for, where no word of the question tells it.

    What one does for a living is told at first, anything else may have been put right since.
    """
    told = (one for one, said in spoken.items() if said.speaker == wanted.asker and _answers(wanted, said))
    if wanted.kind == "work" and wanted.subject == "asker":
        return next(told, None)
    return max(told, key=lambda one: one.seq, default=None) if wanted.goes_back else None


def _answers(wanted: Wanted, said: Utterance) -> bool:
    """Return whether a speech holds an answer of the wanted type, by who may give it."""
    if wanted.subject == "asker" and said.speaker != wanted.asker:
        return False
    told = (one for one in sentences(said.words) if not one.endswith("?"))
    return any(is_of_type(wanted.kind, one.replace(wanted.asker, "").replace(wanted.agent, "")) for one in told)


def _is_sure(question: str, wanted: Wanted, said: Utterance) -> bool:
    """Return whether a speech surely answers a question, or tells the topic that somebody asks to be told again."""
    asks_whether = wanted.goes_back and not asks_what(question)
    asks_all = asks_of_own_words(question) and not wanted.kind
    if (asks_whether or asks_all) and _is_topic(wanted, said):
        return True
    if not _answers(wanted, said):
        return False
    shared = len(wanted.words & key_words(said.words))
    is_own = said.speaker == wanted.asker and (wanted.subject == "asker" or (wanted.goes_back and shared > 0))
    return is_own or (wanted.subject == "" and (shared >= SURE or said.speaker in wanted.named))


def _is_topic(wanted: Wanted, said: Utterance) -> bool:
    """Return whether somebody has spoken of what they ask to be told again: "Do you remember my clock?"."""
    is_own = wanted.subject == "asker" and said.speaker == wanted.asker
    return is_own and bool(wanted.words & key_words(said.words))


def _only_asks(spoken: Utterance, world: World) -> bool:
    """Return whether a speech is one question, in which nothing is told."""
    words = spoken.words
    return len(list(sentences(words))) == 1 and is_question(words, world.wording)


def fitting(spoken: Utterance, question: str, asker: str) -> str:
    """Return the sentences of a speech that answer a question, or else have to do with it or name who asks.

    All of them if none has by itself.
    """
    words, kind = spoken.words, answer_type(question)
    asked = _asked_words(question) - key_words(spoken.speaker)
    told = list(uncut_sentences(words))
    fits = [one for one in told if is_of_type(kind, one.replace(spoken.speaker, "")) and not one.endswith("?")]
    fits = fits or [one for one in told if key_words(one) & (asked | key_words(asker))]
    return " ".join(fits) or words


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
