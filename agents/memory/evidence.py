"""The lines that a summary is held against, as the verifier reads them: who speaks, who hears it, and what is given."""

from __future__ import annotations

from functools import lru_cache

from agents.memory.facts import spoken_in
from agents.memory.judging.account import Account, Line, Things
from agents.memory.judging.tokens import Cast
from agents.memory.knowing.known import ME
from agents.memory.knowing.reading import ENGLISH, Deed, Reading
from vault.remembered.memory_line import LINE_BREAK, Memory
from world.parsing import parse_line

_OWN_DEEDS = ("narration.you_give",)
_TO_ME = frozenset({"says_to_you", "tells_you", "whispers_to_you"})
_UNSEEN = frozenset("give get take drop put go use read write follow".split())
"""Commands whose result is a memory of its own: what was typed alone tells nothing."""


@lru_cache(maxsize=4)
def account_of(
    memories: tuple[Memory, ...],
    previous: tuple[str, ...],
    roster: frozenset[str],
    agent: str,
    reading: Reading = ENGLISH,
) -> Account:
    """Return what memories and earlier summaries tell, to hold a summary by `agent` against.

    The last ones are kept, since a summary is judged more than once.
    """
    people = {person for memory in memories for person in memory.people} | ({agent} if agent else set())
    rooms = {memory.room for memory in memories if memory.room}
    names = {name for name in roster if name[:1].isupper() and name not in people | rooms}
    places = rooms | {name for name in names if " " in name}
    lines = [line for memory in memories if (line := _line(memory, people, agent, reading))]
    lines += [Line(text) for text in previous]
    cast = Cast(people | (names - places), places, [line.text for line in lines])
    things = {name for name in roster if name[:1].islower()} | {line.given[2] for line in lines if line.given}
    return Account(lines, cast, agent, Things(things), rooms)


def _line(memory: Memory, people: set[str], agent: str, reading: Reading) -> Line | None:
    text = memory.text.replace(LINE_BREAK, "\n")
    if memory.refused:
        return None
    if spoken := spoken_in(memory, reading, people):
        speaker = agent if spoken.speaker == ME else spoken.speaker
        return Line(
            spoken.text, speaker, _hearer(memory, speaker, spoken.text, agent, reading), memory.room, memory.people
        )
    if memory.kind == "acted":
        line = parse_line(memory.text)
        return None if line.verb in _UNSEEN else Line(f"I {text}", "", agent, memory.room, memory.people)
    return Line(text, "", agent, memory.room, memory.people, _given(memory, agent, reading))


def _hearer(memory: Memory, speaker: str, text: str, agent: str, reading: Reading) -> str | None:
    """Return to whom somebody speaks: whom they name, or the agent if the sentence says so; None if nobody knows."""
    deed = reading.deed(memory.text, speaker) if speaker != agent else None
    if deed and deed.name in _TO_ME:
        return agent
    if deed and "to" in deed.values:
        return deed.values["to"]
    if agent and agent in text and speaker != agent:
        return agent
    return None


def _given(memory: Memory, agent: str, reading: Reading) -> tuple[str, str, str] | None:
    deed: Deed | None = None
    if memory.kind == "result":
        deed = reading.own(_OWN_DEEDS, memory.text)
        return (agent, deed.values["to"], deed.values["thing"]) if deed else None
    deed = reading.deed(memory.text, memory.people[0]) if memory.people else None
    match deed:
        case Deed(name="gives_you", values={"thing": thing}):
            return memory.people[0], agent, thing
        case Deed(name="gives", values={"thing": thing, "to": to}):
            return memory.people[0], to, thing
        case _:
            return None
