"""Going to meet people who have just come into the world, for agents that welcome them (`welcomes` in `agent.md`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.components.errands import Step
from vault.entities.agent_notes import TALK, Errand
from world.entities import Character
from world.navigation import shortest_path
from world.world import World

SOUGHT_MS = 300_000
"""For how long after a person has come into the world, in milliseconds, the agent goes to meet them."""

MAX_STEPS = 12
"""After so many steps towards a person who is never there, the agent gives up."""


@dataclass
class _Visit:
    since_ms: int
    steps: int = 0
    is_met: bool = False


class Visitors:
    """The people in the world, as the agent called `name` has met them since they came."""

    def __init__(self, name: str, now_ms: Callable[[], int]) -> None:
        self._name = name
        self._now_ms = now_ms
        self._visits: dict[str, _Visit] = {}

    def next_step(self, world: World, actor: Character) -> Step | None:
        """Return the next step towards the person who has waited longest, or None if there is nobody to be met."""
        self._keep_up(world, actor)
        sought = (one for one in self._visits if self._is_sought(self._visits[one]))
        for person in (world.characters[one] for one in sought):
            way = shortest_path(world, actor.room_id, person.room_id)
            if way:
                self._visits[person.character_id].steps += 1
                return Step(Errand(person.name, TALK), f"go {way[0].name}", is_going=True, is_at_once=True)
        return None

    def _keep_up(self, world: World, actor: Character) -> None:
        now = self._now_ms()
        people = [one for one in world.awake() if not one.is_agent]
        here = {one.character_id for one in people}
        self._visits = {one: visit for one, visit in self._visits.items() if one in here}
        for person in people:
            visit = self._visits.setdefault(person.character_id, _Visit(now))
            visit.is_met = visit.is_met or person.room_id == actor.room_id

    def _is_sought(self, visit: _Visit) -> bool:
        return not visit.is_met and visit.steps < MAX_STEPS and self._now_ms() - visit.since_ms < SOUGHT_MS
