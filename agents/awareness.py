"""What an agent is aware of between two turns: that it was spoken to, what asks for a thought, and whose turn it is."""

from __future__ import annotations

from collections.abc import Callable

from agents.attention import Attention, is_worth_a_thought
from agents.floor import Floor
from agents.perceiving import Address, Impression, address
from agents.turn import Turn
from world.events import Arrived, Event, Left
from world.model import Character, World


class Awareness:
    """What has come to the agent called `name` since its last turn. `floor` is that of all who live together."""

    def __init__(self, name: str, floor: Floor, now_ms: Callable[[], int]) -> None:
        self.addressed = Address()
        self._name = name
        self._floor = floor
        self._attention = Attention(now_ms)
        self._now_ms = now_ms

    def has_floor(self, event: Event, world: World) -> bool:
        """Return whether this agent is to take up an event that names nobody."""
        return self._floor.is_for(event, self._name, world)

    def take_in(self, event: Event, left: Impression, world: World) -> bool:
        """Take in an event and what it leaves in the agent; return whether it should think soon."""
        if event.actor_id != self._name:
            self._floor.perceive(self._name)
        self._attention.take_in(event, world)
        if left.addressed:
            self.addressed |= address(event, world)
            self._floor.give(self._name, world.characters[self._name].room_id, self._now_ms())
            return True
        if not is_worth_a_thought(event, self._name, world):
            return False
        if isinstance(event, Arrived | Left) and not self.has_floor(event, world):
            return False
        self._attention.stir()
        return True

    def begin_turn(self) -> None:
        """Let the agent have its turn, having seen everything."""
        self.addressed = Address()
        self._attention.begin_turn()
        self._floor.begin_turn(self._name)

    def stillness(self, when: str, world: World, actor: Character) -> Turn | None:
        """Return the turn of one who has nothing to think of now, or None; `when` is the setting `think_when`."""
        if not self._attention.is_drawn(when, self.addressed.spoken, world, actor):
            return Turn("resting", why=f"Nothing has happened for it to think of; think_when is {when}.")
        if not self.addressed.spoken and self._floor.is_taken(actor, world, self._now_ms()):
            return Turn("listening", why="Somebody else is about to answer here.")
        return None
