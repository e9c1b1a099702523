"""Promises, requests and things to remember: taken up, replaced, kept and withdrawn as they are spoken of."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from agents.memory.commitments import is_same_matter, kind_of, matter, releases, sentences, takes_back, tells_of_keeping
from agents.memory.known import Known, minute_of
from agents.memory.numerals import NUMBER_WORDS
from vault.fact_line import PROMISES, REQUESTS, Fact
from vault.memory_line import LINE_BREAK, Memory

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_COMING = re.compile(r"\b(?:come|meet|visit|be|wait|go|return)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Spoken:
    """Something said, and by whom."""

    speaker: str
    text: str


def hear(known: Known, spoken: Spoken, memory: Memory) -> None:
    """Take in a speech, sentence by sentence."""
    for sentence in sentences(spoken.text.replace(LINE_BREAK, " ")):
        section = kind_of(sentence)
        if takes_back(sentence):
            _withdraw(known, spoken.speaker, sentence, memory)
        elif tells_of_keeping(sentence):
            for fact in _nearest(known.open(), matter(sentence)):
                known.end(fact, "kept", memory)
        elif section:
            _commit(known, Fact(section, spoken.speaker, sentence, memory.seq, memory.seq, minute_of(memory)))


def keep_appointments(known: Known, who: str, memory: Memory) -> None:
    """End the promises to come to a room, once whoever gave them comes in."""
    room = matter(memory.room)
    for fact in known.open():
        if fact.section != PROMISES or fact.subject != who:
            continue
        if _COMING.search(fact.value) and room and room <= matter(fact.value):
            known.end(fact, "kept", memory)


def keep_by_giving(known: Known, giver: str, receiver: str, thing: str, memory: Memory) -> None:
    """End the giver's promises of a thing and the receiver's requests for it, once it is handed over."""
    for fact in known.open():
        meant = fact.subject == (giver if fact.section == PROMISES else receiver)
        if meant and _speaks_of(fact.value, thing):
            known.end(fact, "kept", memory)


def _commit(known: Known, fact: Fact) -> None:
    def same(old: Fact) -> bool:
        if old.closed or (old.section, old.subject) != (fact.section, fact.subject):
            return False
        return old.key == fact.key or is_same_matter(old.value, fact.value)

    replaced = sorted(filter(same, known.facts.values()), key=lambda old: (old.since, old.key))
    if replaced and replaced[-1].key == fact.key:
        fact = replace(replaced[-1], last=fact.last, minute=fact.minute)
    elif replaced:
        fact = replace(fact, was=replaced[-1].value)
    for old in replaced:
        known.drop(old)
    known.put(fact)


def _withdraw(known: Known, speaker: str, sentence: str, memory: Memory) -> None:
    """End what a speaker takes back: its own, and what others promised it if it no longer asks or releases them."""
    words = matter(sentence)
    own = [fact for fact in known.open() if fact.subject == speaker]
    ended = _nearest(own, words) if words else own[-1:]
    released = releases(sentence) or any(fact.section == REQUESTS for fact in ended)
    about = words.union(*(matter(fact.value) for fact in ended))
    others = [fact for fact in known.open() if fact.subject != speaker and fact.section == PROMISES]
    for fact in [*ended, *(_nearest(others, about) if released else [])]:
        known.end(fact, "withdrawn", memory)


def _nearest(facts: list[Fact], words: frozenset[str]) -> list[Fact]:
    """Return those that have most of the words, none if none has any."""
    shared = [len(matter(fact.value) & words) for fact in facts]
    most = max(shared, default=0)
    return [fact for fact, count in zip(facts, shared, strict=True) if most and count == most]


def _speaks_of(sentence: str, thing: str) -> bool:
    """Return whether a sentence has a thing's noun, and no word before it that makes it another thing.

    The oak chest is not the iron chest; where in doubt, what was promised stays open.
    """
    own = thing.lower().split()
    said = ["", *_WORD.findall(sentence.lower())]
    return any(
        _singular(word) == _singular(own[-1]) and (before in own or before in NUMBER_WORDS or not matter(before))
        for before, word in pairwise(said)
    )


def _singular(word: str) -> str:
    return word.removesuffix("s")
