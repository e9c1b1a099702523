"""From what an agent perceives to what it remembers of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vault.memory_line import PLAIN_IMPORTANCE
from world.events import Emoted, Event, Refused, Said, Saw, Thought, Told, Whispered
from world.model import World

SPOKEN_TO = 5


@dataclass(frozen=True)
class Impression:
    """What an event leaves in one agent: the kind of memory, the people in it, and whether it was spoken to."""

    kind: str
    people: tuple[str, ...] = ()
    importance: int = PLAIN_IMPORTANCE
    addressed: bool = False


def impression(event: Event, name: str, world: World) -> Impression | None:
    """Return what an event leaves in the agent called `name`, or None for what it remembers otherwise.

    What it says and thinks itself stands in its memory already: as the command that it typed.
    """
    if event.actor_id == name:
        match event:
            case Told():
                return Impression("told")
            case Said() | Emoted() | Whispered() | Thought():
                return None
            case Saw() | Refused():
                return Impression("result")
            case _:
                return Impression("result")
    people = (world.characters[event.actor_id].name,)
    if isinstance(event, Whispered) and event.to_id == name:
        return Impression("told", people, SPOKEN_TO, addressed=True)
    if isinstance(event, Said) and _is_meant(event, name, world):
        return Impression("observed", people, SPOKEN_TO, addressed=True)
    return Impression("observed", people)


def _is_meant(event: Said, name: str, world: World) -> bool:
    """Return whether words are for this agent: they name it, or nobody else is there to hear them."""
    if re.search(rf"\b{re.escape(name)}\b", event.text, re.IGNORECASE):
        return True
    listeners = [c for c in world.occupants(event.room_id) if c.character_id != event.actor_id]
    named = any(re.search(rf"\b{re.escape(c.name)}\b", event.text, re.IGNORECASE) for c in listeners)
    return len(listeners) == 1 and not named
