"""Turn-taking: whose turn it is to speak, and what an agent has not answered yet (its duty to answer).

Where several agents hear the same, one answers and the others wait: whom the words are for (see `addressee`), else the
one that has heard most since its last turn. Two others who answer each other are let alone. What is unanswered is kept
across a restart, so that a conversation goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agents.attending.conversation import addressee, is_question
from agents.attending.perception import (
    CHANNELS,
    MOST_WAITING,
    Address,
    Attention,
    Impression,
    address,
    is_person,
    is_worth_a_thought,
)
from agents.component import Turn
from agents.models.scheduler import Priority
from world.entities import Character
from world.events import Arrived, Event, Left, Said
from world.world import World

PATIENCE_MS = 45_000
"""The time that others wait for the agent that is about to answer, in milliseconds."""

KEPT_PARTNERS = 1000
"""Maximum number of speakers whose partner is remembered; the oldest is forgotten first."""


Row = dict[str, Any]


@dataclass(frozen=True)
class _Answering:
    name: str
    since_ms: int


class Floor:
    """The floor of a world: how much each agent has heard since its last turn, and which agent is about to answer."""

    def __init__(self) -> None:
        self._unseen: Counter[str] = Counter()
        self._answering: dict[str, _Answering] = {}
        self._event: Event | None = None
        self._to_id = self._choice = ""
        self._partners: dict[str, str] = {}
        self._heard_in: dict[str, str] = {}  # by person: the room in which it has spoken since it came there

    def unseen(self, name: str) -> int:
        """Return how many events an agent has perceived since its last turn."""
        return self._unseen[name]

    def is_for(self, event: Event, name: str, world: World) -> bool:
        """Return whether this agent should take up an event.

        The choice is made once for each event, so all who perceive it get the same answer.
        """
        self._take_in(event, world)
        return name == self._choice

    def addressee(self, event: Event, world: World) -> str:
        """Return the id of whom the words of an event are for; empty if they are for nobody in particular."""
        self._take_in(event, world)
        return self._to_id

    def perceive(self, name: str, count: int = 1) -> None:
        """Count the events that an agent has perceived."""
        self._unseen[name] += count

    def give(self, name: str, room_id: str, now_ms: int) -> None:
        """Let an agent answer in a room before others speak there."""
        self._answering[room_id] = _Answering(name, now_ms)

    def is_given(self, name: str) -> bool:
        """Return whether others wait for an agent to answer."""
        return any(one.name == name for one in self._answering.values())

    def begin_turn(self, name: str) -> None:
        """Let an agent have its turn: it has seen everything now, and nobody waits for it any more."""
        self._unseen.pop(name, None)
        self._answering = {room: one for room, one in self._answering.items() if one.name != name}

    def is_taken(self, actor: Character, world: World, now_ms: int) -> bool:
        """Return whether somebody else is about to answer where an agent is."""
        one = self._answering.get(actor.room_id)
        if one is None or one.name == actor.character_id or now_ms - one.since_ms > PATIENCE_MS:
            return False
        other = world.characters.get(one.name)
        if other is None or not other.awake or other.transient.afk_message is not None:
            return False
        return other.room_id == actor.room_id

    def _take_in(self, event: Event, world: World) -> None:
        if event is self._event:
            return
        self._event, self._to_id, self._choice = event, "", ""
        match event:
            case Said():
                self._to_id, self._choice = self._hear(event, world)
            case Arrived(room_id=room_id) | Left(room_id=room_id):
                self._heard_in.pop(event.actor_id, None)
                if is_person(event.actor_id, world):
                    self._choice = self._most_unseen(self._agents(room_id, event, world))

    def _hear(self, event: Said, world: World) -> tuple[str, str]:
        """Return whom words are for, and which agent is to take them up; each may be empty."""
        agents = self._agents(event.room_id, event, world)
        to_id = addressee(event, world, self._partners.get(event.actor_id, ""))
        choice = to_id if to_id in agents else ""
        if not to_id and self._is_for_somebody(event, world):
            choice = self._most_unseen(agents)
        self._heard_in[event.actor_id] = event.room_id
        if partner := to_id or choice:
            self._note_partner(event.actor_id, partner)
            self._note_partner(partner, event.actor_id)
        return to_id, choice

    def _agents(self, room_id: str, event: Event, world: World) -> list[str]:
        """Return the agents that could take up an event in a room. Who is paused is away, and would never answer."""
        present = (one for one in world.characters.at(room_id, "is_agent") if one.awake)
        agents = (one.name for one in present if one.transient.afk_message is None)
        return [name for name in agents if name != event.actor_id]

    def _most_unseen(self, agents: Iterable[str]) -> str:
        return max(agents, key=lambda name: self._unseen[name], default="")

    def _is_for_somebody(self, event: Said, world: World) -> bool:
        """Return whether one of several agents should take up words that are for nobody in particular.

        They ask something; or a person says them where no other person hears them, or as the first words since coming.
        """
        if is_question(event.text):
            return True
        if not is_person(event.actor_id, world):
            return False
        others = [one for one in world.occupants(event.room_id) if one.character_id != event.actor_id]
        return all(one.is_agent for one in others) or self._heard_in.get(event.actor_id) != event.room_id

    def _note_partner(self, speaker: str, partner: str) -> None:
        """Note whom somebody talks with; of too many the oldest is forgotten."""
        for table in (self._partners, self._heard_in):
            if len(table) > KEPT_PARTNERS:
                del table[next(iter(table))]
        self._partners.pop(speaker, None)
        self._partners[speaker] = partner


@dataclass(frozen=True)
class Owed:
    """The unanswered part of what an agent has perceived: how it was spoken to, and how many events it has perceived.

    `has_floor` is true if others wait for its answer, `stirred` if something else asks for a thought.
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
    """The events since the last turn of the agent called `name`. `floor` is shared by all agents of the world."""

    def __init__(self, name: str, floor: Floor, now_ms: Callable[[], int]) -> None:
        self.addressed = Address()
        self._name = name
        self._floor = floor
        self._attention = Attention(now_ms)
        self._now_ms = now_ms
        self._thinks_of = Owed()

    @property
    def thinks_of(self) -> Address:
        """What its present thought answers: what was said since its last answer, up to the beginning of the turn."""
        return self._thinks_of.address

    @property
    def owed(self) -> Owed:
        """Everything it has not answered yet, including what it is thinking about now."""
        return self._thinks_of | self._since_turn()

    @property
    def priority(self) -> Priority:
        """How urgent its next thought is: a person who has spoken to it comes first."""
        return Priority.ANSWER if self.owed.address.by_person else Priority.THOUGHT

    @property
    def next_answer(self) -> Address:
        """What its next answer is for, without what waits for another."""
        return replace(self.owed.address, later=(), then=None)

    def owe(self, owed: Owed, world: World) -> None:
        """Go on from what it had not answered when the world closed, a moment ago."""
        self.addressed |= owed.address
        self._floor.perceive(self._name, owed.unseen)
        if owed.has_floor:
            self._floor.give(self._name, world.characters[self._name].room_id, self._now_ms())
        if owed.stirred:
            self._attention.stir()

    def has_floor(self, event: Event, world: World) -> bool:
        """Return whether this agent is to take up an event."""
        return self._floor.is_for(event, self._name, world)

    def addressee(self, event: Event, world: World) -> str:
        """Return the id of whom the words of an event are for; empty if they are for nobody in particular."""
        return self._floor.addressee(event, world)

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
        """Take in that the agent has answered what it was thinking of; what was said after a question waits still."""
        self.addressed = self.thinks_of.rest() | self.addressed
        self._thinks_of = Owed()

    def answer_all(self) -> None:
        """Take in that nobody waits for an answer any more."""
        self.begin_turn()
        self._thinks_of = Owed()

    def stillness(self, when: str, world: World, actor: Character) -> Turn | None:
        """Return the turn of one who has nothing to think of now, or None; `when` is the setting `think_when`."""
        if not self._attention.is_drawn(when, self.addressed.spoken, world, actor):
            return Turn("resting", why=world.wording("talk.nothing_happened", when=when))
        if not self.addressed.spoken and self._floor.is_taken(actor, world, self._now_ms()):
            return Turn("listening", why=world.wording("talk.listens_to_others"))
        return None

    def _since_turn(self) -> Owed:
        floor, name = self._floor, self._name
        return Owed(self.addressed, floor.unseen(name), floor.is_given(name), self._attention.is_stirred)


def owed_rows(minds: Mapping[str, Awareness]) -> dict[str, Row]:
    """Return the unanswered part of each agent by name, as JSON has it; agents that owe nothing are missing."""
    found = {name: awareness.owed for name, awareness in minds.items()}
    return {name: _row(owed) for name, owed in found.items() if owed != Owed()}


def restore_owed(minds: Mapping[str, Awareness], rows: Mapping[str, Mapping[str, Any]], world: World) -> None:
    """Restore what the agents owe from rows of `owed_rows`; other values in them are ignored."""
    for name, row in rows.items():
        if name in minds and name in world.characters:
            minds[name].owe(_owed(row), world)


def _row(owed: Owed) -> Row:
    first, *waiting = map(_address_row, owed.address.each())
    counts = {"unseen": owed.unseen, "has_floor": int(owed.has_floor), "stirred": int(owed.stirred)}
    return first | counts | ({"then": waiting} if waiting else {})


def _address_row(address: Address) -> Row:
    return {
        "spoken": int(address.spoken),
        "by_person": int(address.by_person),
        "from_afar": int(address.from_afar),
        "by_id": address.by_id,
        "channel": address.channel,
        "is_gift": int(address.is_gift),
        "text": "\n".join(address.lines),
    }


def _owed(row: Mapping[str, Any]) -> Owed:
    listed = row.get("then")
    waiting = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    then = None
    for one in reversed(waiting[: MOST_WAITING - 1]):
        then = _address(one, then)
    counts = _counts_in(row)
    return Owed(
        _address(row, then), counts.get("unseen", 0), bool(counts.get("has_floor")), bool(counts.get("stirred"))
    )


def _address(row: Mapping[str, Any], then: Address | None) -> Address:
    counts = _counts_in(row)
    texts = {key: value for key, value in row.items() if isinstance(value, str)}
    channel = texts.get("channel", "say")
    return Address(
        spoken=bool(counts.get("spoken")),
        by_person=bool(counts.get("by_person")),
        from_afar=bool(counts.get("from_afar")),
        by_id=texts.get("by_id", ""),
        channel=channel if channel in CHANNELS else "say",
        is_gift=bool(counts.get("is_gift")),
        then=then,
    ).of_lines(texts.get("text", "").split("\n"))


def _counts_in(row: Mapping[str, Any]) -> dict[str, int]:
    return {key: value for key, value in row.items() if isinstance(value, int) and value >= 0}
