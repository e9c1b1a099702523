"""Building commands: rooms, exits and things are made, destroyed and moved; `@undo`."""

from __future__ import annotations

from functools import partial

from world.command import command
from world.edits import Edit, destroy_room, evacuation_room, missing_entities, prune, rooms_leading_to, undo_last
from world.entities import Character, Exit, Role, Room, Thing
from world.errors import CommandError
from world.events import Arrived, Built, Event, Left, Moved, Output, RoomMessage
from world.find import (
    check_may_change,
    exit_name_for,
    find_entity,
    find_room,
    new_id,
    title_for,
    validate_name,
    validate_names,
)
from world.narration import noun_phrase, with_article
from world.parsing import is_number
from world.room_view import exit_names
from world.sanitize import name_key
from world.world import World

MAX_EXITS = 32
"""Maximum number of exits of a room."""

building_command = partial(command, category="building", role=Role.BUILDER, for_agents=False, visible_to="room")
"""Declares a command by which builders change the world."""


@building_command("@dig <exit> to <name>")
def dig(world: World, actor: Character, exit: str, name: str) -> list[Event]:
    """Make a new room, with an exit to it from here and one back.

    @dig north to The Attic           north there; back by south, the opposite
    @dig hatch, h to The Attic        hatch or h there; back by the name of this room
    @dig hatch/ladder to The Attic    hatch there, back by ladder
    """
    here = world.room_of(actor)
    there_text, _, back_text = exit.partition("/")
    there = _free_exit(world, here, there_text)
    called = validate_name(world, name)
    room_id = new_id(world, called)
    back = validate_names(world, back_text) if back_text.strip() else _way_back(world, there[0], here)
    alteration = Edit(world, actor, [("room", here.room_id), ("room", room_id)])
    way_back = Exit(back[0], here.room_id, back[1:])
    exits, title = {way_back.name: way_back}, title_for(called, room_id)
    world.put(Room(room_id, exits=exits, number=world.next_number(), title=title))
    here.exits[there[0]] = Exit(there[0], room_id, there[1:])
    built = Built(actor.character_id, here.room_id, "digs", there[0], called)
    return [built, *alteration.done(called)]


@building_command("@exit <exit> to <room>")
def make_exit(world: World, actor: Character, exit: str, room: str) -> list[Event]:
    """Open an exit from here to a room that exists; it leads one way: @exit hatch, h to The Cellar."""
    here, goal = world.room_of(actor), find_room(world, actor, room)
    names = _free_exit(world, here, exit)
    alteration = Edit(world, actor, [("room", here.room_id)])
    here.exits[names[0]] = Exit(names[0], goal.room_id, names[1:])
    built = Built(actor.character_id, here.room_id, "opens", names[0], goal.name)
    return [built, *alteration.done(here.name)]


@building_command("@unexit <exit>")
def remove_exit(world: World, actor: Character, exit: str) -> list[Event]:
    """Close an exit of this room, in this direction only."""
    here = world.room_of(actor)
    closed = next((one for name, one in here.exits_by_name.items() if name_key(name) == name_key(exit)), None)
    if closed is None:
        raise CommandError(world.wording("movement.no_exit", wanted=exit, exits=exit_names(world, here.exits)))
    alteration = Edit(world, actor, [("room", here.room_id)])
    del here.exits[closed.name]
    return [Built(actor.character_id, here.room_id, "closes", closed.name), *alteration.done(here.name)]


def _free_exit(world: World, room: Room, text: str) -> tuple[str, ...]:
    """Return the names of a new exit of a room; a direction also has its short name, if that is free.

    Raises: CommandError if one is taken or the room has too many.
    """
    names = validate_names(world, text)
    taken = [name for name in names if name in room.exits_by_name]
    if taken:
        raise CommandError(world.wording("building.exit_taken", exit=taken[0], room=room.name))
    if len(room.exits) >= MAX_EXITS:
        raise CommandError(world.wording("building.too_many_exits", room=room.name, most=MAX_EXITS))
    return names if len(names) > 1 else _with_short(world, names[0], room)


def _way_back(world: World, exit: str, here: Room) -> tuple[str, ...]:
    """Return the names of the exit that leads back: the opposite direction, or else the name of the room."""
    opposites = _pairs(world.wording("building.opposites"))
    opposite = {**opposites, **{back: there for there, back in opposites.items()}}.get(exit)
    return _with_short(world, opposite, None) if opposite else (exit_name_for(here.name),)


def _with_short(world: World, exit: str, room: Room | None) -> tuple[str, ...]:
    short = _pairs(world.wording("building.short_names")).get(exit)
    return (exit, short) if short and (room is None or short not in room.exits_by_name) else (exit,)


def _pairs(text: str) -> dict[str, str]:
    """Return `north/south, in/out` as a dict."""
    pairs = (pair.strip().partition("/") for pair in text.split(","))
    return {first: second for first, slash, second in pairs if slash}


MAX_UNDO = 20
"""Maximum number of acts that are undone at once."""


@building_command("@create <name>")
def create(world: World, actor: Character, name: str) -> list[Event]:
    """Make a thing, which you then carry: @create brass lamp. See @describe, @alias and @set for the rest."""
    called = validate_name(world, name)
    thing_id = new_id(world, called)
    alteration = Edit(world, actor, [("thing", thing_id)])
    made = world.things[thing_id] = Thing(thing_id, actor.character_id, title=title_for(called, thing_id))
    return [
        Built(actor.character_id, actor.room_id, "creates", with_article(made)),
        *alteration.done(noun_phrase(made, world)),
    ]


@building_command("@destroy <object>")
def destroy(world: World, actor: Character, object: str) -> list[Event]:
    """Destroy a thing or a room; @undo brings it back.

    People and things in a room move next door, and every exit into it is closed.
    Things in a container stay where the container was.
    """
    subject = find_entity(world, actor, object)
    match subject:
        case Room():
            return _destroy_room(world, actor, subject)
        case Thing():
            check_may_change(world, actor, subject)
            alteration = Edit(world, actor, [("thing", subject.thing_id)])
            alteration.move_out(subject.thing_id, subject.place_id)
            del world.things[subject.thing_id]
            name = noun_phrase(subject, world)
            return [Built(actor.character_id, actor.room_id, "destroys", name), *alteration.done(name)]
        case _:
            raise CommandError(world.wording("building.no_destroying", who=subject.name))


@building_command("@teleport <object> to <room>", "@tel")
def teleport(world: World, actor: Character, object: str, room: str) -> list[Event]:
    """Move yourself or a thing to another room; admins also people: @teleport me to The Cellar."""
    subject, goal = find_entity(world, actor, object), find_room(world, actor, room)
    check_may_change(world, actor, subject)
    match subject:
        case Room():
            raise CommandError(world.wording("building.no_moving", room=subject.name))
        case Character():
            return _teleport_character(world, actor, subject, goal)
        case Thing(thing_id=thing_id):
            subject.place_id = goal.room_id
            moved = Built(actor.character_id, actor.room_id, "moves", noun_phrase(subject, world), goal.name)
            appears = RoomMessage("", goal.room_id, world.wording("building.appears", name=with_article(subject)))
            return [Moved(actor.character_id, thing_id), moved, *([appears] if goal.room_id != actor.room_id else [])]


@building_command("@undo [<number>]")
def undo(world: World, actor: Character, number: str = "") -> list[Event]:
    """Undo your last building command, or the last few: @undo 3.

    Later changes by others stay. Commands before the last start cannot be undone.
    """
    if number and not (is_number(number) and 1 <= int(number) <= MAX_UNDO):
        raise CommandError(world.wording("building.undo_number", number=number, most=MAX_UNDO))
    events: list[Event] = []
    for _ in range(int(number or 1)):
        try:
            name, undone = undo_last(world, actor)
        except CommandError as error:
            if not events:
                raise
            return [*events, Output(actor.character_id, str(error))]
        events += [Built(actor.character_id, actor.room_id, "undoes", name), *undone]
    return events


@building_command("@prune [<name>]", role=Role.ADMIN, visible_to="nobody")
def prune_missing(world: World, actor: Character, name: str = "") -> list[Event]:
    """List what is hidden because its note is gone, or let go of it: @prune The Mill.

    A room, thing or character whose note is gone is only hidden: all of it comes back with the note.
    @prune with its name forgets where it was and what was in it.
    Exits to a room are removed from the notes of other rooms, and the things in it are put into the start room.
    """
    say, missing = world.wording, missing_entities(world)
    if not name:
        return [Output(actor.character_id, "\n".join(missing.values()) or say("building.none_missing"))]
    wanted = next((entity_id for entity_id in missing if name_key(entity_id) == name_key(name)), None)
    if wanted is None:
        raise CommandError(say("building.not_missing", name=name, missing=", ".join(missing) or "-"))
    return [*prune(world, wanted, actor.character_id), Output(actor.character_id, say("building.pruned", name=wanted))]


def _destroy_room(world: World, actor: Character, room: Room) -> list[Event]:
    if room.room_id == world.start_room_id:
        raise CommandError(world.wording("building.start_room", room=room.name))
    leading = rooms_leading_to(world, room.room_id)
    alteration = Edit(world, actor, [("room", one.room_id) for one in (room, *leading)])
    alteration.move_out(room.room_id, evacuation_room(world, room))
    for one in leading:
        one.exits = {name: exit for name, exit in one.exits.items() if exit.room_id != room.room_id}
    moves = destroy_room(world, room)
    # Told last, where the actor is by then: in the room that it destroys there is nobody left to see it.
    return [*moves, Built(actor.character_id, actor.room_id, "destroys", room.name), *alteration.done(room.name)]


def _teleport_character(world: World, actor: Character, who: Character, goal: Room) -> list[Event]:
    if who.room_id == goal.room_id:
        raise CommandError(world.wording("building.there_already", who=who.name, room=goal.name))
    left = Left(who.character_id, who.room_id, "", goal.room_id)
    who.room_id = goal.room_id
    events: list[Event] = [left, Arrived(who.character_id, goal.room_id, left.room_id)]
    if who is not actor:
        events.insert(0, Built(actor.character_id, actor.room_id, "moves", who.name, goal.name))
    return events
