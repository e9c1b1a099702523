"""Rooms and the ways between them: digging, opening and closing exits."""

from __future__ import annotations

from world.building.altering import Alteration
from world.building.naming import as_exit_name, new_id, new_name, new_names, title_for
from world.building.subjects import room_meant
from world.command import command
from world.errors import CommandError
from world.events import Built, Event
from world.model import Character, Exit, Role, Room, World

MOST_EXITS = 32
"""How many exits a room may have."""


@command("@dig <exit> to <name>", category="building", role=Role.BUILDER, for_agents=False, noticed="room")
def dig(world: World, actor: Character, exit: str, name: str) -> list[Event]:
    """Make a new room, with an exit to it from here and one back.

    @dig north to The Attic           north there; back by south, the opposite
    @dig hatch, h to The Attic        hatch or h there; back by the name of this room
    @dig hatch/ladder to The Attic    hatch there, back by ladder
    """
    here = world.room_of(actor)
    there_text, _, back_text = exit.partition("/")
    there = _free_exit(world, here, there_text)
    called = new_name(world, name)
    room_id = new_id(world, called)
    back = new_names(world, back_text) if back_text.strip() else _way_back(world, there[0], here)
    alteration = Alteration(world, actor, [("room", here.room_id), ("room", room_id)])
    way_back = Exit(back[0], here.room_id, back[1:])
    exits, title = {way_back.name: way_back}, title_for(called, room_id)
    world.rooms[room_id] = Room(room_id, exits=exits, number=world.next_number(), title=title)
    here.exits[there[0]] = Exit(there[0], room_id, there[1:])
    built = Built(actor.character_id, here.room_id, "digs", there[0], called)
    return [built, *alteration.done(called)]


@command("@exit <exit> to <room>", category="building", role=Role.BUILDER, for_agents=False, noticed="room")
def make_exit(world: World, actor: Character, exit: str, room: str) -> list[Event]:
    """Open an exit from here to a room that exists; it leads one way: @exit hatch, h to The Cellar."""
    here, goal = world.room_of(actor), room_meant(world, actor, room)
    names = _free_exit(world, here, exit)
    alteration = Alteration(world, actor, [("room", here.room_id)])
    here.exits[names[0]] = Exit(names[0], goal.room_id, names[1:])
    built = Built(actor.character_id, here.room_id, "opens", names[0], goal.name)
    return [built, *alteration.done(here.name)]


@command("@unexit <exit>", category="building", role=Role.BUILDER, for_agents=False, noticed="room")
def remove_exit(world: World, actor: Character, exit: str) -> list[Event]:
    """Close an exit of this room, in this direction only."""
    here = world.room_of(actor)
    closed = here.ways.get(exit.lower())
    if closed is None:
        exits = ", ".join(here.exits) or world.wording("lists.none")
        raise CommandError(world.wording("movement.no_exit", wanted=exit, exits=exits))
    alteration = Alteration(world, actor, [("room", here.room_id)])
    del here.exits[closed.name]
    return [Built(actor.character_id, here.room_id, "closes", closed.name), *alteration.done(here.name)]


def _free_exit(world: World, room: Room, text: str) -> tuple[str, ...]:
    """Return the names of a new exit of a room; a direction also has its short name, if that is free.

    Raises: CommandError if one is taken or the room has too many.
    """
    names = new_names(world, text)
    taken = [name for name in names if name in room.ways]
    if taken:
        raise CommandError(world.wording("building.exit_taken", exit=taken[0], room=room.name))
    if len(room.exits) >= MOST_EXITS:
        raise CommandError(world.wording("building.too_many_exits", room=room.name, most=MOST_EXITS))
    return names if len(names) > 1 else _with_short(world, names[0], room)


def _way_back(world: World, exit: str, here: Room) -> tuple[str, ...]:
    """Return the names of the exit that leads back: the opposite direction, or else the name of the room."""
    opposites = _pairs(world.wording("building.opposites"))
    opposite = {**opposites, **{back: there for there, back in opposites.items()}}.get(exit)
    return _with_short(world, opposite, None) if opposite else (as_exit_name(here.name),)


def _with_short(world: World, exit: str, room: Room | None) -> tuple[str, ...]:
    short = _pairs(world.wording("building.short_names")).get(exit)
    return (exit, short) if short and (room is None or short not in room.ways) else (exit,)


def _pairs(text: str) -> dict[str, str]:
    """Return `north/south, in/out` as a dict."""
    pairs = (pair.strip().partition("/") for pair in text.split(","))
    return {first: second for first, slash, second in pairs if slash}


COMMANDS = (dig, make_exit, remove_exit)
