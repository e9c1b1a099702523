"""Promises, requests, confidences, things to remember: taken up, replaced, kept and withdrawn as they are spoken of."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from agents.memory.english import NUMBER_WORDS
from agents.memory.knowing.commitments import (
    LONGEST_SENTENCE,
    is_bare_reminder,
    is_same_matter,
    kind_of,
    matter,
    releases,
    spans,
    takes_back,
    tells_of_keeping,
    wants_forgotten,
)
from agents.memory.knowing.confided import is_confidence, replaces, told_pieces
from agents.memory.knowing.known import ME, Known, minute_of
from vault.markdown import LINE_BREAK
from vault.memory.facts_note import CONFIDED, LESSONS, PROMISES, REQUESTS, TOLD, Fact
from vault.memory.memory_line import Memory

MAX_SENTENCES = 40
"""Of one speech at most so many sentences begin or settle something: each is held against all that is known."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_COMING = re.compile(r"\b(?:come|meet|visit|be|wait|go|return)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Spoken:
    """Something said, and by whom; `privately` if it was whispered to the agent."""

    speaker: str
    text: str
    privately: bool = False


def hear(known: Known, spoken: Spoken, memory: Memory) -> None:
    """Take in the first sentences of a speech; then what is left of it, if it was told in confidence or to be kept."""
    text = spoken.text.replace(LINE_BREAK, " ")
    spent, section = set[int](), CONFIDED if spoken.privately or is_confidence(text) else ""
    for start, end in islice(spans(text), MAX_SENTENCES):
        sentence = text[start:end][:LONGEST_SENTENCE]
        if is_bare_reminder(sentence):
            section = LESSONS
        elif _counts(known, spoken.speaker, sentence, memory):
            spent.add(start)
    if section and spoken.speaker != ME:
        for piece in told_pieces(text, spent):
            _commit(known, _said(section, spoken.speaker, piece, memory))


def _counts(known: Known, speaker: str, sentence: str, memory: Memory) -> bool:
    """Take in a sentence that settles or begins something; return whether it did."""
    if takes_back(sentence):
        return _withdraw(known, speaker, sentence, memory)
    if tells_of_keeping(sentence):
        kept = _nearest(known.open(), matter(sentence))
        for fact in kept:
            known.end(fact, "kept", memory)
        return bool(kept)
    if section := kind_of(sentence):
        _commit(known, _said(section, speaker, sentence, memory))
    return bool(section)


def _said(section: str, speaker: str, words: str, memory: Memory) -> Fact:
    return Fact(section, speaker, words, memory.seq, memory.seq, minute_of(memory))


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
    """Take in what was said in the place of what it says anew; what was to be kept in mind stays so."""
    anew = (old for old in known.facts.values() if _is_anew(fact, old))
    replaced = sorted(anew, key=lambda old: (old.since, old.key))
    if fact.section == CONFIDED and any(old.section == LESSONS for old in replaced):
        fact = replace(fact, section=LESSONS)
    if replaced and replaced[-1].key == fact.key:
        fact = replace(replaced[-1], last=fact.last, minute=fact.minute)
    elif replaced and replaced[-1].value != fact.value:
        fact = replace(fact, was=replaced[-1].value)
    for old in replaced:
        known.drop(old)
    known.put(fact)


def _is_anew(fact: Fact, old: Fact) -> bool:
    if old.closed or old.subject != fact.subject:
        return False
    if CONFIDED in (fact.section, old.section) and {fact.section, old.section} <= set(TOLD):
        return old.value.casefold() == fact.value.casefold() or replaces(fact.value, old.value)
    return old.section == fact.section and (old.key == fact.key or is_same_matter(old.value, fact.value))


def _withdraw(known: Known, speaker: str, sentence: str, memory: Memory) -> bool:
    """End what a speaker takes back: its own, and what others promised it if it no longer asks or releases them.

    What it told and takes back is no longer known. Return whether there was anything.
    """
    words = matter(sentence)
    own = [fact for fact in known.open() if fact.subject == speaker]
    ended = _nearest(own, words) if words else own[-1:]
    released = releases(sentence) or any(fact.section == REQUESTS for fact in ended)
    about = words.union(*(matter(fact.value) for fact in ended))
    others = [fact for fact in known.open() if fact.subject != speaker and fact.section == PROMISES]
    ended += _nearest(others, about) if released else []
    for fact in ended:
        known.end(fact, "withdrawn", memory)
    untold = _untold(known, speaker, sentence) if not ended else []
    for fact in untold:
        known.drop(fact)
    return bool(ended or untold)


def _untold(known: Known, speaker: str, sentence: str) -> list[Fact]:
    """Return what a speaker has told and wants forgotten."""
    told = [fact for fact in known.facts.values() if fact.section in TOLD and fact.subject == speaker and fact.last]
    return _nearest(told, matter(sentence)) if wants_forgotten(sentence) else []


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
