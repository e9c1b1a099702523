"""Looking about: look, examine, exits."""

from __future__ import annotations

from itertools import chain

from world.command import command
from world.events import Event, LookedAt, Saw
from world.matching import find
from world.model import Character, Detail, Exit, Room, Thing, World
from world.narration import place, scene, ways_out, with_article

Sight = Room | Detail | Thing | Character | Exit


def sights(world: World, actor: Character) -> list[Sight]:
    """Return all that an actor can look at here: people, things, its own things, details, exits, the room."""
    room = world.room_of(actor)
    return list(
        chain(
            world.occupants(actor.room_id),
            world.things_at(actor.room_id),
            world.things_at(actor.character_id),
            room.details.values(),
            room.exits.values(),
            [room],
        )
    )


@command("look [<sight>]", "l", category="senses", noticed="named")
def look(world: World, actor: Character, sight: str = "") -> list[Event]:
    """Look at what is around you, or at something.

    look            the room, what is in it, who is here and the ways out
    look lamp       a thing, a person, a detail of the room or an exit
    """
    wanted = sight.removeprefix("at ").strip()
    if not wanted:
        return [Saw(actor.character_id, scene(world, actor))]
    return _seen(world, actor, _sight(world, actor, wanted))


@command("examine <sight>", "x", "inspect", category="senses", noticed="named")
def examine(world: World, actor: Character, sight: str) -> list[Event]:
    """Look at something closely: a person also shows what they carry."""
    seen = _sight(world, actor, sight)
    events = _seen(world, actor, seen)
    if isinstance(seen, Character):
        key = "looking.you_carry" if seen is actor else "looking.carries"
        events.append(Saw(actor.character_id, world.wording(key, who=seen.name, things=_carried(world, seen))))
    return events


@command("exits", "ex", category="senses")
def exits(world: World, actor: Character) -> list[Event]:
    """List the ways out of here and where they lead."""
    return [Saw(actor.character_id, ways_out(world, actor))]


def _sight(world: World, actor: Character, wanted: str) -> Sight:
    if wanted.lower() in ("me", "myself", "self"):
        return actor
    if wanted.lower() in ("here", "room"):
        return world.room_of(actor)
    return find(wanted, sights(world, actor), world.wording("looking.no_such", wanted=wanted), world.wording)


def _seen(world: World, actor: Character, seen: Sight) -> list[Event]:
    me = actor.character_id
    match seen:
        case Room():
            return [Saw(me, scene(world, actor))]
        case Exit(name=name, room_id=room_id):
            leads = world.wording("looking.leads", exit=name.capitalize(), room=place(room_id, world))
            return [Saw(me, leads)]
        case Character() if seen is not actor:
            return [
                Saw(me, seen.description or world.wording("looking.somebody", who=seen.name)),
                LookedAt(me, actor.room_id, seen.character_id),
            ]
        case _:
            return [Saw(me, seen.description or world.wording("looking.nothing_special", what=seen.name))]


def _carried(world: World, character: Character) -> str:
    names = [with_article(thing) for thing in world.things_at(character.character_id)]
    return world.wording.all_of(names) or world.wording("lists.nothing")


COMMANDS = (look, examine, exits)
