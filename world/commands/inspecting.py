"""Everything about a room, thing or character, for whoever builds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from world.building.subjects import subject_meant
from world.command import command
from world.events import Event, Saw
from world.model import Character, Role, Room, Thing, World
from world.narration import place


@command("@examine <object>", "@ex", category="building", role=Role.BUILDER, for_agents=False)
def inspect(world: World, actor: Character, object: str = "here") -> list[Event]:
    """Show everything about a room, a thing or a character, wherever it is: @examine here.

    Its id and names, where it is, what is in it, the ways in and out, its properties, who made and who changed it.
    """
    subject = subject_meant(world, actor, object)
    match subject:
        case Room():
            lines = _of_room(world, subject)
        case Thing():
            lines = _of_thing(world, subject)
        case _:
            lines = _of_character(world, subject)
    own = [world.wording("inspecting.property", property=key, value=text) for key, text in subject.properties.items()]
    return [Saw(actor.character_id, "\n".join([*lines, *own]))]


def _of_room(world: World, room: Room) -> Iterator[str]:
    say = world.wording
    yield say("inspecting.room", name=room.name, number=room.number)
    yield from _names(world, room.room_id, room.aliases)
    yield from _description(world, room.description)
    for exit in room.exits.values():
        names = ", ".join((exit.name, *exit.aliases))
        yield say("inspecting.way_out", exit=names, room=place(exit.room_id, world))
    for other in world.rooms.values():
        for exit in other.exits.values():
            if exit.room_id == room.room_id and other is not room:
                yield say("inspecting.way_in", exit=", ".join((exit.name, *exit.aliases)), room=other.name)
    for detail in room.details.values():
        names = ", ".join((detail.name, *detail.aliases))
        yield say("inspecting.detail", detail=names, description=detail.description)
    if room.tags:
        yield say("inspecting.tags", tags=", ".join(room.tags))
    inside = [one for one in world.characters.values() if one.room_id == room.room_id]
    yield from _listed(world, "inspecting.people", (one.name for one in inside if one.awake))
    yield from _listed(world, "inspecting.asleep", (one.name for one in inside if not one.awake))
    yield from _listed(world, "inspecting.contents", (thing.name for thing in world.things_at(room.room_id)))


def _of_thing(world: World, thing: Thing) -> Iterator[str]:
    say = world.wording
    yield say("inspecting.thing", name=thing.name)
    yield from _names(world, thing.thing_id, thing.aliases)
    yield from _description(world, thing.description)
    owner = world.things.get(thing.place_id)
    yield say("inspecting.place", place=owner.name if owner else place(thing.place_id, world))
    if thing.article:
        yield say("inspecting.article", article=thing.article)
    if thing.writing:
        yield say("inspecting.writing", writing=thing.writing)
    if thing.fixed:
        yield say("inspecting.fixed")
    if thing.is_container:
        yield say("inspecting.container")
    yield from _listed(world, "inspecting.contents", (one.name for one in world.things_at(thing.thing_id)))


def _of_character(world: World, who: Character) -> Iterator[str]:
    say = world.wording
    role = say(f"roles.{who.role.name.lower()}")
    yield say("inspecting.agent" if who.is_agent else "inspecting.person", name=who.name, role=role)
    yield from _names(world, who.character_id, who.aliases)
    yield from _description(world, who.description)
    yield say("inspecting.place" if who.awake else "inspecting.asleep_in", place=place(who.room_id, world))
    yield from _listed(world, "inspecting.grants", sorted(who.grants))
    yield from _listed(world, "inspecting.carries", (thing.name for thing in world.things_at(who.character_id)))


def _names(world: World, subject_id: str, aliases: Iterable[str]) -> Iterator[str]:
    yield world.wording("inspecting.note", id=subject_id)
    yield from _listed(world, "inspecting.aliases", aliases)


def _description(world: World, text: str) -> Iterator[str]:
    yield text or world.wording("inspecting.no_description")


def _listed(world: World, key: str, names: Iterable[str]) -> Iterator[str]:
    found = list(names)
    if found:
        yield world.wording(key, names=", ".join(found))


COMMANDS = (inspect,)
