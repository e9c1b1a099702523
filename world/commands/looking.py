"""Looking about: look, examine, exits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from world.command import command
from world.commands.containers import container_meant, contents_of
from world.events import Event, LookedAt, Saw
from world.matching import find
from world.model import Character, Detail, Exit, Room, Thing, World
from world.narration import place, with_article
from world.people import absence
from world.scenes import scene, ways_out

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


@command("look [<sight>]", "l", category="senses", noticed="named", also=("look in <container>",))
def look(world: World, actor: Character, sight: str = "", container: str = "") -> list[Event]:
    """Look at what is around you, or at something.

    look            the room, what is in it, who is here and the ways out
    look lamp       a thing, a person, a detail of the room or an exit
    look in basket  what is in something that holds things
    """
    if container:
        return [Saw(actor.character_id, _inside(world, container_meant(world, actor, container)))]
    wanted = sight.removeprefix("at ").strip()
    if not wanted:
        return [Saw(actor.character_id, scene(world, actor))]
    return _seen(world, actor, _sight(world, actor, wanted))


@command("examine <sight>", "x", "inspect", category="senses", noticed="named")
def examine(world: World, actor: Character, sight: str) -> list[Event]:
    """Look at something closely, and see all that there is to know about it.

    examine lamp    a thing: also what is in it, and whether there is something to read
    examine Eliza   a person: also what they carry, and whom they follow
    examine here    the room: also what is worth a closer look
    """
    seen = _sight(world, actor, sight)
    events = _seen(world, actor, seen)
    more = "\n".join(line for line in _closely(world, actor, seen) if line)
    return [*events, Saw(actor.character_id, more)] if more else events


@command("exits", "ex", category="senses", for_agents=False)
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


def _closely(world: World, actor: Character, seen: Sight) -> Iterator[str]:
    """Yield what else is to be seen of something, a line each."""
    say = world.wording
    match seen:
        case Room(details=details):
            yield say("looking.worth_a_look", details=say.all_of(list(details))) if details else ""
        case Character(name=name):
            yield say("presence.is_agent", who=name) if seen.is_agent and not actor.is_agent else ""
            key = "looking.you_carry" if seen is actor else "looking.carries"
            yield say(key, who=name, things=_carried(world, seen))
            leader = world.characters.get(seen.doings.following_id)
            key = "you_follow" if seen is actor else "follows_you" if leader is actor else "follows"
            yield say(f"looking.{key}", who=name, leader=leader.name) if leader else ""
            yield absence(world, seen)
        case Thing(name=name):
            yield _inside(world, seen) if seen.is_container else ""
            yield say("looking.readable", thing=name) if seen.writing else ""
            yield say("looking.fixed", thing=name) if seen.fixed else ""


def _inside(world: World, container: Thing) -> str:
    found = "\n".join(contents_of(world, [container], 0))
    return found or world.wording("looking.empty", container=container.name)


def _carried(world: World, character: Character) -> str:
    names = [with_article(thing) for thing in world.things_at(character.character_id)]
    return world.wording.all_of(names) or world.wording("lists.nothing")


COMMANDS = (look, examine, exits)
