"""Whose turn it is to speak where several agents hear the same: one answers, and the others wait for that.

Who is spoken to by name answers. Else it is the agent whom the person has been talking with, if it is here, or the one
that has heard most since its last turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from agents.attending.attention import is_person
from world.entities import Character
from world.events import Arrived, Event, Left, Said
from world.matching import is_named
from world.world import World

PATIENCE_MS = 20_000
"""How long others wait for whoever is to answer, in milliseconds."""

KEPT_PARTNERS = 1000
"""Of so many speakers it is kept whom they talk with."""


@dataclass(frozen=True)
class _Answering:
    name: str
    since_ms: int


class Floor:
    """Who has heard how much since its last turn, and who is about to answer, for all agents of a world."""

    def __init__(self) -> None:
        self._unseen: Counter[str] = Counter()
        self._answering: dict[str, _Answering] = {}
        self._event: Event | None = None
        self._choice = ""
        self._partners: dict[str, str] = {}

    def unseen(self, name: str) -> int:
        """Return how many events an agent has perceived since its last turn."""
        return self._unseen[name]

    def is_for(self, event: Event, name: str, world: World) -> bool:
        """Return whether an event that is for nobody by name is for this agent to take up.

        Everyone who perceives an event is told the same, whoever asks first.
        """
        if event is not self._event:
            self._event, self._choice = event, self._chosen(event, world)
        return name == self._choice

    def perceive(self, name: str, count: int = 1) -> None:
        """Count what an agent has perceived."""
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

    def _chosen(self, event: Event, world: World) -> str:
        room_id = _room_of(event)
        if not room_id:
            return ""
        # Who is paused is away, and would never answer.
        present = (one for one in world.characters.at(room_id, "is_agent") if one.awake)
        agents = [one.name for one in present if one.transient.afk_message is None]
        others = [name for name in agents if name != event.actor_id]
        if isinstance(event, Said) and (named := _named(event, others)):
            self._note_partner(event.actor_id, named)
        if not _is_for_somebody(event, room_id, world):
            return ""
        partner = self._partners.get(event.actor_id, "")
        choice = partner if partner in others else max(others, key=lambda name: self._unseen[name], default="")
        if choice and isinstance(event, Said):
            self._note_partner(event.actor_id, choice)
        return choice

    def _note_partner(self, speaker: str, agent: str) -> None:
        """Note whom somebody talks with; of too many the oldest is forgotten."""
        self._partners.pop(speaker, None)
        self._partners[speaker] = agent
        if len(self._partners) > KEPT_PARTNERS:
            del self._partners[next(iter(self._partners))]


def _named(event: Said, agents: Iterable[str]) -> str:
    return next((name for name in agents if event.to_id == name or is_named(name, event.text)), "")


def _room_of(event: Event) -> str:
    return event.room_id if isinstance(event, Said | Arrived | Left) else ""


def _is_for_somebody(event: Event, room_id: str, world: World) -> bool:
    """Return whether one of several agents should take up an event that names none of them.

    That is a question, a person's words where no other person hears them, and a person who comes or goes.
    """
    if not isinstance(event, Said):
        return is_person(event.actor_id, world)
    if event.to_id:
        return False
    others = [one for one in world.occupants(room_id) if one.character_id != event.actor_id]
    is_heard_alone = all(one.is_agent for one in others) and is_person(event.actor_id, world)
    if not ("?" in event.text or is_heard_alone):
        return False
    return not any(is_named(one.name, event.text) for one in others)
