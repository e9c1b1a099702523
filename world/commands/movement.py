"""Movement commands: alone and with followers."""

from __future__ import annotations

from world.command import command
from world.commands.communication import find_person_here
from world.entities import Character, Exit, Room
from world.errors import CommandError
from world.events import Arrived, Event, Followed, Left, Output, Unfollowed
from world.narration import room_name
from world.navigation import party, shortest_path, start_following
from world.parsing import candidates, find
from world.room_view import exit_names
from world.sanitize import name_key
from world.world import World


@command("go <exit>", "walk", "move", "enter", "head", category="movement", visible_to="room", also=("go on",))
def go(world: World, actor: Character, exit: str = "") -> list[Event]:
    """Walk through an exit, or one step towards a room or a person further off.

    go north        an exit of this room; its name alone does the same
    go The Weir     one step on the way there
    go Moss         one step on the way to where Moss is now
    go on           the next step; so does `on`
    """
    if not exit:
        return _walk_on(world, actor)
    wanted = exit.removeprefix("to ").strip()
    found = _exit_of(world, wanted, list(world.room_of(actor).exits.values()))
    return _walk_through(world, actor, found) if found else _step(world, actor, _way_to(world, actor, wanted))


@command("on", "continue", category="movement", visible_to="room", for_agents=False)
def on(world: World, actor: Character) -> list[Event]:
    """Walk on to the room that you set out for with `go`, by one more step."""
    return _walk_on(world, actor)


@command("back", category="movement", visible_to="room", for_agents=False)
def back(world: World, actor: Character) -> list[Event]:
    """Go back to the room that you came from."""
    before = actor.transient.previous_room_id
    if not before:
        raise CommandError(world.wording("movement.nowhere_back"))
    for exit in world.room_of(actor).exits.values():
        if exit.room_id == before:
            return _walk_through(world, actor, exit)
    raise CommandError(world.wording("movement.no_way_back", room=room_name(before, world)))


@command("follow <person>", category="movement", visible_to="named")
def follow(world: World, actor: Character, person: str) -> list[Event]:
    """Go along with somebody, wherever they walk, until you walk off yourself or are apart."""
    leader = find_person_here(world, actor, person)
    if actor.transient.following_id == leader.character_id:
        raise CommandError(world.wording("movement.follow_already", who=leader.name))
    if leader in party(world, actor):
        raise CommandError(world.wording("movement.follows_you", who=leader.name))
    events = _stop_following(actor)
    start_following(actor, leader)
    return [*events, Followed(actor.character_id, leader.character_id)]


@command("unfollow", category="movement", for_agents=False, visible_to="named")
def unfollow(world: World, actor: Character) -> list[Event]:
    """Go along with nobody any more."""
    events = _stop_following(actor)
    if not events:
        raise CommandError(world.wording("movement.follow_nobody"))
    return events


def _exit_of(world: World, wanted: str, exits: list[Exit]) -> Exit | None:
    key = name_key(wanted)
    for one in exits:
        if key in map(name_key, (one.name, *one.aliases, one.room_id, room_name(one.room_id, world))):
            return one
    found = candidates(wanted, exits)
    if len(found) > 1:
        names = world.wording.join_or([one.name for one in found])
        raise CommandError(world.wording("movement.which_way", wanted=wanted, names=names))
    return found[0] if found else None


def _way_to(world: World, actor: Character, wanted: str) -> list[Exit]:
    here = world.room_of(actor)
    nowhere = world.wording("movement.no_exit", wanted=wanted, exits=exit_names(world, here.exits))
    rooms = candidates(wanted, world.rooms.values())
    if rooms == [here] or wanted.lower() == "here":
        raise CommandError(world.wording("movement.here_already", room=here.name))
    rooms = [room for room in rooms if room is not here] or _room_with(world, actor, wanted)
    if len(rooms) > 1:
        names = world.wording.join_or([room.name for room in rooms])
        raise CommandError(world.wording("movement.which_place", wanted=wanted, names=names))
    way = shortest_path(world, here.room_id, rooms[0].room_id) if rooms else None
    if not way:
        raise CommandError(nowhere)
    return way


def _room_with(world: World, actor: Character, wanted: str) -> list[Room]:
    """Return the room of the one who is meant, nothing if nobody is. Raises: CommandError if it is this room."""
    others = [one for one in world.awake() if one is not actor]
    if not candidates(wanted, others):
        return []
    found = find(wanted, others, "", world.wording)
    if found.room_id == actor.room_id:
        raise CommandError(world.wording("movement.together_already", who=found.name))
    return [world.room_of(found)]


def _walk_on(world: World, actor: Character) -> list[Event]:
    goal = actor.transient.destination_id
    if goal not in world.rooms or goal == actor.room_id:
        raise CommandError(world.wording("movement.no_goal", room=room_name(world.start_room_id, world)))
    way = shortest_path(world, actor.room_id, goal)
    if not way:
        raise CommandError(world.wording("movement.no_way_on", room=room_name(goal, world)))
    return _step(world, actor, way)


def _step(world: World, actor: Character, way: list[Exit]) -> list[Event]:
    """Take the first step of a way, and keep in mind where it leads."""
    goal, rest = way[-1].room_id, len(way) - 1
    events = _walk_through(world, actor, way[0])
    actor.transient.destination_id = goal if rest else ""
    if rest:
        key = "movement.one_more_step" if rest == 1 else "movement.more_steps"
        events.append(Output(actor.character_id, world.wording(key, room=room_name(goal, world), steps=rest)))
    return events


def _walk_through(world: World, actor: Character, exit: Exit) -> list[Event]:
    """Go through an exit, with everyone who follows. Who leads goes first, and all arrive when all have left."""
    going = party(world, actor)
    before, left, arrived = actor.room_id, list[Event](), list[Event]()
    for one in going:
        after = one.transient.following_id if one is not actor else ""
        one.room_id, one.transient.previous_room_id = exit.room_id, before
        left.append(Left(one.character_id, before, exit.name, exit.room_id, after))
        arrived.append(Arrived(one.character_id, exit.room_id, before))
    return [*_stop_following(actor), *left, *arrived]


def _stop_following(actor: Character) -> list[Event]:
    """Let somebody follow nobody any more; return that as what happened, if it followed anybody."""
    leader_id, actor.transient.following_id = actor.transient.following_id, ""
    return [Unfollowed(actor.character_id, leader_id)] if leader_id else []
