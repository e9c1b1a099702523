"""How an agent has behaved lately, and what follows for its next turn: its situation, and a way out of circles."""

from __future__ import annotations

import random
from collections import deque

from agents.attending.conversation import Manners
from agents.attending.perceiving import Address
from agents.choices.policy import Policy
from agents.choices.possible import possible
from agents.choices.situation import Situation, asked_for, asks, ways_back, ways_to_others
from agents.circles.loops import Loops
from agents.circles.remedies import NONE, Remedy, remedy, sentences
from agents.components.errands import Step
from world.command import CommandTable
from world.entities import Character
from world.events import Event, Gave, Paged, Said, Shouted, Whispered
from world.message_catalog import Wording
from world.parsing import parse_line
from world.room_view import made_out
from world.world import World

KEPT_LINES = 12
KEPT_GIFTS = 6


class Conduct:
    """The last lines of an agent and the rooms that it did them in, and whether it goes in circles.

    `breaks_loops` is whether anything is done about that. The same seed and the same life give the same conduct.
    """

    def __init__(self, name: str, rng: random.Random) -> None:
        self.breaks_loops = True
        self._name = name
        self._gifts: deque[str] = deque(maxlen=KEPT_GIFTS)
        self.policy = Policy(rng)
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
        """Take in what somebody else has said or given."""
        if isinstance(event, Gave) and event.to_id == self._name:
            self._gifts.append(world.things[event.thing_id].name)
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
        now = self.situation(world, actor, Address(), Manners(), None, finds_words=False)
        self._suggested = self.policy.suggest(possible(world, actor, commands), now)

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

    def has_heard(self, words: str) -> bool:
        """Return whether words were heard or said a moment ago."""
        return self._loops.is_heard(words)

    def situation(
        self, world: World, actor: Character, address: Address, manners: Manners, errand: Step | None, finds_words: bool
    ) -> Situation:
        """Return what the policy has to know now; `finds_words` is as in `Situation`."""
        return Situation(
            recent=tuple(self._lines),
            gifts=tuple(self._gifts),
            address=address,
            manners=manners,
            company=tuple(made_out(world, actor.room_id, actor)),
            ways_back=ways_back(world.room_of(actor), self._rooms),
            ways_to_others=ways_to_others(world, actor),
            errand=errand,
            asked_for=asked_for(world, actor, address.text) if address.text else (),
            asked_along=bool(address.text) and asks("talk.asks_along", address.text, world),
            shunned=frozenset() if address.by_person else self.remedy.shunned,
            finds_words=finds_words,
        )
