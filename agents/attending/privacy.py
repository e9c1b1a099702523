"""Privacy: who knows of a private line, and what stands in its place wherever others might hear of it.

Secrets are withheld, not guarded: what a model does not read it cannot tell, and nothing is compared afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import lru_cache

from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.speech import parties_of
from vault.memory.memory_line import Memory
from world.message_catalog import Wording
from world.parsing import parse_line
from world.sanitize import name_key


def may_hear(parties: Collection[str], agent: str, hearers: Collection[str]) -> bool:
    """Return whether a line may stand in the prompt of the agent's next words.

    `parties` are those who know of it, empty for what all may know. `hearers` are all who would perceive the words,
    the agent itself aside; an act without a partner is heard by all in the room. Where nobody is known to hear the
    words, a private line is withheld: somebody may walk in.
    """
    if not parties:
        return True
    known = {name_key(name) for name in (*parties, agent)}
    others = {name_key(name) for name in hearers} - {name_key(agent)}
    return bool(others) and others <= known


@dataclass(frozen=True)
class Withholding:
    """Withholds what was whispered to or by the agent called `name`. `reading` reads lines from before the fields."""

    name: str
    reading: NarrationParser
    wording: Callable[[], Wording]

    def parties_of(self, memory: Memory) -> tuple[str, ...]:
        """Return who knows of a memory's words; empty if anybody may."""
        return memory.parties if memory.parties or memory.event else _untyped(memory, self.name, self.reading)

    def __call__(self, memory: Memory) -> Memory:
        """Return a memory as it may stand where anybody could hear of it: always the same, so that prompts stay so."""
        parties = self.parties_of(memory)
        if not parties:
            return memory
        others = ", ".join(one for one in parties if one != self.name)
        if memory.kind == "acted":
            verb = parse_line(memory.text).verb
            return replace(memory, text=f"{verb} {others} …", parties=parties)
        return replace(memory, text=self.wording()("talk.in_confidence", who=others), parties=parties)


@lru_cache(maxsize=2048)  # the tails of some agents, which are looked at several times in a turn
def _untyped(memory: Memory, name: str, reading: NarrationParser) -> tuple[str, ...]:
    return parties_of(memory, name, reading)
