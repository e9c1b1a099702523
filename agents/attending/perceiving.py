"""From what an agent perceives to what it remembers of it."""

from __future__ import annotations

from dataclasses import dataclass

from agents.memory.importance import event_importance
from vault.remembered.memory_line import PLAIN_IMPORTANCE
from world.events import Emoted, Event, Paged, Said, Shouted, Thought, Told, Whispered
from world.matching import is_named
from world.model import World


@dataclass(frozen=True)
class Address:
    """That an agent was spoken to since its last turn: by a person and not an agent, and from wherever they are."""

    spoken: bool = False
    by_person: bool = False
    from_afar: bool = False

    def __or__(self, other: Address) -> Address:
        """Return both of them together."""
        return Address(
            self.spoken or other.spoken, self.by_person or other.by_person, self.from_afar or other.from_afar
        )


def address(event: Event, world: World) -> Address:
    """Return what an event by which an agent was spoken to says of that."""
    return Address(True, not world.characters[event.actor_id].is_agent, isinstance(event, Paged))


@dataclass(frozen=True)
class Impression:
    """What an event leaves in one agent: the kind of memory, the people in it, and whether it was spoken to."""

    kind: str
    people: tuple[str, ...] = ()
    importance: int = PLAIN_IMPORTANCE
    addressed: bool = False


def impression(
    event: Event, name: str, world: World, is_first: bool = False, has_floor: bool = False
) -> Impression | None:
    """Return what an event leaves in the agent called `name`, or None for what it remembers otherwise.

    What it says and thinks itself stands in its memory already: as the command that it typed. `is_first` says that it
    has not met the actor, or not been to the place, before; `has_floor` that words for nobody in particular are for
    it to answer.
    """
    own = event.actor_id == name
    asked = not getattr(event, "unasked", False)
    if own and asked and isinstance(event, Said | Emoted | Whispered | Paged | Shouted | Thought):
        return None
    privately = isinstance(event, Whispered | Paged) and event.to_id == name
    addressed = privately or (not own and isinstance(event, Said) and (has_floor or _is_meant(event, name, world)))
    told = privately or (own and isinstance(event, Told))
    return Impression(
        "told" if told else "result" if own else "observed",
        (world.characters[event.actor_id].name,) if event.actor_id in world.characters and not own else (),
        event_importance(event, name, addressed, is_first),
        addressed,
    )


def _is_meant(event: Said, name: str, world: World) -> bool:
    """Return whether words are for this agent: said to it, or naming it, or nobody else is there to hear them."""
    if event.to_id:
        return event.to_id == name
    if is_named(name, event.text):
        return True
    if world.count_occupants(event.room_id) > 2:
        return False
    listeners = [c for c in world.occupants(event.room_id) if c.character_id != event.actor_id]
    return len(listeners) == 1 and not is_named(listeners[0].name, event.text)
