"""Checks of a reflection that need no language: its form, the numbers that it cites, and what it copies.

They filter; none proves that something is so. A quote is the memory's own text, whatever the model writes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from agents.reflection.acquaintances import Quote
from agents.reflection.opinions import AS_TOLD_BY, LIFE, Dropped
from agents.reflection.reflecting import (
    CHOSEN,
    INSIGHTS,
    MAX_CHOSEN,
    MAX_EVIDENCE,
    MAX_INSIGHTS,
    MAX_INTENTS,
    MAX_INTENTS_EACH,
    MAX_OPINION_CHARACTERS,
    PEOPLE,
    NumberedLine,
    ReflectionPrompt,
)
from vault.memory.bullet_note import Statement
from world.parsing import collapse_whitespace, is_named
from world.sanitize import clean_line

_QUOTES = " \"'“”«»"
MAX_CHARACTERS = 1000


class NotReadable(Exception):
    """An answer is not JSON of the form that was asked for."""


@dataclass
class Findings:
    """The checked findings of an answer: quotes, insights and intents (by person), and what was dropped."""

    quotes: list[Quote] = field(default_factory=list)
    insights: list[Statement] = field(default_factory=list)
    intents: dict[str, list[Statement]] = field(default_factory=dict)
    dropped: list[Dropped] = field(default_factory=list)


class _Drop(Exception):
    """The reason why one item does not count."""


def findings_of(answer: str, look: ReflectionPrompt, asked: str = "") -> Findings:
    """Return the items of an answer that count. An answer that was cut off counts up to its last whole item.

    `asked` is the question without its lines. Raises: NotReadable if the answer is no JSON object.
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
    found = Findings(_quotes(parts.get(CHOSEN), look))
    for item in _items(parts, INSIGHTS, MAX_INSIGHTS):
        _take(found, item, "insight", lambda item: found.insights.append(_insight(item, look, found, asked)))
    for item in _items(parts, PEOPLE, MAX_INTENTS):
        _take(found, item, "intent", lambda item: _add_intent(found, item, look, asked))
    return found


def _quotes(numbers: object, look: ReflectionPrompt) -> list[Quote]:
    """Return the quotes of the chosen lines, oldest first; a number that was not offered chooses nothing."""
    chosen = [one for one in numbers if type(one) is int and one in look.heard] if isinstance(numbers, list) else []
    lines = (look.lines[number - 1] for number in sorted(list(dict.fromkeys(chosen))[:MAX_CHOSEN]))
    return [line.quote for line in lines if line.quote]


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
        found.dropped.append(Dropped("", _clean(item.get(key))[:MAX_OPINION_CHARACTERS], str(drop)))


def _insight(item: Mapping[str, Any], look: ReflectionPrompt, found: Findings, asked: str) -> Statement:
    of = look.openings
    subject, _ = _opened(item.get("insight"), [*look.people, *of.subjects], of.verbs)
    return _opinion(item, "insight", subject if subject in look.people else LIFE, look, found, asked)


def _add_intent(found: Findings, item: Mapping[str, Any], look: ReflectionPrompt, asked: str) -> None:
    _, person = _opened(item.get("intent"), look.openings.intents, look.people)
    intents = found.intents.setdefault(person, [])
    if len(intents) < MAX_INTENTS_EACH:
        intents.append(_opinion(item, "intent", person, look, found, asked))


def _opened(text: object, first: Sequence[str], second: Sequence[str]) -> tuple[str, str]:
    """Return with which of each list of words a text begins. Raises: _Drop."""
    words = _clean(text)
    for one, other in product(sorted(first, key=len, reverse=True), sorted(second, key=len, reverse=True)):
        if words.startswith(f"{one} {other} "):
            return one, other
    raise _Drop("it does not begin as it was asked to")


def _opinion(
    item: Mapping[str, Any], key: str, about: str, look: ReflectionPrompt, found: Findings, asked: str
) -> Statement:
    """Return an opinion with the memories that it rests on. Raises: _Drop."""
    words, cited = _clean(item.get(key)), _cited(look, item.get("evidence"))
    if len(words) > MAX_OPINION_CHARACTERS:
        raise _Drop(f"it has more than {MAX_OPINION_CHARACTERS} characters")
    if all(line.is_own for line in cited):
        raise _Drop("it cites only what the agent itself has said or done")
    if about != LIFE and not any(about in line.memory.people or is_named(about, line.text) for line in cited):
        raise _Drop(f"no memory that it cites has {about} in it")
    if words.casefold() in asked.casefold():
        raise _Drop("it copies the question")
    if any(words.casefold() == other.words.casefold() for other in _opinions(found)):
        raise _Drop("it says the same as another")
    evidence = tuple(line.memory.seq for line in cited)
    return Statement(words, about, _hearsay(cited), evidence, cited[0].memory.day)


def _clean(value: object) -> str:
    return collapse_whitespace(clean_line(value[:MAX_CHARACTERS])).strip(_QUOTES) if isinstance(value, str) else ""


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


def _hearsay(cited: Sequence[NumberedLine]) -> tuple[str, ...]:
    """Return that somebody said so, if all that an opinion rests on are one speaker's words."""
    others = [line for line in cited if not line.is_own]
    speakers = {line.quote.speaker if line.quote else "" for line in others}
    return (f"{AS_TOLD_BY}{speakers.pop()}",) if len(speakers) == 1 and "" not in speakers else ()
