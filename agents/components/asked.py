"""What the world knows of what was just asked about: the way to a place, where somebody is, who has a thing.

The engine looks it up, so that the model need not make it up. It stands right before the words that are to be answered.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from agents.component import AddedComponent, Moment, Section
from world.matching import is_named
from world.model import Exit, Thing, World
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
        lines = list(islice(_lines(words, moment), MAX_LINES)) if words else []
        return Section(self.name, "\n".join(lines), is_aside=True) if lines else None


def _last_words(moment: Moment, partner: str) -> str:
    newest_first = reversed(moment.view.tail[-LATEST:])
    heard = (one for one in newest_first if one.kind in ("observed", "told") and one.people[:1] == (partner,))
    return next((one.text for one in heard), "")


def _lines(words: str, moment: Moment) -> Iterator[str]:
    world, actor, say = moment.world, moment.actor, moment.world.wording
    ways = dict(islice(ways_from(world, actor.room_id), MAX_ROOMS))
    for room_id in ways:
        if is_named(world.rooms[room_id].name, words):
            yield _way(room_id, ways, moment)
    others = (one for one in islice(world.awake(), MAX_ROOMS) if one not in (actor, moment.partner))
    for one in others:
        if is_named(one.name, words) and ways.get(one.room_id):
            is_in = say("asked.person", who=one.name, room=world.rooms[one.room_id].name)
            yield f"{is_in} {_way(one.room_id, ways, moment)}"
    for thing in islice(_things(ways, world), MAX_ROOMS):
        if is_named(thing.name, words) and thing.place_id != actor.character_id:
            key = "asked.lies_here" if thing.place_id == actor.room_id else "asked.has_not"
            yield say(key, who=actor.name, thing=thing.name)


def _way(room_id: str, ways: dict[str, list[Exit]], moment: Moment) -> str:
    say, room = moment.world.wording, moment.world.rooms[room_id].name
    if not ways[room_id]:
        return say("asked.here", room=room)
    exits = f"{say('asked.then')} ".join(one.name for one in ways[room_id])
    return say("asked.way", who=moment.actor.name, room=room, exits=exits)


def _things(ways: dict[str, list[Exit]], world: World) -> Iterator[Thing]:
    """Yield the things in the nearest rooms, and those that somebody in them carries."""
    owners = (one.character_id for one in islice(world.awake(), MAX_ROOMS) if one.room_id in ways)
    for place_id in (*ways, *owners):
        yield from world.things_at(place_id)
