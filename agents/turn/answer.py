"""Answers: from what a model wrote to the words that are spoken and the act that it chose."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.models.thoughts import without_thoughts
from agents.offer import Act
from agents.replies.reply_text import MOST_THOUGHT
from world.parsing import split_reason
from world.sanitize import clean_line

MAX_SPOKEN = 400
"""Where words that go on and on are cut, in characters; at the end of a sentence if possible."""

MAX_READ = 4000
WORDS, ACT = "words", "you_do"

_QUOTES = {'"': '"', "“": "”", "«": "»", "»": "«", "„": "“", "‹": "›", "›": "‹", "「": "」", "『": "』"}
_SENTENCE_ENDS = ".!?…。！？"


@dataclass(frozen=True)
class Answer:
    """The answer of a model in a speech turn: its words and a private reason, each may be empty, and the act it chose.

    `act` is None where it chose none, or nothing.
    """

    words: str
    act: Act | None = None
    reason: str = ""

    @property
    def is_silent(self) -> bool:
        """True if it chose to say nothing."""
        return self.act is not None and self.act.is_silence


def answer_in(text: str, name: str, opening: str, acts: Sequence[Act] = ()) -> Answer:
    """Return what an answer says and does. `name` is the agent's own, `opening` how its line begins (`say`).

    It is JSON with words and an act, or a transcript: the line, and below it the act as the agent would type it. An act
    is found by its place among `acts`; what is none of them is nothing.
    """
    text = text[:MOST_THOUGHT]
    found = _object(text.strip())  # its words may hold thoughts, which end at no line there
    if found is None:
        text = without_thoughts(text)[:MAX_READ].strip(" ")
        found = _object(text.strip())
    if found is not None:
        said = without_thoughts(str(found.get(WORDS) or ""))[:MAX_READ].strip()
        words = said if text.rstrip().endswith("}") else _whole_sentences(said)
        return _made(words, "", _act(str(found.get(ACT) or ""), acts))
    return _of_transcript(text, name, opening, acts)


def _of_transcript(text: str, name: str, opening: str, acts: Sequence[Act]) -> Answer:
    prompt = f"~{name}>"
    lines = [one.strip().removeprefix(prompt).strip() for one in text.split("\n")]
    lines = [one for one in lines if one.strip(" \t`*-—")]
    if not lines:
        return Answer("")
    if (silence := _act(lines[0], acts)) and silence.is_silence:
        return Answer("", silence)
    words, reason = split_reason(lines[0])
    for label in (f"{name}:", f"{opening} "):
        words = words[len(label) :].strip() if words.casefold().startswith(label.casefold()) else words
    return _made(words, reason, _act(lines[1], acts) if len(lines) > 1 else None)


def _made(words: str, reason: str, act: Act | None) -> Answer:
    words = clean_line(words.replace("\n", " ")).strip()
    close = _QUOTES.get(words[:1])
    if close and words.endswith(close) and len(words) > 2 and close not in words[1:-1]:
        words = words[1:-1].strip()
    if act is not None and act.is_silence:
        words = ""
    return Answer(_cut(words), act, _cut(clean_line(reason).strip()))


def _act(label: str, acts: Sequence[Act]) -> Act | None:
    """Return the act with a label; None for the first, which is nothing, and for what is on no offer."""
    return next((one for one in acts[1:] if one.label.casefold() == label.strip().casefold()), None)


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
