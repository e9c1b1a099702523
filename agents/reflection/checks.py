"""Checks of a reflection: every item needs evidence that supports it, and quotes only what was said.

Every rule is on words and numbers, in any language. They filter; none proves that something is so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from agents.memory.judging.entities import names
from agents.reflection.acquaintances import AS_TOLD_BY, LIFE, Dropped
from agents.reflection.reflecting import (
    FACTS,
    INSIGHTS,
    MAX_EVIDENCE,
    MAX_FACTS,
    MAX_INTENTS,
    MAX_INTENTS_EACH,
    MAX_OPINION_CHARACTERS,
    PEOPLE,
    NumberedLine,
    ReflectionPrompt,
)
from agents.reflection.reflecting import MAX_INSIGHTS as MAX_INSIGHTS_A_LOOK
from agents.reflection.speech_facts import (
    KINDS,
    NAME,
    OTHER,
    SpeechFact,
    key_words,
    kind_of,
    unknown_names,
    whole_sentences,
)
from vault.markdown import LINE_BREAK
from vault.memory.bullet_note import Statement
from world.parsing import collapse_whitespace
from world.sanitize import clean_line

_QUOTES = " \"'“”«»"
MAX_CHARACTERS = 1000
MIN_SHARED = 0.5
"""The share of an opinion's key words that the cited memories need to contain."""

_ADDRESSES = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)


class NotReadable(Exception):
    """An answer is not JSON of the form that was asked for."""


@dataclass
class Findings:
    """The checked findings of an answer: facts, insights and intents (by person), and what was dropped."""

    facts: list[SpeechFact] = field(default_factory=list)
    insights: list[Statement] = field(default_factory=list)
    intents: dict[str, list[Statement]] = field(default_factory=dict)
    dropped: list[Dropped] = field(default_factory=list)


class _Drop(Exception):
    """The reason why one item does not count."""


def findings_of(answer: str, look: ReflectionPrompt) -> Findings:
    """Return the items of an answer that count. An answer that was cut off counts up to its last whole item.

    Raises: NotReadable if it is no JSON object.
    """
    try:
        parts = json.loads(answer)
    except (ValueError, RecursionError) as error:
        parts = _whole_part(answer)
        if parts is None:
            raise NotReadable(
                f"The answer is no valid JSON: {collapse_whitespace(clean_line(answer[:400]))[:80]!r}."
            ) from error
    if not isinstance(parts, dict):
        raise NotReadable("The answer is no JSON object.")
    found = Findings()
    for item in _items(parts, FACTS, MAX_FACTS):
        _take(found, item, "quote", lambda item: found.facts.append(_fact(item, look)))
    for item in _items(parts, INSIGHTS, MAX_INSIGHTS_A_LOOK):
        _take(found, item, "insight", lambda item: found.insights.append(_insight(item, look, found)))
    for item in _items(parts, PEOPLE, MAX_INTENTS):
        _take(found, item, "intent", lambda item: _add_intent(found, item, look))
    return found


def _whole_part(answer: str) -> object:
    """Return an answer that was cut off without its last item; None if that is no JSON either."""
    try:
        return json.loads(f"{answer[: answer.rfind('}') + 1]}]}}")
    except (ValueError, RecursionError):
        return None


def _items(parts: Mapping[str, Any], key: str, most: int) -> list[Mapping[str, Any]]:
    items = parts.get(key)
    found: list[Mapping[str, Any]] = (
        [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    )
    return found[:most]


def _take(found: Findings, item: Mapping[str, Any], key: str, take: Callable[[Mapping[str, Any]], None]) -> None:
    try:
        take(item)
    except _Drop as drop:
        words = _clean(item.get(key))[:MAX_OPINION_CHARACTERS]
        found.dropped.append(Dropped(_clean(item.get("who"))[:MAX_OPINION_CHARACTERS], words, str(drop)))


def _fact(item: Mapping[str, Any], look: ReflectionPrompt) -> SpeechFact:
    """Return a fact in the words of the memory that it cites. Raises: _Drop."""
    line = _cited(look, [item.get("from")])[0]
    spoken, kind, quote = line.spoken, item.get("type"), item.get("quote")
    if spoken is None or spoken.speaker not in look.people:
        raise _Drop("nobody else speaks in the memory that it cites")
    if kind not in KINDS or not isinstance(quote, str):
        raise _Drop(f"it is of no known kind: {_clean(kind)}")
    said = spoken.text.replace(LINE_BREAK, " ")
    try:
        sentences = whole_sentences(said, quote.strip(_QUOTES))
    except ValueError:
        raise _Drop("its words do not stand in the memory that it cites") from None
    if sentences.rstrip(_QUOTES).endswith(("?", "？")):
        raise _Drop("it is a question")
    if not key_words(sentences):
        raise _Drop("it says nothing")
    memory, who = line.memory, item.get("who")
    is_hearsay = who in look.people and who != spoken.speaker and key_words(str(who)) <= key_words(sentences)
    about = str(who) if is_hearsay else spoken.speaker
    kind = kind_of(sentences, spoken.speaker) or str(kind)
    if kind == NAME and not any(_is_inside(name, sentences) for name in names(sentences)):
        kind = OTHER
    return SpeechFact(about, kind, sentences, memory.seq, spoken.speaker, spoken.privately, memory.day)


def _insight(item: Mapping[str, Any], look: ReflectionPrompt, found: Findings) -> Statement:
    of = look.openings
    subject, _, rest = _opened(item.get("insight"), [*look.people, *of.subjects], of.verbs)
    return _opinion(item, "insight", subject if subject in look.people else LIFE, rest, look, found)


def _add_intent(found: Findings, item: Mapping[str, Any], look: ReflectionPrompt) -> None:
    _, person, rest = _opened(item.get("intent"), look.openings.intents, look.people)
    intents = found.intents.setdefault(person, [])
    if len(intents) < MAX_INTENTS_EACH:
        intents.append(_opinion(item, "intent", person, rest, look, found))


def _opened(text: object, first: Sequence[str], second: Sequence[str]) -> tuple[str, str, str]:
    """Return with which of each list of words a text begins, and the rest of it. Raises: _Drop."""
    words = _clean(text)
    for one, other in product(sorted(first, key=len, reverse=True), sorted(second, key=len, reverse=True)):
        if words.startswith(f"{one} {other} "):
            return one, other, words.removeprefix(f"{one} {other} ")
    raise _Drop("it does not begin as it was asked to")


def _opinion(
    item: Mapping[str, Any], key: str, about: str, rest: str, look: ReflectionPrompt, found: Findings
) -> Statement:
    """Return an opinion with the memories that bear it out; `rest` is what the model found. Raises: _Drop."""
    words, cited = _clean(item.get(key)), _cited(look, item.get("evidence"))
    if len(words) > MAX_OPINION_CHARACTERS:
        raise _Drop(f"it has more than {MAX_OPINION_CHARACTERS} characters")
    if _ADDRESSES.search(rest):
        raise _Drop("it speaks to a reader")
    if all(line.is_own for line in cited):
        raise _Drop("it cites only what the agent itself has said or done")
    support = _support(cited)
    if about != LIFE and not key_words(about) <= key_words(support):
        raise _Drop(f"no memory that it cites has {about} in it")
    if unknown := unknown_names(f"who {rest}", support, [look.name]):
        raise _Drop(f"no memory that it cites names {unknown[0]}")
    borne_out, said = key_words(support), key_words(rest) - key_words(f"{look.name} {about if about != LIFE else ''}")
    own = said | (key_words(words.removesuffix(rest)) & borne_out - key_words(about))
    if not said or len(own & borne_out) < MIN_SHARED * len(own):
        raise _Drop("its words do not stand in the memories that it cites")
    if any(words.casefold() == other.words.casefold() for other in _opinions(found)):
        raise _Drop("it says the same as another")
    evidence = tuple(line.memory.seq for line in cited)
    return Statement(words, about, _hearsay(cited), evidence, cited[0].memory.day)


def _clean(value: object) -> str:
    return collapse_whitespace(clean_line(value[:MAX_CHARACTERS])).strip(_QUOTES) if isinstance(value, str) else ""


def _is_inside(name: str, sentence: str) -> bool:
    """Return whether a name is in a sentence and does not begin it."""
    return not sentence.startswith(name)


def _opinions(found: Findings) -> Iterable[Statement]:
    yield from found.insights
    for opinions in found.intents.values():
        yield from opinions


def _cited(look: ReflectionPrompt, numbers: object) -> list[NumberedLine]:
    """Return the lines of some numbers. Raises: _Drop if there are none, or one that was not shown."""
    found = numbers if isinstance(numbers, list) else []
    if not found or any(type(one) is not int or not 1 <= one <= len(look.lines) for one in found):
        raise _Drop("it cites a memory that was not shown")
    return [look.lines[number - 1] for number in dict.fromkeys(found)][:MAX_EVIDENCE]


def _support(cited: Sequence[NumberedLine]) -> str:
    return " ".join(f"{' '.join(line.memory.people)} {line.memory.room} {line.text}" for line in cited)


def _hearsay(cited: Sequence[NumberedLine]) -> tuple[str, ...]:
    """Return that somebody said so, if all that an opinion rests on are one speaker's words."""
    others = [line for line in cited if not line.is_own]
    speakers = {line.spoken.speaker if line.spoken else "" for line in others}
    return (f"{AS_TOLD_BY}{speakers.pop()}",) if len(speakers) == 1 and "" not in speakers else ()
