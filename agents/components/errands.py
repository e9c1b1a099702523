"""Errands: the steps that an agent has set out to do today, the way to the next, and which are done.

The steps are data: the list under `## Errands` in `agent.md`, copied each day of the world into `plan.md`, which anyone
may edit while the world runs. The engine knows the shortest way and ticks off what happened; nothing asks a model.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.component import Moment, Section, Turn
from vault.entities.agent_notes import TALK, Errand, PlanNote
from vault.errors import NoteError
from vault.memory.memory_line import Memory
from world.entities import Character
from world.events import Event
from world.game_time import MINUTES_PER_DAY
from world.navigation import shortest_path
from world.parsing import candidates, parse_line, split_reason
from world.world import World

log = logging.getLogger(__name__)

MAX_REFUSALS = 2
PUT_OFF_MINUTES = 60
"""A step refused `MAX_REFUSALS` times is put off for `PUT_OFF_MINUTES` of the world; then it is tried once more."""

TALKING = frozenset({"say", "whisper", "tell"})


@dataclass(frozen=True)
class Step:
    """The next step of an errand that is possible here and now: a command, or a talk with somebody who is here.

    `line` is the command; it is empty for a talk, and `talk_to` is then the id of the person. `is_going` is true if the
    step only leads towards the place, `is_at_once` if it comes before everything that the agent would do by itself.
    `led` is the id of the person whom the agent leads with this step; without a line it waits for them.
    """

    errand: Errand
    line: str = ""
    talk_to: str = ""
    is_going: bool = False
    is_at_once: bool = False
    led: str = ""


class Errands:
    """The plan of one agent. It is a component: the prompt tells the errand that it is on."""

    name = "errand"

    def __init__(self, plan: PlanNote | None, routine: Sequence[Errand] = ()) -> None:
        self.problem = ""
        self._plan = plan
        self._routine = tuple(routine)
        self._steps: list[Errand] = []
        self._day = ""
        self._stamp: tuple[int, int] | None = None
        self._refusals: dict[Errand, int] = {}
        self._put_off: dict[Errand, int] = {}
        self._carried: set[str] = set()
        self._step: Step | None = None

    @property
    def steps(self) -> tuple[Errand, ...]:
        """Today's steps, in order, done or not."""
        return tuple(self._steps)

    def adopt(self, routine: Sequence[Errand]) -> None:
        """Go on with other errands in `agent.md`; errands that stay and are done remain done."""
        if tuple(routine) == self._routine:
            return
        done = {one for one in self._steps if one.is_done}
        self._routine = tuple(routine)
        self._steps = [replace(one, is_done=replace(one, is_done=True) in done) for one in routine]
        self._save()

    def next_step(self, world: World, actor: Character) -> Step | None:
        """Return the next step of the first errand that is not done and not put off."""
        self._keep_up(world)
        self._tick_what_is_so(world, actor)
        self._step = None
        for one in [one for one in self._steps if not one.is_done and not self._is_put_off(one, world)]:
            self._step = _step(one, world, actor)
            if self._step:
                break
            if not one.do and _room_of(one, world) == actor.room_id:
                self._tick(one)
        return self._step

    def _is_put_off(self, errand: Errand, world: World) -> bool:
        """Return whether a step waits because it was refused often; the time begins when that is first asked."""
        if self._refusals.get(errand, 0) < MAX_REFUSALS:
            return False
        until = self._put_off.setdefault(errand, world.time.minutes + PUT_OFF_MINUTES)
        if world.time.minutes < until:
            return True
        del self._put_off[errand]
        self._refusals[errand] = MAX_REFUSALS - 1
        return False

    def observe(self, memory: Memory, event: Event | None) -> None:
        """Errands are ticked off by what the agent does; see `acted`."""

    def context(self, moment: Moment) -> Section | None:
        """Return the errand that it is on, and what it has done of its plan today."""
        step = self.next_step(moment.world, moment.actor)
        if step is None:
            return None
        say, errand = moment.world.wording, step.errand
        told = say("errands.now", errand=told_errand(errand, moment.world))
        return Section(self.name, told, max_tokens=80, gives_way=1)

    def acted(self, turn: Turn) -> None:
        """Tick off the step that a turn has done, or count that it was refused."""
        step, self._step = self._step, None
        if step is None:
            return
        line = split_reason(turn.line)[0]
        if step.is_going and (turn.outcome != "refused" or line != step.line):
            return
        is_step = parse_line(line).verb in TALKING if step.talk_to else line == step.line
        if not is_step:
            return
        if turn.outcome == "acted" and not step.errand.thing:
            self._tick(step.errand)
        elif turn.outcome == "refused":
            self._refusals[step.errand] = self._refusals.get(step.errand, 0) + 1

    def _keep_up(self, world: World) -> None:
        """Begin a new day's plan, and take in what was edited by hand."""
        day = str(world.time.minutes // MINUTES_PER_DAY)
        if self._plan and (stamp := self._plan.stamp()) != self._stamp:
            self._stamp = stamp
            if stamp != (-1, -1):
                self._read()
        if day != self._day:
            self._day, self._refusals, self._put_off = day, {}, {}
            self._carried.clear()
            self._steps = list(self._routine)
            self._save()

    def _read(self) -> None:
        assert self._plan is not None
        try:
            self._day, steps = self._plan.read()
        except NoteError as error:
            if str(error) != self.problem:
                log.warning("%s The last valid plan counts.", error)
            self.problem = str(error)
            return
        self._steps, self.problem = list(steps), ""

    def _save(self) -> None:
        if self._plan is None or not (self._steps or self._plan.stamp() != (-1, -1)):
            return
        try:
            self._plan.write(self._day, self._steps)
            self._stamp = self._plan.stamp()
        except NoteError as error:
            log.warning("%s The plan is only in memory.", error)

    def _tick(self, errand: Errand) -> None:
        if errand in self._steps:
            self._steps[self._steps.index(errand)] = replace(errand, is_done=True)
            self._save()

    def _tick_what_is_so(self, world: World, actor: Character) -> None:
        """Tick off what the world shows to be done of the steps that come next: a thing carried, a place come to."""
        while errand := next((one for one in self._steps if not one.is_done), None):
            if errand.thing and _carries(errand.thing[0], world, actor):
                self._carried.add(errand.thing[0])
            if not self._is_so(errand, world, actor):
                return
            self._tick(errand)

    def _is_so(self, errand: Errand, world: World, actor: Character) -> bool:
        if errand.thing:
            thing, wanted = errand.thing
            # What it never had it cannot have brought anywhere.
            return _carries(thing, world, actor) is wanted and (wanted or thing in self._carried)
        if not errand.do:
            return _room_of(errand, world) == actor.room_id
        line = parse_line(errand.do)
        return line.verb == "get" and _carries(line.arguments, world, actor)


def told_errand(errand: Errand, world: World) -> str:
    """Return an errand in words, such as `get ink bottle (Ink Yard)`."""
    if errand.do.lower() == TALK:
        return world.wording("errands.talk", who=errand.where)
    if not errand.do:
        return world.wording("errands.be", room=errand.where)
    return world.wording("errands.do", line=errand.do, room=errand.where) if errand.where else errand.do


def _carries(thing: str, world: World, actor: Character) -> bool:
    return bool(candidates(thing, world.things_at(actor.character_id)))


def _room_of(errand: Errand, world: World) -> str:
    """Return the id of the room that an errand leads to; empty if nobody knows, or if anywhere will do."""
    rooms = candidates(errand.where, world.rooms.values()) if errand.where else []
    if len(rooms) == 1:
        return rooms[0].room_id
    person = _person(errand, world)
    return person.room_id if person and person.awake else ""


def _person(errand: Errand, world: World) -> Character | None:
    return next(iter(candidates(errand.where, world.characters.values())), None) if errand.where else None


def _step(errand: Errand, world: World, actor: Character) -> Step | None:
    """Return the next command for an errand, or None if it cannot be gone about now."""
    room_id = _room_of(errand, world) or ("" if errand.where else actor.room_id)
    if not room_id:
        return None
    if room_id != actor.room_id:
        way = shortest_path(world, actor.room_id, room_id)
        return Step(errand, f"go {way[0].name}", is_going=True) if way else None
    if errand.do.lower() == TALK:
        person = _person(errand, world)
        return Step(errand, talk_to=person.character_id) if person else None
    return Step(errand, errand.do) if errand.do else None
