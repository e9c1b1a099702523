"""The repetition guard: what an agent did lately, whether it loops, and what is done about that in its next turn."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agents.attending.conversation import Manners
from agents.attending.perception import Address
from agents.choices.policy import Policy
from agents.choices.possible import Situation, possible, ways_back, ways_to_others
from agents.components.errands import Step
from agents.repetition.loop_detector import SPEECH, TALK, Detected, LoopDetector, Sign
from world.command import CommandTable
from world.entities import Character
from world.events import Event, Gave, Paged, Said, Shouted, Whispered
from world.message_catalog import Wording
from world.parsing import parse_line
from world.room_view import visible_characters
from world.world import World

KEPT_LINES = 12
KEPT_GIFTS = 6

TOLD, VARIED, LED, COOLED = 1, 2, 3, 4
"""The scores from which: a notice is given, the model samples otherwise, verbs are suppressed, thoughts are fewer."""

WARMER = 0.2
HOTTEST = 1.5
"""The increase of the temperature for each step from `VARIED` on, and its maximum."""

REPEAT_PENALTY = 1.1
SLOWER = 2.0
"""The factor on the pause before the next thought, for each step from `COOLED` on."""

SUPPRESSED: Mapping[Sign, frozenset[str]] = {
    Sign.SAID_AGAIN: SPEECH,
    Sign.ASKED_AGAIN: SPEECH,
    Sign.ECHOED: SPEECH,
    Sign.IN_TURNS: SPEECH,
    Sign.ONLY_TALK: TALK,
    Sign.TO_AND_FRO: frozenset({"go"}),
    Sign.NO_COMMAND: frozenset(),
}
"""The verbs that lead further into a loop, by sign. A repeated command is suppressed by its own verb."""


class RepetitionGuard:
    """The last commands of an agent with their rooms, and whether it loops.

    `breaks_loops` is false if loops are only detected. It is deterministic.
    """

    def __init__(self, name: str, rng: random.Random) -> None:
        self.breaks_loops = True
        self._name = name
        self._gifts: deque[str] = deque(maxlen=KEPT_GIFTS)
        self.policy = Policy(rng)
        self._loops = LoopDetector()
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._rooms: deque[str] = deque(maxlen=KEPT_LINES)
        self._objected_to: str | None = None
        self._suggested: list[str] = []

    @property
    def mitigation(self) -> Mitigation:
        """The mitigation of loops in the next turn."""
        return mitigation(self._loops) if self.breaks_loops else NONE

    @property
    def is_slowed(self) -> bool:
        """True if it loops so much that only words addressed to it hasten its next turn.

        Otherwise the answer to its own command would: a model that repeats one command would never rest.
        """
        return self.mitigation.slower > 1

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
        """Note that the model has answered without a command; the next notice says what it could type."""
        self._loops.fail()
        now = self.situation(world, actor, Address(), Manners(), None, finds_words=False)
        self._suggested = self.policy.suggest(possible(world, actor, commands), now)

    def objects_to(self, line: str, room_id: str, by_person: bool) -> bool:
        """Return whether a line is not to be done before the model was asked once more; never twice in a turn.

        That is one that goes on in a circle of which the agent had a notice, or none at all. A person who
        has spoken to it (`by_person`) may be answered with any verb.
        """
        if self._objected_to is not None or not self.mitigation.leads:
            return False
        is_shunned = not by_person and parse_line(line).verb in self.mitigation.shunned
        if line and not is_shunned and not self._loops.signs_of(line, room_id):
            return False
        self._objected_to = line
        return True

    def keeps_silent(self, line: str, room_id: str, by_person: bool) -> bool:
        """Return whether a line is not to be done at all: asked twice, the model still says the agent's words again.

        A person who has just spoken to the agent (`by_person`) is answered all the same.
        """
        asked_twice = self._objected_to is not None and self.mitigation.leads
        return asked_twice and not by_person and self._loops.is_verbatim(line, room_id)

    def hold_back(self, line: str, room_id: str) -> None:
        """Note that the agent was silent instead of doing a line."""
        self._objected_to = None
        self._loops.keep_silent(line, room_id)

    def notice(self, wording: Wording) -> str:
        """Return the text about the agent's loops, or an empty string."""
        if self._objected_to:
            return wording("loops.would_repeat")
        return sentences(self.mitigation.told, wording, self._suggested)

    def situation(
        self, world: World, actor: Character, address: Address, manners: Manners, errand: Step | None, finds_words: bool
    ) -> Situation:
        """Return the situation for the policy; `finds_words` is as in `Situation`."""
        return Situation(
            recent=tuple(self._lines),
            gifts=tuple(self._gifts),
            address=address,
            manners=manners,
            company=tuple(visible_characters(world, actor.room_id, actor)),
            ways_back=ways_back(world.room_of(actor), self._rooms),
            ways_to_others=ways_to_others(world, actor),
            errand=errand,
            shunned=frozenset() if address.by_person else self.mitigation.shunned,
            finds_words=finds_words,
        )


@dataclass(frozen=True)
class Mitigation:
    """The measures against loops in the next turn.

    `told` are the signs in the notice to the agent. `warmer` is added to the temperature. `shunned` are verbs not to be
    used. If it `leads`, a line that would go on in the same circle is taken only after the model was asked once more;
    if the model then repeats its own words, the agent is silent. `slower` is the factor on the usual pause after the
    turn.
    """

    told: tuple[Detected, ...] = ()
    warmer: float = 0.0
    repeat_penalty: float = 1.0
    shunned: frozenset[str] = frozenset()
    leads: bool = False
    slower: float = 1.0

    def temperature(self, own: float) -> float:
        """Return the temperature to ask with, given the agent's own."""
        return max(own, min(HOTTEST, own + self.warmer))


NONE = Mitigation()


def mitigation(loops: LoopDetector) -> Mitigation:
    """Return the measures against an agent's loops now."""
    strain = loops.strain
    if strain < TOLD:
        return NONE
    # A model that finds no command finds one even less often when it is asked for variety.
    is_varied = strain >= VARIED and all(one.sign is not Sign.NO_COMMAND for one in loops.last_found)
    return Mitigation(
        told=loops.found,
        warmer=WARMER * (strain - VARIED + 1) if is_varied else 0.0,
        repeat_penalty=REPEAT_PENALTY if is_varied else 1.0,
        shunned=suppressed_verbs(loops.last_found) if strain >= LED else frozenset(),
        leads=strain >= LED,
        slower=SLOWER ** max(0, strain - COOLED + 1),
    )


def suppressed_verbs(found: tuple[Detected, ...]) -> frozenset[str]:
    """Return the verbs that lead further into the loops of these signs."""
    return frozenset().union(*(SUPPRESSED.get(one.sign, frozenset({one.verb})) for one in found))


def sentences(found: tuple[Detected, ...], wording: Wording, lines: Sequence[str] = ()) -> str:
    """Return the notice for an agent that loops; empty if it does not. `lines` are what it could type."""
    return " ".join(dict.fromkeys(_sentence(one, wording, lines) for one in found))


def _sentence(found: Detected, wording: Wording, lines: Sequence[str]) -> str:
    if found.sign is Sign.NO_COMMAND:
        return wording("loops.no_command", lines=wording.join_or(lines))
    if found.sign is Sign.SAID_AGAIN and found.times > 1:
        return wording("loops.said_often", count=found.times + 1)
    if found.sign is Sign.DID_AGAIN:
        return wording("loops.did_again", count=found.times + 1)
    return wording(f"loops.{found.sign.value}")
