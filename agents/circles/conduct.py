"""How an agent has behaved lately, and what follows for its next turn: what it may do, and a way out of circles."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

from agents.attending.perceiving import Address
from agents.choices.grammar import gbnf
from agents.choices.possible import possible
from agents.choices.schema import schema_of
from agents.choices.steering import Moment, Steering, ways_back, ways_to_others
from agents.choices.suggesting import suggested
from agents.circles.loops import Loops
from agents.circles.remedies import NONE, Remedy, remedy, sentences
from world.command import CommandTable
from world.events import Event, Paged, Said, Shouted, Whispered
from world.model import Character, World
from world.parsing import parse_line
from world.wording import Wording

KEPT_LINES = 12


class Conduct:
    """The last lines of an agent and the rooms that it did them in, and whether it goes in circles.

    `breaks_loops` is whether anything is done about that. The same seed and the same life give the same conduct.
    """

    def __init__(self, rng: random.Random) -> None:
        self.breaks_loops = True
        self._rng = rng
        self._steering = Steering(rng)
        self._loops = Loops()
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._rooms: deque[str] = deque(maxlen=KEPT_LINES)
        self._objected_to: str | None = None
        self._suggested: list[str] = []

    @property
    def remedy(self) -> Remedy:
        """What is done about its circles in the next turn."""
        return remedy(self._loops) if self.breaks_loops else NONE

    @property
    def is_slowed(self) -> bool:
        """Whether it goes in circles so far that nothing but words for it hastens its next turn.

        The answer to a command of its own would: a model that types the same one again and again would never rest.
        """
        return self.remedy.slower > 1

    def hear(self, event: Event, world: World) -> None:
        """Take in what somebody else has said."""
        if isinstance(event, Said | Shouted | Whispered | Paged):
            who = world.characters.get(event.actor_id)
            self._loops.hear(event.actor_id, event.text, is_person=who is not None and not who.is_agent)

    def begin_turn(self) -> None:
        """Let the model be asked for a first time again."""
        self._objected_to = None

    def begin(self, line: str, room_id: str) -> None:
        """Take in a line that is about to be done in a room."""
        self._lines.append(line)
        self._rooms.append(room_id)

    def end(self, line: str, room_id: str) -> None:
        """Take in the room in which that line has left the agent."""
        self._objected_to = None
        self._loops.do(line, room_id)

    def fail(self, world: World, actor: Character, commands: CommandTable) -> None:
        """Take in that the model has answered with no command; the agent is told what it could type."""
        self._loops.fail()
        moment = self._moment(world, actor, Address())
        self._suggested = suggested(possible(world, actor, commands), moment, self._steering, self._rng)

    def objects_to(self, line: str, room_id: str, by_person: bool) -> bool:
        """Return whether a line is not to be done before the model was asked once more; never twice in a turn.

        That is one that goes on in a circle which the agent has been told of already, or none at all. A person who
        has spoken to it (`by_person`) may be answered with any verb.
        """
        if self._objected_to is not None or not self.remedy.leads:
            return False
        is_shunned = not by_person and parse_line(line).verb in self.remedy.shunned
        if line and not is_shunned and not self._loops.signs_of(line, room_id):
            return False
        self._objected_to = line
        return True

    def keeps_silent(self, line: str, room_id: str, by_person: bool) -> bool:
        """Return whether a line is not to be done at all: asked twice, the model still says the agent's words again.

        A person who has just spoken to the agent (`by_person`) is answered all the same.
        """
        asked_twice = self._objected_to is not None and self.remedy.leads
        return asked_twice and not by_person and self._loops.is_verbatim(line, room_id)

    def hold_back(self, line: str, room_id: str) -> None:
        """Take in that the agent was silent instead of doing a line."""
        self._objected_to = None
        self._loops.keep_silent(line, room_id)

    def notice(self, wording: Wording) -> str:
        """Return what the agent is told of its circles, or an empty string."""
        if self._objected_to:
            return wording("loops.would_repeat")
        return sentences(self.remedy.told, wording, self._suggested)

    def grammar(self, world: World, actor: Character, commands: CommandTable, addressed: Address) -> str:
        """Return the grammar of what the engine lets the agent do in this turn."""
        moment = self._moment(world, actor, addressed)
        return gbnf(self._steering.choose(possible(world, actor, commands), moment))

    def schema(self, world: World, actor: Character, commands: CommandTable, addressed: Address) -> dict[str, Any]:
        """Return the JSON schema of what the agent can do, without what would lead it round in a circle."""
        every = possible(world, actor, commands)
        shunned = frozenset() if addressed.by_person else self.remedy.shunned
        return schema_of({verb: form for verb, form in every.items() if verb not in shunned} or every)

    def _moment(self, world: World, actor: Character, addressed: Address) -> Moment:
        return Moment(
            recent=tuple(self._lines),
            addressed=addressed.spoken,
            by_person=addressed.by_person,
            from_afar=addressed.from_afar,
            company=world.count_occupants(actor.room_id) > 1,
            ways_back=ways_back(world.room_of(actor), self._rooms),
            ways_to_others=ways_to_others(world, actor),
            shunned=self.remedy.shunned,
        )
