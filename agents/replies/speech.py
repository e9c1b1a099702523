"""Speech turns: the words that a model's answer says, and whether they are in character."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agents.choices.constraints import NO_GIFT, YES
from agents.models.adapter import without_thoughts
from agents.repetition.loop_detector import Shingles, shingles
from world.message_catalog import Wording
from world.parsing import has_phrase, is_named
from world.sanitize import clean_line

MAX_SPOKEN = 400
"""Where words that go on and on are cut, in characters; at the end of a sentence if possible."""

MAX_READ = 4000

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
    text = without_thoughts(text)[:MAX_READ].strip()
    found = _object(text)
    if found is not None:
        handed = str(found.get("you_give", NO_GIFT))
        words, reason = _spoken(str(found.get("words", "")), name, opening)
        return Speech(words, handed if handed in offered else "", reason, found.get("you_follow") == YES)
    words, reason = _spoken(text, name, opening)
    return Speech(words, reason=reason)


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
    words = words.strip(" \t`*")
    for label in (f"~{name}>", f"{name}:", f"{name} says,", f"{name} says:", f"{opening} ", "say "):
        if words.lower().startswith(label.lower()):
            words = words[len(label) :].strip()
    close = _QUOTES.get(words[:1])
    if close and words.endswith(close) and len(words) > 2:
        words = words[1:-1].strip()
    return _cut(words), _cut(reason.strip())


def _cut(words: str) -> str:
    if len(words) <= MAX_SPOKEN:
        return words
    head = words[:MAX_SPOKEN]
    end = max(head.rfind(mark) for mark in _SENTENCE_ENDS)
    return head[: end + 1] if end > 0 else head.rpartition(" ")[0] or head


SHORTEST_NARRATION = 12
"""Shorter narration, in characters, may well be spoken: Moss nods."""

SHORTEST_PART = 3
"""So many words are more than a greeting that is given back."""

_WORD = re.compile(r"[^\W_]+")

FIRST_PERSON = frozenset({"i", "i've", "i'm", "my"})
CLAIMED = 0.5
"""Who says so many of the pairs of words of what the other told, a first person among them, takes it for its own."""


@dataclass(frozen=True)
class Around:
    """Whom and what the words must not come from.

    `others` are the names of everybody else, `narration` is what the agent read that nobody said, `told` is what the
    other has told of themselves, and `heard` what they have just said.
    """

    others: Collection[str] = ()
    narration: Sequence[str] = ()
    told: Sequence[str] = ()
    heard: str = ""


def is_out_of_character(words: str, name: str, around: Around, wording: Wording) -> bool:
    """Return whether the agent called `name` would not say this. The phrases stand in `text/talk.md`."""
    if is_assistant_talk(words, wording) or narrates(words, around.narration) or claims_as_own(words, around.told):
        return True
    if is_part_of(words, around.heard):
        return True
    return swaps_persons(words, name, around.others, wording)


def is_assistant_talk(words: str, wording: Wording) -> bool:
    """Return whether words are those of an assistant."""
    return has_phrase(wording("talk.assistant_talk"), words)


def swaps_persons(words: str, name: str, others: Iterable[str], wording: Wording) -> bool:
    """Return whether the agent called `name` speaks as if it were one of the others, or to them as if they were it.

    A name between a comma and the end of a sentence calls somebody.
    """
    if re.search(rf", {re.escape(name)}\s?[.!?…]", words):
        return True
    phrases = wording("talk.takes_for_itself", name=name).split("; ")
    for other in others:
        if is_named(other, words):
            phrases += wording("talk.takes_itself_for", other=other).split("; ")
    return any(is_named(phrase, words) for phrase in phrases)


def narrates(words: str, narration: Iterable[str]) -> bool:
    """Return whether words say what the narrator told, word for word."""
    told = (text.strip().rstrip(".!…") for text in narration)
    return any(len(text) >= SHORTEST_NARRATION and text in words for text in told)


def is_part_of(words: str, heard: str) -> bool:
    """Return whether words are no more than a part of what was heard, as of somebody who says what they are told to."""
    said = _WORD.findall(words.casefold())
    return len(said) >= SHORTEST_PART and f" {' '.join(said)} " in f" {' '.join(_WORD.findall(heard.casefold()))} "


def claims_as_own(words: str, told: Iterable[str]) -> bool:
    """Return whether words tell in the first person what the other has told of themselves."""
    said = shingles(words)
    return any(_own(pairs & said) and len(pairs & said) >= CLAIMED * len(pairs) for pairs in map(shingles, told))


def _own(pairs: Shingles) -> bool:
    return any(FIRST_PERSON & set(pair) for pair in pairs)
