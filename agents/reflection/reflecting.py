"""The prompt of a reflection: numbered memories in, and an answer held to a schema or grammar."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.escaping import filled
from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.importance import HANDED
from agents.memory.speech import parties_of, speech_in
from agents.models.adapter import gbnf_literal
from agents.reflection.acquaintances import Acquaintances, Quote, quote_in
from vault.markdown import LINE_BREAK
from vault.memory.memory_line import DEFAULT_IMPORTANCE, Memory
from world.message_catalog import Wording

MAX_LINES = 32
MIN_LINES = 6
"""Fewer relevant memories make no reflection."""

MAX_LINE_CHARACTERS = 200
MAX_INSIGHTS = 3
MAX_CHOSEN = 6
MAX_PEOPLE = 8
MAX_INTENTS = 4
MAX_INTENTS_EACH = 2
MAX_EVIDENCE = 3
MAX_OPINION_CHARACTERS = 60
MIN_OPINION_CHARACTERS = 4

_LIVED = frozenset({"observed", "told", "acted", "result"})
TEMPLATE = ("templates", "reflection.md")
SLOTS = ("name", "lines")

_SPECIAL = str.maketrans({mark: f"\\{mark}" for mark in r".^$*+?()[]{}"} | dict.fromkeys('|"\\', " "))
_UNSPECIAL = re.compile(r"\\(.)")
_OPINION = re.compile(r"\^\((?P<first>.*?)\) \((?P<second>.*?)\) \[.*?\](?P<times>\{\d+,\d+\})\$")
CHOSEN, INSIGHTS, PEOPLE = "chosen", "insights", "people"


@dataclass(frozen=True)
class Openings:
    """The openings of opinions in the world's language: the subjects and verbs of insights and intents.

    Without them a small model writes that everybody is a curious and reliable person. `subjects` open insights on
    nobody in particular.
    """

    verbs: tuple[str, ...]
    subjects: tuple[str, ...]
    intents: tuple[str, ...]


def openings(say: Wording) -> Openings:
    """Return how opinions begin, by the lists in `text/mind.md`."""
    keys = ("insight_verbs", "insight_subjects", "intent_verbs")
    return Openings(*(tuple(one.strip() for one in say(f"mind.{key}").split(",") if one.strip()) for key in keys))


@dataclass(frozen=True)
class NumberedLine:
    """One memory as it is shown: `text` is one line; `quote` what somebody else says in it, if anybody does."""

    memory: Memory
    text: str
    quote: Quote | None

    @property
    def is_own(self) -> bool:
        """True if it only tells the agent's own words or acts."""
        return self.memory.kind in ("acted", "result")


@dataclass(frozen=True)
class ReflectionPrompt:
    """The material of a reflection: lines numbered from 1 in the order of time.

    `people` are those in the lines whose names last, most often first. `heard` are the numbers of the lines whose
    words may be kept.
    """

    name: str
    lines: tuple[NumberedLine, ...]
    openings: Openings
    people: tuple[str, ...] = ()
    heard: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(f"{number}. {line.text}" for number, line in enumerate(self.lines, 1))


def question_of(template: str, profile: str, look: ReflectionPrompt) -> str:
    """Return the question to the model."""
    return filled(template, {"name": look.name, "profile": profile, "lines": look.text})


def reflection_prompt(
    memories: Sequence[Memory], people: Acquaintances, reading: NarrationParser, say: Wording
) -> ReflectionPrompt:
    """Return the most telling of some memories, among equals the latest.

    Private lines are left out: what a model does not read it cannot tell. So are mere thoughts, dreams and look-ups.
    """
    name = people.agent
    lines = {line.text: line for memory in memories if (line := _line(memory, name, reading, say))}
    best = sorted(lines.values(), key=lambda line: (-_weight(line), -line.memory.seq))[:MAX_LINES]
    shown = tuple(sorted(best, key=lambda line: line.memory.seq))
    named = [person for line in shown for person in line.memory.people if person != name and people.is_lasting(person)]
    ranked = sorted(dict.fromkeys(named), key=lambda one: -named.count(one))[:MAX_PEOPLE]
    heard = (at for at, line in enumerate(shown, 1) if line.quote and people.has_place_for(line.quote))
    return ReflectionPrompt(name, shown, openings(say), tuple(ranked), tuple(heard))


def answer_schema(look: ReflectionPrompt) -> dict[str, Any]:
    """Return the JSON schema of an answer: no number and nobody else can be named.

    Keys are in alphabetical order, as some servers write them so: evidence before what it is evidence of.
    """
    of = look.openings
    parts = {INSIGHTS: _list(_opinion("insight", [*look.people, *of.subjects], of.verbs, look), MAX_INSIGHTS)}
    if look.people:
        most = min(MAX_INTENTS, MAX_INTENTS_EACH * len(look.people))
        parts[PEOPLE] = _list(_opinion("intent", of.intents, look.people, look), most)
    if look.heard:
        parts[CHOSEN] = _list({"enum": list(look.heard)}, MAX_CHOSEN)
    return _object({key: parts[key] for key in sorted(parts)})


def answer_grammar(look: ReflectionPrompt) -> str:
    """Return the GBNF grammar of the same answers, for a model that is held to a grammar and takes no schema."""
    return f'root ::= {_gbnf(answer_schema(look))}\nchar ::= [^"\\\\\\x00-\\x1f\\x7f]\n'


def _opinion(key: str, first: Sequence[str], second: Sequence[str], look: ReflectionPrompt) -> dict[str, Any]:
    """Return the schema of an opinion that begins with one of two lists of words each, and goes on for a few words."""
    longest = max(map(len, first)) + max(map(len, second)) + 2
    most = max(MIN_OPINION_CHARACTERS, MAX_OPINION_CHARACTERS - longest)
    begin, verb = ("|".join(one.translate(_SPECIAL) for one in words) for words in (first, second))
    words = rf'^({begin}) ({verb}) [^"\\\r\n\t]{{{MIN_OPINION_CHARACTERS},{most}}}$'
    numbers = {"enum": list(range(1, len(look.lines) + 1))}
    evidence = {"type": "array", "items": numbers, "minItems": 1, "maxItems": MAX_EVIDENCE}
    return _object({"evidence": evidence, key: {"type": "string", "pattern": words}})


def _gbnf(schema: Mapping[str, Any]) -> str:
    """Return the GBNF expression of a schema as the ones above."""
    if "enum" in schema:
        return f"({' | '.join(gbnf_literal(json.dumps(one, ensure_ascii=False)) for one in schema['enum'])})"
    match schema:
        case {"type": "object"}:
            parts = [f'"\\"{key}\\": " {_gbnf(one)}' for key, one in schema["properties"].items()]
            return '"{" ' + ' ", " '.join(parts) + ' "}"'
        case {"type": "array"}:
            item, least, most = _gbnf(schema["items"]), schema.get("minItems", 0), schema["maxItems"]
            some = f'"[" {item} (", " {item}){{0,{most - 1}}} "]"'
            return some if least else f'({some} | "[]")'
        case _:
            return f'"\\"" {_gbnf_of_pattern(schema["pattern"])} "\\""'


def _gbnf_of_pattern(pattern: str) -> str:
    """Return the GBNF expression of an opinion's pattern."""
    match = _OPINION.fullmatch(pattern)
    assert match is not None
    plain = [
        [gbnf_literal(_UNSPECIAL.sub(r"\1", one)) for one in match[group].split("|")] for group in ("first", "second")
    ]
    first, second = (" | ".join(words) for words in plain)
    return f'({first}) " " ({second}) " " char{match["times"]}'


def _list(item: Mapping[str, Any], most: int) -> dict[str, Any]:
    return {"type": "array", "items": dict(item), "maxItems": most}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _line(memory: Memory, name: str, reading: NarrationParser, say: Wording) -> NumberedLine | None:
    is_telling = memory.importance >= DEFAULT_IMPORTANCE and memory.kind in _LIVED
    is_reminder = memory.kind == "told" and not memory.people
    is_small = memory.kind == "result" and (memory.importance < HANDED or LINE_BREAK in memory.text)
    if memory.refused or not is_telling or is_reminder or is_small or parties_of(memory, name, reading):
        return None
    if memory.kind == "acted":
        speech = speech_in(memory, name, reading)
        return NumberedLine(memory, _short(say("narration.you_say", text=speech.words)), None) if speech else None
    return NumberedLine(memory, _short(memory.text), quote_in(memory, name, reading))


def _short(text: str) -> str:
    text = text.replace(LINE_BREAK, " ")
    return text if len(text) <= MAX_LINE_CHARACTERS else f"{text[: MAX_LINE_CHARACTERS - 1].rstrip()}…"


def _weight(line: NumberedLine) -> int:
    """Return how telling a line is: what others say most, what the agent itself did least."""
    return line.memory.importance + 2 * (line.quote is not None) - 3 * line.is_own
