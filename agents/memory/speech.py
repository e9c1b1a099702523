"""Speech in a memory: who spoke, the words, and who may know of them."""

from __future__ import annotations

from dataclasses import dataclass

from agents.memory.facts.extraction import utterance_in
from agents.memory.facts.narration_parser import ENGLISH, NarrationParser
from agents.memory.facts.store import ME
from vault.markdown import LINE_BREAK
from vault.memory.memory_line import Memory
from world.parsing import parse_line, split_reason

SPOKEN = frozenset({"said", "whispered", "told"})
"""The events of a memory, as its line has them, in which somebody speaks."""

_PRIVATE_VERBS = frozenset({"whisper", "tell", "page", "reply"})


@dataclass(frozen=True)
class Speech:
    """The words that `speaker` said, in one line. `parties` know of them; empty for what all may know."""

    speaker: str
    words: str
    parties: tuple[str, ...] = ()


def speech_in(memory: Memory, agent: str, reading: NarrationParser = ENGLISH) -> Speech | None:
    """Return the speech in a memory of `agent`; None if nothing was said.

    The typed fields of the line say who spoke. Lines from before there were fields are read through the world's own
    sentences, and so are the words. A sentence that is worded otherwise by now is quoted whole.
    """
    uttered = utterance_in(memory, reading)
    is_typed = memory.event in SPOKEN
    if uttered is None and not is_typed:
        return None
    heard = uttered.speaker if uttered and uttered.speaker != ME else agent
    words = split_reason(uttered.text)[0] if uttered and uttered.speaker == ME else uttered.text if uttered else ""
    speaker = memory.by or (agent if is_typed else heard)
    return Speech(speaker, (words or memory.text).replace(LINE_BREAK, " "), parties_of(memory, agent, reading))


def parties_of(memory: Memory, agent: str, reading: NarrationParser = ENGLISH) -> tuple[str, ...]:
    """Return those who know of a private memory of `agent`; empty for what all may know."""
    if memory.parties or memory.event:
        return memory.parties
    if memory.kind == "acted":
        line = parse_line(memory.text)
        other = () if line.verb == "reply" else (line.arguments.partition(" ")[0],)
        return (agent, *other) if line.verb in _PRIVATE_VERBS else ()
    is_told = memory.kind == "told" and bool(memory.people)
    uttered = utterance_in(memory, reading) if memory.people and not is_told else None
    return (memory.people[0], agent) if is_told or (uttered and uttered.privately) else ()
