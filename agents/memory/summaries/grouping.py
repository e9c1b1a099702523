"""What a model is given to summarise: grouped by place and company, with the daily round as counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from agents.memory.facts.narration_parser import ENGLISH, NarrationParser
from agents.memory.importance import is_routine
from agents.memory.judging.evidence import ANSWERED
from agents.memory.view import collapsed, memory_text
from vault.markdown import LINE_BREAK
from vault.memory.memory_line import Memory
from world.parsing import join_and, parse_line, split_reason

_PERSONS = [
    (re.compile(pattern), word)
    for pattern, word in {
        r"\bYou are\b": "I am",
        r"\bYou were\b": "I was",
        r"\bYou\b": "I",
        r"\byour\b": "my",
        r"\byou\b": "me",
    }.items()
]
"""How the world speaks to somebody, and how they tell of it."""

MOVED = ("narration.you_go",)


@dataclass(frozen=True)
class Group:
    """What happened at one place in the same company, in order. An empty `place` is that of a line typed by hand."""

    place: str
    people: tuple[str, ...]
    memories: tuple[Memory, ...]

    @property
    def heading(self) -> str:
        where = f"At {self.place}" if self.place else "Somewhere"
        return f"{where}, with {join_and(list(self.people))}:" if self.people else f"{where}:"


def grouped(memories: Sequence[Memory], grouping: str) -> list[Group]:
    """Return memories by place and company, or all as one group if `grouping` is `none`.

    Company is everyone who is named during a stay at a place; stays with the same company at the same place become
    one group. Groups come in the order in which they begin, and are in order themselves.
    """
    if grouping == "none":
        return [Group("", (), tuple(memories))]
    stays: dict[tuple[str, frozenset[str]], list[Memory]] = {}
    for place, stay in _stays(memories):
        people = frozenset(person for memory in stay for person in memory.people)
        stays.setdefault((place, people), []).extend(stay)
    return [Group(place, tuple(sorted(people)), tuple(told)) for (place, people), told in stays.items()]


def told(groups: Sequence[Group], name: str, width: int, reading: NarrationParser = ENGLISH) -> str:
    """Return groups as text, a line a memory of at most so many characters, each group under its heading.

    What is routine is not told but counted, in the last line of its group.
    """
    lines: list[str] = []
    for group in groups:
        lines += [group.heading] if len(groups) > 1 else []
        notable = [memory for memory in group.memories if not is_routine(memory)]
        shown = filter(None, (first_person(memory, name, reading) for memory in notable))
        lines += collapsed(_shortened(line, width) for line in shown)
        lines += [counts] if (counts := _counts(group.memories, reading)) else []
    return "\n".join(lines)


def first_person(memory: Memory, name: str, reading: NarrationParser = ENGLISH) -> str:
    """Return a memory as its owner would tell it, as far as the world's own English sentences go; else as it was.

    Empty for a command whose outcome is a memory of its own.
    """
    if memory.kind == "acted" and not memory.refused and not memory.pinned:
        return _own_deed(memory, name)
    is_event = memory.kind == "observed" and memory.people and reading.event_in(memory.text, memory.people[0])
    if is_event or (memory.kind == "result" and memory.text.startswith("You ") and LINE_BREAK not in memory.text):
        told_by_world, quote, speech = memory_text(memory, name).partition('"')
        for pattern, word in _PERSONS:
            told_by_world = pattern.sub(word, told_by_world)
        return f"{told_by_world}{quote}{speech}"
    return memory_text(memory, name)


def _own_deed(memory: Memory, name: str) -> str:
    deed, reason = split_reason(memory.text)
    line = parse_line(deed)
    if reason:
        return memory_text(memory, name)
    match line.verb:
        case "say" | "speak":
            return f'I say, "{line.arguments}"'
        case "think":
            return f"I think: {line.arguments}"
        case verb if verb in ANSWERED:
            return ""
        case _:
            return memory_text(memory, name)


def _stays(memories: Sequence[Memory]) -> Iterator[tuple[str, list[Memory]]]:
    """Yield (place, memories) for each stay; a line typed by hand belongs to where its neighbour before was."""
    place, placed = "", []
    for memory in memories:
        place = memory.room or place
        placed.append((place, memory))
    for room, stay in groupby(placed, key=lambda pair: pair[0]):
        yield room, [memory for _, memory in stay]


def _counts(memories: Sequence[Memory], reading: NarrationParser) -> str:
    routine = [memory for memory in memories if is_routine(memory)]
    moves = sum(memory.kind == "result" and reading.sentence_in(MOVED, memory.text) is not None for memory in routine)
    deeds = sum(memory.kind == "acted" for memory in routine)
    others = sum(memory.kind == "observed" for memory in routine)
    looks = max(0, deeds - moves) if deeds else len(routine) - moves - others
    counted = [_counted(moves, "move"), _counted(looks, "look")]
    went = f"went about: {', '.join(filter(None, counted))}" if moves or looks else ""
    seen = f"saw others come and go: {others}" if others else ""
    return f"[{'; '.join(filter(None, [went, seen]))}]" if went or seen else ""


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}" if count else ""


def _shortened(text: str, characters: int) -> str:
    plain = text.replace(LINE_BREAK, " ")
    return plain if len(plain) <= characters else f"{plain[:characters].rsplit(' ', 1)[0]} …"
