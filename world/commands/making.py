"""Making things, destroying rooms and things, putting anything anywhere, and taking all that back."""

from __future__ import annotations

from world.building.altering import Alteration, refuge, remove_room, rooms_leading_to, take_back
from world.building.naming import new_id, new_name, title_for
from world.building.subjects import check_may_change, room_meant, subject_meant
from world.command import command
from world.errors import CommandError
from world.events import Arrived, Built, Event, Happened, Left, Moved, Saw
from world.model import Character, Role, Room, Thing, World
from world.narration import named, with_article
from world.parsing import is_number

MOST_UNDONE = 20
"""How many acts can be taken back at once."""


@command("@create <name>", category="building", role=Role.BUILDER, for_agents=False, noticed="room")
def create(world: World, actor: Character, name: str) -> list[Event]:
    """Make a thing, which you then carry: @create brass lamp. See @describe, @alias and @set for the rest."""
    called = new_name(world, name)
    thing_id = new_id(world, called)
    alteration = Alteration(world, actor, [("thing", thing_id)])
    made = world.things[thing_id] = Thing(thing_id, actor.character_id, title=title_for(called, thing_id))
    return [
        Built(actor.character_id, actor.room_id, "creates", with_article(made)),
        *alteration.done(named(made, world)),
    ]


@command("@destroy <object>", category="building", role=Role.BUILDER, for_agents=False, noticed="room")
def destroy(world: World, actor: Character, object: str) -> list[Event]:
    """Take a thing or a room out of the world; @undo brings it back.

    Who and what is in a room comes to a room next door, and every exit into it is closed.
    What is in a container stays where the container was.
    """
    subject = subject_meant(world, actor, object)
    match subject:
        case Room():
            return _destroyed_room(world, actor, subject)
        case Thing():
            check_may_change(world, actor, subject)
            alteration = Alteration(world, actor, [("thing", subject.thing_id)])
            alteration.move_out(subject.thing_id, subject.place_id)
            del world.things[subject.thing_id]
            name = named(subject, world)
            return [Built(actor.character_id, actor.room_id, "destroys", name), *alteration.done(name)]
        case _:
            raise CommandError(world.wording("building.no_destroying", who=subject.name))


@command(
    "@teleport <object> to <room>", "@tel", category="building", role=Role.BUILDER, for_agents=False, noticed="room"
)
def teleport(world: World, actor: Character, object: str, room: str) -> list[Event]:
    """Be in another room at once, or put a thing or, as an admin, somebody there: @teleport me to The Cellar."""
    subject, goal = subject_meant(world, actor, object), room_meant(world, actor, room)
    check_may_change(world, actor, subject)
    match subject:
        case Room():
            raise CommandError(world.wording("building.no_moving", room=subject.name))
        case Character():
            return _sent(world, actor, subject, goal)
        case Thing(thing_id=thing_id):
            subject.place_id = goal.room_id
            moved = Built(actor.character_id, actor.room_id, "moves", named(subject, world), goal.name)
            appears = Happened("", goal.room_id, world.wording("building.appears", name=with_article(subject)))
            return [Moved(actor.character_id, thing_id), moved, *([appears] if goal.room_id != actor.room_id else [])]


@command("@undo [<number>]", category="building", role=Role.BUILDER, for_agents=False, noticed="room")
def undo(world: World, actor: Character, number: str = "") -> list[Event]:
    """Take back the last thing that you built, changed or destroyed, or the last so many: @undo 3.

    What somebody else has changed since stays as it is. What was before the last start cannot be taken back.
    """
    if number and not (is_number(number) and 1 <= int(number) <= MOST_UNDONE):
        raise CommandError(world.wording("building.undo_number", number=number, most=MOST_UNDONE))
    events: list[Event] = []
    for _ in range(int(number or 1)):
        try:
            name, undone = take_back(world, actor)
        except CommandError as error:
            if not events:
                raise
            return [*events, Saw(actor.character_id, str(error))]
        events += [Built(actor.character_id, actor.room_id, "undoes", name), *undone]
    return events


def _destroyed_room(world: World, actor: Character, room: Room) -> list[Event]:
    if room.room_id == world.start_room_id:
        raise CommandError(world.wording("building.start_room", room=room.name))
    leading = rooms_leading_to(world, room.room_id)
    alteration = Alteration(world, actor, [("room", one.room_id) for one in (room, *leading)])
    alteration.move_out(room.room_id, refuge(world, room))
    for one in leading:
        one.exits = {name: exit for name, exit in one.exits.items() if exit.room_id != room.room_id}
    moves = remove_room(world, room)
    # Told last, where the actor is by then: in the room that it destroys there is nobody left to see it.
    return [*moves, Built(actor.character_id, actor.room_id, "destroys", room.name), *alteration.done(room.name)]


def _sent(world: World, actor: Character, who: Character, goal: Room) -> list[Event]:
    if who.room_id == goal.room_id:
        raise CommandError(world.wording("building.there_already", who=who.name, room=goal.name))
    left = Left(who.character_id, who.room_id, "", goal.room_id)
    who.room_id = goal.room_id
    events: list[Event] = [left, Arrived(who.character_id, goal.room_id, left.room_id)]
    if who is not actor:
        events.insert(0, Built(actor.character_id, actor.room_id, "moves", who.name, goal.name))
    return events


COMMANDS = (create, destroy, teleport, undo)
