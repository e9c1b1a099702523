"""Speech turns: from what a model answered to the words that are spoken."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from agents.attending.questions import asks_of_own_words, subject_of
from agents.choices.constraints import NO_GIFT, YES
from agents.memory.facts.speech_acts import uncut_sentences
from agents.models.thoughts import without_thoughts
from agents.reflection.speech_facts import asks_name, in_second_person, key_words, verb_of_you
from agents.replies.reply_text import MOST_THOUGHT
from world.parsing import has_phrase, is_named
from world.sanitize import clean_line

MAX_SPOKEN = 400
"""Where words that go on and on are cut, in characters; at the end of a sentence if possible."""

MAX_READ = 4000

_OF_TALKING = re.compile(
    r"\bI(?:['’]ve| have| did| do| can(?:not|['’]t)?)?(?: not|n['’]t)?(?: still)? (?:remember|recall|know|think|"
    r"believe|guess|say|said|tell|told|ask|asked|hear|heard|promised?|wrote|noted|did|do|am sorry)\b",
    re.IGNORECASE,
)
"""What an agent says of itself where it answers what was said."""

_YOU_ALL = {"we": "you", "We": "You", "our": "your", "Our": "Your", "us": "you", "ours": "yours"}
_WE = re.compile(rf"\b(?:{'|'.join(_YOU_ALL)})\b")
_TOLD_YOU = re.compile(r"I (told|asked|whispered to) you\b", re.IGNORECASE)
_YOU_TOLD_YOU = re.compile(r"\b(you (?:told|gave|asked|showed|promised|lent)) you\b", re.IGNORECASE)
_HAS_SAID = re.compile(r"\bI (?:said|told|asked|whispered|mentioned|called)\b", re.IGNORECASE)
_QUOTES = {'"': '"', "“": "”", "«": "»", "'": "'", "‘": "’"}
_SENTENCE_ENDS = ".!?…。！？"


@dataclass(frozen=True)
class Speech:
    """What is said, the name of what is handed over with it, and a private reason; each may be empty.

    `follows` is whether it goes along with who asked for that.
    """

    words: str
    hand_over: str = ""
    reason: str = ""
    follows: bool = False


def speech_in(text: str, name: str, opening: str, offered: Sequence[str] = ()) -> Speech:
    """Return what an answer says, free of JSON, labels and quotation marks; empty if it says nothing.

    `name` is the agent's own, `opening` how its line begins (`say`), which some models repeat; `offered` is what may be
    handed over.
    """
    text = text[:MOST_THOUGHT]
    found = _object(text.strip())  # its words may hold thoughts, which end at no line there
    if found is None:
        text = without_thoughts(text)[:MAX_READ].strip()
        found = _object(text)
    if found is not None:
        handed = str(found.get("you_give", NO_GIFT))
        said = without_thoughts(str(found.get("words", "")))[:MAX_READ].strip()
        words, reason = _spoken(said if text.endswith("}") else _whole_sentences(said), name, opening)
        return Speech(words, handed if handed in offered else "", reason, found.get("you_follow") == YES)
    words, reason = _spoken(text, name, opening)
    return Speech(words, reason=reason)


def called_rightly(words: str, name: str, partner: str) -> str:
    """Return words in which the agent called `name` calls the partner, where a model has called the agent itself.

    A name between a comma and the end of a sentence, or in front before a comma, calls somebody. The partner's name
    before a colon is a label, as in a play, and left out.
    """
    own = re.escape(name)
    words = re.sub(rf"(?<=, ){own}(?=\s?[.!?…])|^{own}(?=,)", lambda match: partner, words)
    told = re.sub(rf"^{re.escape(partner)}: (?=\w)", "", words)
    return told if told == words else told[0].upper() + told[1:]


def uncalled(words: str, partner: str) -> str:
    """Return words that do not call the partner by a name: "Guest7" is none that anybody would say."""
    called = re.escape(partner)
    told = re.sub(rf",? {called}(?=\s?(?:[.!?…,]|$))|^{called}[,!] ?", "", words)
    return told[:1].upper() + told[1:] if told else words


def to_the_point(words: str, heard: str, known: str, asked: Collection[str] = (), is_parting: bool = False) -> str:
    """Return what a small model says without the sentences that it says for the sake of saying something.

    Those are what it says back of what was just `heard` before a sentence of its own ("Knock, knock. Who's there?"),
    and a further statement without a word of what was heard, of its first sentence or of what is `known` of the matter.
    So is a further question that it has `asked` before, and any to one who takes leave (`is_parting`).
    """
    first, *others = list(uncut_sentences(words)) or [""]
    if others and key_words(first) and key_words(first) == key_words(heard) and not first.endswith("?"):
        first, *others = others
    matter = key_words(f"{first} {heard} {known}")
    before = [key_words(one) for one in asked]

    def is_to_the_point(one: str) -> bool:
        about = key_words(one)
        if one.endswith("?"):
            return not is_parting and about not in before
        return not about or bool(about & matter)

    return " ".join([first, *filter(is_to_the_point, others)])


def without_asking_name(words: str) -> str:
    """Return words without the question for a name, unless nothing would be left."""
    return " ".join(one for one in uncut_sentences(words) if not (one.endswith("?") and asks_name(one))) or words


def told_to_asker(words: str, name: str, asker: str, question: str) -> str:
    """Return an answer to a question about what was said as the agent called `name` tells it to the asker.

    A small model tells it in the asker's own words ("I sell fish") if they ask of themselves, or by their name ("Jens
    sells fish").
    """
    told = list(uncut_sentences(_YOU_TOLD_YOU.sub(r"\1 me", words)))
    if subject_of(question) == "asker":
        if _WE.search(question):  # who asks, and others than the agent
            told = [_WE.sub(lambda match: _YOU_ALL[match[0]], one) for one in told]
        told = [one if _is_of_agent(one, name, question) else _with_you(one) for one in told]
    return " ".join(_to(asker, one) for one in told)


def without_phrases(words: str, phrases: str) -> str:
    """Return words without the sentences that have one of several phrases, unless nothing would be left."""
    return " ".join(one for one in uncut_sentences(words) if not has_phrase(phrases, one)) or words


def _is_of_agent(sentence: str, name: str, question: str) -> bool:
    """Return whether the first person in a sentence is the agent that answers, not the asker."""
    is_said = asks_of_own_words(question) and _HAS_SAID.search(sentence)
    return is_named(name, sentence) or bool(_OF_TALKING.search(sentence) and not is_said)


def _with_you(sentence: str) -> str:
    if found := _TOLD_YOU.match(sentence):
        rest = sentence[found.end() :]
        told = in_second_person(rest)
        return f"You {found[1]} me{f' {told}{_end(rest)}' if told else rest}"
    told = in_second_person(sentence)
    return told[0].upper() + told[1:] + _end(sentence) if told else sentence


def _end(sentence: str) -> str:
    """Return the mark at the end of a sentence; empty if there is none."""
    return sentence[-1:] if sentence[-1:] in _SENTENCE_ENDS else ""


def _to(asker: str, sentence: str) -> str:
    """Return a sentence with the asker's name as `you`, where it tells of them."""
    other = re.escape(asker)
    sentence = re.sub(rf"^{other}['’]s\b", "Your", sentence)
    sentence = re.sub(rf"\b{other}['’]s(?=[.,!?]|$)", "yours", sentence)
    sentence = re.sub(rf"\b{other}['’]s\b", "your", sentence)
    found = re.match(rf"{other} (\w+)\b", sentence)
    return f"You {verb_of_you(found[1])}{sentence[found.end() :]}" if found else sentence


def _object(text: str) -> dict[str, Any] | None:
    """Return the JSON object of an answer, also one that was cut in its words."""
    if not text.startswith("{"):
        return None
    for end in ("", '"}', "}"):
        try:
            found = json.loads(text + end)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) else None
    return None


def _spoken(text: str, name: str, opening: str) -> tuple[str, str]:
    """Return the words of a text and the reason behind them."""
    line = next((one for one in text.split("\n") if one.strip(" \t`*-—")), "")
    words, _, reason = clean_line(line).partition(" | ")
    words = words.partition("}")[0].strip(" \t`*{")
    for label in (f"~{name}>", f"{name}:", f"{name} says,", f"{name} says:", f"{opening} ", "say "):
        if words.lower().startswith(label.lower()):
            words = words[len(label) :].strip()
    close = _QUOTES.get(words[:1])
    if close and words.endswith(close) and len(words) > 2:
        words = words[1:-1].strip()
    return _cut(_each_once(words)), _cut(reason.strip())


def _each_once(words: str) -> str:
    """Return words without the sentences that they have said already."""
    said = list(uncut_sentences(words))
    return words if len(set(said)) == len(said) else " ".join(dict.fromkeys(said))


def _cut(words: str) -> str:
    if len(words) <= MAX_SPOKEN:
        return words
    head = words[:MAX_SPOKEN]
    whole = _whole_sentences(head)
    return whole if whole != head else head.rpartition(" ")[0] or head


def _whole_sentences(words: str) -> str:
    """Return words without the sentence at their end that was cut off, if there is another before it."""
    end = max(words.rfind(mark) for mark in _SENTENCE_ENDS)
    return words[: end + 1] if end > 0 else words
