"""What is worth a thought, and when an agent that is alone lets its model rest."""

from __future__ import annotations

from collections.abc import Callable

from world.entities import Character
from world.events import Arrived, Event, Gave, Left, SystemMessage
from world.world import World

LATELY_MS = 300_000
"""For how long after somebody's deed, in milliseconds, something has happened lately."""


class Attention:
    """What has drawn an agent's attention since its last turn.

    Only people and the world keep an agent awake that thinks when something is `near`. What agents do draws one
    thought at most, or two of them would keep each other awake for ever with nobody there to see it.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._people_until = 0
        self._stirred = False

    def take_in(self, event: Event, world: World) -> None:
        """Take in something that the agent has perceived."""
        if is_person(event.actor_id, world):
            self._people_until = self._now_ms() + LATELY_MS

    def stir(self) -> None:
        """Let the next turn be taken although nobody is near: something asks for a thought."""
        self._stirred = True

    @property
    def is_stirred(self) -> bool:
        """Whether something asks for a thought."""
        return self._stirred

    def begin_turn(self) -> None:
        """Let what has drawn attention be seen."""
        self._stirred = False

    def is_drawn(self, when: str, addressed: bool, world: World, actor: Character) -> bool:
        """Return whether a turn is to be taken, `when` being the setting `think_when`."""
        match when:
            case "always":
                return True
            case "addressed":
                return addressed
            case _:
                return self._stirred or self._now_ms() < self._people_until or is_person_near(world, actor)


def is_worth_a_thought(event: Event, name: str, world: World) -> bool:
    """Return whether the agent called `name` should think soon because of an event, beside being spoken to.

    A person comes or goes, it is given something, or the world tells it something. Agents come and go all day: if
    they hurried each other, a full room would never rest.
    """
    match event:
        case Gave(to_id=to_id):
            return to_id == name
        case SystemMessage():
            return event.actor_id == name
        case Arrived() | Left():
            return event.actor_id != name and is_person(event.actor_id, world)
        case _:
            return False


def is_person(character_id: str, world: World) -> bool:
    """Return whether somebody is a person and not an agent."""
    found = world.characters.get(character_id)
    return found is not None and not found.is_agent


def is_person_near(world: World, actor: Character) -> bool:
    """Return whether a person is awake in the same room, or in one that an exit leads to."""
    rooms = {actor.room_id, *(exit.room_id for exit in world.room_of(actor).exits.values())}
    return any(not one.is_agent for room_id in rooms for one in world.characters.first_at(room_id, "awake"))
