"""The importance of a memory, from 1 to 10, by rule.

Looks and steps count less than the plain 3, what concerns the agent counts more. So a summary can leave out the
daily round, and be longer where much happened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from agents.memory.facts.speech_acts import classify, is_secret, sentences
from vault.memory.facts_note import LESSONS, PROMISES, REQUESTS
from vault.memory.memory_line import DEFAULT_IMPORTANCE, Memory
from vault.memory.segment import mentions_person, mentions_room
from vault.vault import Vault
from world.command import CommandTable
from world.events import (
    Arrived,
    Dropped,
    Event,
    Gave,
    Left,
    Output,
    Paged,
    PutIn,
    Refused,
    Said,
    Shouted,
    Took,
    TookFrom,
    Whispered,
)
from world.parsing import parse_line

ROUTINE = 2
REFUSED = 4
SPOKEN_TO = 5
HANDED = 5
TOLD_PRIVATELY = 6
ASKED = 6
FIRST_TIME = 6
PROMISED = 7

ROUTINE_CATEGORIES = frozenset({"senses", "movement", "people", "general"})
"""Commands of these categories are looks, steps and questions to the world."""


@lru_cache(maxsize=256)
def speech_importance(text: str) -> int:
    """Return the importance of words: promises, requests, secrets and lessons count more, from any speaker.

    The results for the last words are cached, because everyone in a room hears the same.
    """
    kinds = {classify(sentence) for sentence in sentences(text)}
    if kinds & {PROMISES, LESSONS}:
        return PROMISED
    if is_secret(text):
        return TOLD_PRIVATELY
    return ASKED if REQUESTS in kinds else DEFAULT_IMPORTANCE


def event_importance(event: Event, name: str, addressed: bool, is_first: bool) -> int:
    """Return how much an event matters to the agent called `name`.

    `addressed` says whether it was spoken to, `is_first` whether it meets the actor, or comes to the place, for the
    first time.
    """
    own = event.actor_id == name
    match event:
        case Said(text=text):
            found = max(speech_importance(text), SPOKEN_TO if addressed else DEFAULT_IMPORTANCE)
        case Shouted(text=text):
            found = speech_importance(text)
        case Whispered(to_id=to, text=text) | Paged(to_id=to, text=text) if to == name:
            found = max(speech_importance(text), TOLD_PRIVATELY)
        case Gave(to_id=to) if own or to == name:
            found = HANDED + 1
        case Took() | TookFrom() | Dropped() | PutIn() | Gave():
            found = HANDED if own else HANDED - 1
        case Refused():
            found = REFUSED
        case Output() | Left() | Arrived():
            found = ROUTINE
        case _:
            found = DEFAULT_IMPORTANCE
    return max(found, FIRST_TIME) if is_first else found


def line_importance(line: str, commands: CommandTable) -> int:
    """Return how much a line that the agent typed matters; what is no command is the name of a way out."""
    found = commands.get(parse_line(line).verb)
    if found is None or found.category in ROUTINE_CATEGORIES:
        return ROUTINE
    return speech_importance(line) if found.category == "speech" else DEFAULT_IMPORTANCE


def is_routine(memory: Memory) -> bool:
    """Return whether a summary may give a memory as a count."""
    return memory.importance < DEFAULT_IMPORTANCE and not memory.pinned


def notable_share(memories: Sequence[Memory]) -> float:
    """Return from 0, nothing but routine, to 1, all of it concerns the agent; plain memories have 0.5."""
    above = sum(max(0, memory.importance - ROUTINE) for memory in memories)
    return min(1.0, above / (2 * len(memories))) if memories else 0.0


def summary_budget(memories: Sequence[Memory], floor_tokens: int, cap_tokens: int) -> int:
    """Return the maximum size of a summary of some memories, in tokens: from the floor to the cap, by what happened."""
    floor = min(floor_tokens, cap_tokens)
    return round(floor + (cap_tokens - floor) * notable_share(memories))


class FirstEncounters:
    """Knows whom and which places the agent has met; looks each name up in the newest part of the journal once.

    A name that the newest part no longer has counts as a first encounter again: a return after a long time matters as
    much.
    """

    def __init__(self, vault: Vault, name: str) -> None:
        self._vault = vault
        self._name = name
        self._people: set[str] = set()
        self._rooms: set[str] = set()

    def is_first(self, event: Event) -> bool:
        """Return whether an event brings somebody or some place for the first time; the next time it does not."""
        match event:
            case Left(actor_id=actor, to_room_id=room) if actor == self._name and room:
                return self._is_new(room, self._rooms, mentions_room)
            case _ if event.actor_id == self._name or event.audience != "room" or not event.actor_id:
                return False
            case _:
                return self._is_new(event.actor_id, self._people, mentions_person)

    def _is_new(self, name: str, known: set[str], stands_in_journal: Callable[[Vault, str, str], bool]) -> bool:
        if name in known:
            return False
        known.add(name)
        return not stands_in_journal(self._vault, self._name, name)
