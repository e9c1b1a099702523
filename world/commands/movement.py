"""Going from room to room."""

from __future__ import annotations

from world.command import command
from world.errors import CommandError
from world.events import Arrived, Event, Left, Saw
from world.matching import candidates
from world.model import Character, Exit, World
from world.narration import exit_names, place
from world.paths import shortest_path


@command("go <exit>", "walk", "move", "enter", "head", category="movement", noticed="room")
def go(world: World, actor: Character, exit: str) -> list[Event]:
    """Walk through an exit, or one step towards a room further off.

    go north        an exit of this room; its name alone does the same
    go The Weir     one step on the way there; type it again to walk on
    """
    room = world.room_of(actor)
    wanted = exit.removeprefix("to ").strip()
    found = _exit_of(world, wanted, list(room.exits.values()))
    if found:
        return _through(world, actor, found)
    way = _way_to(world, actor, wanted)
    rest = len(way) - 1
    events = _through(world, actor, way[0])
    if rest:
        goal = place(way[-1].room_id, world)
        key = "movement.one_more_step" if rest == 1 else "movement.more_steps"
        events.append(Saw(actor.character_id, world.wording(key, room=goal, steps=rest)))
    return events


def _exit_of(world: World, wanted: str, exits: list[Exit]) -> Exit | None:
    key = wanted.lower()
    for one in exits:
        if key in (one.name, *one.aliases) or key in (one.room_id.lower(), place(one.room_id, world).lower()):
            return one
    found = candidates(wanted, exits)
    if len(found) > 1:
        names = world.wording.any_of([one.name for one in found])
        raise CommandError(world.wording("movement.which_way", wanted=wanted, names=names))
    return found[0] if found else None


def _way_to(world: World, actor: Character, wanted: str) -> list[Exit]:
    here = world.room_of(actor)
    nowhere = world.wording("movement.no_exit", wanted=wanted, exits=exit_names(world, here.exits))
    rooms = candidates(wanted, world.rooms.values())
    if rooms == [here] or wanted.lower() == "here":
        raise CommandError(world.wording("movement.here_already", room=here.name))
    rooms = [room for room in rooms if room is not here]
    if len(rooms) > 1:
        names = world.wording.any_of([room.name for room in rooms])
        raise CommandError(world.wording("movement.which_place", wanted=wanted, names=names))
    way = shortest_path(world, here.room_id, rooms[0].room_id) if rooms else None
    if not way:
        raise CommandError(nowhere)
    return way


def _through(world: World, actor: Character, exit: Exit) -> list[Event]:
    left = Left(actor.character_id, actor.room_id, exit.name, exit.room_id)
    actor.room_id = exit.room_id
    return [left, Arrived(actor.character_id, exit.room_id, left.room_id)]


COMMANDS = (go,)
