"""What an agent's situation is when it is to act, as far as the choice of what to do depends on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.attending.conversation import Manners
from agents.attending.perceiving import Address
from agents.components.errands import Step
from world.entities import Character, Room
from world.matching import has_phrase, is_named
from world.navigation import shortest_path
from world.parsing import parse_line
from world.world import World


@dataclass(frozen=True)
class Situation:
    """What the policy knows of an agent's situation.

    `recent` are its own last lines, newest last. `address` is who waits for an answer, and `manners` what the
    conversation asks of it. `company` are the others whom it can see, `ways_back` the exits to where it has just been,
    `ways_to_others` those towards others, `errand` the next step of what it has set out to do. `asked_for` are the
    names of what it holds and is asked for, `asked_along` is whether it is asked to come along, `gifts` are the names
    of what it was given last. `shunned` are verbs that would lead it round in a circle. `finds_words` is whether its
    model is worth asking for free words beside speech, as one held to a grammar is for its thoughts. `answer` is what
    the world itself answers to what was asked, for a model that is too small to make use of it; empty if nothing.
    """

    recent: Sequence[str] = ()
    address: Address = field(default_factory=Address)
    manners: Manners = field(default_factory=Manners)
    company: tuple[Character, ...] = ()
    ways_back: frozenset[str] = frozenset()
    ways_to_others: frozenset[str] = frozenset()
    errand: Step | None = None
    asked_for: tuple[str, ...] = ()
    asked_along: bool = False
    shunned: frozenset[str] = frozenset()
    finds_words: bool = True
    gifts: tuple[str, ...] = ()
    answer: str = ""

    @property
    def verbs(self) -> list[str]:
        """The verbs of its last lines, newest first."""
        return [parse_line(line).verb for line in reversed(self.recent)]


def asks(what: str, words: str, world: World) -> bool:
    """Return whether words ask for something: have one of the phrases that stand under `what` in the world's texts."""
    return has_phrase(world.wording(what), words)


def asked_for(world: World, actor: Character, words: str) -> tuple[str, ...]:
    """Return the names of the things that `actor` carries and that words ask for; the phrases are the world's."""
    if not asks("talk.asks_for", words, world):
        return ()
    names = (thing.name for thing in world.things_at(actor.character_id))
    return tuple(name for name in names if any(is_named(word, words) for word in (name, name.split()[-1])))


def ways_back(room: Room, visited: Sequence[str], most: int = 2) -> frozenset[str]:
    """Return the exits of `room` that lead to the last `most` other rooms visited; ids, newest last."""
    others = [room_id for room_id in dict.fromkeys(reversed(visited)) if room_id != room.room_id]
    return frozenset(exit.name for exit in room.exits.values() if exit.room_id in others[:most])


def ways_to_others(world: World, actor: Character) -> frozenset[str]:
    """Return the exits that begin a shortest way to somebody else who is in the world, if not here."""
    rooms = {one.room_id for one in world.awake() if one is not actor}
    ways = (shortest_path(world, actor.room_id, room_id) for room_id in rooms)
    return frozenset(way[0].name for way in ways if way)
