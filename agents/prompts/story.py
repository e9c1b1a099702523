"""What happened lately as a story that reads well: from memories back to sentences, by time and place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby

from vault.markdown import LINE_BREAK
from vault.memory.memory_line import Memory
from world.narration import format_pose, room_name
from world.parsing import parse_line
from world.world import World

TOGETHER_MS = 5_000
"""What two remember in the same words within so long a time has happened once."""


def story_of_one(world: World, memories: Iterable[Memory]) -> str:
    """Return what happened to one agent, told to itself as `you`; looks, lists and refusals are left out."""
    return _told(world, ((one, _own_sentence(world, one)) for one in memories))


def story_of_all(world: World, memories: Iterable[tuple[str, Memory]]) -> str:
    """Return what several agents remember, by their names, as one story; what only one could know is left out."""
    every = sorted(memories, key=lambda pair: (pair[1].at_ms, pair[0], pair[1].seq))
    told = ((memory, _sentence(world, who, memory)) for who, memory in every)
    return _told(world, _once(told))


def _told(world: World, sentences: Iterable[tuple[Memory, str]]) -> str:
    kept = [(memory, sentence) for memory, sentence in sentences if sentence]
    parts = []
    for heading, group in groupby(kept, key=lambda pair: _heading(world, pair[0])):
        parts.append(f"## {heading}\n\n" + "\n".join(sentence for _, sentence in group))
    return "\n\n".join(parts)


def _heading(world: World, memory: Memory) -> str:
    moment = datetime.fromtimestamp(memory.at_ms / 1000, UTC)
    return world.wording("narrative.heading", room=room_name(memory.room, world), day=f"{moment:%Y-%m-%d}")


def _own_sentence(world: World, memory: Memory) -> str:
    if memory.kind == "acted":
        line = parse_line(memory.text)
        key = {"say": "narration.you_say", "think": "narration.you_think"}.get(line.verb)
        return world.wording(key, text=line.arguments) if key else ""
    is_sentence = memory.kind in ("observed", "told", "result") and LINE_BREAK not in memory.text
    return memory.text if is_sentence and not memory.refused else ""


def _sentence(world: World, who: str, memory: Memory) -> str:
    if memory.kind == "observed":
        return memory.text if LINE_BREAK not in memory.text else ""
    line = parse_line(memory.text)
    match (memory.kind, line.verb):
        case ("acted", "say"):
            return world.wording("narration.says", who=who, text=line.arguments)
        case ("acted", "emote"):
            return format_pose(who, line.arguments)
        case _:
            return ""


def _once(told: Iterable[tuple[Memory, str]]) -> Iterator[tuple[Memory, str]]:
    last_ms: dict[str, int] = {}
    for memory, sentence in told:
        if memory.at_ms - last_ms.get(sentence, memory.at_ms - TOGETHER_MS - 1) > TOGETHER_MS:
            yield memory, sentence
        last_ms[sentence] = memory.at_ms
