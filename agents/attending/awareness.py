"""What an agent is aware of between two turns: that it was spoken to, what asks for a thought, and whose turn it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from agents.attending.attention import Attention, is_worth_a_thought
from agents.attending.floor import Floor
from agents.attending.perceiving import Address, Impression, address
from agents.turn import Turn
from world.entities import Character
from world.events import Arrived, Event, Left
from world.world import World


@dataclass(frozen=True)
class Owed:
    """What an agent has not answered yet: how it was spoken to, and how many events it has perceived.

    `has_floor` says that others wait for its answer, `stirred` that something else asks for a thought.
    """

    address: Address = field(default_factory=Address)
    unseen: int = 0
    has_floor: bool = False
    stirred: bool = False

    def __or__(self, other: Owed) -> Owed:
        """Return both of them together."""
        return Owed(
            self.address | other.address,
            self.unseen + other.unseen,
            self.has_floor or other.has_floor,
            self.stirred or other.stirred,
        )


class Awareness:
    """What has come to the agent called `name` since its last turn. `floor` is that of all who live together."""

    def __init__(self, name: str, floor: Floor, now_ms: Callable[[], int]) -> None:
        self.addressed = Address()
        self._name = name
        self._floor = floor
        self._attention = Attention(now_ms)
        self._now_ms = now_ms
        self._thinks_of = Owed()

    @property
    def thinks_of(self) -> Address:
        """How it was spoken to before it was last asked what to do, however often it was asked since it answered."""
        return self._thinks_of.address

    @property
    def owed(self) -> Owed:
        """What it has not answered yet, with what it is thinking of just now."""
        return self._thinks_of | self._since_turn()

    def owe(self, owed: Owed, world: World) -> None:
        """Go on from what it had not answered when the world closed, a moment ago."""
        self.addressed |= owed.address
        self._floor.perceive(self._name, owed.unseen)
        if owed.has_floor:
            self._floor.give(self._name, world.characters[self._name].room_id, self._now_ms())
        if owed.stirred:
            self._attention.stir()

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
        self._thinks_of |= self._since_turn()
        self.addressed = Address()
        self._attention.begin_turn()
        self._floor.begin_turn(self._name)

    def end_turn(self) -> None:
        """Take in that the agent has answered what it was thinking of."""
        self._thinks_of = Owed()

    def stillness(self, when: str, world: World, actor: Character) -> Turn | None:
        """Return the turn of one who has nothing to think of now, or None; `when` is the setting `think_when`."""
        if not self._attention.is_drawn(when, self.addressed.spoken, world, actor):
            return Turn("resting", why=f"Nothing has happened for it to think of; think_when is {when}.")
        if not self.addressed.spoken and self._floor.is_taken(actor, world, self._now_ms()):
            return Turn("listening", why="Somebody else is about to answer here.")
        return None

    def _since_turn(self) -> Owed:
        floor, name = self._floor, self._name
        return Owed(self.addressed, floor.unseen(name), floor.is_given(name), self._attention.is_stirred)
