"""Visitors: the people whom an agent goes to meet as they come into the world, and leads where they ask to be led.

The engine walks, by the shortest way; nothing asks a model. Nobody is moved: who is led follows, or walks themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.component import Turn
from agents.components.errands import Step
from vault.entities.agent_notes import TALK, Errand
from world.entities import Character
from world.navigation import shortest_path
from world.world import World

SOUGHT_MS = 300_000
"""Milliseconds after a person has come into the world in which the agent goes to meet them."""

MAX_STEPS = 12
"""Number of steps towards a person who is never there after which the agent gives up."""

SETS_OFF_MS = 20_000
"""Milliseconds that somebody who is to be led has to follow the agent, before it goes ahead of them."""

WAITS_MS = 60_000
"""Milliseconds that the agent waits on the way for somebody whom it leads, before it gives up."""


@dataclass
class _Visit:
    since_ms: int
    steps: int = 0
    is_met: bool = False


@dataclass
class _Leading:
    """Who leads whom, where to, since when, and when that person was last with them; times in milliseconds.

    `is_stuck` is true once the agent could not go on.
    """

    actor: Character
    person_id: str
    room_id: str
    since_ms: int
    together_ms: int
    is_stuck: bool = False


class Visitors:
    """The people in the world, as the agent called `name` has met them since they came; it leads one at a time.

    `is_seeking` is true while its next step leads towards one whom it has not met. The state of its character says
    whom it leads; a graceful restart keeps that.
    """

    def __init__(self, name: str, now_ms: Callable[[], int]) -> None:
        self._name = name
        self._now_ms = now_ms
        self._visits: dict[str, _Visit] = {}
        self._leading: _Leading | None = None
        self.is_seeking = False

    @property
    def is_leading(self) -> bool:
        """True while it leads somebody, or waits for them on the way."""
        return self._leading is not None

    def lead(self, actor: Character, person_id: str, room_id: str) -> None:
        """Lead a person to a room from now on, and nobody else any more; `actor` is the agent's character."""
        now = self._now_ms()
        self._leading = _Leading(actor, person_id, room_id, now, now)
        actor.transient.leading_id, actor.transient.leading_to_id = person_id, room_id

    def stop_leading(self, person_id: str) -> None:
        """Lead a person no further; nothing happens if it does not lead them."""
        if self._leading and self._leading.person_id == person_id:
            self._stop()

    def _stop(self) -> None:
        if self._leading:
            own, self._leading = self._leading.actor.transient, None
            own.leading_id = own.leading_to_id = ""

    def next_step(self, world: World, actor: Character, seeks: bool = True) -> Step | None:
        """Return the next step with a person who is led, or if it `seeks` them, towards the one who has waited longest.

        None if there is nobody to be led or met.
        """
        own = actor.transient
        if self._leading is None and own.leading_id:  # before the world closed, a moment ago
            self.lead(actor, own.leading_id, own.leading_to_id)
        leading = self._step_of_leading(world, actor)
        seeking = self._step_of_seeking(world, actor) if seeks and not leading else None
        self.is_seeking = seeking is not None
        return leading or seeking

    def acted(self, turn: Turn) -> None:
        """Take in a turn: it has gone on, could not, or has said that they are there or that it cannot."""
        if self._leading is None or turn.cause != "errand":
            return
        if not turn.line.startswith("go "):
            self._stop()
        elif turn.outcome == "refused":
            self._leading.is_stuck = True

    def _step_of_leading(self, world: World, actor: Character) -> Step | None:
        """Return the next step with the person who is led: to go, to wait for them, or to say that they are there."""
        leading, now = self._leading, self._now_ms()
        if leading is None:
            return None
        person = world.characters.get(leading.person_id)
        way = shortest_path(world, actor.room_id, leading.room_id) if leading.room_id in world.rooms else None
        is_together = person is not None and person.room_id == actor.room_id
        if is_together:
            leading.together_ms = now
        if person is None or not person.awake or way is None or now - leading.together_ms > WAITS_MS:
            self._stop()
            return None
        errand, who = Errand(person.name, TALK), person.character_id
        if is_together and (leading.is_stuck or not way):
            words = world.wording("talk.cannot_lead") if way else _words_on_arrival(world, actor)
            return Step(errand, f"say {words}", is_at_once=True, led=who)
        follows = person.transient.following_id == actor.character_id
        sets_off = is_together and (follows or now - leading.since_ms >= SETS_OFF_MS)
        if way and not leading.is_stuck and (sets_off or person.room_id == leading.room_id):
            return Step(errand, f"go {way[0].name}", is_going=True, is_at_once=True, led=who)
        return Step(errand, is_at_once=True, led=who)

    def _step_of_seeking(self, world: World, actor: Character) -> Step | None:
        """Return the next step towards the person who has waited longest."""
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


def _words_on_arrival(world: World, actor: Character) -> str:
    """Return what an agent says where it has led somebody: that they are there, and to another agent, who is there."""
    others = [one for one in world.occupants(actor.room_id) if one.is_agent and one.awake and one is not actor]
    there = world.wording("talk.has_led", room=world.room_of(actor).name)
    return " ".join([there, *(world.wording("talk.introduces", name=one.name) for one in others[:1])])
