"""What the world knows of what was just asked about: the way to a place, where somebody is, who has a thing.

The engine looks it up, so that the model need not make it up. It stands right before the words that are to be answered;
for a model too small to make use of it the engine answers with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from agents.component import AddedComponent, Moment, Section
from agents.reflection.key_words import key_words
from world.matching import is_named
from world.model import Character, Exit, Thing, World
from world.paths import ways_from

MAX_ROOMS = 200
"""So many rooms, the nearest, are looked through, and as many things and people."""

MAX_LINES = 3
LATEST = 4
"""Among so many of the newest memories are the words to be answered."""


class Asked(AddedComponent):
    """Tells what the world knows of the places, people and things that the partner has named last."""

    name = "asked"

    def context(self, moment: Moment) -> Section | None:
        if moment.kind != "speech" or moment.partner is None:
            return None
        words = _last_words(moment, moment.partner.name)
        found = _looked_up(words, moment.world, moment.actor, moment.partner.name) if words else ()
        say = moment.world.wording
        lines = [say(f"asked.{key}", **values) for key, values in islice(found, MAX_LINES)]
        return Section(self.name, "\n".join(lines), is_aside=True) if lines else None


def answers(words: str, world: World, actor: Character, partner: str, told: Sequence[str], called: str) -> list[str]:
    """Return what an agent can answer to words without a model: what the world knows, and what it was told before.

    `told` are what the partner has told of themselves, word for word, and `called` is the name that they have given.
    Nothing of it is made up.
    """
    say = world.wording
    found = [
        say(f"asked.say_{key}", **values) for key, values in islice(_looked_up(words, world, actor, partner), MAX_LINES)
    ]
    if _has(words, "asked.asks_name", world):
        found.append(say("asked.say_name" if called else "asked.say_no_name", name=called))
    if _has(words, "asked.asks_own_name", world):
        found.append(say("asked.say_own_name", name=actor.name))
    if "?" in words:
        asked = key_words(words)
        fitting = [one for one in told if asked & key_words(one)]
        found += [say("asked.say_told", words=one) for one in fitting[-1:]]
    return found


def _has(words: str, key: str, world: World) -> bool:
    return any(is_named(phrase, words) for phrase in world.wording(key).split("; "))


def _last_words(moment: Moment, partner: str) -> str:
    newest_first = reversed(moment.view.tail[-LATEST:])
    heard = (one for one in newest_first if one.kind in ("observed", "told") and one.people[:1] == (partner,))
    return next((one.text for one in heard), "")


def _looked_up(words: str, world: World, actor: Character, partner: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the keys of sentences in `text/asked.md` on what words name, and what fills them."""
    ways = dict(islice(ways_from(world, actor.room_id), MAX_ROOMS))
    for room_id, way in ways.items():
        if is_named(world.rooms[room_id].name, words):
            yield _way(room_id, way, world, actor)
    others = (one for one in islice(world.awake(), MAX_ROOMS) if one is not actor and one.name != partner)
    for one in others:
        if is_named(one.name, words) and ways.get(one.room_id):
            yield "person", {"who": one.name, "room": world.rooms[one.room_id].name}
            yield _way(one.room_id, ways[one.room_id], world, actor)
    for thing in islice(_things(ways, world), MAX_ROOMS):
        if is_named(thing.name, words) and thing.place_id != actor.character_id:
            key = "lies_here" if thing.place_id == actor.room_id else "has_not"
            yield key, {"who": actor.name, "thing": thing.name}


def _way(room_id: str, way: list[Exit], world: World, actor: Character) -> tuple[str, dict[str, str]]:
    room = world.rooms[room_id].name
    if not way:
        return "here", {"room": room}
    exits = f"{world.wording('asked.then')} ".join(one.name for one in way)
    return "way", {"who": actor.name, "room": room, "exits": exits}


def _things(ways: dict[str, list[Exit]], world: World) -> Iterator[Thing]:
    """Yield the things in the nearest rooms, and those that somebody in them carries."""
    owners = (one.character_id for one in islice(world.awake(), MAX_ROOMS) if one.room_id in ways)
    for place_id in (*ways, *owners):
        yield from world.things_at(place_id)
