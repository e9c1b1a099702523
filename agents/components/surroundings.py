"""What the world knows of the places, people and things that were just named, so that no model makes it up."""

from __future__ import annotations

from collections.abc import Iterator

from agents.component import AddedComponent, Moment, Section
from world.find import names_in
from world.navigation import shortest_path

MOST_LINES = 3


class Surroundings(AddedComponent):
    """Tells the way to a room that the partner's words name, where somebody is, and where a thing lies."""

    name = "surroundings"

    def context(self, moment: Moment) -> Section | None:
        if moment.kind != "speech" or not moment.heard:
            return None
        lines = [line for _, line in zip(range(MOST_LINES), _lines(moment), strict=False)]
        return Section(self.name, "\n".join(lines), is_aside=True) if lines else None


def _lines(moment: Moment) -> Iterator[str]:
    world, actor, say = moment.world, moment.actor, moment.world.wording
    partner = moment.partner.character_id if moment.partner else ""
    for id_ in names_in(world, moment.heard):
        room_id = id_ if id_ in world.rooms else ""
        if (one := world.characters.get(id_)) and one is not actor and id_ != partner:
            if not one.awake:
                yield say("surroundings.asleep", who=one.name)
            elif one.room_id != actor.room_id:
                room_id = one.room_id
                yield say("surroundings.person", who=one.name, room=world.rooms[room_id].name)
        elif thing := world.things.get(id_):
            if thing.place_id in world.rooms:
                yield say("surroundings.thing", thing=thing.name, room=world.rooms[thing.place_id].name)
            elif thing.place_id != actor.character_id and thing.place_id in world.characters:
                yield say("surroundings.held", thing=thing.name, who=world.characters[thing.place_id].name)
        if room_id and (way := shortest_path(world, actor.room_id, room_id)):
            yield say("surroundings.way", room=world.rooms[room_id].name, exits=", ".join(one.name for one in way))
